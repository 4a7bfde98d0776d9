/**
 * Servers that answer a client as no server should, as one table: HTTP/1.1, HTTP/2, proxies, token endpoints,
 * WebSockets.
 *
 * Each row says how a request to the server has to end: the code of its error, or `answered`. All of them end within a
 * moment; those that only wait are given a time limit of a second.
 */
import type { Socket } from 'node:net'
import { onHead } from '../wire/peer.ts'
import { handshakeAnswer } from './websocket-peer.ts'

export interface HostileServer {
  readonly name: string
  readonly kind: 'http' | 'http2' | 'proxy' | 'token' | 'websocket'
  readonly serve: (socket: Socket) => void
  /** Matches the code of the error; or `answered`. */
  readonly outcome: RegExp
}

type Row = readonly [name: string, serve: (socket: Socket) => void, outcome: RegExp]

/** Answers the head of a request with bytes and ends the connection. */
const sends = (...pieces: readonly (string | Uint8Array)[]): ((socket: Socket) => void) =>
  onHead((socket) => {
    for (const piece of pieces) socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)
    socket.end()
  })
/** The same, but resets the connection. */
const resets = (text: string): ((socket: Socket) => void) =>
  onHead((socket) => socket.write(text, 'latin1', () => socket.resetAndDestroy()))
const head = (...fields: readonly string[]): string => ['HTTP/1.1 200 OK', ...fields, '', ''].join('\r\n')

const broken = /^(?:connect-failed|invalid-response|connection-cut-short|connection-reset)$/
const invalid = /^invalid-response$/
const coding = /^content-coding$/
const answered = /^answered$/

const http: readonly Row[] = [
  ['closes at once', (socket) => socket.end(), broken],
  ['resets at once', (socket) => socket.resetAndDestroy(), broken],
  ['closes in the middle of the status line', sends('HTTP/1.'), broken],
  ['closes in the middle of the head', sends('HTTP/1.1 200 OK\r\nContent-'), broken],
  ['resets in the middle of the body', resets(`${head('Content-Length: 100')}x`), broken],
  ['closes before the body is complete', sends(head('Content-Length: 100'), 'x'), /^connection-cut-short$/],
  ['sends random bytes', sends(Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 197) % 256))), invalid],
  ['sends only line ends', sends('\r\n'.repeat(5000)), broken],
  ['sends an endless field', sends('HTTP/1.1 200 OK\r\nX: ', 'x'.repeat(2_000_000)), invalid],
  ['sends thousands of fields', sends(head(...Array.from({ length: 5000 }, (_, index) => `X-${index}: 1`))), invalid],
  ['sends a NUL in a field', sends(head('X: a\0b', 'Content-Length: 0')), invalid],
  ['sends a negative length', sends(head('Content-Length: -1')), invalid],
  ['sends a length beyond all numbers', sends(head(`Content-Length: ${'9'.repeat(40)}`), 'x'), broken],
  ['sends two lengths', sends(head('Content-Length: 1', 'Content-Length: 2'), 'xy'), invalid],
  ['sends a chunk without a size', sends(head('Transfer-Encoding: chunked'), 'zz\r\nx\r\n0\r\n\r\n'), invalid],
  [
    'sends a chunk of a size beyond all numbers',
    sends(head('Transfer-Encoding: chunked'), `${'f'.repeat(17)}\r\nx`),
    invalid,
  ],
  ['sends a chunk that is too long', sends(head('Transfer-Encoding: chunked'), '1\r\nxyz\r\n0\r\n\r\n'), invalid],
  ['ends within a chunk', sends(head('Transfer-Encoding: chunked'), '5\r\nx'), broken],
  [
    'sends trailers without end',
    sends(head('Transfer-Encoding: chunked'), '0\r\n', 'X: 1\r\n'.repeat(20_000)),
    invalid,
  ],
  ['sends interim responses only', sends('HTTP/1.1 100 Continue\r\n\r\n'.repeat(500)), invalid],
  [
    'switches protocols unasked',
    sends('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n\x81'),
    /./,
  ],
  ['sends a status of two digits', sends('HTTP/1.1 20 OK\r\n\r\n'), invalid],
  ['sends the status 999', sends('HTTP/1.1 999 ?\r\nContent-Length: 0\r\n\r\n'), answered],
  ['speaks HTTP/9', sends('HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n'), invalid],
  ['declares gzip and sends text', sends(head('Content-Encoding: gzip', 'Content-Length: 4'), 'text'), coding],
  ['ends within gzip', sends(head('Content-Encoding: gzip', 'Content-Length: 5'), '\x1f\x8b\x08\x00\x00'), coding],
  [
    'declares br and sends text',
    sends(head('Content-Encoding: br', 'Content-Length: 6'), '\xff\xff\xff\xff\xff\xff'),
    coding,
  ],
  ['names an unknown coding', sends(head('Content-Encoding: x', 'Content-Length: 1'), 'x'), answered],
  [
    'redirects to nowhere',
    sends('HTTP/1.1 302 Found\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n'),
    /^redirect-invalid$/,
  ],
  ['redirects to itself', sends('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'), /^redirect-loop$/],
  [
    'redirects to a file',
    sends('HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n'),
    /./,
  ],
  ['sends invalid cookies', sends(head('Set-Cookie: \x80=;;;;=', 'Set-Cookie: =', 'Content-Length: 0')), answered],
  [
    'names an unknown charset',
    sends(head('Content-Type: text/plain; charset="\x01"', 'Content-Length: 1'), '\xff'),
    /./,
  ],
  [
    'sends events that are not UTF-8',
    sends(head('Content-Type: text/event-stream'), 'data: \xff\xfe\n\n\n\0'),
    answered,
  ],
  ['resets an event stream', resets(`${head('Content-Type: text/event-stream')}data: 1\n\nda`), broken],
  ['resets a body that only the end of the connection ends', resets(`${head()}some text`), broken],
  [
    'challenges with nonsense',
    sends('HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=", nonce\r\nContent-Length: 0\r\n\r\n'),
    /./,
  ],
  ['answers twice', sends(`${head('Content-Length: 1')}x${head('Content-Length: 1')}y`), answered],
  ['never answers', () => undefined, /^first-byte-timeout$/],
  ['stops in the body', onHead((socket) => socket.write(`${head('Content-Length: 9')}x`)), /^idle-timeout$/],
  ['speaks TLS', sends(Buffer.of(0x15, 3, 3, 0, 2, 2, 40)), broken],
]

