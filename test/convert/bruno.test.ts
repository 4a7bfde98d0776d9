/** Bruno collections: directories of `.bru` or YAML files, and single files. */
import { describe, expect, it } from 'vitest'
import { brunoScripts } from '../../src/convert/bruno/script-names.data.ts'
import { type Converted, ConvertSyntaxError, convert } from '../../src/convert/index.ts'
import { translateScript } from '../../src/convert/script/translation.ts'
import { formatHttpFile, parseHttpFile } from '../../src/http-file/index.ts'
import { headerOf, lossesOf, sentOf } from './converting.ts'

type Files = Readonly<Record<string, string>>

async function collection(files: Files, hasDirectory = false): Promise<Converted> {
  const source = { path: 'api', text: '', files: Object.entries(files).map(([path, text]) => ({ path, text })) }
  const result = await convert(source, { from: 'bruno', to: 'http', hasDirectory })
  expect(parseHttpFile(result.text).errors).toEqual([])
  expect(formatHttpFile(result.text).text).toBe(result.text)
  return result
}

const project = { 'bruno.json': '{"version": "1", "name": "Shop", "type": "collection"}' }
const request = (more = '', method = 'get', url = 'http://h.test/', settings = ''): string =>
  `meta {\n  name: One\n  type: http\n  seq: 1\n}\n\n${method} {\n  url: ${url}\n${settings}}\n${more}`

async function one(more: string, method = 'get', url = 'http://h.test/', settings = '') {
  const result = await collection({ ...project, 'one.bru': request(more, method, url, settings) })
  const [sent] = await sentOf(result.text, { 'a.json': '{}', 'b.bin': 'bytes' })
  return { ...result, sent: sent! }
}

