/**
 * The fast path: it reads canonical messages as the reference path does, leaves all others to it, and keeps bytes, not
 * strings.
 */
import { describe, expect, it } from 'vitest'
import {
  HttpDecoder,
  type HttpEvent,
  HttpParseError,
  HttpParser,
  type HttpRequest,
  type HttpResponse,
  type ParserOptionsInit,
  parseRequest,
  parseResponse,
  type Role,
} from '../../src/message/index.ts'
import { withoutStackTraces } from '../helpers/stack-traces.ts'
import { toOctets, toText } from './octets.ts'

withoutStackTraces()

const GET = 'GET /a?b=%20c HTTP/1.1\r\nHost: one.test:8080\r\nAccept: */*\r\nX-Empty:\r\nX-Tab: \ta \t\r\n\r\n'
const POST = 'POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello'
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n003\r\nllo\r\n0\r\n\r\n'
const UNTIL_CLOSE = 'HTTP/1.1 404 Not Here\r\nServer: caf\u00e9\r\n\r\nrest'

/** All properties of an event, in plain values. */
function spelledOut(event: HttpEvent): unknown {
  if (event.type === 'data') return { data: toText(event.bytes), chunk: event.chunk }
  if (event.type === 'end') return { trailers: [...event.trailers], last: event.lastChunkExtensions }
  if (event.type === 'upgrade') return { rest: toText(event.rest) }
  const { headers, framing, keepAlive, repairs, version } = event.head
  const names = headers.names()
  const line =
    event.type === 'request'
      ? [event.head.method, event.head.target, event.head.form, event.head.expectContinue, event.head.upgrade]
      : [event.head.status, event.head.reason]
  const asked = names.map((name) => [headers.get(name), headers.all(name), headers.lineOf(name), headers.first(name)])
  return {
    line,
    version,
    fields: [...headers],
    asked,
    text: String(headers),
    framing,
    keepAlive,
    repairs: [...repairs],
  }
}

/** The events of the pieces, or the error after them. */
function reported(role: Role, options: ParserOptionsInit, pieces: readonly string[]): unknown[] {
  const decoder = new HttpDecoder(role, options)
  const events: unknown[] = []
  try {
    for (const piece of pieces) for (const event of decoder.push(toOctets(piece))) events.push(spelledOut(event))
    for (const event of decoder.end()) events.push(spelledOut(event))
  } catch (error) {
    if (!(error instanceof HttpParseError)) throw error
    const { code, message, offset, line, column, status, excerpt } = error
    events.push({ code, message, offset, line, column, status, excerpt })
  }
  return events
}

const head = (...lines: string[]): string => `${['GET / HTTP/1.1', 'Host: h', ...lines].join('\r\n')}\r\n\r\n`

