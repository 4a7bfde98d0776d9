/** Request files, and the requests that reach the server. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { prepareText } from './preparing.ts'
import { type RecordedRequest, type RecordingServer, recordingServer, runText } from './running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer({
    '/moved': (_request, response) => response.writeHead(303, { Location: '/target' }).end(),
    '/loop': (_request, response) => response.writeHead(302, { Location: `/loop?${Math.random()}` }).end(),
  })
})
beforeEach(() => {
  server.requests.length = 0
})
afterAll(() => server.close())

/** The one request that a text sends. `$H` in it is the server's host and port. */
async function sent(text: string, files: Record<string, string | Uint8Array> = {}): Promise<RecordedRequest> {
  const { errors } = await runText(text.replaceAll('$H', server.host), { files })
  expect(errors).toEqual([])
  expect(server.requests).toHaveLength(1)
  return server.requests[0] as RecordedRequest
}

/** `{{two lines}}` in the text contains a line breaks value. */
const errorsOf = async (text: string, files: Record<string, string> = {}): Promise<readonly string[]> => {
  const variables = new Map([['two lines', 'a\r\nb: c']])
  const environment = { name: undefined, variables, files: [], hidden: [], security: undefined, ssl: undefined }
  const { errors } = await runText(text.replaceAll('$H', server.host), { files, environment })
  return errors
}