describe('a request in Bru', () => {
  it('has its URL, headers and body', async () => {
    const { sent } = await one(
      'headers {\n  X-A: b:c\n  ~X-Off: 1\n  "x:y z": 2\n}\nbody:json {\n  {\n    "a": 1 // one\n  }\n}\n',
      'post',
      'http://h.test/a?b=c',
      '  body: json\n',
    )
    expect(sent.line).toBe('POST /a?b=c HTTP/1.1')
    expect(headerOf(sent, 'X-A')).toBe('b:c')
    expect(headerOf(sent, 'X-Off')).toBeUndefined()
    expect(headerOf(sent, 'Content-Type')).toBe('application/json')
    expect(sent.body.toString()).toBe('{\n  "a": 1 \n}')
  })

  it.each<[string, string, string, string]>([
    ['a form', 'formUrlEncoded', 'body:form-urlencoded {\n  a: 1&2\n  ~b: 3\n}\n', 'a=1%262'],
    ['text', 'text', 'body:text {\n  # one\n\n  two\n}\n', '# one\n\ntwo'],
    ['XML', 'xml', 'body:xml {\n  <a/>\n}\n', '<a/>'],
    ['a file', 'file', 'body:file {\n  ~file: @file(no.bin)\n  file: @file(b.bin) @contentType(a/b)\n}\n', 'bytes'],
    [
      'GraphQL',
      'graphql',
      'body:graphql {\n  { a }\n}\nbody:graphql:vars {\n  {"b": 1}\n}\n',
      '{"query":"{ a }","variables":{"b": 1}}',
    ],
  ])('has %s as its body', async (_, kind, block, expected) => {
    const { sent } = await one(block, 'post', 'http://h.test/', `  body: ${kind}\n`)
    expect(sent.body.toString()).toBe(expected)
  })

  it('has GraphQL as its body with any method', async () => {
    const { sent } = await one('body:graphql {\n  { a }\n}\n', 'put', 'http://h.test/', '  body: graphql\n')
    expect(`${sent.line} ${sent.body}`).toBe('PUT / HTTP/1.1 {"query":"{ a }"}')
  })

  it('has a multipart body with multi-line texts, files and media types', async () => {
    const block =
      "body:multipart-form {\n  a: '''\n    one\n    two\n  ''' @contentType(text/x)\n  f: @file(a.json|b.bin)\n  ~c: 3\n}\n"
    const { sent } = await one(block, 'post', 'http://h.test/', '  body: multipartForm\n')
    const body = sent.body.toString()
    expect(body).toMatch(/name="a"\r\nContent-Type: text\/x\r\n\r\none\ntwo\r\n/)
    expect(body).toMatch(/name="f"; filename="a.json"\r\nContent-Type: application\/json\r\n\r\n\{\}\r\n/)
    expect(body).toMatch(/name="f"; filename="b.bin"/)
    expect(body).not.toContain('name="c"')
  })

  it('keeps the parts of a form if a header sets another multipart type, as in Bruno', async () => {
    const blocks = 'headers {\n  Content-Type: multipart/mixed\n}\nbody:multipart-form {\n  a: 1\n}\n'
    const { sent } = await one(blocks, 'post', 'http://h.test/', '  body: multipartForm\n')
    expect(sent.body.toString()).toContain('Content-Disposition: form-data; name="a"\r\n\r\n1\r\n')
  })

  it('has its path parameters, and only the query of its URL', async () => {
    const blocks = 'params:path {\n  id: 4\n}\nparams:query {\n  a: 1\n  ~b: 2\n}\n'
    const { sent, text } = await one(blocks, 'get', 'http://h.test/:id/:other?a=1')
    expect(sent.line).toBe('GET /4/:other?a=1 HTTP/1.1')
    expect(text).toContain('# &b=2')
  })

  it.each([
    ['keeps a name without a value', 'http://h.test/:id/x', '/:id/x'],
    ['keeps a name that is switched off', 'http://h.test/:off/x', '/:off/x'],
    ['has names in keys', "http://h.test/Users(':key')/A(:key,b=1)", "/Users('k')/A(k,b=1)"],
    ['has names with a dot', 'http://h.test/:a.b', '/2'],
  ])('%s in its path', async (_, url, target) => {
    const { sent } = await one('params:path {\n  id: \n  ~off: 1\n  key: k\n  a.b: 2\n}\n', 'get', url)
    expect(sent.line).toBe(`GET ${target} HTTP/1.1`)
  })

  it('has the media type of an empty text, as Bruno sends it', async () => {
    const { sent } = await one('body:text {\n}\n', 'post', 'http://h.test/', '  body: text\n')
    expect(headerOf(sent, 'Content-Type')).toBe('text/plain')
    expect(sent.body.toString()).toBe('')
  })

  it.each<[string, string, string, string]>([
    ['basic', 'basic', 'username: u\n  password: p', 'Basic dTpw'],
    ['bearer', 'bearer', 'token: t', 'Bearer t'],
  ])('has %s authorization, which wins over a header', async (_, mode, settings, expected) => {
    const blocks = `headers {\n  authorization: own\n}\nauth:${mode} {\n  ${settings}\n}\n`
    const { sent } = await one(blocks, 'get', 'http://h.test/', `  auth: ${mode}\n`)
    expect(headerOf(sent, 'Authorization')).toBe(expected)
  })

  it('has an API key in its query', async () => {
    const block = 'auth:apikey {\n  key: k\n  value: v\n  placement: queryparams\n}\n'
    const { sent } = await one(block, 'get', 'http://h.test/?a=1', '  auth: apikey\n')
    expect(sent.line).toBe('GET /?a=1&k=v HTTP/1.1')
  })

  it('has OAuth 2 as a Security block, of which only the secrets are private', async () => {
    const block =
      'auth:oauth2 {\n  grant_type: client_credentials\n  access_token_url: http://h.test/token\n  client_id: c\n  client_secret: {{secret}}\n  credentials_placement: body\n}\n'
    const text = request(block, 'get', 'http://h.test/', '  auth: oauth2\n')
    const result = await collection({ ...project, 'one.bru': text }, true)
    expect(result.text).toContain('Authorization: Bearer {{$auth.token("one")}}')
    expect(result.environmentFiles).toEqual([
      {
        name: 'http-client.env.json',
        environments: {
          $shared: {
            Security: {
              Auth: {
                one: {
                  Type: 'OAuth2',
                  'Grant Type': 'Client Credentials',
                  'Token URL': 'http://h.test/token',
                  'Client ID': 'c',
                  'Client Credentials': 'in body',
                },
              },
            },
          },
        },
      },
      {
        name: 'http-client.private.env.json',
        environments: { $shared: { Security: { Auth: { one: { 'Client Secret': '{{secret}}' } } } } },
      },
    ])
  })

  it('turns its settings and tags into tags', async () => {
    const { text } = await one(
      'settings {\n  followRedirects: false\n  timeout: 1500\n  encodeUrl: false\n  odd: true\n}\n',
    )
    expect(text).toContain('# @no-redirect\n# @no-auto-encoding\n# @timeout 1500 ms\n')
    expect(text).toContain('# Not converted: the setting odd')
  })

  it('prompts for its prompt variables, but not in disabled headers', async () => {
    const { text } = await collection({
      ...project,
      'one.bru': request('headers {\n  A: {{?Your name}}\n  ~B: {{?No}}\n}\n'),
    })
    expect(text).toContain('# @prompt Your_name Your name\n')
    expect(text).not.toContain('@prompt No')
  })

  it('reads variables under the names that Bruno uses', async () => {
    const files = {
      ...project,
      'one.bru': request(
        '',
        'get',
        'http://h.test/{{a.b}}/{{obj.c}}/{{obj.0.c.12}}/{{process.env.HOME}}/{{$guid}}/{{$randomAbc}}',
      ),
      'environments/dev.bru':
        'vars {\n  a.b: 1\n  @object\n  obj: {"c": 2}\n  ~off: 3\n}\nvars:secret [\n  key,\n  ~no\n]\n',
    }
    const result = await collection(files, true)
    expect(result.text).toContain(
      'GET http://h.test/{{a_b}}/{{obj.c}}/{{obj[0].c[12]}}/{{$env.HOME}}/{{$uuid}}/{{{empty}}{$randomAbc}}',
    )
    expect(lossesOf(result)).toEqual(['one.bru: the dynamic variable $randomAbc'])
    expect(result.environmentFiles).toEqual([
      { name: 'http-client.env.json', environments: { dev: { a_b: '1', obj: { c: 2 } } } },
      { name: 'http-client.private.env.json', environments: { dev: { key: '' } } },
    ])
  })
})

