/** OpenAPI and Swagger documents, HTTP archives and Hurl files. */
import { describe, expect, it } from 'vitest'
import { ConvertSyntaxError, formatOf } from '../../src/convert/index.ts'
import { converted, headerOf, lossesOf, sentOf } from './converting.ts'

const openapi = `openapi: 3.0.3
info: {title: Pet Store, version: 1.0.0}
servers:
  - url: https://api.example.com/v1/
    description: Production server
  - url: https://{env}.example.com:8080
    variables: {env: {default: staging}}
security: [{bearerAuth: []}]
paths:
  /pets:
    parameters:
      - {name: X-Trace, in: header, required: true, schema: {type: string, example: t}}
    get:
      tags: [pets, read only]
      summary: List pets
      parameters:
        - {name: limit, in: query, schema: {type: integer, default: 10}}
        - {name: tags, in: query, required: true, schema: {type: array, items: {type: string}}, example: [a, b c]}
      responses: {'200': {description: ok, content: {application/json: {}}}}
    post:
      operationId: addPet
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
  /pets/{petId}:
    get:
      parameters: [{name: petId, in: path, required: true, schema: {type: integer}, example: 42}]
      security: [{key: []}]
    put:
      security: [{basicAuth: []}]
      requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: string, example: b c}}}}}}
components:
  securitySchemes:
    bearerAuth: {type: http, scheme: bearer}
    basicAuth: {type: http, scheme: basic}
    key: {type: apiKey, in: query, name: api_key}
  schemas:
    Pet:
      allOf: [{$ref: '#/components/schemas/Base'}]
      type: object
      properties:
        name: {type: string, example: Rex}
        kind: {type: string, enum: [dog, cat]}
        parent: {$ref: '#/components/schemas/Pet'}
        born: {type: string, format: date}
        owner: {oneOf: [{type: object, properties: {id: {type: integer, minimum: 5}}}, {type: string}]}
    Base: {type: object, properties: {id: {type: integer, readOnly: true}, weight: {type: number}}}
`