describe('the request line', () => {
  it.each<[string, string]>([
    ['GET http://$H/a', 'GET /a HTTP/1.1'],
    ['http://$H', 'GET / HTTP/1.1'],
    ['$H/a', 'GET /a HTTP/1.1'],
    ['HTTP://$H/a', 'GET /a HTTP/1.1'],
    ['GET http://$H/a HTTP/1.0', 'GET /a HTTP/1.0'],
    ['GET http://$H?a=1', 'GET /?a=1 HTTP/1.1'],
    ['GET http://$H/a#fragment', 'GET /a HTTP/1.1'],
    ['GET http://$H/\n   api\n   /get\n   ?x=1\n   &y=2', 'GET /api/get?x=1&y=2 HTTP/1.1'],
    [
      'GET http://$H/ä b/c%20d/100%?q=ü x&r=[1]&s={"t"}',
      'GET /%C3%A4%20b/c%20d/100%25?q=%C3%BC%20x&r=[1]&s=%7B%22t%22%7D HTTP/1.1',
    ],
    ['GET http://$H/[x]|%zz%2520', 'GET /%5Bx%5D%7C%25zz%2520 HTTP/1.1'],
    ['GET http://$H/🦊', 'GET /%F0%9F%A6%8A HTTP/1.1'],
    ['GET http://$H/../a/./b//c', 'GET /../a/./b//c HTTP/1.1'],
    ['@v = a b&c\nGET http://$H/{{v}}?{{v}}', 'GET /a%20b&c?a%20b&c HTTP/1.1'],
    ['PURGE http://$H/a', 'PURGE /a HTTP/1.1'],
  ])('%j is sent as %j', async (text, line) => {
    expect((await sent(text)).line).toBe(line)
  })

  it.each<[string, string, string]>([
    ['GET /a?b\nHost: $H', 'GET /a?b HTTP/1.1', 'Host: $H'],
    ['GET /a\nHost: http://$H', 'GET /a HTTP/1.1', 'Host: $H'],
    ['@host = http://$H\nGET /a', 'GET /a HTTP/1.1', 'Host: $H'],
    ['@host = $H\n\n###\n/a\n  ?b=1', 'GET /a?b=1 HTTP/1.1', 'Host: $H'],
    ['@host = nowhere.test\nGET /a\nHost: $H', 'GET /a HTTP/1.1', 'Host: $H'],
    ['GET /a\nhost: http://$H/', 'GET /a HTTP/1.1', 'host: $H'],
    ['OPTIONS *\nHost: http://$H', 'OPTIONS * HTTP/1.1', 'Host: $H'],
    ['GET http://$H/a\nHost: other.test', 'GET /a HTTP/1.1', 'Host: other.test'],
  ])('%j takes its host from the Host header', async (text, line, host) => {
    const request = await sent(text)
    expect([request.line, request.headers[0]]).toEqual([line, host.replace('$H', server.host)])
  })

  it.each([
    ['GET http://ada:love%20lace@$H/a', 'ada:love lace'],
    ['GET ada@$H/a', 'ada:'],
    ['GET /a\nHost: http://ada:p%40ss:@$H', 'ada:p@ss:'],
    ['@user = größe\nGET http://{{user}}:50%@$H/a', 'größe:50%'],
  ])('%j sends its credentials only in a header', async (text, credentials) => {
    const request = await sent(text)
    expect(request.line).toBe('GET /a HTTP/1.1')
    expect(request.headers).toContain(`Host: ${server.host}`)
    expect(request.headers).toContain(`Authorization: Basic ${Buffer.from(credentials).toString('base64')}`)
  })

  it('does not change a written Authorization', async () => {
    const { headers } = await sent('GET http://ada:lovelace@$H/a\nAuthorization: Bearer token')
    expect(headers.filter((field) => field.startsWith('Authorization'))).toEqual(['Authorization: Bearer token'])
  })

  it.each([
    ['/{a}|^`\\"<ä>/%zz?q={b}&[r]=ü#part', '/{a}|^`\\"<ä>/%zz?q={b}&[r]=ü'],
    ['/%7B%20/a?100%', '/%7B%20/a?100%'],
  ])('is sent as written, %s, if encoding is off', async (typed, target) => {
    const { sent: requests, errors } = await prepareText(`# @no-auto-encoding\nGET http://api.test${typed}`)
    expect(errors).toEqual([])
    expect(requests.map(({ line }) => line)).toEqual([`GET ${Buffer.from(target).toString('latin1')} HTTP/1.1`])
  })

  it.each<[string, string, string]>([
    ['a path without Host', 'GET /a', '1:5 invalid-request "/a" has no host'],
    ['a scheme that is not HTTP', 'GET ftp://$H/', '1:5 invalid-request'],
    ['a Host whose scheme is not HTTP', 'GET /\nHost: ftp://$H', '1:5 invalid-request'],
    ['user and password and no host', 'GET http://u:p@/', '1:5 invalid-request'],
    [
      'a character that auto-encoding would have repaired',
      '# @no-auto-encoding\nGET http://$H/a b',
      '2:5 invalid-request',
    ],
    ['an invalid port', 'GET http://127.0.0.1:99999/', '1:5 invalid-request'],
    ['a line end in a header value', 'GET http://$H/\nA: 1\nX: {{two lines}}', '3:1 invalid-request'],
    ['an invalid header name', 'GET http://$H/\nA: 1\n{{two lines}}: x', '3:1 invalid-request'],
  ])('with %s is not sent', async (_, text, error) => {
    const errors = await errorsOf(text)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain(error)
    expect(server.requests).toEqual([])
  })
})

