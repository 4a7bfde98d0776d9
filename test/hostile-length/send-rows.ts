/** Words and texts that users give to `send`, and what proxies answer it, as rows of the test of hostile lengths. */
import { Duplex, Readable } from 'node:stream'
import type { AnyValues, CommandContext, ParsedArguments } from '../../src/cli/frame/command.ts'
import { isUrlWord } from '../../src/cli/frame/request-words.ts'
import { fieldsOf } from '../../src/cli/send/building/header-options.ts'
import { parseItem } from '../../src/cli/send/building/item.ts'
import { repairedText } from '../../src/cli/send/building/pasted-text.ts'
import { requestFileError } from '../../src/cli/send/building/request-file-error.ts'
import { requestLineWords, requestUrl } from '../../src/cli/send/building/request-line.ts'
import { beginning } from '../../src/cli/send/source/request-source.ts'
import { TypedRequest } from '../../src/cli/send/source/typed-request.ts'
import { HttpParseError, HttpParser, OctetSource } from '../../src/message/index.ts'
import { Cancellation, Deadline } from '../../src/wire/base/abort.ts'
import { connectThroughSocks } from '../../src/wire/connection/socks.ts'
import { repeated } from './hostile-values.ts'
import type { Row } from './row.ts'

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1')

function piecesOf(text: string, pieceBytes: number): readonly Uint8Array[] {
  const bytes = bytesOf(text)
  const count = Math.ceil(bytes.length / pieceBytes)
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes))
}

/** Reads a text from standard input, which is a terminal or a pipe, up to the end of the request. */
function typed(text: string, isTTY: boolean): Promise<unknown> {
  const none: ParsedArguments<AnyValues> = {
    positionals: [],
    has: () => false,
    value: () => undefined,
    values: () => [],
  }
  const stderr = { write: () => Promise.resolve() } as unknown as CommandContext['stderr']
  const stdin = Object.assign(Readable.from(piecesOf(text, 1)), { isTTY })
  const request = new TypedRequest({ arguments: none, stderr, stdin } as unknown as CommandContext<AnyValues>)
  return beginning(undefined, stdin, { typed: request })
}

/** Connects through a SOCKS proxy that answers in single bytes. */
async function throughSocks(text: string): Promise<void> {
  const socket = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() })
  for (const piece of piecesOf(text, 1)) socket.push(piece)
  socket.push(null)
  const deadline = new Deadline(0, new Cancellation(undefined), () => new Error('late') as never)
  await connectThroughSocks(socket as never, new URL('socks5h://a:b@proxy'), 'host', { port: 80 }, deadline)
}

/** Reads messages one after the other from a source, until the first invalid one. */
async function readOn(text: string, pieceBytes: number): Promise<void> {
  const source = new OctetSource(Readable.from(piecesOf(text, pieceBytes)))
  const parser = new HttpParser()
  for (;;) await (await parser.readRequest(source)).eagerly()
}

function pasted(text: string): void {
  repairedText(bytesOf(text), { needsNoHost: false })
}

const pairs = ':authority\na\n:method\nGET\n:path\n/\n'

export const sendRows: readonly Row[] = [
  { name: 'items', call: parseItem, prefixes: ['', 'a', 'a:', 'a=', 'a@', 'a\\'] },
  { name: 'URLs as words', call: isUrlWord, prefixes: ['', 'http://', ':3000/', 'a@', '[', 'a.b:'] },
  { name: 'URLs with items', call: (text) => requestUrl(text, [['a', text]], 'http'), prefixes: ['', ':1/', 'a.b/?'] },
  {
    name: 'the words of a request',
    call: (text) => requestLineWords(text.split(' '), () => false),
    prefixes: ['', 'GET ', 'GET :1 '],
  },
  { name: 'headers of options', call: (text) => fieldsOf([['a', text]]), prefixes: [''] },
  {
    name: 'pasted texts',
    call: pasted,
    prefixes: [
      '',
      'GET ',
      'GET /',
      'GET / HTTP/2\n',
      'GET / HTTP/1.1\na\n',
      pairs,
      ' GET /\n ',
      '> GET /\n> ',
      '```\n',
    ],
    also: [
      repeated(pairs, 'a\nb\n'),
      repeated(pairs, 'a\n\n'),
      repeated(pairs, 'Decoded\n'),
      repeated(pairs, 'Decoded\n}\n'),
      repeated('', 'Request Headers\n'),
      repeated('', '> GET /\n'),
      repeated('', '```\n'),
      repeated('GET /', '\xc2\xa0'),
    ],
  },
  {
    name: 'texts that are not requests',
    call: (text) =>
      requestFileError(
        { file: undefined, first: bytesOf(text), rest: undefined },
        new HttpParseError('METHOD', '', { offset: 0, line: 1, column: 1 }, '', 400),
      ),
    prefixes: ['', '@a', '{{', '> ', 'a:'],
  },
  {
    name: 'typed requests',
    call: (text) => typed(text, true),
    prefixes: ['', 'GET /', 'GET / HTTP/1.1\nA: ', 'GET / HTTP/1.1\nContent-Length: 99999\n\n'],
    maxLength: 2048,
  },
  {
    name: 'piped requests',
    call: (text) => typed(text, false),
    prefixes: ['', 'GET / HTTP/1.1\nTransfer-Encoding: chunked\n\n'],
    also: [repeated('POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n', '1\r\na\r\n')],
    maxLength: 2048,
  },
  {
    name: 'answers of SOCKS proxies',
    call: throughSocks,
    prefixes: ['', '\x05\x00', '\x05\x02\x01\x00', '\x05\x00\x05\x00\x00\x03\xff'],
    maxLength: 2048,
  },
  {
    name: 'messages one after the other',
    call: (text) => readOn(text, 1),
    prefixes: ['GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    also: [repeated('', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')],
    maxLength: 2048,
  },
  {
    name: 'messages one after the other in one piece',
    call: (text) => readOn(text, text.length),
    prefixes: [],
    also: [
      repeated('', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
      repeated('', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n'),
    ],
    maxLength: 131_072,
  },
]