describe('an OpenAPI document', () => {
  it('has a request for each operation, with examples', async () => {
    const { text } = await converted(openapi)
    const sent = await sentOf(text)
    expect(sent.map(({ line }) => line)).toEqual([
      'GET /v1/pets?tags=a&tags=b%20c HTTP/1.1',
      'POST /v1/pets HTTP/1.1',
      'GET /v1/pets/42?api_key= HTTP/1.1',
      'PUT /v1/pets/1 HTTP/1.1',
    ])
    expect(sent[0]?.headers).toEqual(expect.arrayContaining(['Accept: application/json', 'X-Trace: t']))
    expect(text).toContain('### List pets\n# @tag pets\n# @tag read-only\n')
    expect(text).toContain('    # &limit=10\n')
    expect(JSON.parse(sent[1]!.body.toString())).toEqual({
      weight: 1.5,
      name: 'Rex',
      kind: 'dog',
      born: '2026-01-31',
      owner: { id: 5 },
    })
    expect(sent[3]?.body.toString()).toBe('a=b+c')
  })

  it('has its servers and secrets as environments', async () => {
    const { environmentFiles } = await converted(openapi, { hasDirectory: true })
    expect(environmentFiles).toEqual([
      {
        name: 'http-client.env.json',
        environments: {
          $shared: { baseUrl: 'https://api.example.com/v1', username: '' },
          production: { baseUrl: 'https://api.example.com/v1' },
          'staging.example.com': { baseUrl: 'https://staging.example.com:8080' },
        },
      },
      { name: 'http-client.private.env.json', environments: { $shared: { bearerAuth: '', key: '', password: '' } } },
    ])
  })

  it('gives the same result from JSON and from YAML', async () => {
    const { parse } = await import('yaml')
    expect((await converted(JSON.stringify(parse(openapi)))).text).toBe((await converted(openapi)).text)
  })

  it('may be version 3.1 or Swagger 2.0', async () => {
    const modern = {
      openapi: '3.1.0',
      info: { title: 'x' },
      paths: {
        '/a': {
          post: {
            requestBody: {
              content: {
                'application/json': {
                  schema: {
                    type: ['object', 'null'],
                    properties: { a: { const: 1 }, b: { type: 'string', examples: ['c'] } },
                  },
                },
              },
            },
          },
        },
      },
    }
    const old = {
      swagger: '2.0',
      host: 'h.test',
      basePath: '/v2',
      schemes: ['http'],
      paths: {
        '/a': {
          post: {
            consumes: ['application/json'],
            parameters: [{ in: 'body', name: 'x', schema: { $ref: '#/definitions/A' } }],
          },
        },
        '/b': {
          post: {
            parameters: [
              { in: 'formData', name: 'f', type: 'string', default: 'g' },
              {
                in: 'query',
                name: 'q',
                required: true,
                type: 'array',
                items: { type: 'string' },
                collectionFormat: 'csv',
              },
            ],
          },
        },
      },
      definitions: { A: { type: 'object', properties: { a: { type: 'boolean' } } } },
    }
    const [first] = await sentOf((await converted(JSON.stringify(modern))).text)
    expect(JSON.parse(first!.body.toString())).toEqual({ a: 1, b: 'c' })
    const sent = await sentOf((await converted(JSON.stringify(old))).text)
    expect(sent.map(({ line, body }) => [line, body.toString().replace(/\s/g, '')])).toEqual([
      ['POST /v2/a HTTP/1.1', '{"a":true}'],
      ['POST /v2/b?q=string HTTP/1.1', 'f=g'],
    ])
  })

  it('has parameters with a media type as JSON', async () => {
    const schema = { type: 'object', properties: { a: { type: 'integer', example: 5 } } }
    const parameters = [{ name: 'f', in: 'query', required: true, content: { 'application/json': { schema } } }]
    const document = { openapi: '3.0.0', paths: { '/a': { get: { parameters } } } }
    const [sent] = await sentOf((await converted(JSON.stringify(document))).text)
    expect(sent?.line).toBe('GET /a?f=%7B%22a%22:5%7D HTTP/1.1')
  })

  it.each([
    ['label', false, { a: 1, b: 2 }, '.a,1,b,2'],
    ['label', true, ['x', 'y'], '.x.y'],
    ['label', true, { a: 1, b: 2 }, '.a=1.b=2'],
    ['matrix', false, 5, ';p=5'],
    ['matrix', false, ['x', 'y'], ';p=x,y'],
    ['matrix', true, ['x', 'y'], ';p=x;p=y'],
    ['matrix', true, { a: 1, b: 'c d' }, ';a=1;b=c%20d'],
    ['simple', true, { a: 1, b: 2 }, 'a=1,b=2'],
  ])('has a path in the style %s, exploded: %s', async (style, explode, example, expected) => {
    const parameters = [{ name: 'p', in: 'path', required: true, style, explode, example, schema: {} }]
    const document = { openapi: '3.0.0', paths: { '/a/{p}/b': { get: { parameters } } } }
    const [sent] = await sentOf((await converted(JSON.stringify(document))).text)
    expect(sent?.line).toBe(`GET /a/${expected}/b HTTP/1.1`)
  })

  it.each([
    ['path', 'pipes', 'x%7Cy'],
    ['path', 'ssv', 'x%20y'],
    ['query', 'tsv', 'x%09y'],
    ['query', 'csv', 'x,y'],
  ])('separates lists of Swagger 2.0 in the %s as %s', async (place, collectionFormat, expected) => {
    const list = { type: 'array', items: { type: 'string' }, default: ['x', 'y'] }
    const parameters = [{ name: 'p', in: place, required: true, collectionFormat, ...list }]
    const path = place === 'path' ? '/a/{p}' : '/a'
    const document = { swagger: '2.0', paths: { [path]: { get: { parameters } } } }
    const [sent] = await sentOf((await converted(JSON.stringify(document))).text)
    expect(sent?.line).toContain(expected)
  })

  it('has as many items in a list as its schema demands', async () => {
    const schema = { type: 'array', minItems: 3, items: { type: 'integer' } }
    const requestBody = { content: { 'application/json': { schema } } }
    const document = { openapi: '3.0.0', paths: { '/a': { post: { requestBody } } } }
    const [sent] = await sentOf((await converted(JSON.stringify(document))).text)
    expect(JSON.parse(sent!.body.toString())).toEqual([1, 1, 1])
  })

  it('has optional cookies as a comment', async () => {
    const parameters = [{ name: 'sid', in: 'cookie', example: 'x', schema: { type: 'string' } }]
    const document = { openapi: '3.0.0', paths: { '/a': { get: { parameters } } } }
    expect((await converted(JSON.stringify(document))).text).toContain('\n# Cookie: sid=x\n')
  })

  it('takes examples of parameters by reference', async () => {
    const examples = { one: { $ref: '#/components/examples/One' } }
    const parameters = [{ name: 'q', in: 'query', required: true, schema: { type: 'string' }, examples }]
    const document = {
      openapi: '3.0.0',
      paths: { '/a': { get: { parameters } } },
      components: { examples: { One: { value: 'ada' } } },
    }
    const [sent] = await sentOf((await converted(JSON.stringify(document))).text)
    expect(sent?.line).toBe('GET /a?q=ada HTTP/1.1')
  })

  it('adds the slash that a path lacks', async () => {
    const document = { openapi: '3.0.0', paths: { 'users/{id}': { get: {} } } }
    expect((await converted(JSON.stringify(document))).text).toContain('GET {{baseUrl}}/users/{{id}}')
  })

  it('has the server of an operation on this machine if it names no host', async () => {
    const document = { openapi: '3.0.0', paths: { '/a': { get: { servers: [{ url: '/v2' }] } } } }
    const [sent] = await sentOf((await converted(JSON.stringify(document))).text)
    expect(sent?.line).toBe('GET /v2/a HTTP/1.1')
  })

  it('reports references to nothing, once each', async () => {
    const parameters = [{ $ref: '#/components/parameters/Gone' }]
    const paths = { '/a': { get: { parameters } }, '/b': { get: { parameters } } }
    expect(lossesOf(await converted(JSON.stringify({ openapi: '3.0.0', paths })))).toEqual([
      '#/components/parameters/Gone: a reference whose target is missing',
    ])
  })

  it('reports webhooks and callbacks, which the described server sends', async () => {
    const answers = { responses: { 200: { description: 'ok' } } }
    const callbacks = { onEvent: { '{$request.body#/url}': { post: answers } } }
    const document = {
      openapi: '3.1.0',
      paths: { '/a': { get: answers, post: { ...answers, callbacks } } },
      webhooks: { newPet: { post: answers } },
    }
    const result = await converted(JSON.stringify(document))
    expect(lossesOf(result)).toEqual([
      'paths./a.post.callbacks: requests that the described server sends',
      'webhooks: requests that the described server sends',
    ])
    expect((await sentOf(result.text)).map(({ line }) => line)).toEqual(['GET /a HTTP/1.1', 'POST /a HTTP/1.1'])
  })

  it('reports a reference to the name of a schema, which is not a path in the document', async () => {
    const schema = { $ref: '#pet' }
    const post = { requestBody: { content: { 'application/json': { schema } } } }
    const document = { openapi: '3.1.0', paths: { '/a': { post } } }
    expect(lossesOf(await converted(JSON.stringify(document)))).toEqual(['#pet: a reference whose target is missing'])
  })

  it.each([
    ['paths in another file', { paths: { $ref: 'paths.yaml' } }, ['paths.yaml: a reference to another file']],
    ['schemas only', { components: { schemas: {} } }, []],
  ])('reports that no request is left: %s', async (_, members, more) => {
    const result = await converted(JSON.stringify({ openapi: '3.1.0', ...members }), { hasDirectory: true })
    expect(lossesOf(result)).toEqual([...more, 'paths: a document without operations'])
    expect(result.text).toBe('')
    expect(result.environmentFiles).toEqual([])
  })

  it('escapes an example with half of a surrogate pair', async () => {
    const parameters = [
      { name: 'q', in: 'query', required: true, schema: { type: 'string', example: 'a\ud800' } },
      { name: 'p', in: 'path', required: true, schema: { type: 'string', example: '\udc00b' } },
    ]
    const document = { openapi: '3.0.0', paths: { '/{p}': { get: { parameters } } } }
    const [sent] = await sentOf((await converted(JSON.stringify(document))).text)
    expect(sent?.line).toBe('GET /%EF%BF%BDb?q=a%EF%BF%BD HTTP/1.1')
  })

  it('reports references into other files', async () => {
    const document = { openapi: '3.0.0', paths: { '/a': { $ref: 'other.yaml#/a' }, '/b': { get: {} } } }
    expect(lossesOf(await converted(JSON.stringify(document)))).toEqual(['other.yaml#/a: a reference to another file'])
  })

  it.each([
    ['broken YAML', 'openapi: 3.0.0\npaths:\n  - a\n  b: c\n', 4],
    ['no paths', 'openapi: 3.0.0\n', 1],
  ])('is an error with its place: %s', async (_, text, line) => {
    const error = await converted(text, { from: 'openapi' }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConvertSyntaxError)
    expect(error).toMatchObject({ where: { line } })
  })
})