/** RFC 9113 section 4.1. */
function frame(type: number, flags: number, stream: number, payload: Uint8Array | string = ''): Buffer {
  const content = Buffer.from(payload as string, 'latin1')
  const start = Buffer.alloc(9)
  start.writeUIntBE(content.length, 0, 3)
  start[3] = type
  start[4] = flags
  start.writeUInt32BE(stream, 5)
  return Buffer.concat([start, content])
}
const frames = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  promise: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  more: 9,
} as const
const settings = frame(frames.settings, 0, 0)
const setting = (name: number, value: number): Buffer => {
  const content = Buffer.alloc(6)
  content.writeUInt16BE(name)
  content.writeUInt32BE(value, 2)
  return frame(frames.settings, 0, 0, content)
}
const number32 = (...values: readonly number[]): Buffer =>
  Buffer.concat(values.map((value) => Buffer.of(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255)))
/** `:status: 200` of the static table (RFC 7541 appendix A). */
const status200 = '\x88'

/** Waits for the client's first frames and sends its own. */
const speaks =
  (...pieces: readonly Uint8Array[]): ((socket: Socket) => void) =>
  (socket) => {
    socket.write(settings)
    // Preface, SETTINGS and HEADERS arrive together or one after another: the request is complete with the first
    // HEADERS.
    let received = Buffer.alloc(0)
    const onData = (bytes: Buffer): void => {
      received = Buffer.concat([received, bytes])
      if (!hasHeaders(received)) return
      socket.off('data', onData)
      socket.write(Buffer.concat(pieces))
    }
    socket.on('data', onData)
  }

const PREFACE_BYTES = 24
function hasHeaders(bytes: Buffer): boolean {
  for (let at = PREFACE_BYTES; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    if (bytes[at + 3] === frames.headers) return true
  }
  return false
}

const END_STREAM = 1
const END_HEADERS = 4
const ok = frame(frames.headers, END_HEADERS, 1, status200)
const http2Failure =
  /^(?:connect-failed|invalid-response|connection-cut-short|connection-reset|first-byte-timeout|idle-timeout)$/

