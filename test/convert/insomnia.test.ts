/** Exports of Insomnia, format 4 and 5. */
import { describe, expect, it } from 'vitest'
import { ConvertSyntaxError, formatOf } from '../../src/convert/index.ts'
import { converted, headerOf, lossesOf, sentOf } from './converting.ts'

type Json = Readonly<Record<string, unknown>>

const workspace: Json = { _id: 'wrk', _type: 'workspace', parentId: null, name: 'Shop', description: 'All of it' }
const exported = (...resources: readonly Json[]): string =>
  JSON.stringify({ _type: 'export', __export_format: 4, resources: [workspace, ...resources] })
const request = (more: Json = {}): Json => ({
  _id: 'req',
  _type: 'request',
  parentId: 'wrk',
  name: 'One',
  method: 'GET',
  url: 'http://h.test/',
  body: {},
  parameters: [],
  headers: [],
  authentication: {},
  ...more,
})
const environment = (data: Json, more: Json = {}): Json => ({
  _id: 'env',
  _type: 'environment',
  parentId: 'wrk',
  name: 'Base Environment',
  data,
  ...more,
})

async function one(more: Json, ...others: readonly Json[]) {
  const result = await converted(exported(request(more), ...others))
  const [sent] = await sentOf(result.text, { 'a.json': '{}', 'b.bin': 'bytes' })
  return { ...result, sent: sent! }
}

describe('an Insomnia request', () => {
  it('has its URL, query, path parameters and headers', async () => {
    const { sent, text } = await one({
      url: 'http://h.test/:id/a?x=1',
      pathParameters: [{ name: 'id', value: '4' }],
      parameters: [
        { name: 'b', value: 'c&d' },
        { name: 'off', value: '1', disabled: true },
      ],
      headers: [
        { name: 'X-A', value: '1' },
        { name: 'X-Off', value: '2', disabled: true },
      ],
    })
    expect(sent.line).toBe('GET /4/a?x=1&b=c%26d HTTP/1.1')
    expect(headerOf(sent, 'X-A')).toBe('1')
    expect(headerOf(sent, 'X-Off')).toBeUndefined()
    expect(text).toContain('# &off=1')
  })

  it('escapes the values of its path parameters', async () => {
    const { sent } = await one({
      url: 'http://h.test/:id/:a.b:run/:none',
      pathParameters: [
        { name: 'id', value: 'a/b?c' },
        { name: 'a.b', value: '2' },
        { name: 'none', value: '' },
      ],
    })
    expect(sent.line).toBe('GET /a%2Fb%3Fc/2:run/:none HTTP/1.1')
  })

  it.each<[string, Json, string, string]>([
    ['JSON', { mimeType: 'application/json', text: '{"a": 1}' }, '{"a": 1}', 'application/json'],
    [
      'a form',
      {
        mimeType: 'application/x-www-form-urlencoded',
        params: [
          { name: 'a', value: '1&2' },
          { name: 'b', value: '3', disabled: true },
        ],
      },
      'a=1%262',
      'application/x-www-form-urlencoded',
    ],
    ['a file', { mimeType: 'application/octet-stream', fileName: 'b.bin' }, 'bytes', 'application/octet-stream'],
    [
      'GraphQL',
      { mimeType: 'application/graphql', text: '{"query":"{ a }","variables":{"b":1}}' },
      '{"query":"{ a }","variables":{"b":1}}',
      'application/json',
    ],
    [
      'an operation of GraphQL',
      { mimeType: 'application/graphql', text: '{"query":"query A { a } query B { b }","operationName":"B"}' },
      '{"query":"query A { a } query B { b }","operationName":"B"}',
      'application/json',
    ],
  ])('has %s as its body', async (_, body, expected, type) => {
    const { sent } = await one({ method: 'POST', body })
    expect(sent.body.toString()).toBe(expected)
    expect(headerOf(sent, 'Content-Type')).toBe(type)
  })

  it('has a multipart body', async () => {
    const params = [
      { name: 'a', value: '1' },
      { name: 'f', type: 'file', fileName: 'a.json' },
      { name: 'off', value: '1', disabled: true },
    ]
    const { sent } = await one({ method: 'POST', body: { mimeType: 'multipart/form-data', params } })
    expect(sent.body.toString()).toMatch(/name="a"\r\n\r\n1\r\n/)
    expect(sent.body.toString()).toMatch(
      /name="f"; filename="a.json"\r\nContent-Type: application\/json\r\n\r\n\{\}\r\n/,
    )
    expect(sent.body.toString()).not.toContain('off')
  })

  it.each<[string, Json, string | undefined]>([
    ['basic', { type: 'basic', username: 'u', password: 'p' }, 'Basic dTpw'],
    ['bearer', { type: 'bearer', token: 't', prefix: 'Token' }, 'Token t'],
    ['disabled', { type: 'bearer', token: 't', disabled: true }, undefined],
    ['no', { type: 'none' }, undefined],
  ])('has %s authorization', async (_, authentication, expected) => {
    const { sent } = await one({ authentication })
    expect(headerOf(sent, 'Authorization')).toBe(expected)
  })

  it('has an API key in its query', async () => {
    const { sent } = await one({ authentication: { type: 'apikey', key: 'k', value: 'v', addTo: 'queryParams' } })
    expect(sent.line).toBe('GET /?k=v HTTP/1.1')
  })

  it('has OAuth 2 as a Security block', async () => {
    const authentication = {
      type: 'oauth2',
      grantType: 'password',
      accessTokenUrl: 'http://h.test/t',
      username: '{{ _.u }}',
    }
    const result = await converted(exported(request({ authentication })), { hasDirectory: true })
    expect(result.text).toContain('Authorization: Bearer {{$auth.token("one")}}')
    expect(result.environmentFiles[0]?.environments).toMatchObject({
      $shared: { Security: { Auth: { one: { 'Grant Type': 'Password', Username: '{{u}}' } } } },
    })
  })

  it('turns its settings into tags', async () => {
    const { text } = await one({ settingFollowRedirects: 'off', settingEncodeUrl: false, settingSendCookies: false })
    expect(text).toContain('# @no-redirect\n# @no-auto-encoding\n# @no-cookie-jar\n')
  })

  it('has its scripts, translated', async () => {
    const { text, losses } = await one({
      preRequestScript: "insomnia.environment.set('a', 1)",
      afterResponseScript: "insomnia.test('ok', () => {\n  insomnia.expect(insomnia.response.code).to.eql(200)\n})",
    })
    expect(losses).toEqual([])
    expect(text).toContain("< {% client.global.set('a', 1) %}")
    expect(text).toContain('client.assert(response.status === 200)')
  })

  it('reports what scripts of request files cannot do', async () => {
    const { losses } = await one({ preRequestScript: "const a = await insomnia.sendRequest('http://h.test/')" })
    expect(losses).toEqual([
      { place: 'resources[1].preRequestScript', message: "const a = await insomnia.sendRequest('http://h.test/')" },
    ])
  })
})

