/** Postman collections and environments. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts are texts here
import { describe, expect, it } from 'vitest'
import { ConvertSyntaxError } from '../../src/convert/index.ts'
import { postmanScripts } from '../../src/convert/postman/script-names.data.ts'
import { translateScript } from '../../src/convert/script/translation.ts'
import { parseHttpFile } from '../../src/http-file/index.ts'
import { converted, headerOf, lossesOf, sentOf } from './converting.ts'

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
type Json = Readonly<Record<string, unknown>>

const collection = (items: readonly Json[], more: Json = {}): string =>
  JSON.stringify({ info: { name: 'Shop', schema }, item: items, ...more })
const item = (request: Json, more: Json = {}): Json => ({
  name: 'One',
  request: { method: 'GET', url: 'http://h.test/', ...request },
  ...more,
})

const lostDigest =
  'item[0].request.auth: Digest authorization with this user or password: "Digest user password" cannot hold it'

async function sentOne(request: Json, files: Readonly<Record<string, string>> = {}, more: Json = {}) {
  const { text } = await converted(collection([item(request)], more))
  const [sent] = await sentOf(text, files)
  return { text, sent: sent! }
}

describe('a request of a collection', () => {
  it('has the names of its folders', async () => {
    const { text } = await converted(collection([{ name: 'Users', item: [{ name: 'Admin', item: [item({})] }] }]))
    expect(text).toContain('### Users / Admin / One')
  })

  it('may be a single item of the collection or of a folder', async () => {
    const text = JSON.stringify({ info: { name: 'Shop', schema }, item: { name: 'Users', item: item({}) } })
    expect((await converted(text)).text).toContain('### Users / One\nGET http://h.test/')
  })

  it('has the variables of its folders, except those that the collection defines too', async () => {
    const folder = (name: string, variable: readonly Json[], items: readonly Json[]): Json => ({
      name,
      variable,
      item: items,
    })
    const inner = folder('Inner', [{ key: 'v', value: 'in' }], [item({ url: 'http://h.test/{{v}}/{{w}}/{{c}}' })])
    const outer = folder(
      'Outer',
      [
        { key: 'v', value: 'out' },
        { key: 'w', value: 'w' },
        { key: 'c', value: 'no' },
      ],
      [inner],
    )
    const result = await converted(collection([outer], { variable: [{ key: 'c', value: 'yes' }] }))
    const [sent] = await sentOf(result.text)
    expect(sent?.line).toBe('GET /in/w/yes HTTP/1.1')
    expect(lossesOf(result)).toEqual(['item[0].variable: the variable c, which the collection also has'])
  })

  it.each<[string, unknown, string]>([
    ['a text', 'http://h.test/a?b=c', '/a?b=c'],
    ['its raw form', { raw: 'http://h.test/a b?c=d', host: ['h', 'test'] }, '/a%20b'],
    [
      'its parts',
      {
        protocol: 'http',
        host: ['h', 'test'],
        port: '81',
        path: ['a', 'b'],
        query: [
          { key: 'c', value: 'd e' },
          { key: 'f', value: null },
        ],
      },
      '/a/b?c=d%20e&f',
    ],
    [
      'values of its path',
      { raw: 'http://h.test/:id/x', path: [':id', 'x'], variable: [{ key: 'id', value: '42' }] },
      '/42/x',
    ],
    [
      'its parts, if its raw form differs',
      {
        raw: 'old.test/b?c=d',
        protocol: 'http',
        host: ['h', 'test'],
        path: ['a', ''],
        query: [{ key: 'c', value: 'd' }],
      },
      'http://h.test/a/?c=d',
    ],
    [
      'its parts with user and password',
      { raw: 'x', protocol: 'http', auth: { user: 'u', password: 'p' }, host: ['h', 'test'], path: ['a'] },
      'http://u:p@h.test/a',
    ],
    [
      'values of its path before a point',
      { raw: 'http://h.test/:id.json/x', path: [':id.json', 'x'], variable: [{ id: 'id', value: '42' }] },
      '/42.json/x',
    ],
    [
      'its path without a value, which is sent by its name',
      { raw: 'http://h.test/:a b/x', path: [':a b', 'x'], variable: [{ key: 'a b', value: '' }] },
      '/:a%20b/x',
    ],
    [
      'parameters that are switched off',
      {
        raw: 'http://h.test/?a=1',
        query: [
          { key: 'a', value: '1' },
          { key: 'z', value: '2', disabled: true },
        ],
      },
      '/?a=1',
    ],
  ])('takes its URL from %s', async (_, url, target) => {
    const { sent, text } = await sentOne({ url })
    const isWhole = target.startsWith('http')
    expect(isWhole ? text : sent.line.split(' ')[1]).toContain(target)
  })

  it('keeps disabled entries as comments', async () => {
    const { text } = await sentOne({
      method: 'POST',
      url: { raw: 'http://h.test/', query: [{ key: 'z', value: '2', disabled: true }] },
      header: [
        { key: 'X-Off', value: 'y', disabled: true },
        { key: 'X-On', value: 'y' },
      ],
      body: {
        mode: 'urlencoded',
        urlencoded: [
          { key: 'a', value: 'b' },
          { key: 'off', value: 'c', disabled: true },
        ],
      },
    })
    expect(text).toContain('    # &z=2\n')
    expect(text).toContain('\n# X-Off: y\nX-On: y\n')
    expect(text).toContain('\na = b\n# off = c\n')
  })

  it.each<[string, Json, string | undefined, string]>([
    [
      'raw JSON',
      { mode: 'raw', raw: '{"a":\r\n1}', options: { raw: { language: 'json' } } },
      'application/json',
      '{"a":\n1}',
    ],
    ['raw text', { mode: 'raw', raw: '# one\n\n' }, 'text/plain', '# one\n\n'],
    [
      'a form',
      { mode: 'urlencoded', urlencoded: [{ key: 'a b', value: 'c&d=e%' }] },
      'application/x-www-form-urlencoded',
      'a+b=c%26d%3De%25',
    ],
    [
      'GraphQL',
      { mode: 'graphql', graphql: { query: 'query A { b }', variables: '{"x": 1}' } },
      'application/json',
      '{"query":"query A { b }","variables":{"x": 1},"operationName":"A"}',
    ],
    [
      'GraphQL with an operation other than the first',
      { mode: 'graphql', graphql: { query: 'query A { b } query C { d }', operationName: 'C', variables: '{"x": 1}' } },
      'application/json',
      '{"query":"query A { b } query C { d }","operationName":"C","variables":{"x": 1}}',
    ],
    ['GraphQL without a query', { mode: 'graphql', graphql: {} }, 'application/json', '{"query":""}'],
    [
      'JSON with comments',
      { mode: 'raw', raw: '{ // one\r\n"a": "//" /* two */}', options: { raw: { language: 'json' } } },
      'application/json',
      '{ \n"a": "//" }',
    ],
    [
      'a text of several lines in JSON with comments',
      { mode: 'raw', raw: '{"a": "\\"1\n//2\n/*3*/" // four\n}', options: { raw: { language: 'json' } } },
      'application/json',
      '{"a": "\\"1\n//2\n/*3*/" \n}',
    ],
    [
      'text with what would be a comment in JSON',
      { mode: 'raw', raw: '{ // one\n}', options: { raw: { language: 'text' } } },
      'text/plain',
      '{ // one\n}',
    ],
    [
      'JSON as an object',
      { mode: 'raw', raw: { a: 1 }, options: { raw: { language: 'json' } } },
      'application/json',
      '{"a":1}',
    ],
    ['parts that are all disabled', { mode: 'formdata', formdata: [{ key: 'a', disabled: true }] }, undefined, ''],
    ['a file', { mode: 'file', file: { src: './f.txt' } }, 'text/plain', 'content'],
  ])('has its body: %s', async (_, body, type, expected) => {
    const { sent } = await sentOne({ method: 'POST', body }, { 'f.txt': 'content' })
    expect(sent.body.toString()).toBe(expected)
    expect(headerOf(sent, 'Content-Type')).toBe(type)
  })

  it.each<[string, Json, Json, string]>([
    [
      'JSON, recognized by its header, without comments',
      { method: 'POST', header: [{ key: 'content-type', value: 'application/vnd.api+json' }] },
      { mode: 'raw', raw: '{//a\n}' },
      'POST {\n}',
    ],
    [
      'GraphQL with another method',
      { method: 'PUT' },
      { mode: 'graphql', graphql: { query: '{ "a" }', variables: { b: 1 } } },
      'PUT {"query":"{ \\"a\\" }","variables":{"b":1}}',
    ],
  ])('has %s', async (_, request, body, expected) => {
    const { sent } = await sentOne({ ...request, body })
    expect(`${sent.line.split(' ')[0]} ${sent.body}`).toBe(expected)
  })

  it('has form parts with files', async () => {
    const formdata = [
      { key: 'a', value: 'b', type: 'text' },
      { key: 'o', value: { x: 1 }, type: 'text' },
      { key: 'f', type: 'file', src: ['./f.txt'], contentType: 'text/plain' },
    ]
    const { sent } = await sentOne({ method: 'POST', body: { mode: 'formdata', formdata } }, { 'f.txt': 'content' })
    expect(sent.body.toString()).toBe(
      '--boundary\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--boundary\r\nContent-Disposition: form-data; name="o"\r\n\r\n{"x":1}\r\n--boundary\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\nContent-Type: text/plain\r\n\r\ncontent\r\n--boundary--\r\n',
    )
  })

  it.each<[string, Json, string, string]>([
    [
      'Basic',
      {
        type: 'basic',
        basic: [
          { key: 'username', value: 'ada' },
          { key: 'password', value: 'a b' },
        ],
      },
      'Authorization',
      'Basic YWRhOmEgYg==',
    ],
    [
      'Basic in the older form',
      { type: 'basic', basic: { username: 'ada', password: 'pw' } },
      'Authorization',
      'Basic YWRhOnB3',
    ],
    [
      'Basic with a variable and no password',
      { type: 'basic', basic: { username: '{{key}}', password: '' } },
      'Authorization',
      'Basic YWJjOg==',
    ],
    [
      'Basic with a variable and no user',
      { type: 'basic', basic: { username: '', password: '{{key}}' } },
      'Authorization',
      'Basic OmFiYw==',
    ],
    ['a token', { type: 'bearer', bearer: [{ key: 'token', value: 'abc' }] }, 'Authorization', 'Bearer abc'],
    [
      'a key',
      {
        type: 'apikey',
        apikey: [
          { key: 'key', value: 'X-Key' },
          { key: 'value', value: 'abc' },
        ],
      },
      'X-Key',
      'abc',
    ],
    ['OAuth 2', { type: 'oauth2', oauth2: [{ key: 'accessToken', value: 'abc' }] }, 'Authorization', 'Bearer abc'],
  ])('is authorized as its collection says: %s', async (_, auth, header, value) => {
    const { sent } = await sentOne({}, {}, { auth, variable: [{ key: 'key', value: 'abc' }] })
    expect(headerOf(sent, header)).toBe(value)
  })

  it('has an encoded API key in its query', async () => {
    const key = [
      { key: 'in', value: 'query' },
      { key: 'key', value: 'a=b' },
      { key: 'value', value: 'c&d=1#e' },
    ]
    const { sent } = await sentOne({ url: 'http://h.test/?x=1#part' }, {}, { auth: { type: 'apikey', apikey: key } })
    expect(sent.line).toBe('GET /?x=1&a%3Db=c%26d=1%23e HTTP/1.1')
  })

  it.each<[string, string, string, string | undefined, string[]]>([
    ['a password with blanks', 'ada', 'love lace', 'Digest ada love lace', []],
    ['no password', 'ada', '', 'Digest ada:', []],
    ['a variable', '{{user}}', '{{pw}}', 'Digest {{user}} {{pw}}', []],
    ['a name with a blank', 'a b', 'pw', undefined, [lostDigest]],
    ['a name with a comma', 'a,b', 'pw', undefined, [lostDigest]],
    ['a name with a colon', 'a:b', 'pw', undefined, [lostDigest]],
    ['no name', '', 'pw', undefined, [lostDigest]],
  ])('has Digest in the form that a request file can express: %s', async (_, username, password, header, losses) => {
    const digest = [
      { key: 'username', value: username },
      { key: 'password', value: password },
    ]
    const request = { url: 'http://h.test/', auth: { type: 'digest', digest } }
    const result = await converted(collection([{ name: 'x', request }]))
    expect(/^Authorization: (.*)$/m.exec(result.text)?.[1]).toBe(header)
    expect(lossesOf(result)).toEqual(losses)
  })

  it('gets a boundary if its header has none', async () => {
    const request = {
      method: 'POST',
      url: 'http://h.test/',
      header: [{ key: 'Content-Type', value: 'multipart/form-data' }],
      body: { mode: 'formdata', formdata: [{ key: 'a', value: 'b', type: 'text' }] },
    }
    const [sent] = await sentOf((await converted(collection([{ name: 'x', request }]))).text)
    const boundary = /boundary=(\S+)$/.exec(headerOf(sent!, 'Content-Type') ?? '')?.[1]
    expect(sent?.body.toString()).toContain(`--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n`)
  })

  it.each([
    ['formdata', 'application/json', 'multipart/form-data; boundary=boundary'],
    ['formdata', 'multipart/form-data; boundary=b', 'multipart/form-data; boundary=b'],
    ['urlencoded', 'application/json', 'application/x-www-form-urlencoded'],
    ['urlencoded', 'application/x-www-form-urlencoded; charset=utf-8', undefined],
    ['urlencoded', '{{type}}', undefined],
    ['urlencoded', 'application/json', undefined, true],
  ])('of %s replaces a Content-Type of another kind: %s', async (mode, written, type = written, disabled = false) => {
    const request = {
      method: 'POST',
      url: 'http://h.test/',
      header: [{ key: 'Content-Type', value: written }],
      body: { mode, [mode]: [{ key: 'a', value: 'b c', type: 'text', disabled }] },
    }
    const { text } = await converted(collection([{ name: 'x', request }]))
    expect(/^Content-Type: (.*)$/m.exec(text)?.[1]).toBe(type)
  })

  it('may have no authorization, or its own', async () => {
    const auth = { type: 'bearer', bearer: [{ key: 'token', value: 'outer' }] }
    const inner = { type: 'bearer', bearer: [{ key: 'token', value: 'inner' }] }
    const { text } = await converted(
      collection(
        [item({ auth: { type: 'noauth' } }), { name: 'F', auth: inner, item: [item({}), item({ auth: null })] }],
        { auth },
      ),
    )
    const sent = await sentOf(text)
    expect(sent.map((one) => headerOf(one, 'Authorization'))).toEqual([undefined, 'Bearer inner', 'Bearer inner'])
  })

  it.each<[string, Json, string | undefined]>([
    ['an empty bearer token', { type: 'bearer', bearer: [{ key: 'token', value: '' }] }, undefined],
    [
      'an OAuth 2 token without prefix',
      {
        type: 'oauth2',
        oauth2: ['accessToken', 'headerPrefix'].map((key) => ({ key, value: key[0] === 'a' ? 't' : '' })),
      },
      't',
    ],
    ['an OAuth 2 token', { type: 'oauth2', oauth2: [{ key: 'accessToken', value: 't' }] }, 'Bearer t'],
  ])('has the authorization that Postman sends for %s', async (_, auth, expected) => {
    expect(headerOf((await sentOne({ auth })).sent, 'Authorization')).toBe(expected)
  })

  it('has no header for an API key without a name', async () => {
    const apikey = [{ key: 'key', value: '' }]
    const { sent } = await sentOne({ auth: { type: 'apikey', apikey } })
    expect(headerOf(sent, 'X-Api-Key')).toBeUndefined()
  })

  it('reports authorization without equivalent, with its path', async () => {
    const result = await converted(collection([{ name: 'F', item: [item({ auth: { type: 'awsv4', awsv4: [] } })] }]))
    expect(lossesOf(result)).toEqual(['item[0].item[0].request.auth: awsv4 authorization'])
    expect(result.text).toContain('# Not converted: awsv4 authorization')
  })

  it('does not follow redirects if its settings say so', async () => {
    const { text } = await converted(collection([item({}, { protocolProfileBehavior: { followRedirects: false } })]))
    expect(text).toContain('# @no-redirect')
  })

  it('has the settings of its folders and of the collection', async () => {
    const folder = {
      name: 'F',
      item: [item({}), item({}, { protocolProfileBehavior: { followRedirects: true } })],
      protocolProfileBehavior: { followRedirects: false },
    }
    const { text } = await converted(collection([folder], { protocolProfileBehavior: { disableUrlEncoding: true } }))
    expect(text.match(/# @no-redirect/g)).toHaveLength(1)
    expect(text.match(/# @no-auto-encoding/g)).toHaveLength(2)
  })

  it('neither sends nor keeps cookies if its settings say so', async () => {
    const { text } = await converted(collection([item({}, { protocolProfileBehavior: { disableCookies: true } })]))
    expect(text).toContain('# @no-cookie-jar')
  })

  it('reports settings without equivalent', async () => {
    const settings = {
      strictSSL: false,
      maxRedirects: 3,
      followRedirects: true,
      tlsDisabledProtocols: [],
      future: false,
    }
    const result = await converted(collection([item({}, { protocolProfileBehavior: settings })]))
    const path = 'item[0].protocolProfileBehavior'
    expect(lossesOf(result)).toEqual([
      `${path}.strictSSL: unverified certificates: give -i to "httpcli run"`,
      `${path}.maxRedirects: the setting maxRedirects`,
    ])
    expect(result.text).toContain('# Not converted: the setting maxRedirects')
  })

  it.each(['GET', 'HEAD', 'COPY', 'PURGE', 'UNLOCK'])(
    'has no body if its method is %s, as in Postman',
    async (method) => {
      const body = { mode: 'urlencoded', urlencoded: [{ key: 'a', value: 'b' }] }
      const result = await converted(collection([item({ method, body })]))
      const [sent] = await sentOf(result.text)
      expect(sent?.body.toString()).toBe('')
      expect(headerOf(sent!, 'Content-Type')).toBeUndefined()
      expect(lossesOf(result)).toEqual([`item[0].request.body: the body, which Postman does not send with ${method}`])
    },
  )

  it('has a body whatever its method is, if its settings say so', async () => {
    const body = { mode: 'raw', raw: 'a' }
    const settings = { protocolProfileBehavior: { disableBodyPruning: true } }
    const [sent] = await sentOf((await converted(collection([item({ body }, settings)]))).text)
    expect(sent?.body.toString()).toBe('a')
  })
})

describe('system headers that a request of a collection disables', () => {
  const behavior = (...names: readonly string[]): Json => ({
    protocolProfileBehavior: { disabledSystemHeaders: Object.fromEntries(names.map((name) => [name, true])) },
  })
  const place = 'item[0].protocolProfileBehavior.disabledSystemHeaders'

  it('are reported if they are still sent', async () => {
    const result = await converted(collection([item({}, behavior('host', 'user-agent', 'connection'))]))
    expect(lossesOf(result)).toEqual(
      ['host', 'user-agent'].map((name) => `${place}: the removal of the header ${name}, which "httpcli run" sends`),
    )
    expect(result.text).toContain('# Not converted: the removal of the header host, which "httpcli run" sends')
  })

  it('are ignored if the request has its own', async () => {
    const header = [{ key: 'Host', value: 'x' }]
    expect(lossesOf(await converted(collection([item({ header }, behavior('host'))])))).toEqual([])
  })

  it('include the media type of the body', async () => {
    const body = { mode: 'raw', raw: '{}', options: { raw: { language: 'json' } } }
    const result = await converted(collection([item({ method: 'POST', body }, behavior('content-type'))]))
    expect(lossesOf(result)).toEqual([])
    expect(headerOf((await sentOf(result.text))[0]!, 'Content-Type')).toBeUndefined()
  })
})

describe('variables of a collection', () => {
  const variable = [
    { key: 'baseUrl', value: 'http://h.test' },
    { key: 'token', value: '' },
    { key: 'key', value: 's', type: 'secret' },
  ]
  const items = [
    item(
      { url: '{{baseUrl}}/{{$guid}}/{{my var}}', header: [{ key: 'T', value: '{{token}}' }] },
      {
        event: [
          { listen: 'test', script: { exec: ["pm.collectionVariables.set('token', pm.response.json().token)"] } },
        ],
      },
    ),
  ]

  it('are in the file if it has no directory', async () => {
    const { text } = await converted(collection(items, { variable }))
    expect(text).toContain('@baseUrl = http://h.test\n@key = s\n@token =\n')
    expect(text).toContain('{{baseUrl}}/{{$uuid}}/{{my_var}}')
  })

  it('become environments beside it, except those that scripts set', async () => {
    const result = await converted(collection(items, { variable }), { hasDirectory: true })
    expect(result.environmentFiles).toEqual([
      { name: 'http-client.env.json', environments: { $shared: { baseUrl: 'http://h.test' } } },
      { name: 'http-client.private.env.json', environments: { $shared: { key: 's' } } },
    ])
    expect(result.text).toContain('@token =\n')
    expect(result.text).not.toContain('@baseUrl')
  })

  it('with variables in their names, or with unknown dynamic ones, are reported', async () => {
    const result = await converted(
      collection([item({ url: 'http://h.test/{{a{{b}}}}/{{{{b}}}}' })], {
        variable: [{ key: 'b', value: '{{$none}}' }],
      }),
    )
    expect(lossesOf(result)).toEqual([
      'variable: the dynamic variable $none',
      'item[0].request: {{a{{b}}}}, a variable in the name of a variable',
    ])
  })

  it('of the vault are reported', async () => {
    const result = await converted(
      collection([item({ url: 'http://h.test/', header: [{ key: 'A', value: '{{vault:my key}}' }] })]),
    )
    expect(lossesOf(result)).toEqual(['item[0].request: the vault secret my key: give -P vault_my_key=value'])
    expect(result.text).toContain('A: {{vault_my_key}}\n')
  })

  it('of an environment become an environment', async () => {
    const environment = {
      name: 'dev',
      values: [
        { key: 'a', value: '1', enabled: true },
        { key: 'b', value: '2', enabled: false },
        { key: 'c', value: '3', type: 'secret' },
      ],
    }
    const { environmentFiles, text } = await converted(
      JSON.stringify({ ...environment, _postman_variable_scope: 'environment' }),
    )
    expect(text).toBe('')
    expect(environmentFiles).toEqual([
      { name: 'http-client.env.json', environments: { dev: { a: '1' } } },
      { name: 'http-client.private.env.json', environments: { dev: { c: '3' } } },
    ])
  })
})

describe('a Postman script', () => {
  it.each([
    ...['f(iteration)', 'f(data.user)', 'f(request.data)', 'f(request.headers["A"])', 'new URL("http://h.test")'],
    ...['pm.request.method = "POST"', 'pm.request.body.raw = "a"', 'responseCode.code++', 'delete pm.request.url'],
  ])('keeps %s as a comment', (source) => {
    expect(translateScript(source, postmanScripts)).toEqual({ code: `// ${source}`, assertions: [], lost: [source] })
  })

  it.each([
    'test("a", () => { data = [1]; f(data) })',
    'function g() { data = [1] }\nf(data)',
    'for (data of [1]) f(data)',
    '[data, { x: request_ }] = [1, {}]\nf(data)',
    'if (a) { ({ data } = a) }\nf(data)',
  ])('keeps a name of Postman that it assigns: %s', (source) => {
    expect(translateScript(source, postmanScripts)).toMatchObject({ code: source, lost: [] })
  })

  it('loses what depends on a value that a lost statement of a test assigns', () => {
    const source = 'let a\npm.test("a", () => {\n  a = CryptoJS.MD5("")\n})\npm.test("b", () => {\n  f(a)\n})'
    expect(translateScript(source, postmanScripts).lost).toEqual(['a = CryptoJS.MD5("")', 'f(a)'])
  })

  it('loses what depends on a value that a lost statement assigns', () => {
    const source = 'let a = ""\nif (b) { a = CryptoJS.MD5(b) }\nc = CryptoJS.MD5(b)\nf(a)\nf(c)\nf(b)'
    const { code, lost } = translateScript(source, postmanScripts)
    expect(lost).toEqual(['if (b) { a = CryptoJS.MD5(b) }', 'c = CryptoJS.MD5(b)', 'f(a)', 'f(c)'])
    expect(code).toContain('\nf(b)')
  })

  it.each<[string, unknown]>([
    ['a text', 'pm.test("a", () => { pm.response.to.be.ok })'],
    ['a list', ['pm.test("a", () => {', 'pm.response.to.be.ok', '})']],
  ])('may be %s', async (_, script) => {
    const { text } = await converted(collection([item({}, { event: [{ listen: 'test', script }] })]))
    expect(text).toContain('client.test("a"')
  })

  it('in another file is reported', async () => {
    const event = [{ listen: 'test', script: { src: 'https://h.test/a.js' } }]
    expect(lossesOf(await converted(collection([item({}, { event })])))).toEqual([
      'item[0].event[0].script.src: a script in another file',
    ])
  })

  it('of a collection with one unnamed request is in a section', async () => {
    const event = [{ listen: 'test', script: { exec: 'console.log(1)' } }]
    const { text } = await converted(collection([{ request: 'http://h.test/' }], { event }))
    expect(parseHttpFile(text).errors).toEqual([])
  })

  it.each<[string, string]>([
    ['pm.response.to.have.status(200);', 'client.assert(response.status === 200);'],
    ['pm.response.to.have.status("Created")', 'client.assert(response.status === 201)'],
    ['pm.response.to.be.ok', 'client.assert(response.status >= 200 && response.status < 300)'],
    ['pm.response.to.not.be.error', 'client.assert(!(response.status >= 400))'],
    ['pm.response.to.have.header("X")', 'client.assert(response.headers.valueOf("X") !== null)'],
    ['pm.expect(a.b).to.eql(1)', 'client.assert(a.b === 1)'],
    ['pm.expect(a).to.not.equal(null)', 'client.assert(a !== null)'],
    ['pm.expect(a).to.be.a("string")', 'client.assert(typeof a === "string")'],
    [
      "pm.expect(a).to.be.an('array').that.is.not.empty",
      'client.assert(Array.isArray(a) && Object.keys(a).length !== 0)',
    ],
    ['pm.expect(a).to.have.property("b")', 'client.assert("b" in a)'],
    ['pm.expect(a).to.have.property("b").that.equals(1)', 'client.assert("b" in a && a.b === 1)'],
    [
      'pm.expect(a).to.have.property("b-c").which.is.a("string")',
      `client.assert("b-c" in a && typeof a["b-c"] === "string")`,
    ],
    ['pm.expect(a).to.have.lengthOf(3)', 'client.assert(a.length === 3)'],
    ['pm.expect(a).to.be.above(3)', 'client.assert(a > 3)'],
    ['pm.expect(a).to.be.at.least(3)', 'client.assert(a >= 3)'],
    ['pm.expect(a).to.include("b")', 'client.assert(a.includes("b"))'],
    ['pm.expect(a).to.match(/b\\/c/)', 'client.assert(/b\\/c/.test(a))'],
    ['pm.expect(a).to.be.oneOf([1, 2])', 'client.assert([1, 2].includes(a))'],
    ['pm.expect(a, "why").to.be.true', 'client.assert(a === true, "why")'],
    ['pm.expect(pm.response.code).to.be.oneOf([200, 201])', 'client.assert([200, 201].includes(response.status))'],
    ['const a = pm.response.json().b', 'const a = JSON.parse(response.text()).b'],
    ['pm.environment.set("a", pm.response.headers.get("B"))', 'client.global.set("a", response.headers.valueOf("B"))'],
    ['pm.globals.unset("a")', 'client.global.clear("a")'],
    ['tests["ok"] = responseCode.code === 200;', 'client.test("ok", () => client.assert(response.status === 200))'],
    [
      'pm.variables.get("a")',
      '(client.global.get("a") ?? request.environment.get("a") ?? client.variables.file.get("a") ?? undefined)',
    ],
    ['tests.worked = !a', 'client.test("worked", () => client.assert(!a))'],
    ['var a = JSON.parse(responseBody);', 'var a = JSON.parse(response.text());'],
    ["pm.expect(pm.response.text()).to.include('<p>')", "client.assert(response.text().includes('<p>'))"],
    ["pm.response.to.have.body('a')", "client.assert(response.text() === 'a')"],
    [
      'pm.response.to.be.json',
      "client.assert(typeof response.body !== 'string' && /json/.test(response.contentType.mimeType))",
    ],
    ['console.log("pm.test(", a)', 'client.log("pm.test(", a)'],
    ["console.log('costs $5', `$1`)", "client.log('costs $5', `$1`)"],
    ['// pm.sendRequest("x")\nlet b = 1', '// pm.sendRequest("x")\nlet b = 1'],
    ['console.log(`code ${pm.response.code}`)', 'client.log(`code ${response.status}`)'],
    ['if (a) tests["ok"] = true', 'if (a) client.test("ok", () => client.assert(true))'],
    ['pm.expect(a).to.equal(b || 1)', 'client.assert(a === (b || 1))'],
    ['const responseBody = 1; console.log(responseBody.x)', 'const responseBody = 1;\n client.log(responseBody.x)'],
    ['[1].map((_) => _.id)', '[1].map((_) => _.id)'],
    ['f({ responseBody: 1, tests: 2 })', 'f({ responseBody: 1, tests: 2 })'],
    ['const response = pm.response.json()', 'const response_ = JSON.parse(response.text())'],
    ['const { response } = pm.response.json()', 'const { response: response_ } = JSON.parse(response.text())'],
    ['pm.response.json()?.items[pm.response.code]', 'JSON.parse(response.text())?.items[response.status]'],
    ["pm.globals.set('api.key', 'a.b')", 'client.global.set("api_key", \'a.b\')'],
    ['postman.clearEnvironmentVariables()', 'client.global.clearAll()'],
    ['f(request.method, request.url)', 'f(request.method, request.url.tryGetSubstituted())'],
    ['response = pm.response.json(); f(response.a)', 'response_ = JSON.parse(response.text());\n f(response_.a)'],
    ['data = JSON.parse(responseBody)', 'data = JSON.parse(response.text())'],
    ['postman.clearGlobalVariable(`api key`)', 'client.global.clear("api_key")'],
    ["pm.globals.set('api.' + key, 1)", "client.global.set('api.' + key, 1)"],
    ['responseHeaders["X-A"].trim()', '(response.headers.valueOf("X-A") ?? undefined).trim()'],
    ['f(responseHeaders.Date)', 'f((response.headers.valueOf("Date") ?? undefined))'],
    ["f(pm.variables.replaceIn('{{$guid}}'))", 'f(`${$uuid}`)'],
    ["a = pm.variables.replaceIn('`{{$randomFirstName}}\\\\{{}}$')", 'a = `\\`${$random.name.firstName}\\\\{{}}\\$`'],
    [
      "pm.variables.replaceIn('a{{b c}}')",
      '`a${(client.global.get("b_c") ?? request.environment.get("b_c") ?? client.variables.file.get("b_c") ?? undefined) ?? "{{b c}}"}`',
    ],
  ])('%s', (source, expected) => {
    expect(translateScript(source, postmanScripts)).toMatchObject({ code: expected, lost: [] })
  })

  // JSON with the media type of a text, which Postman parses.
  const body = JSON.stringify({ id: 7, tags: ['a', 'b'], owner: { name: 'ada', age: 36 }, list: [{ id: 1 }] })

  it.each([
    ['passes', "pm.expect(pm.response.json().owner).to.eql({ age: 36, name: 'ada' })"],
    ['passes', "pm.expect(pm.response.json().owner).to.deep.equal({ name: 'ada', age: 36 })"],
    ['passes', "pm.expect(pm.response.json().tags).to.eql(['a', 'b'])"],
    ['passes', "pm.expect(pm.response.json().owner).to.not.eql({ name: 'ada' })"],
    ['passes', "pm.expect(pm.response.json().owner).to.include({ name: 'ada' })"],
    ['passes', "pm.expect(pm.response.json()).to.have.property('tags').that.is.an('array').with.lengthOf(2)"],
    ['passes', "pm.expect(pm.response.json()).to.have.property('owner').and.not.have.property('none')"],
    ['passes', "pm.expect(pm.response.json()).to.have.deep.property('owner', { age: 36, name: 'ada' })"],
    ['passes', 'pm.expect(pm.response.json().list).to.deep.include({ id: 1 })'],
    ['passes', "pm.expect(pm.response.json().owner).to.deep.include({ name: 'ada' })"],
    ['passes', "pm.expect(pm.response.json().owner).to.have.all.keys('name', 'age')"],
    ['passes', "pm.expect(pm.response.json().owner).to.have.keys(['age', 'name'])"],
    ['passes', "const keys = ['age', 'name']; pm.expect(pm.response.json().owner).to.have.all.keys(keys)"],
    ['passes', 'pm.expect(pm.response.json().owner).to.have.all.keys({ age: 1, name: 2 })'],
    [
      'passes',
      "pm.response.to.have.jsonBody({ list: [{ id: 1 }], owner: { name: 'ada', age: 36 }, id: 7, tags: ['a', 'b'] })",
    ],
    ['passes', 'pm.response.to.not.have.jsonBody({ id: 7 })'],
    ['fails', "pm.expect(pm.response.json()).to.have.property('id').that.is.a('string')"],
    ['fails', "pm.expect(pm.response.json()).to.have.property('none').that.equals(1)"],
    ['fails', 'pm.expect(pm.response.json().list).to.deep.include({ id: 2 })'],
    ['fails', "pm.expect(pm.response.json().owner).to.have.all.keys('name')"],
    ['fails', "pm.expect(pm.response.json().owner).to.have.key('name')"],
    ['fails', 'pm.response.to.have.jsonBody({ id: 7 })'],
    ['passes', "pm.response.to.have.jsonBody('owner.name')"],
    ['passes', "pm.response.to.have.jsonBody('owner.name', 'ada')"],
    ['passes', "pm.response.to.have.jsonBody('list[0].id', 1)"],
    ['passes', "pm.response.to.not.have.jsonBody('owner.none')"],
    ['fails', "pm.expect(pm.response.json().owner).to.eql({ name: 'ada', age: 37 })"],
    ['fails', "pm.expect(pm.response.json().tags).to.deep.equal(['b', 'a'])"],
    ['fails', "pm.expect(pm.response.json().owner).to.include({ name: 'bob' })"],
    ['fails', "pm.response.to.have.jsonBody('owner.none')"],
    ['fails', "pm.response.to.have.jsonBody('list[1].id')"],
  ])('%s when Postman does: %s', (outcome, source) => {
    const { code, lost } = translateScript(source, postmanScripts)
    expect(lost).toEqual([])
    let hasFailed = false
    const client = { assert: (condition: unknown) => (hasFailed ||= condition !== true) }
    new Function('client', 'response', code)(client, { body, text: () => body })
    expect(hasFailed ? 'fails' : 'passes').toBe(outcome)
  })

  it('turns its time limit into an assertion', () => {
    const source = 'pm.test("fast", function () {\n  pm.expect(pm.response.responseTime).to.be.below(200);\n});'
    expect(translateScript(source, postmanScripts)).toEqual({ code: '', assertions: ['duration < 200ms'], lost: [] })
  })

  it('loses only what has no equivalent and what depends on it', () => {
    const { code, lost } = translateScript(
      'const h = CryptoJS.MD5("x");\nconst k = h + 1;\npm.test("ok", () => {\n  pm.expect(1).to.eql(1)\n  pm.sendRequest("http://x", () => {})\n})\npostman.setNextRequest("b")',
      postmanScripts,
    )
    expect(lost).toEqual([
      'const h = CryptoJS.MD5("x");',
      'const k = h + 1;',
      'pm.sendRequest("http://x", () => {})',
      'postman.setNextRequest("b")',
    ])
    expect(code).toContain('client.assert(1 === 1)')
    expect(code).toContain('// const k = h + 1;')
  })
})

it('loses a Postman name only if it was declared', () => {
  const source = `pm.test("a", () => {
  const body = xml2Json(responseBody)
  pm.expect(body.a).to.equal(1)
})
pm.test("b", () => {
  const body = pm.response.json()
  pm.expect(body.a).to.equal(1)
})`
  const { code, lost } = translateScript(source, postmanScripts)
  expect(lost).toEqual(['const body = xml2Json(responseBody)', 'pm.expect(body.a).to.equal(1)'])
  expect(code).toContain('\n  const body = JSON.parse(response.text())\n  client.assert(body.a === 1)\n')
})

describe('a Postman script that cannot be translated', () => {
  const deep = 100
  it.each<[string, string, unknown]>([
    ['has an error', 'pm.test("a", () => {', 'a script that cannot be read: Unexpected token (1:20)'],
    ['has too many brackets', '['.repeat(1e5), expect.stringMatching(/^a script .*: it is nested too deeply \(1:/)],
    ['has too many signs', `${'1+'.repeat(1e5)}1`, expect.stringMatching(/^a script .*: it is nested too deeply \(1:/)],
    [
      'would grow without bound',
      `${'pm.globals.get('.repeat(deep)}1${')'.repeat(deep)}`,
      `${'pm.globals.get('.repeat(deep)}1${')'.repeat(deep)}`,
    ],
    ['names a package in a template', 'f(`${CryptoJS.MD5("x")}`)', 'f(`${CryptoJS.MD5("x")}`)'],
    ['makes an object of a package', 'new Ajv()', 'new Ajv()'],
    ['calls a method of the headers', 'responseHeaders.hasOwnProperty("A")', 'responseHeaders.hasOwnProperty("A")'],
    ['reads all headers', 'f(responseHeaders)', 'f(responseHeaders)'],
    ['reads a computed header', 'f(responseHeaders[a])', 'f(responseHeaders[a])'],
    [
      'replaces an unknown variable',
      'a = pm.variables.replaceIn("{{$none}}")',
      'a = pm.variables.replaceIn("{{$none}}")',
    ],
    ['replaces variables of any text', 'a = pm.variables.replaceIn(b)', 'a = pm.variables.replaceIn(b)'],
    ['begins a chain that has no words', 'pm.expect(a)["to"].equal(1)', 'pm.expect(a)["to"].equal(1)'],
  ])('%s', (_, source, lost) => {
    expect(translateScript(source, postmanScripts)).toEqual({ code: `// ${source}`, assertions: [], lost: [lost] })
  })
})

describe('a document that is not a collection', () => {
  it.each([
    ['broken JSON', '{"info": {"_postman_id": "x"},\n "item": [}', 2, 11],
    ['a collection of version 1', '{"id": "x", "name": "y", "requests": []}', 1, 1],
  ])('is an error with its place: %s', async (_, text, line, column) => {
    const error = await converted(text, { from: 'postman' }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConvertSyntaxError)
    expect(error).toMatchObject({ where: { line, column } })
  })
})