describe('an HTTP archive', () => {
  it('has the text messages of a WebSocket; others are reported', async () => {
    const messages = [
      { type: 'send', opcode: 2, data: 'AAEC' },
      { type: 'receive', opcode: 1, data: 'hello' },
      { type: 'send', opcode: 1, data: 'hi' },
    ]
    const request = { method: 'GET', url: 'wss://h.test/' }
    const result = await converted(JSON.stringify({ log: { entries: [{ request, _webSocketMessages: messages }] } }))
    expect(result.text).toContain('WEBSOCKET wss://h.test/\n\nhi\n')
    expect(lossesOf(result)).toEqual(['log.entries[0]._webSocketMessages[0]: a message that is not text'])
  })

  const entry = (request: object, response: object = { status: 200 }): object => ({
    request: { method: 'GET', url: 'http://h.test/', headers: [], ...request },
    response,
  })
  const har = (...entries: readonly object[]): string => JSON.stringify({ log: { version: '1.2', entries } })

  it('has its requests without the fields that a browser adds', async () => {
    const headers = [
      ':authority',
      'Host',
      'content-length',
      'sec-fetch-mode',
      'sec-ch-ua-mobile',
      'Connection',
      'X-Own',
      'accept',
    ].map((name) => ({ name, value: name === 'Host' ? 'H.test:80' : 'v' }))
    const { text } = await converted(
      har(
        entry({
          headers,
          cookies: [
            { name: 'a', value: 'b' },
            { name: 'c', value: 'd' },
          ],
        }),
      ),
    )
    const [sent] = await sentOf(text)
    expect(sent?.headers).toEqual(['Host: h.test', 'X-Own: v', 'accept: v', 'Cookie: a=b; c=d'])
  })

  it.each<[string, string, readonly (readonly [string, string])[], string]>([
    [
      'only in queryString',
      '/',
      [
        ['a b', 'c&d'],
        ['e%5B0%5D', 'f'],
      ],
      '/?a%20b=c%26d&e%5B0%5D=f',
    ],
    [
      'beside another one',
      '/?x=1',
      [
        ['a', 'b'],
        ['a', 'c'],
      ],
      '/?x=1&a=b&a=c',
    ],
    [
      'in both',
      '/?a%5B%5D=b&c',
      [
        ['a%5B%5D', 'b'],
        ['c', ''],
      ],
      '/?a%5B%5D=b&c',
    ],
    ['in both with a plus sign', '/?a+b=c', [['a+b', 'c']], '/?a+b=c'],
    ['in both in another charset', '/?%E4=c', [['%E4', 'c']], '/?%E4=c'],
    ['empty', '/?', [['', '']], '/?'],
    [
      'without the names that are empty',
      '/',
      [
        ['', ''],
        ['a', 'b'],
      ],
      '/?a=b',
    ],
  ])('has a query that is %s', async (_, path, pairs, wanted) => {
    const queryString = pairs.map(([name, value]) => ({ name, value }))
    const { text } = await converted(har(entry({ url: `http://h.test${path}`, queryString })))
    expect((await sentOf(text)).map(({ line }) => line)).toEqual([`GET ${wanted} HTTP/1.1`])
  })

  it('has the Host of a virtual host', async () => {
    const headers = [{ name: 'host', value: 'shop.test' }]
    const [sent] = await sentOf((await converted(har(entry({ url: 'http://127.0.0.1:8080/', headers })))).text)
    expect(headerOf(sent!, 'Host')).toBe('shop.test')
  })

  it('reports tunnels of a proxy', async () => {
    const entries = [entry({ method: 'CONNECT', url: 'https://h.test:443' }), entry({})]
    const result = await converted(har(...entries))
    expect(await sentOf(result.text)).toHaveLength(1)
    expect(lossesOf(result)).toEqual(['log.entries[0].request.method: CONNECT, which opens the tunnel of a proxy'])
  })

  it.each<[string, object, string]>([
    ['text', { mimeType: 'application/json', text: '{"a": "{{b}}"}' }, '{"a": "{{b}}"}'],
    ['base64', { mimeType: 'text/plain', text: 'w6k=', encoding: 'base64' }, 'é'],
    ['parameters', { mimeType: 'application/x-www-form-urlencoded', params: [{ name: 'a', value: 'b%20c' }] }, 'a=b+c'],
  ])('has bodies: %s', async (_, postData, body) => {
    const [sent] = await sentOf((await converted(har(entry({ method: 'POST', postData })))).text)
    expect(sent?.body.toString()).toBe(body)
    expect(headerOf(sent!, 'Content-Type')).toMatch(/^(?:application|text)\//)
  })

  it('splits a multipart text into parts, framed once', async () => {
    const text = [
      '--X',
      'Content-Disposition: form-data; name="t"',
      '',
      '# line\r\n',
      '--X',
      'Content-Disposition: form-data; name="f"; filename=""',
      'Content-Type: application/octet-stream',
      '',
      '',
      '--X--',
      '',
    ].join('\r\n')
    const headers = [{ name: 'content-type', value: 'multipart/form-data; boundary=X' }]
    const postData = { mimeType: 'multipart/form-data; boundary=X', text }
    const result = await converted(har(entry({ method: 'POST', headers, postData })))
    const [sent] = await sentOf(result.text.replaceAll('{{cr}}', '\u240d'))
    expect(sent?.body.toString().replaceAll('\u240d', '\r')).toBe(text)
  })

  it('keeps binary data in a separate file', async () => {
    const postData = {
      mimeType: 'image/png',
      text: Buffer.from([0x89, 0, 0xff]).toString('base64'),
      encoding: 'base64',
    }
    const { companions, text } = await converted(har(entry({ method: 'POST', postData })), { hasDirectory: true })
    expect(companions.map(({ octets }) => [...octets])).toEqual([[0x89, 0, 0xff]])
    const name = companions[0]?.name ?? ''
    const [sent] = await sentOf(text, { [name]: companions[0]!.octets })
    expect([...sent!.body]).toEqual([0x89, 0, 0xff])
  })

  it('does not follow a redirect if the next entry does, and reports what is not HTTP', async () => {
    const result = await converted(har(entry({}, { status: 302 }), entry({ url: 'data:text/plain,x' })))
    expect(result.text.match(/@no-redirect/g)).toHaveLength(1)
    expect(lossesOf(result)).toEqual(['log.entries[1].request.url: the URL data:text/plain,x'])
  })
})

describe('a Hurl file', () => {
  it('escapes half of a surrogate pair in its query', async () => {
    const [sent] = await sentOf((await converted('GET http://h.test/\n[Query]\nq: a\\u{d800}\n')).text)
    expect(sent?.line).toBe('GET /?q=a%EF%BF%BD HTTP/1.1')
  })

  it.each<[string, string, string, string]>([
    ['a name from a variable', 'GET http://h.test/\n[Query]\n{{g}}: {{g}}\nc: d\n', 'GET /?G=G&c=d HTTP/1.1', ''],
    ['a body that is a variable', 'POST http://h.test/\n{{g}}\n', 'POST / HTTP/1.1', 'G'],
    ['query parameters', 'GET http://h.test/a?b=1\n[Query]\nc: d e\nf: {{g}}\n', 'GET /a?b=1&c=d%20e&f=G HTTP/1.1', ''],
    ['a form', 'POST http://h.test/\n[FormParams]\na: b c\nd: e&f\n', 'POST / HTTP/1.1', 'a=b+c&d=e%26f'],
    ['JSON', 'POST http://h.test/\n{\n  "a": "{{g}}" }\nHTTP 200\n', 'POST / HTTP/1.1', '{\n  "a": "G" }'],
    ['XML', 'POST http://h.test/\n<a>\n # b\n</a>\n\nHTTP 200\n', 'POST / HTTP/1.1', '<a>\n # b\n</a>'],
    ['lines', 'POST http://h.test/\n```\n# a\n\n```\nHTTP 200\n', 'POST / HTTP/1.1', '# a\n\n'],
    ['one line', 'POST http://h.test/\n`a\\nb`\n', 'POST / HTTP/1.1', 'a\nb'],
    ['base64', 'POST http://h.test/\nbase64,w6k=;\n', 'POST / HTTP/1.1', 'é'],
    ['a file', 'POST http://h.test/\nfile,f.txt;\n', 'POST / HTTP/1.1', 'content'],
    [
      'GraphQL',
      'POST http://h.test/\n```graphql\nquery A { b }\nvariables { "c": 1 }\n```\n',
      'POST / HTTP/1.1',
      '{"query":"query A { b }","variables":{ "c": 1 },"operationName":"A"}',
    ],
  ])('has requests with %s', async (_, source, line, body) => {
    const { text } = await converted(source, { from: 'hurl' })
    const [sent] = await sentOf(`@g = G\n${text}`, { 'f.txt': 'content' })
    expect(sent?.line).toBe(line)
    expect(sent?.body.toString()).toBe(body)
  })

  it('has credentials, cookies, headers and options', async () => {
    const source =
      '# Log in\nGET http://h.test/\nX-A: b # comment\n[BasicAuth]\nada: pw\n[Cookies]\na: b\nc: d\n[Options]\nlocation: true\nretry: 3\nmax-time: 5s\n'
    const { text } = await converted(source, { from: 'hurl' })
    const [sent] = await sentOf(text)
    expect(sent?.headers).toEqual(['Host: h.test', 'Authorization: Basic YWRhOnB3', 'X-A: b', 'Cookie: a=b; c=d'])
    expect(text).toContain('### Log in\n# @timeout 5 s\n# @retry 3\n')
  })

  it('reports command-line options, and options without an equivalent', async () => {
    const source = 'GET http://h.test/\n[Options]\ninsecure: true\nrepeat: 3\nskip: {{isOff}}\n'
    expect(lossesOf(await converted(source, { from: 'hurl' }))).toEqual([
      'line 3: the option insecure: give -i to "httpcli run"',
      'line 4: the option repeat',
      'line 5: the option skip',
    ])
  })

  it('reports filters in templates, except those that have no effect here', async () => {
    const source = 'GET http://h.test/{{a}}?b={{b urlEncode}}\nX: {{c toInt}}\nY: {{getEnv C}}\n'
    const result = await converted(source, { from: 'hurl' })
    expect(lossesOf(result)).toEqual(['line 1: the filter in {{b urlEncode}}'])
  })

  it('has captures and asserts', async () => {
    const source =
      'GET http://h.test/\nHTTP/1.1 200\nContent-Type: text/plain\n[Captures]\nid: jsonpath "$.id"\n[Asserts]\njsonpath "$.a" count == 2\nheader "X" not exists\nbody includes "b"\njsonpath "$.c" toInt >= 3\njsonpath "$.d" replace "a" "b" == "c"\n'
    const result = await converted(source, { from: 'hurl' })
    expect(result.text.split('\n').filter((line) => /@(?:assert|capture)/.test(line))).toEqual([
      '# @capture id = jsonpath "$.id"',
      '# @assert status == 200',
      '# @assert version == HTTP/1.1',
      '# @assert header "Content-Type" == "text/plain"',
      '# @assert jsonpath "$.a" count == 2',
      '# @assert header "X" not exists',
      '# @assert body contains "b"',
      '# @assert jsonpath "$.c" toInt >= 3',
      '# @assert jsonpath "$.d" replace "a" "b" == "c"',
    ])
    expect(lossesOf(result)).toEqual([])
  })

  it.each<[string, string | undefined]>([
    ['jsonpath "$.[0].a.[*]" count == 2', 'jsonpath "$[0].a[*]" count == 2'],
    ['jsonpath "$.h.Content-Length" exists', `jsonpath "$.h['Content-Length']" exists`],
    ['jsonpath "$..x-y[?(@.a-b == \'.[c-d\')].e" exists', `jsonpath "$..['x-y'][?(@.a-b == '.[c-d')].e" exists`],
    ['body jsonpath "$.[0]" exists', 'body jsonpath "$[0]" exists'],
    ['jsonpath "$.a" split "," count == 2', 'jsonpath "$.a" split "," count == 2'],
    ['jsonpath "$.a" replaceRegex /\\d+/ "x" == "x"', 'jsonpath "$.a" replaceRegex /\\d+/ "x" == "x"'],
    ['jsonpath "$.a" toDate "%Y-%m-%d" daysAfterNow > 3', 'jsonpath "$.a" toDate "%Y-%m-%d" daysAfterNow > 3'],
    ['jsonpath "$.a" toDate "%F" format "%d" == "1"', 'jsonpath "$.a" toDate "%F" format "%d" == "1"'],
    ['jsonpath "$.a" base64Decode jsonpath "$.b" == 1', 'jsonpath "$.a" base64Decode jsonpath "$.b" == 1'],
    ['header "X" urlDecode == "a b"', 'header "X" urlDecode == "a b"'],
    ['certificate "Expire-Date" daysAfterNow > 15', 'certificate "Expire-Date" daysAfterNow > 15'],
    ['xpath "//a" nth 1 toFloat == 1.5', 'xpath "//a" nth 1 toFloat == 1.5'],
    ['bytes count == 5', 'bytes == 5'],
    ['bytes decode "gb2312" contains "x"', 'body decode "gb2312" contains "x"'],
    ['redirects count == 1', 'redirects == 1'],
    ['redirects nth 0 location == "x"', 'locations nth 0 == "x"'],
    ['redirects first location exists', 'locations first exists'],
    ['jsonpath "$.a" htmlUnescape == "x"', 'jsonpath "$.a" htmlUnescape == "x"'],
    ['bytes startsWith hex,efbbbf;', 'body toHex startsWith "efbbbf"'],
    ['bytes not endsWith hex,AB 23;', 'body toHex not endsWith "ab23"'],
    ['bytes contains base64,vu8=;', 'body toHex matches /^(?:..)*?beef/'],
    ['bytes base64Encode == "YQ=="', 'body base64Encode == "YQ=="'],
    ['bytes utf8Decode == "a"', 'body decode "utf-8" == "a"'],
    ['bytes charsetDecode "gb2312" == "a"', 'body decode "gb2312" == "a"'],
    ['rawbytes count == 12', 'size == 12'],
    ['header "X" urlEncode == "a%3A//b"', 'header "X" urlEncode replace "%2F" "/" == "a%3A//b"'],
    ['sha256 toHex == "0aff"', 'sha256 == "0aff"'],
    ['sha256 base64Encode == "Cv8="', undefined],
    ['sha256 == hex,0AFF;', 'sha256 == "0aff"'],
    ['jsonpath "$.a" base64Decode == hex,61;', 'jsonpath "$.a" base64Decode == "a"'],
    ['jsonpath "$.a" base64Decode utf8Decode == "a"', 'jsonpath "$.a" base64Decode == "a"'],
    ['jsonpath "$.a" utf8Encode toHex == "61"', 'jsonpath "$.a" toHex == "61"'],
    ['jsonpath "$.a" replace /\\d/ "x" == "c"', 'jsonpath "$.a" replaceRegex /\\d/ "x" == "c"'],
    ['jsonpath "$.a" == `a "b"`', 'jsonpath "$.a" == "a \\"b\\""'],
    ['jsonpath "$.a" == "\\u{1F600}\\n"', 'jsonpath "$.a" == "😀\\n"'],
    ['jsonpath "$.a" == "a{{b}}"', 'jsonpath "$.a" == "a{{b}}"'],
    ['jsonpath "$.a" == {{getEnv B}}', 'jsonpath "$.a" == {{$env.B}}'],
    ['jsonpath "$.a" isIsoDate', 'jsonpath "$.a" isDate'],
    ['version == "1.1"', 'version replace "HTTP/" "" == "1.1"'],
    ['certificate "Subject-Alt-Name" contains "DNS:x"', 'certificate "Subject-Alt-Name" contains "DNS:x"'],
    ['certificate "Value" startsWith "-----"', 'certificate "Value" startsWith "-----"'],
    ['jsonpath "$.a" base64Decode == hex,ff;', undefined],
    ['jsonpath "$.a" base64Decode charsetDecode "gb2312" == "a"', undefined],
    ['jsonpath "$.a" == hex,ff;', undefined],
    ['bytes == file,data.bin;', undefined],
    ['rawbytes == hex,ff;', undefined],
  ])('has the assert %s, or reports it', async (source, wanted) => {
    const result = await converted(`GET http://h.test/\nHTTP *\n[Asserts]\n${source}\n`, { from: 'hurl' })
    const line = /# @assert (.*)/.exec(result.text)?.[1]
    expect([line, lossesOf(result).length]).toEqual([wanted, wanted === undefined ? 1 : 0])
  })

  it.each([
    ['text that is not a request', 'GET http://h.test/\nHTTP 200\n\nnonsense here\n', 4],
    ['a body that is not closed', 'POST http://h.test/\n```\na\n', 2],
  ])('is an error with its place: %s', async (_, text, line) => {
    const error = await converted(text, { from: 'hurl' }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'convert-syntax', where: { line } })
  })
})