describe('checks in Bru', () => {
  it.each<[string, string]>([
    ['res.status: 200', 'status == 200'],
    ['res.status: eq 200', 'status == 200'],
    ['res.status: in 200, 201', 'status in [200, 201]'],
    ['res.status: between 200, 299', 'status >= 200\n# @assert status <= 299'],
    ['res.body.a[0].b: neq c d', 'jsonpath "$.a[0].b" != "c d"'],
    ["res.body['x-y']: isNumber", `jsonpath "$['x-y']" isNumber`],
    ['res.body.a: eq {{b}}', 'jsonpath "$.a" == {{b}}'],
    ['res.body.a: isUndefined', 'jsonpath "$.a" not exists'],
    ['res.body.a: length 3', 'jsonpath "$.a" length == 3'],
    ['res.body.a: matches ^a/b$', 'jsonpath "$.a" matches /^a\\/b$/'],
    ['res.body.a: notContains x', 'jsonpath "$.a" not contains "x"'],
    ['res.headers.content-type: contains json', 'header content-type contains "json"'],
    ['res.body: eq pong', 'body == "pong"'],
    ['res.body: matches ^a', 'body matches /^a/'],
    ['res.body: eq {"a": 1}', 'jsonpath "$" == {"a": 1}'],
    ['res.body.a: eq 9.8e-12', 'jsonpath "$.a" == 9.8e-12'],
    ['res.responseTime: lt 500', 'duration < 500'],
    ['res("a.0.b"): isDefined', 'jsonpath "$.a[0].b" exists'],
  ])('%s', async (line, expected) => {
    const { text, losses } = await collection({
      ...project,
      'one.bru': request(`assert {\n  ${line}\n  ~res.status: 1\n}\n`),
    })
    expect(text).toContain(`# @assert ${expected}\nGET`)
    expect(losses).toEqual([])
  })

  it('become script tests if they are other code', async () => {
    const { text, losses } = await collection({
      ...project,
      'one.bru': request(
        'assert {\n  res.body.list.length: gt 2\n  res.body.a: isTruthy\n  res.body.b.trim(): startsWith a{{b}}\n}\n',
      ),
    })
    expect(losses).toEqual([])
    expect(text).toContain(
      `client.test("res.body.list.length: gt 2", () => { client.assert(bodyValue.list.length > 2) })`,
    )
    expect(text).toContain(`client.assert(Boolean(bodyValue.a))`)
    expect(text).toContain(`bodyValue.b.trim().startsWith("a" + (client.global.get("b")`)
  })

  it('become captures, or lines of a script', async () => {
    const { text } = await collection({
      ...project,
      'one.bru': request(
        'vars:post-response {\n  token: res.body.token\n  @n: res.body.list.length\n  ~off: res.body.x\n}\n',
      ),
    })
    expect(text).toContain('# @capture token = jsonpath "$.token"\n')
    expect(text).toContain('client.global.set("n", bodyValue.list.length)')
    expect(text).not.toContain('off')
  })
})