const http2: readonly Row[] = [
  ['closes at once', (socket) => socket.end(), http2Failure],
  ['resets at once', (socket) => socket.resetAndDestroy(), http2Failure],
  [
    'answers in HTTP/1.1',
    (socket) => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'),
    http2Failure,
  ],
  ['sends random bytes', (socket) => socket.end(Buffer.alloc(3000, 0xa7)), http2Failure],
  [
    'leaves at once',
    (socket) => socket.write(Buffer.concat([settings, frame(frames.goaway, 0, 0, number32(0, 0))])),
    http2Failure,
  ],
  ['leaves after the request', speaks(frame(frames.goaway, 0, 0, number32(0, 0))), http2Failure],
  ['leaves with an error', speaks(frame(frames.goaway, 0, 0, number32(0, 11))), http2Failure],
  ['leaves in the middle of the body', speaks(ok, frame(frames.goaway, 0, 0, number32(1, 2))), http2Failure],
  ...[0, 1, 2, 5, 7, 8, 11, 13, 99].map(
    (code): Row => [`resets the stream with ${code}`, speaks(frame(frames.reset, 0, 1, number32(code))), http2Failure],
  ),
  [
    'resets the stream in the body',
    speaks(ok, frame(frames.data, 0, 1, 'x'), frame(frames.reset, 0, 1, number32(2))),
    http2Failure,
  ],
  ['enables push with 2', speaks(setting(2, 2)), http2Failure],
  ['sets a window of 2^31', speaks(setting(4, 2 ** 31)), http2Failure],
  ['sets frames of one byte', speaks(setting(5, 1)), http2Failure],
  ['allows no stream', speaks(setting(3, 0)), http2Failure],
  ['sends settings of five bytes', speaks(frame(frames.settings, 0, 0, 'abcde')), http2Failure],
  ['acknowledges settings that have content', speaks(frame(frames.settings, 1, 0, 'abcdef')), http2Failure],
  ['sends settings without end', speaks(...Array.from({ length: 5000 }, () => settings)), http2Failure],
  [
    'sends pings without end',
    speaks(...Array.from({ length: 5000 }, () => frame(frames.ping, 0, 0, '12345678'))),
    http2Failure,
  ],
  ['sends data of a stream that is not open', speaks(frame(frames.data, 0, 7, 'x')), http2Failure],
  [
    'sends fields that are not HPACK',
    speaks(frame(frames.headers, END_HEADERS, 1, '\xff\xff\xff\xff\xff\xff')),
    http2Failure,
  ],
  ['sends no status', speaks(frame(frames.headers, END_HEADERS | END_STREAM, 1, '\0\x01x\x01y')), http2Failure],
  [
    'sends a field name in capitals',
    speaks(frame(frames.headers, END_HEADERS | END_STREAM, 1, `${status200}\0\x01X\x01y`)),
    /./,
  ],
  [
    'sends a connection field',
    speaks(frame(frames.headers, END_HEADERS | END_STREAM, 1, `${status200}\0\x0aconnection\x05close`)),
    /./,
  ],
  [
    'announces content and ends',
    speaks(frame(frames.headers, END_HEADERS | END_STREAM, 1, `${status200}\0\x0econtent-length\x015`)),
    http2Failure,
  ],
  [
    'pushes although push is disabled',
    speaks(frame(frames.promise, END_HEADERS, 1, Buffer.concat([number32(2), Buffer.of(0x82)]))),
    http2Failure,
  ],
  ['continues fields that were never started', speaks(frame(frames.more, END_HEADERS, 1, status200)), http2Failure],
  [
    'never ends its fields',
    speaks(
      frame(frames.headers, 0, 1, status200),
      ...Array.from({ length: 3000 }, () => frame(frames.more, 0, 1, '\0\x01x\x01y')),
    ),
    http2Failure,
  ],
  [
    'sends a frame that is too large',
    speaks(Buffer.concat([Buffer.of(0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1), Buffer.alloc(5000)])),
    http2Failure,
  ],
  ['widens a window by nothing', speaks(frame(frames.window, 0, 0, number32(0))), http2Failure],
  ['widens a window beyond its limit', speaks(frame(frames.window, 0, 0, number32(2 ** 31 - 1))), http2Failure],
  [
    'closes in the middle of a frame',
    (socket) => socket.end(Buffer.concat([settings, Buffer.of(0, 0, 9, 1)])),
    http2Failure,
  ],
  [
    'closes in the middle of the body',
    (socket) => speaks(ok, frame(frames.data, 0, 1, 'x'))(Object.assign(socket, { write: socket.end })),
    http2Failure,
  ],
  [
    'sends fewer bytes than it declares',
    speaks(frame(frames.headers, END_HEADERS, 1, `${status200}\x0f\x0d\x019`), frame(frames.data, END_STREAM, 1, 'x')),
    http2Failure,
  ],
  [
    'sends interim responses only',
    speaks(...Array.from({ length: 500 }, () => frame(frames.headers, END_HEADERS, 1, '\x08\x03100'))),
    http2Failure,
  ],
  ['never answers', speaks(), http2Failure],
]