describe('the format of a text', () => {
  it.each<[string | undefined, string, string]>([
    ['curl', 'x', '$ curl http://h/'],
    ['curl', 'x', 'TOKEN=a curl http://h/'],
    ['curl', 'x', 'echo a | curl -d @- http://h/'],
    ['postman', 'x', '{"info":{"schema":"https://schema.getpostman.com/json/collection/v2.1.0/"},"item":[]}'],
    ['postman', 'x', '{"environment":{"name":"dev","values":[{"key":"a","value":"1","enabled":true}]}}'],
    [undefined, 'x', '{"values":[{"key":"a","value":"1"}]}'],
    ['openapi', 'x', '{"openapi":"3.0.0"}'],
    ['openapi', 'x', "swagger: '2.0'\n"],
    ['openapi', 'x', '# a\n---\n  info: {}\n  openapi: 3.0.0\n'],
    [undefined, 'x', 'a:\n  openapi: 3.0.0\n'],
    ['har', 'x', '{"log":{"entries":[]}}'],
    ['hurl', 'x', 'GET http://h/\nHTTP 200\n'],
    ['hurl', 'a.hurl', 'GET http://h/\n'],
    ['http', 'x', '### a\nGET http://h/ HTTP/1.1\n'],
    [undefined, 'x', '{"a": 1}'],
    [undefined, 'x', 'no request at all: just words\n'],
  ])('is detected by its content: %s', (format, path, text) => {
    expect(formatOf({ path, text })).toBe(format)
  })
})