describe('Insomnia templates', () => {
  it.each<[string, string]>([
    ['{{ _.host }}', '{{host}}'],
    ['{{host}}', '{{host}}'],
    ['{{ _.a.b[0] }}', '{{a.b[0]}}'],
    ["{{ _['a b'] }}", '{{a_b}}'],
    ["{% uuid 'v4' %}", '{{$uuid}}'],
    ["{% now 'iso-8601', '' %}", '{{$isoTimestamp}}'],
    ["{% now 'unix' %}", '{{$timestamp}}'],
    ["{% faker 'guid' %}", '{{$uuid}}'],
    ["{% base64 'encode', 'normal', 'a:b' %}", 'YTpi'],
    ["{% prompt 'Title', 'Your key', '', '', false, true %}", '{{Your_key}}'],
    ['a{# comment #}b', 'ab'],
  ])('%s', async (text, expected) => {
    const result = await converted(exported(request({ headers: [{ name: 'X', value: text }] })))
    expect(result.text).toContain(`X: ${expected}\n`)
    expect(result.losses).toEqual([])
  })

  it.each(["{% hash 'md5', 'hex', _.a %}", '{{ _.a | upper }}', "{% now 'millis' %}", "{% response 'raw', 'later' %}"])(
    'are sent as written, and reported: %s',
    async (text) => {
      const { sent, losses } = await one({ headers: [{ name: 'X', value: text }] })
      expect(headerOf(sent, 'X')).toBe(text)
      expect(losses).toEqual([{ place: 'resources[1]', message: `the template ${text}` }])
    },
  )

  it('capture values that they take from an earlier response', async () => {
    const use = `{% response 'body', 'req', 'b64::${Buffer.from('$.token').toString('base64')}::46b', 'never', 60 %}`
    const second = request({
      _id: 'two',
      metaSortKey: 1,
      name: 'Two',
      headers: [
        { name: 'A', value: use },
        { name: 'B', value: use },
        { name: 'C', value: "{% response 'header', 'req', 'X-Id' %}" },
      ],
    })
    const { text, losses } = await converted(exported(request(), second))
    expect(losses).toEqual([])
    expect(text).toContain('# @capture One_token = jsonpath "$.token"\n# @capture One_X_Id = header X-Id\n')
    expect(text).toContain('A: {{One_token}}\nB: {{One_token}}\nC: {{One_X_Id}}')
  })
})