const refused = /^(?:proxy-refused|connect-timeout|tls-.*|connection-.*|invalid-response)$/
const proxy: readonly Row[] = [
  ['closes at once', (socket) => socket.end(), refused],
  ['resets after the request', onHead((socket) => socket.resetAndDestroy()), refused],
  ['requires a password', sends('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'), refused],
  ['answers with nonsense', sends('\0\x01\x02 nonsense\r\n\r\n'), refused],
  ['sends interim responses only', sends('HTTP/1.1 100 Continue\r\n\r\n'.repeat(500)), refused],
  ['sends an endless head', sends('HTTP/1.1 200 OK\r\nX: ', 'x'.repeat(1_000_000)), refused],
  ['opens the tunnel and closes it', sends('HTTP/1.1 200 OK\r\n\r\n'), refused],
  ['opens the tunnel and sends nonsense', sends('HTTP/1.1 200 OK\r\n\r\nnonsense nonsense nonsense'), refused],
  ['opens the tunnel and resets it', resets('HTTP/1.1 200 OK\r\n\r\n'), refused],
]

const json = (text: string, status = '200 OK'): ((socket: Socket) => void) =>
  sends(`HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`)
const noToken = /^(?:token-refused|invalid-response|connection-.*|invalid-json)$/
const token: readonly Row[] = [
  ['closes at once', (socket) => socket.end(), noToken],
  ['resets after the request', onHead((socket) => socket.resetAndDestroy()), noToken],
  ...[
    '',
    'null',
    '[]',
    '7',
    '"x"',
    '{}',

    '{"access_token": null}',
    '{"access_token": {"a": 1}}',
    '{"error": {"a": []}}',
    '<html>',
    '{"access_token":',
    '['.repeat(50_000),
  ].map((text): Row => [`answers ${text.slice(0, 30) || 'nothing'}`, json(text), noToken]),
  ['refuses with an empty body', json('', '400 Bad Request'), noToken],
  ['refuses with members of wrong types', json('{"error": 7, "error_description": []}', '400 Bad Request'), noToken],
  ['fails', json('oops', '500 Internal Server Error'), noToken],
  ['redirects', sends('HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n'), /./],
]

const upgraded = (change: (answer: string) => string): ((socket: Socket) => void) =>
  onHead((socket, request) => socket.end(change(handshakeAnswer(request)), 'latin1'))
const noSocket = /^(?:websocket-refused|websocket-closed|invalid-response|connection-.*)$/
const websocket: readonly Row[] = [
  ['closes at once', (socket) => socket.end(), noSocket],
  ['refuses', sends('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'), noSocket],
  ['answers 200', sends(head('Content-Length: 1'), 'x'), noSocket],
  ['accepts another key', upgraded((answer) => answer.replace(/Accept: \w/, 'Accept: #')), noSocket],
  ['forgets Upgrade', upgraded((answer) => answer.replace('Upgrade: websocket\r\n', '')), noSocket],
  ['forgets Connection', upgraded((answer) => answer.replace('Connection: Upgrade\r\n', '')), noSocket],
  [
    'chooses a protocol',
    upgraded((answer) => answer.replace('\r\n\r\n', '\r\nSec-WebSocket-Protocol: x\r\n\r\n')),
    noSocket,
  ],
  ['closes after the handshake', upgraded((answer) => answer), noSocket],
  ['ends within the handshake', upgraded((answer) => answer.slice(0, -4)), noSocket],
  ['uses an extension', upgraded((answer) => `${answer}\xc1\x03abc`), noSocket],
]

const kinds = { http, http2, proxy, token, websocket }

export const hostileServers: readonly HostileServer[] = Object.entries(kinds).flatMap(([kind, rows]) =>
  rows.map(([name, serve, outcome]) => ({ name, kind: kind as HostileServer['kind'], serve, outcome })),
)
