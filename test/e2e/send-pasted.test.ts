/** Texts as browsers and proxies copy them, and texts that are request files. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, startPeer } from '../wire/peer.ts'
import { response, send } from './send-outcome.ts'

const report = async (text: string, ...words: readonly string[]) => {
  const { code, out, err } = await send(['--offline', '--json', '-t', text, ...words])
  return { code, request: code === 0 ? JSON.parse(out).request : undefined, err }
}

describe('a pasted request is read', () => {
  it.each([
    [
      'Firefox and Burp: HTTP/2 in the request line',
      'GET /x?a=1 HTTP/2\r\nHost: a.example\r\nAccept: */*\r\n\r\n',
      'GET',
      'https://a.example/x?a=1',
    ],
    ['HTTP/2 without a scheme', 'GET a.example/x HTTP/2\nAccept: */*\n', 'GET', 'https://a.example/x'],
    ['HTTP/2 with http', 'GET http://a.example/x HTTP/2\nAccept: */*\n', 'GET', 'http://a.example/x'],
    ['OPTIONS *', 'OPTIONS * HTTP/2\nHost: a.example\nAccept: */*\n', 'OPTIONS', 'https://a.example/'],
    [
      'OPTIONS * in pseudo-header fields',
      ':authority: a.example\n:method: OPTIONS\n:path: *\n:scheme: https\naccept: */*\n',
      'OPTIONS',
      'https://a.example/',
    ],
    [
      'pseudo-header fields',
      ':authority: a.example\n:method: POST\n:path: /x\n:scheme: https\naccept: */*\n',
      'POST',
      'https://a.example/x',
    ],
    [
      'pseudo-header fields after a request line',
      'GET /x HTTP/2\n:authority: a.example\naccept: */*\n',
      'GET',
      'https://a.example/x',
    ],
    [
      'Chrome: names and values on separate lines',
      ':authority\na.example\n:method\nGET\n:path\n/x\n:scheme\nhttps\naccept\n*/*',
      'GET',
      'https://a.example/x',
    ],
    [
      'the same with colons',
      ':authority:\na.example\n:method:\nGET\n:path:\n/x\n:scheme:\nhttp\naccept:\n*/*\n',
      'GET',
      'http://a.example/x',
    ],
    [
      'characters that a URL must escape',
      'GET http://a.example/{x}|^"ä two?q={y} z HTTP/1.1\nAccept: */*\n',
      'GET',
      'http://a.example/%7Bx%7D%7C%5E%22%C3%A4%20two?q=%7By%7D%20z',
    ],
    ['a host beyond ASCII', 'GET http://bücher.example:81/ä', 'GET', 'http://xn--bcher-kva.example:81/%C3%A4'],
    ['a host beyond ASCII without a path', 'GET http://bücher.example', 'GET', 'http://xn--bcher-kva.example/'],
  ])('%s', async (_title, text, method, url) => {
    const { code, request, err } = await report(text)
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^(?:note: .*\n)+$/) })
    expect([request.method, request.url]).toEqual([method, url])
    if (url.startsWith('http:')) expect(err).not.toContain('TLS')
    expect(request.headers.map(([name, value]: [string, string]) => `${name}: ${value}`.toLowerCase())).toEqual(
      url.includes('//a.example') && !_title.includes('URL') ? ['host: a.example', 'accept: */*'] : expect.anything(),
    )
  })

  it.each(['http/1.1', 'HTTP1.1', 'HTTP 1.1'])('and a misspelt version is reported: %s', async (version) => {
    const { request, err } = await report(`GET http://a.example/x ${version}\nAccept: */*\n`)
    expect(request.url).toBe(`http://a.example/x%20${version.replace(' ', '%20')}`)
    expect(err).toContain(`note: "${version}" is not an HTTP version, and becomes part of the URL; write HTTP/1.1\n`)
  })

  it('with its body', async () => {
    const { out } = await send(['--offline', '-t', 'POST /x HTTP/2\nHost: a.example\n\n{"a": 1}'])
    expect(out).toBe('POST /x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 8\r\n\r\n{"a": 1}')
  })

  it('from a file in another charset, whose bytes are escaped as they are', async () => {
    const file = join(temporaryDirectory(), 'latin1.txt')
    writeFileSync(file, 'GET http://a.example/caf\xe9?\xff=1\n', 'latin1')
    expect((await send(['--offline', file])).out).toBe('GET /caf%E9?%FF=1 HTTP/1.1\r\nHost: a.example\r\n\r\n')
  })

  it('without Host, if it goes to a socket', async () => {
    const { out, err } = await send(['--offline', '--unix-socket', '/tmp/none', '-t', 'GET /x\nA: b'])
    expect([out, err]).toEqual(['GET /x HTTP/1.1\r\nHost: localhost\r\nA: b\r\n\r\n', ''])
  })
})