describe('headers', () => {
  it('are sent in their order and spelling, followed by framing and default fields', async () => {
    const { headers } = await sent('POST http://$H/\nB: 1\na: 2\nB:  3  \nLong: x\n  y\nN: Zoë\n\nbody')
    const name = Buffer.from('Zoë', 'utf8').toString('latin1')
    expect(headers).toEqual([
      `Host: ${server.host}`,
      'B: 1',
      'a: 2',
      'B: 3',
      'Long: x y',
      `N: ${name}`,
      'Content-Length: 4',
      'User-Agent: httpcli',
      'Accept: */*',
      'Accept-Encoding: gzip, deflate, br',
    ])
  })

  it.each<[string, string]>([
    ['Basic ada lovelace', 'Basic YWRhOmxvdmVsYWNl'],
    ['Basic ada love lace', 'Basic YWRhOmxvdmUgbGFjZQ=='],
    ['Basic YWRhOmxvdmVsYWNl', 'Basic YWRhOmxvdmVsYWNl'],
    ['Bearer abc', 'Bearer abc'],
  ])('Authorization: %s is sent as %s', async (written, value) => {
    expect((await sent(`GET http://$H/\nAuthorization: ${written}`)).headers).toContain(`Authorization: ${value}`)
  })

  it('that a variable would split are refused', async () => {
    const { errors } = await runText(
      `GET ${server.origin}/\n\n> {% client.global.set('v', 'a\\r\\nEvil: 1') %}\n###\nGET ${server.origin}/2\nX: {{v}}\n`,
    )
    expect(errors).toEqual([expect.stringMatching(/^6:1 invalid-request/)])
    expect(server.requests.map(({ line }) => line)).toEqual(['GET / HTTP/1.1'])
  })
})

describe('bodies', () => {
  it.each<[string, string, string, string]>([
    ['lines with LF, for any line ends of the file', 'text/plain', '\r\na\r\n\r\n  b \r\n\r\n', 'a\n\n  b '],
    ['UTF-8 by default', 'text/plain', 'Zoë', 'Zo\u00c3\u00ab'],
    ['the charset of Content-Type', 'text/plain; charset=ISO-8859-1', 'Zoë', 'Zo\u00eb'],
    ['no comments', 'text/plain', 'a\n# b\n // c\nd', 'a\nd'],
    [
      'quotes for dynamic texts in JSON, none for numbers',
      'application/json',
      '@@{"a": {{$isoTimestamp}}, "b": "{{$isoTimestamp}}", "c": {{$timestamp}}, "d\\"": {{s}}}',
      '@@{"a": "2001-09-09T01:46:40.000Z", "b": "2001-09-09T01:46:40.000Z", "c": 1000000000, "d\\"": x}',
    ],
    [
      'a form over several lines',
      'application/x-www-form-urlencoded',
      'a = 1 &\n  b b = {{form}} &\nc=%20+&d&=e',
      'a=1&b+b=%26+%3D%2B%25&c=%20+&d&=e',
    ],
    [
      'escapes of a form',
      'application/x-www-form-urlencoded',
      'fact = IntelliJ %+ HTTP Client %= <3 %& %%',
      'fact=IntelliJ+%2B+HTTP+Client+%3D+%3C3+%26+%25',
    ],
  ])('are sent with %s', async (_, type, body, octets) => {
    const text = `@s = x\n@form = & =+%\nPOST http://$H/\nContent-Type: ${type}\n\n${body}`
    const { errors } = await runText(text.replaceAll('$H', server.host), {
      sources: { now: () => 1_000_000_000_000, randomBytes: (count) => new Uint8Array(count) },
    })
    expect(errors).toEqual([])
    const request = server.requests[0] as RecordedRequest
    expect(request.body.toString('latin1')).toBe(octets)
    expect(request.headers).toContain(`Content-Length: ${octets.length}`)
  })

  it('from a file are its bytes, found next to the request file', async () => {
    const octets = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256)
    const request = await sent('@n = data\nPUT http://$H/\n\n< ./{{n}}.bin', { 'data.bin': octets })
    expect(request.body.equals(octets)).toBe(true)
    expect(request.headers).toContain('Content-Length: 70000')
  })

  it.each<[string, string, string, string]>([
    ['a form', 'application/x-www-form-urlencoded', 'a=b c &\n# no\nd=e&\n  // no\nf=g', 'a=b+c&d=e&f=g'],
    ['JSON', 'application/json', '{"a": "\n# no\n{{$isoTimestamp}}"}', '{"a": "\n0"}'],
  ])('of %s are joined across comment lines', async (_, type, body, expected) => {
    const sources = { now: () => 0, randomBytes: (count: number) => new Uint8Array(count) }
    const { errors } = await runText(`POST ${server.origin}/\nContent-Type: ${type}\n\n${body}`, { sources })
    expect(errors).toEqual([])
    expect(server.requests[0]?.body.toString().replace('1970-01-01T00:00:00.000Z', '0')).toBe(expected)
  })

  it('may mix text and files', async () => {
    const request = await sent('POST http://$H/\n\na {{$timestamp}}\n\n< x\nb\n< y\n', { x: 'X{{no}}\r\n', y: 'Y' })
    expect(request.body.toString()).toMatch(/^a \d{10}\n\nX\{\{no\}\}\r\n\nb\nY$/)
  })

  it('that are missing are sent with a length of 0 if the method expects a body', async () => {
    expect((await sent('POST http://$H/')).headers).toContain('Content-Length: 0')
    server.requests.length = 0
    expect((await sent('DELETE http://$H/')).headers.join()).not.toContain('Content-Length')
  })

  it.each<[string, string, string]>([
    ['a missing file', 'POST http://$H/\n\n< none.bin', '3:3 unreadable-file'],
    ['a directory', 'POST http://$H/\n\n< .', '3:3 unreadable-file'],
    [
      'a character outside of the charset',
      'POST http://$H/\nContent-Type: text/plain; charset=latin1\n\n€',
      '4:1 invalid-request "€"',
    ],
    ['an unknown charset', 'POST http://$H/\nContent-Type: text/plain; charset=klingon\n\nx', '4:1 invalid-request'],
  ])('with %s are not sent', async (_, text, error) => {
    const errors = await errorsOf(text)
    expect(errors.map((line) => line.slice(0, error.length))).toEqual([error])
    expect(server.requests).toEqual([])
  })
})