const requests: readonly [what: string, text: string][] = [
  ['a canonical request', GET],
  ['a request with a length', POST],
  ['several requests in one piece', GET + POST + GET],
  ['a request in HTTP/1.0', 'GET / HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n'],
  ['a request in HTTP/1.0 without Host', 'GET / HTTP/1.0\r\n\r\n'],
  ['an empty method', ' / HTTP/1.1\r\nHost: h\r\n\r\n'],
  ['CONNECT with a path', 'CONNECT /a HTTP/1.1\r\nHost: h\r\n\r\n'],
  ['CONNECT', 'CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\nrest'],
  ['another method that begins as CONNECT', 'CONNECTED /a HTTP/1.1\r\nHost: h\r\n\r\n'],
  ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n'],
  ['an escape that is cut', 'GET /%4 HTTP/1.1\r\nHost: h\r\n\r\n'],
  ['a query of a browser', 'GET /?{a}|^ HTTP/1.1\r\nHost: h\r\n\r\n'],
  ['a query with a percent sign', 'GET /?a=5%&b=%4&c=% HTTP/1.1\r\nHost: h\r\n\r\n'],
  ['a fragment', 'GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n'],
  ['a higher minor version', 'GET / HTTP/1.2\r\nHost: h\r\n\r\n'],
  ['another version', 'GET / HTTP/2.0\r\nHost: h\r\n\r\n'],
  ['no Host', 'GET / HTTP/1.1\r\nA: b\r\n\r\n'],
  ['two Hosts', head('Host: h')],
  ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n'],
  ['a Host with a list', 'GET / HTTP/1.1\r\nHost: a,b\r\n\r\n'],
  ['a Host with an empty port', 'GET / HTTP/1.1\r\nHost: a:\r\n\r\n'],
  ['a Host with a port of five digits', 'GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n'],
  ['a Host with an IP literal', 'GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n'],
  ['a Host with white space', 'GET / HTTP/1.1\r\nHost: \t a \r\n\r\n'],
  ['Connection: close', head('CONNECTION: CLOSE') + GET],
  ['a Connection that only begins as close', head('Connection: clown') + GET],
  ['a Connection with a list', head('Connection: keep-alive, close') + GET],
  ['a length twice', `${head('Content-Length: 1', 'Content-Length: 1')}x`],
  ['a length with a sign', `${head('Content-Length: +1')}x`],
  ['a length of 16 digits', head('Content-Length: 1234567890123456')],
  ['a length with zeros', `${head('Content-Length: 0001')}x`],
  ['an empty length', head('Content-Length:')],
  ['a length and chunked', head('Content-Length: 1', 'Transfer-Encoding: chunked')],
  ['chunked and a length', head('Transfer-Encoding: chunked', 'Content-Length: 1')],
  ['chunked twice', head('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')],
  ['chunked in HTTP/1.0', 'POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['another coding', head('Transfer-Encoding: chunkex')],
  ['chunked in capitals', `${head('TRANSFER-ENCODING: CHUNKED')}1\r\nx\r\n0\r\n\r\n${GET}`],
  ['chunks of large sizes', `${head('Transfer-Encoding: chunked')}1000000\r\nx`],
  ['chunks with extensions and trailers', `${head('Transfer-Encoding: chunked')}1;a=b\r\nx\r\n0\r\nA: b\r\n\r\n`],
  ['a chunk that ends wrongly', `${head('Transfer-Encoding: chunked')}1\r\nxy\r\n`],
  ['a chunk with LF alone', `${head('Transfer-Encoding: chunked')}1\r\nx\n0\r\n\r\n`],
  ['a chunk that is cut', `${head('Transfer-Encoding: chunked')}5\r\nabc`],
  ['a byte above 0x7F in a value', head('A: caf\u00e9 \u00ff')],
  ['DEL in a value', head('A: b\u007fc')],
  ['NUL in a value', head('A: b\0c')],
  ['a bare CR in a value', head('A: b\rc')],
  ['CR CR LF', 'GET / HTTP/1.1\r\nHost: h\r\r\n\r\n'],
  ['bare LF', 'GET / HTTP/1.1\nHost: h\n\n'],
  ['a fold', head('A: b', ' c')],
  ['white space before a colon', head('A : b')],
  ['an empty name', head(': b')],
  ['a line without a colon', head('A')],
  ['an empty line first', `\r\n${GET}`],
  ['a byte order mark', `\u00ef\u00bb\u00bf${GET}`],
  ['a head that is cut', 'GET / HTTP/1.1\r\nHost: h\r\nA: b'],
  ['a start line that is cut', 'GET / HT'],
  ['a head of more than 8 KiB', head(`A: ${'x'.repeat(9000)}`) + GET],
  ['a head that ends after the first 2 KiB', head(`A: ${'x'.repeat(3000)}`) + POST + GET.repeat(100)],
  ['more field lines than are allowed', head(...Array.from({ length: 100 }, (_, i) => `A-${i}: b`))],
]

const responses: readonly [what: string, text: string][] = [
  ['a chunked response', CHUNKED + CHUNKED],
  ['a response until the end', UNTIL_CLOSE],
  ['a response without a reason', 'HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n'],
  ['a response without the SP', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n'],
  ['interim responses', `HTTP/1.1 100 Continue\r\n\r\n${CHUNKED}`],
  ['switching protocols', 'HTTP/1.1 101 Switching\r\nUpgrade: a\r\n\r\nrest'],
  ['a response without content', `HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n${CHUNKED}`],
  ['a length and chunked', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['chunked in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
  ['a status above 599', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'],
  ['a control character in a value', 'HTTP/1.1 200 OK\r\nA: b\u0001\r\nContent-Length: 0\r\n\r\n'],
]

const presets = ['lenient', 'strict', 'server'] as const
const cases = presets.flatMap((preset) => [
  ...requests.map(([what, text]) => ({ preset, role: 'server' as const, what, text })),
  ...responses.map(([what, text]) => ({ preset, role: 'client' as const, what, text })),
])

describe('the fast path and the reference path', () => {
  it.each(cases)('report the same for $what ($role, $preset)', ({ preset, role, text }) => {
    const expected = reported(role, { preset, fastPath: false }, [text])
    expect(reported(role, { preset }, [text])).toEqual(expected)
  })

  it.each(cases.filter(({ text }) => text.length < 200))(
    'report the same for $what in two pieces and byte by byte ($role, $preset)',
    ({ preset, role, text }) => {
      for (let at = 1; at < text.length; at++) {
        const pieces = [text.slice(0, at), text.slice(at)]
        expect(reported(role, { preset }, pieces)).toEqual(reported(role, { preset, fastPath: false }, pieces))
      }
      expect(reported(role, { preset }, [...text])).toEqual(reported(role, { preset, fastPath: false }, [...text]))
    },
  )

  it.each(cases)('build the same whole message from $what ($role, $preset)', ({ preset, role, text }) => {
    const outcome = (options: ParserOptionsInit): unknown => {
      const parser = new HttpParser(options)
      try {
        const message = role === 'server' ? parser.parseRequest(toOctets(text)) : parser.parseResponse(toOctets(text))
        return wholeMessage(message)
      } catch (error) {
        if (!(error instanceof HttpParseError)) throw error
        return {
          code: error.code,
          message: error.message,
          offset: error.offset,
          line: error.line,
          excerpt: error.excerpt,
        }
      }
    }
    expect(outcome({ preset })).toEqual(outcome({ preset, fastPath: false }))
  })

  it.each([
    ['the start line', { startLine: 20 }],
    ['the header section', { headerSection: 40 }],
    ['the field lines', { headerCount: 2 }],
    ['the content', { body: 3 }],
  ])('enforce the limit of %s equally', (_what, limits) => {
    for (const text of [GET, POST, `${head('Transfer-Encoding: chunked')}4\r\nabcd\r\n0\r\n\r\n`]) {
      const pieces = [text.slice(0, 50), text.slice(50)]
      expect(reported('server', { limits }, [text])).toEqual(reported('server', { limits, fastPath: false }, [text]))
      expect(reported('server', { limits }, pieces)).toEqual(reported('server', { limits, fastPath: false }, pieces))
    }
  })

  it('escape query characters that a browser leaves unescaped if the option is set', () => {
    const options = { preset: 'server', allowIllegalTarget: true } as const
    const text = 'GET /?{a} HTTP/1.1\r\nHost: h\r\n\r\n'
    expect(reported('server', options, [text])).toEqual(reported('server', { ...options, fastPath: false }, [text]))
  })
})

function wholeMessage(message: HttpRequest<'memory'> | HttpResponse<'memory'>): unknown {
  const eager = message.eagerly()
  const { content } = eager
  return {
    line: 'method' in message ? [message.method, message.target, message.url?.href] : [message.status, message.reason],
    fields: [...message.headers],
    keepAlive: message.keepAlive,
    repairs: [...message.repairs],
    head: toText(message.encodeHead()),
    shown: message.toString(),
    bytes: toText(eager.bytes),
    kept: [...eager.headers],
    framing: content?.framing,
    content: content && toText(content.bytes),
    chunks: content?.chunks.map(({ data, extensions }) => [toText(data), extensions]),
    trailers: content && [...content.trailers],
  }
}

describe('a message on the fast path', () => {
  it.each([
    ['a request', () => parseRequest(largeBuffer(POST)).eagerly()],
    ['a chunked response', () => parseResponse(largeBuffer(CHUNKED)).eagerly()],
  ])('keeps no part of its receive buffer, once it is %s kept by eagerly()', (_what, make) => {
    const eager = make()
    const views = [eager.bytes, eager.content?.bytes, ...(eager.content?.chunks ?? []).map(({ data }) => data)]
    for (const view of views) expect(view?.buffer.byteLength).toBeLessThanOrEqual(eager.bytes.length)
    expect(eager.headers.size).toBeGreaterThan(0)
  })

  it('keeps its content after eagerly() even if its buffer is changed', () => {
    const buffer = largeBuffer(POST)
    const eager = parseRequest(buffer).eagerly()
    buffer.fill(0x21)
    expect([eager.method, eager.target, [...eager.headers], eager.content?.text()]).toEqual([
      'POST',
      '/p',
      [
        ['Host', 'h'],
        ['Content-Length', '5'],
      ],
      'hello',
    ])
  })

  it('has views of the pushed bytes as its data, without a copy', () => {
    const octets = largeBuffer(POST)
    const [, data] = new HttpDecoder('server').push(octets)
    expect(data?.type === 'data' && data.bytes.buffer).toBe(octets.buffer)
  })

  it('from a stream does not share memory with its pieces', async () => {
    const octets = toOctets(POST)
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield octets
      octets.fill(0x21)
    }
    const request = await new HttpParser().readRequest(pieces())
    octets.fill(0x21)
    expect([request.target, request.headers.get('host')]).toEqual(['/p', 'h'])
  })

  it('does not reread the bytes of an earlier push', () => {
    const decoder = new HttpDecoder('server')
    const octets = toOctets(GET)
    expect([...decoder.push(octets)].map(({ type }) => type)).toEqual(['request', 'end'])
    octets.set(toOctets('PUT /z'))
    const [event] = decoder.push(octets)
    expect(event?.type === 'request' && event.head.method).toBe('PUT')
  })
})

/** The bytes in the middle of the memory of a socket. */
function largeBuffer(text: string): Uint8Array {
  const memory = new Uint8Array(65_536)
  memory.set(toOctets(text), 100)
  return memory.subarray(100, 100 + text.length)
}