describe('text around a copied request is omitted:', () => {
  const head = 'GET https://a.example/x HTTP/1.1\r\n'
  const plain = 'GET /x HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\n\r\n'

  it.each([
    ['a title', 'Request Headers\r\nGET /x HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\n'],
    [
      'a summary of Safari',
      'Summary\nURL: https://a.example/x\nStatus: 200\n\nRequest\n:method: GET\n:scheme: https\n:authority: a.example\n:path: /x\nAccept: */*\n',
    ],
    ['a fence of Markdown', '```http\nGET /x HTTP/1.1\nHost: a.example\nAccept: */*\n```\n'],
    ['the marks of a log of curl', '> GET /x HTTP/2\r\n> Host: a.example\r\n> Accept: */*\r\n> \r\n'],
    [
      'a whole log of curl',
      '* Connected to a.example\n> GET /x HTTP/2\n> Host: a.example\n> Accept: */*\n>\n* done\n< HTTP/2 200\n',
    ],
    [
      'the view of Wireshark',
      'Hypertext Transfer Protocol\n    GET /x HTTP/1.1\\r\\n\n    Host: a.example\\r\\n\n    Accept: */*\\r\\n\n    \\r\\n\n',
    ],
    [
      'General of Chrome',
      'General\nRequest URL: http://a.example/x\nRequest Method: GET\nStatus Code: 200 OK\nRequest Headers\nAccept: */*\n',
    ],
    [
      'General of Chrome, and lines in pairs',
      'Request URL:\nhttp://a.example/x\nRequest Method:\nGET\nStatus Code:\n200 OK\nRequest Headers (1)\nProvisional headers are shown\nLearn more\nAccept:\n*/*\n',
    ],
    ['indentation', '  GET /x HTTP/1.1\n  Host: a.example\n  Accept: */*\n'],
    ['a byte order mark', '\ufeffGET /x HTTP/2\nHost: a.example\nAccept: */*\n'],
    ['invisible characters', 'GET\u00a0/x HTTP/1.1\u200b\nHost: a.example\nAccept: */*\n'],
    [
      'what Chrome explains',
      ':authority\na.example\n:method\nGET\n:path\n/x\n:scheme\nhttps\nx-client-data\nCIu2\nDecoded:\nmessage A {\n  repeated int32 id = [1];\n}\naccept\n*/*\n',
    ],
    ['lines of HTTP/1.1 in pairs', 'GET /x HTTP/1.1\nHost\na.example\nAccept\n*/*\n'],
  ])('%s', async (_title, text) => {
    const { code, out, err } = await send(['--offline', '-t', text])
    const expected = text.includes('x-client') ? plain.replace('Accept', 'x-client-data: CIu2\r\nAccept') : plain
    expect([code, out.toLowerCase()]).toEqual([0, expected.toLowerCase()])
    expect(err).toMatch(/^(?:note: .*\n)+$/)
  })

  it('the body markers of Insomnia', async () => {
    const text = '> POST http://a.example/x HTTP/1.1\n> Content-Length: 3\n\n| abc\n'
    const { code, out, err } = await send(['--offline', '-t', text.trimEnd()])
    expect([code, out]).toEqual([0, 'POST /x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\n\r\nabc'])
    expect(err).toContain('note: the | before the lines is left out\n')
  })

  it('an empty value in line pairs does not end the head', async () => {
    const text = ':authority\na.example\n:method\nPOST\n:path\n/x\n:scheme\nhttps\nx-none\n\naccept\n*/*\n\nbody'
    const { code, out } = await send(['--offline', '-t', text])
    expect([code, out]).toEqual([
      0,
      'POST /x HTTP/1.1\r\nHost: a.example\r\nx-none: \r\naccept: */*\r\nContent-Length: 4\r\n\r\nbody',
    ])
  })

  it('a request without such text causes no notice', async () => {
    const { code, err } = await send(['--offline', '-t', `${head}Accept: */*\r\n\r\n`])
    expect([code, err]).toEqual([0, ''])
  })
})

