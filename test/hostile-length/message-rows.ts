/** Input of the message library and the sending side, as rows of the test of hostile lengths. */
import { isJson as isJsonBody } from '../../src/cli/send/response/body-output.ts'
import { headOctets, receivedOctets, statusLine } from '../../src/cli/send/response/response-text.ts'
import { TerminalText } from '../../src/cli/send/response/terminal-text.ts'
import { contentCodings } from '../../src/message/body/content-coding.ts'
import { charsetOf } from '../../src/message/body/content-text.ts'
import { HttpConnection } from '../../src/message/connection/connection.ts'
import { forwardedRequest } from '../../src/message/connection/forwarding.ts'
import { HeaderList } from '../../src/message/head/headers.ts'
import { parseRequest, parseResponse } from '../../src/message/parser.ts'
import { HttpDecoder } from '../../src/message/reading/decoder.ts'
import { ZstdFrames } from '../../src/message-node/zstd-frames.ts'
import { fixedProxy } from '../../src/wire/connection/proxy.ts'
import { DigestAuthentication } from '../../src/wire/digest.ts'
import { responseHead } from '../../src/wire/http2/fields.ts'
import { RedirectTrail } from '../../src/wire/redirect.ts'
import { repeated } from './hostile-values.ts'
import type { Row } from './row.ts'

const presets = ['strict', 'server', 'lenient'] as const
/** Higher than any value here, so that it is the reading that is measured and not the refusal. */
const limits = { headerSection: 1 << 24, headerCount: 1 << 24, chunkExtensions: 1 << 24, trailerSection: 1 << 24 }
const request = parseRequest('GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n')
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

/** Reads all events of a response that comes in pieces of this size. */
function readInPieces(text: string, pieceBytes: number): number {
  const decoder = new HttpDecoder('client', { preset: 'lenient', limits })
  decoder.expect('GET')
  const bytes = Buffer.from(text, 'latin1')
  let count = 0
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    for (const _ of decoder.push(bytes.subarray(start, start + pieceBytes))) count++
  }
  for (const _ of decoder.end()) count++
  return count
}

/** The head of a frame whose content has no bytes. */
const zstdStart = '\x28\xb5\x2f\xfd\x20\0'