describe('redirects', () => {
  it('are followed', async () => {
    const { summary } = await runText(`POST ${server.origin}/moved\n\nbody`)
    expect(server.requests.map(({ line }) => line)).toEqual(['POST /moved HTTP/1.1', 'GET /target HTTP/1.1'])
    expect(summary.answered).toBe(1)
  })

  it('are not followed with @no-redirect', async () => {
    expect((await sent('# @no-redirect\nGET http://$H/moved')).line).toBe('GET /moved HTTP/1.1')
  })

  it('end after ten', async () => {
    expect(await errorsOf('GET http://$H/loop')).toEqual([expect.stringContaining('too-many-redirects')])
    expect(server.requests).toHaveLength(11)
  })
})

describe('an invalid request fails with its place, and nothing is sent', () => {
  it.each<[string, string]>([
    ['GRPC $H/Call', '1:6 invalid-request a gRPC request needs the service and the method'],
    ['RSOCKET $H/x', '1:1 not-supported RSOCKET'],
    ['GRAPHQL ws://$H/\n\n{a}', '1:9 not-supported GraphQL over WebSocket'],
    ['GET ws://$H/', '1:5 invalid-request "ws://" is the scheme of a WebSocket'],
  ])('%j', async (text, error) => {
    const errors = await errorsOf(text)
    expect(errors.map((line) => line.slice(0, error.length))).toEqual([error])
    expect(server.requests).toEqual([])
  })

  it('but references and unknown tags are comments', async () => {
    expect((await sent('# @no-such-tag x\n# @no-log\nGET http://$H/\n\n<> {{none}}.json')).line).toBe('GET / HTTP/1.1')
  })
})

describe('timeouts by tags', () => {
  it.each(['# @timeout x', '# @connection-timeout 5 h'])('%s is refused', async (tag) => {
    expect(await errorsOf(`${tag}\nGET http://$H/`)).toEqual([expect.stringMatching(/^1:1 invalid-request /)])
  })

  it('end a request that gets no answer', async () => {
    const silent = await recordingServer({ '/': () => undefined })
    const { errors } = await runText(`# @timeout 50 ms\nGET ${silent.origin}/`)
    await silent.close()
    expect(errors).toEqual([expect.stringContaining('first-byte-timeout')])
  })
})