it.each([
  ["curl 'http://a.example/' -H 'A: b'", /the text is a curl command.*httpcli convert/s],
  ['fetch("http://a.example/", {});', /the text is a call to fetch.*Copy it as cURL/s],
  ['curl http://a.example/', /the text is a curl command/],
  ['https a.example', /the text is the command line of another tool/],
  ['http POST :3000/users name=Joe', /the text is the command line of another tool.*Without -t/s],
  ['Invoke-WebRequest -Uri "http://a.example"', /the text is a PowerShell command.*as cURL/s],
  ['http://a.example/', /begins with a URL, expected a method.*Write GET before/s],
  ['HTTP/1.1 200 OK\n\n', /the text is a response, expected a request/],
  ['{"a": 1}', /begins like JSON, expected a request.*-b or -g/s],
  ['Host: a.example\nAccept: */*\n', /begins with a header line, expected a request line.*GET <url>/s],
])('%j is recognised for what it is', async (text, message) => {
  const { code, err } = await send(['--offline', '-t', text])
  expect([code, err]).toEqual([2, expect.stringMatching(message)])
})

it('--raw sends pasted text unchanged', async () => {
  const peer = await startPeer(answering(response))
  const text = `GET /{x} HTTP/2\r\nHost: 127.0.0.1:${peer.port}\r\n\r\n`
  expect((await send(['--raw', '-t', text])).code).toBe(0)
  expect(peer.received).toEqual([text])
})

describe('a text that is a request file is recognised:', () => {
  it.each([
    ['# a comment\nGET http://a.example/\n', /1:1: the line is a comment.*run a\.http/s],
    ['# comment\n\nGET http://a.example/\n', /1:1: the line is a comment.*run a\.http/s],
    ['// a comment\nGET http://a.example/\n', /1:1: the line is a comment.*run a\.http/s],
    ['### first\nGET http://a.example/\n', /1:1: the line is a comment.*run a\.http/s],
    ['GET http://a.example/\n\n### b\n@c = d\nGET http://b.example/\n', /3:1: the line separates.*run a\.http/s],
    ['POST http://a.example/\n\ntext\n###\n', /4:1: the line separates requests/],
    ['@host = a.example\nGET http://{{host}}/\n', /looks like a request file, which is sent with httpcli run a\.http/],
    ['GET {{host}}/users\n', /looks like a request file, which is sent with httpcli run a\.http/],
  ])('%j', async (text, message) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.http'), text)
    const { code, out, err } = await send(['a.http', '--offline'], { cwd: directory })
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(message)
  })
})

it('long runs of blanks take no time', async () => {
  const blanks = ' '.repeat(100_000)
  const { code } = await send(['--offline'], { stdin: `GET${blanks}/${blanks}x${blanks}\n:path:${blanks}x${blanks}\n` })
  expect(code).toBe(2)
})

it('a text that is none of these keeps its error', async () => {
  const { code, err } = await send(['--offline', '-t', 'GET http://a.example/\nbad header\n'])
  expect([code, err]).toEqual([2, expect.stringContaining('line 2, column')])
})