export const messageRows: readonly Row[] = [
  ...presets.flatMap((preset): readonly Row[] => [
    {
      name: `requests, ${preset}`,
      call: (text) => parseRequest(text, { preset }),
      prefixes: [
        '',
        'GET ',
        'GET / HTTP/1.1\r\nHost: ',
        'GET / HTTP/1.1\r\nHost: a\r\nA: ',
        'GET / HTTP/1.1\r\nHost: a\r\n',
      ],
    },
    {
      name: `responses, ${preset}`,
      call: (text) => parseResponse(text, { preset } as never),
      prefixes: [
        'HTTP/1.1 200 ',
        'HTTP/1.1 200 OK\r\nA: ',
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: ',
        'HTTP/1.1 200 OK\r\nContent-Length: ',
        chunked,
        `${chunked}1;a`,
        `${chunked}0\r\nA: `,
      ],
    },
  ]),
  {
    name: 'responses in pieces of one byte',
    call: (text) => readInPieces(text, 1),
    prefixes: ['HTTP/1.1 200 OK\r\nA: ', `${chunked}1;a`],
    maxLength: 2048,
  },
  {
    name: 'a long line in pieces of one byte',
    call: (text) => readInPieces(text, 1),
    prefixes: [],
    also: [repeated('HTTP/1.1 200 OK\r\nA: ', 'a'), repeated(`${chunked}1;`, 'a')],
    maxLength: 1 << 15,
  },
  {
    name: 'many lines at once',
    call: (text) => readInPieces(text, text.length),
    prefixes: [],
    also: [
      repeated(chunked, '1\na\n'),
      repeated(chunked, '1;a=b\r\na\r\n'),
      repeated('HTTP/1.1 200 OK\r\n', 'A: b\n'),
      repeated('', 'HTTP/1.1 100 Continue\r\n\r\n'),
      repeated(`HTTP/1.1 200 OK\r\nA: b\r\n${' c\r\n'.repeat(2000)}`, 'A: b\n'),
    ],
    maxLength: 1 << 15,
  },
  {
    name: 'a folded field',
    call: (text) => readInPieces(text, text.length),
    prefixes: [],
    also: [repeated('HTTP/1.1 200 OK\r\nA: b\r\n', ' c\r\n'), repeated('HTTP/1.1 200 OK\r\nA: b\r\n', ' \r\n')],
    maxLength: 1 << 17,
  },
  {
    name: 'a request at a connection, and passed on',
    call: (text) => {
      const server = new HttpConnection('server', { parser: { preset: 'server', limits } })
      for (let start = 0; start < text.length; start += 64) server.receive(Buffer.from(text.slice(start, start + 64)))
      for (const event of server.events()) {
        if (event.type !== 'request') continue
        new HttpConnection('client').send({ type: 'request', head: forwardedRequest(event.head) })
      }
    },
    prefixes: ['GET / HTTP/1.1\r\nHost: a\r\nConnection: ', 'GET / HTTP/1.1\r\nHost: a\r\nUpgrade: '],
    also: [
      repeated('GET / HTTP/1.1\r\nHost: a\r\nConnection: a', ',a', '\r\n\r\n'),
      repeated('GET / HTTP/1.1\r\nHost: a\r\nConnection: a', '\r\na: b', '\r\n\r\n'),
      repeated('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 'a'),
      repeated('', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
    ],
    maxLength: 1 << 15,
  },
  {
    name: 'field lists',
    call: (text) => {
      const headers = HeaderList.of([
        ['A', text],
        ['Content-Encoding', text],
      ])
      return [headers.list('a'), headers.has('a', 'x'), contentCodings(headers)]
    },
    prefixes: ['', 'a,', '"'],
  },
  {
    name: 'WWW-Authenticate',
    call: (text) => {
      const digest = new DigestAuthentication({ user: 'a', password: 'b' }, () => 'c')
      return digest.take(401, HeaderList.of([['WWW-Authenticate', text]]), false)
    },
    prefixes: ['', 'Digest ', 'Digest a=', 'Digest realm="', 'Basic a="b", Digest nonce="a", '],
  },
  {
    name: 'Location',
    call: (text) => {
      const response = parseResponse('HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n').withHeader('Location', text)
      return new RedirectTrail().next({ request, response } as never)
    },
    prefixes: ['', '/', 'http://a/?', 'http://', '//a'],
  },
  { name: 'responses over HTTP/2', call: (text) => responseHead([':status', '200', 'a', text], 'a'), prefixes: [''] },
  {
    name: 'exceptions for a proxy',
    call: (text) => fixedProxy('http://a', text)(new URL('http://b.c/')),
    prefixes: ['', '.b'],
  },
  {
    name: 'the charset of a body',
    call: (text) => charsetOf(HeaderList.of([['Content-Type', text]])),
    prefixes: ['', 'a/b;', 'a/b;a', 'a/b;a=', 'a/b; charset="'],
  },
  {
    name: 'the type of a body',
    call: (text) => isJsonBody(HeaderList.of([['Content-Type', text]])),
    prefixes: ['', 'a/', 'a/b+', 'a/json'],
    also: [repeated('a/', '/J', '+')],
  },
  {
    name: 'heads for a terminal',
    call: (text) => {
      const style = { isTerminal: true, colors: true }
      const octets = Buffer.from(text, 'latin1')
      return [headOctets(octets, style), statusLine(octets, style), receivedOctets(octets, style)]
    },
    prefixes: ['', 'HTTP/1.1 ', 'HTTP/1.1 200 OK\r\nA', 'HTTP/1.1 200 OK\r\nA: b\r\n '],
    also: [repeated('', '\r\n'), repeated('HTTP/1.1', ' 2'), repeated('HTTP/1.1 200 OK\r\n', 'A:\r')],
  },
  {
    name: 'frames of zstd',
    call: (text) => Array.from(new ZstdFrames().divide(Buffer.from(text, 'latin1'))),
    prefixes: ['', zstdStart],
    // Frames without data, blocks without content, and frames without content.
    also: [repeated('', 'P*M\x18\0\0\0\0'), repeated(zstdStart, '\0\0\0'), repeated('', `${zstdStart}\x01\0\0`)],
  },
  { name: 'text for a terminal', call: (text) => new TerminalText().write(Buffer.from(text)), prefixes: [''] },
]