describe('Bruno scripts', () => {
  it('are translated, and what has no equivalent is reported with its place', async () => {
    const script =
      'script:pre-request {\n  bru.setVar("n", bru.interpolate("{{$guid}}"));\n  req.setHeader("a", "b");\n}\ntests {\n  test("ok", function() {\n    const data = res.getBody();\n    f(res.headers[\'a-b\']);\n    expect(data.id).to.equal(1);\n    expect(res.getStatus()).to.eql(200);\n  });\n}\n'
    const result = await collection({ ...project, 'users/one.bru': request(script) })
    expect(result.text).toContain(`client.global.set("n", \`\${$uuid}\`);\n// req.setHeader("a", "b");`)
    expect(result.text).toContain(
      'const data = bodyValue;\n  f((response.headers.valueOf("a-b") ?? undefined));\n  client.assert(data.id === 1);\n  client.assert(response.status === 200);',
    )
    expect(lossesOf(result)).toEqual(['users/one.bru line 10: req.setHeader("a", "b");'])
  })

  it.each([
    ['<p>a</p>', '<p>a</p>'],
    ['{"id":1}', { id: 1 }],
    ['"a"', 'a'],
  ])('read a body as text, unless it is JSON: %s', (text, expected) => {
    const { code } = translateScript('const bodyValue = res.body; f(bodyValue, res.getBody())', brunoScripts)
    const seen: unknown[] = []
    new Function('response', 'f', code)({ text: () => text }, (...values: unknown[]) => seen.push(...values))
    expect(seen).toEqual([expected, expected])
  })

  it("may use Chai's assert", async () => {
    const script = [
      'assert(res.status === 201, "created");',
      'assert.equal(res.body.id, 1 || 2);',
      'assert.isTrue(res.body.isNew);',
      'assert.property(res.body, "id");',
    ].join('\n  ')
    const result = await collection({ ...project, 'one.bru': request(`tests {\n  ${script}\n}\n`) })
    expect(result.text).toContain(
      'client.assert(response.status === 201, "created");\nclient.assert((bodyValue.id) == (1 || 2));\nclient.assert((bodyValue.isNew) === true);',
    )
    expect(lossesOf(result)).toEqual([expect.stringMatching(/assert\.property\(res\.body, "id"\);$/)])
  })
})