describe('an Insomnia export', () => {
  const folder = (id: string, parentId: string, more: Json = {}): Json => ({
    _id: id,
    _type: 'request_group',
    parentId,
    name: id,
    ...more,
  })

  it('keeps folders, their order and what requests inherit from them', async () => {
    const { text } = await converted(
      exported(
        request({ _id: 'a', name: 'Late', metaSortKey: 5 }),
        folder('Users', 'wrk', {
          metaSortKey: 1,
          environment: { path: 'p' },
          headers: [{ name: 'F', value: '{{ _.path }}' }],
          authentication: { type: 'bearer', token: 't' },
        }),
        folder('Admin', 'Users'),
        request({ _id: 'b', name: 'Early', parentId: 'Admin', url: 'http://h.test/{{ _.path }}' }),
      ),
    )
    expect(text.match(/^### .*/gm)).toEqual(['### Users / Admin / Early', '### Late'])
    const [early, late] = await sentOf(text)
    expect(early?.line).toBe('GET /p HTTP/1.1')
    expect(headerOf(early!, 'F')).toBe('p')
    expect(headerOf(early!, 'Authorization')).toBe('Bearer t')
    expect(headerOf(late!, 'Authorization')).toBeUndefined()
  })

  it('has its environments, private ones in the private file', async () => {
    const result = await converted(
      exported(
        request({ url: '{{ _.host }}/' }),
        environment({ host: 'http://h.test', deep: { a: '{{ _.b }}' } }),
        environment({ key: 'k' }, { _id: 'dev', parentId: 'env', name: 'Dev', isPrivate: true }),
      ),
      { hasDirectory: true },
    )
    expect(result.environmentFiles).toEqual([
      {
        name: 'http-client.env.json',
        environments: { $shared: { host: 'http://h.test', deep: { a: '{{b}}' } }, Dev: {} },
      },
      { name: 'http-client.private.env.json', environments: { Dev: { key: 'k' } } },
    ])
  })

  it('reports what is not an HTTP request, and folders that contain each other', async () => {
    const result = await converted(
      exported(
        request(),
        { _id: 'g', _type: 'grpc_request', parentId: 'wrk' },
        folder('x', 'y'),
        folder('y', 'x'),
        request({ _id: 'lost', parentId: 'x' }),
        { _id: 'jar', _type: 'cookie_jar', cookies: [{ key: 'a' }] },
        { _id: 'server', _type: 'mock', parentId: 'wrk' },
        { _id: 'route', _type: 'mock_route', parentId: 'server' },
        { _id: 'new', _type: 'invention', parentId: 'wrk' },
      ),
    )
    expect(lossesOf(result)).toEqual([
      'resources[5]: the whole entry: it is a request whose folders contain each other',
      'resources[2]: the whole entry: it is a gRPC request',
      'resources[6]: the whole entry: it is the cookies of the jar: give a file with -c',
      'resources[8]: the whole entry: it is a route of a mock server',
      'resources[9]: the whole entry: it is of the type "invention"',
    ])
  })

  it('may have format 5', async () => {
    const source = `type: collection.insomnia.rest/5.0
name: Shop
meta: {id: wrk_1}
collection:
  - name: Late
    url: http://h.test/late
    method: GET
    meta: {id: req_2, sortKey: 5}
  - name: Users
    meta: {id: fld_1, sortKey: 1}
    environment: {path: p}
    children:
      - name: Early
        url: '{{ _.host }}/{{ _.path }}'
        method: post
        meta: {id: req_1, description: Two words}
        body: {mimeType: application/json, text: '{}'}
        scripts: {afterResponse: "insomnia.test('a', () => insomnia.expect(1).to.equal(1))"}
        settings: {followRedirects: 'off', cookies: {send: false}}
  - name: Live
    url: ws://h.test/
    meta: {id: ws-req_1}
environments:
  name: Base
  data: {host: http://h.test}
  subEnvironments:
    - name: Dev
      data: {host: http://dev.test}
`
    expect(formatOf({ path: 'a.yaml', text: source })).toBe('insomnia')
    const result = await converted(source, { hasDirectory: true })
    expect(result.text.match(/^### .*/gm)).toEqual(['### Users / Early', '### Late'])
    expect(result.text).toContain('# Two words\n# @no-redirect\n# @no-cookie-jar\n@path = p\nPOST {{host}}/{{path}}')
    expect(result.environmentFiles[0]?.environments).toEqual({
      $shared: { host: 'http://h.test' },
      Dev: { host: 'http://dev.test' },
    })
    expect(lossesOf(result)).toEqual(['collection[2]: the whole entry: it is a WebSocket request'])
  })

  it('may be YAML in braces', async () => {
    const text = "{_type: export, __export_format: 4, resources: [{_type: request, url: 'http://h.test/', name: One}]}"
    expect((await converted(text)).text).toContain('GET http://h.test/\n')
  })

  it.each<[string, string, string]>([
    [
      'an older format',
      '{"__export_format": 3, "resources": []}',
      'an Insomnia export of format 3: open it in Insomnia and export it again',
    ],
    [
      'another document',
      '{"a": 1}',
      'expected an Insomnia export with "__export_format: 4", or of the type "collection.insomnia.rest/5.0"',
    ],
    ['a list', '- 1\n', 'expected an Insomnia export'],
  ])('is an error: %s', async (_, text, message) => {
    const result = converted(text, { from: 'insomnia' })
    await expect(result).rejects.toThrow(ConvertSyntaxError)
    await expect(result).rejects.toThrow(message)
  })
})