describe('a Bruno collection', () => {
  const files: Files = {
    ...project,
    'collection.bru':
      'headers {\n  A: collection\n  B: collection\n}\nauth {\n  mode: bearer\n}\nauth:bearer {\n  token: t\n}\nvars:pre-request {\n  c: 1\n  token: 2\n  d: 3\n}\nscript:pre-request {\n  console.log("collection");\n}\n',
    'b/folder.bru':
      'meta {\n  name: Second\n  seq: 2\n}\nheaders {\n  b: folder\n}\nvars:pre-request {\n  f: folder\n  d: 4\n}\n',
    'a/folder.bru': 'meta {\n  name: First\n}\nauth {\n  mode: none\n}\n',
    'b/one.bru': request('vars:pre-request {\n  f: own\n}\n', 'get', 'http://h.test/{{f}}/{{c}}', '  auth: inherit\n'),
    'a/two.bru': request(
      'vars:post-response {\n  token: res.body.token\n}\n',
      'get',
      'http://h.test/',
      '  auth: inherit\n',
    ).replace('name: One', 'name: Two'),
    'a/three.bru': request('').replace('name: One\n  type: http\n  seq: 1', 'name: Three\n  type: http\n  seq: 7'),
    'environments/dev.bru': 'vars {\n  host: http://h.test\n  d: 5\n  token: x\n}\n',
  }

  it('keeps folders and their order', async () => {
    const { text, fileName } = await collection(files)
    expect(text.match(/^### .*/gm)).toEqual(['### First / Two', '### First / Three', '### Second / One'])
    expect(fileName).toBe('shop')
  })

  it('inherits headers, authorization and variables', async () => {
    const { text } = await collection(files)
    const [two, , first] = await sentOf(text)
    expect(headerOf(first!, 'A')).toBe('collection')
    expect(headerOf(first!, 'b')).toBe('folder')
    expect(headerOf(first!, 'Authorization')).toBe('Bearer t')
    expect(first?.line).toBe('GET /own/1 HTTP/1.1')
    expect(headerOf(two!, 'Authorization')).toBeUndefined()
  })

  it('keeps script-set variables out of the environments, and reports values that would override them', async () => {
    const result = await collection(files, true)
    expect(result.environmentFiles).toEqual([
      {
        name: 'http-client.env.json',
        environments: { $shared: { c: '1', d: '3' }, dev: { host: 'http://h.test', d: '5' } },
      },
    ])
    expect(lossesOf(result)).toEqual([
      'b/one.bru: the variable d, which an environment also has',
      'environment dev: the value of token: it would override the value that a script or capture sets',
    ])
  })

  it('reads YAML files', async () => {
    const { text } = await collection({
      'opencollection.yml':
        "opencollection: 1.0.0\ninfo:\n  name: Shop\nrequest:\n  auth:\n    type: basic\n    username: u\n    password: p\n  variables:\n    - name: v\n      value: 'x'\n",
      'users/folder.yml':
        'info:\n  name: Users\n  type: folder\nrequest:\n  headers:\n    - name: F\n      value: folder\n',
      'users/one.yml':
        "info:\n  name: One\n  type: http\nhttp:\n  method: POST\n  url: http://h.test/:id?a={{v}}\n  auth: inherit\n  params:\n    - {name: id, value: '4', type: path}\n    - {name: b, value: '2', type: query, disabled: true}\n  body:\n    type: json\n    data: '{\"a\": 1}'\nruntime:\n  assertions:\n    - {expression: res.status, operator: eq, value: '200'}\n  scripts:\n    - type: tests\n      code: test('a', () => { expect(res.status).to.equal(200) })\n  actions:\n    - type: set-variable\n      phase: after-response\n      selector: {expression: res.body.a, method: jsonq}\n      variable: {name: a, scope: runtime}\n",
      'users/ignored.bru': 'no block',
      'environments/dev.yml':
        'name: dev\nvariables:\n  - name: e\n    value: {type: number, data: "4"}\n  - {name: s, secret: true}\n',
    })
    expect(text).toContain('### Users / One\n')
    expect(text).toContain('# @capture a = jsonpath "$.a"\n# @assert status == 200\n')
    expect(text).toContain("client.test('a', () => { client.assert(response.status === 200) })")
    const [sent] = await sentOf(text)
    expect(sent?.line).toBe('POST /4?a=x HTTP/1.1')
    expect(headerOf(sent!, 'F')).toBe('folder')
    expect(headerOf(sent!, 'Authorization')).toBe('Basic dTpw')
  })

  it('reports files that are not HTTP requests', async () => {
    const result = await collection({
      ...project,
      'one.bru': request(),
      'g.bru': 'meta {\n  name: G\n  type: grpc\n}\n',
    })
    expect(lossesOf(result)).toEqual(['g.bru: the whole file: it is a gRPC request'])
  })
})

describe('a mistake in a Bruno file', () => {
  it.each<[string, string, string, number]>([
    ['text outside of a block', 'get {\n  url: a\n}\nhello\n', 'expected a block, such as "get {"', 4],
    ['a block that is not closed', 'get {\n  url: a\n', 'the block "get" is not closed: expected a line with "}"', 1],
    [
      'a text that is not closed',
      'body:json {\n  {\n  }\n',
      'the block "body:json" is not closed: expected a line with "}"',
      1,
    ],
    ['a value that is not closed', "get {\n  url: '''\n    a\n}\n", "the value is not closed: expected '''", 2],
    ['a list that is not closed', 'vars:secret [\n  a,\n', 'the list is not closed: expected "]"', 1],
    ['a line without a colon', 'get {\n  url\n}\n', 'expected "name: value", found "url"', 2],
    ['text after a bracket', 'get { url: a }\n', 'expected the end of the line after "get {"', 1],
  ])('is an error with its place: %s', async (_, text, message, line) => {
    const result = collection({ ...project, 'a/one.bru': text })
    await expect(result).rejects.toThrow(ConvertSyntaxError)
    await expect(result).rejects.toMatchObject({ message, where: { file: 'api/a/one.bru', line, column: 1 } })
  })

  it('is an error: a collection without requests', async () => {
    await expect(collection(project)).rejects.toThrow('expected requests in files ".bru" or ".yml", found none')
  })
})
