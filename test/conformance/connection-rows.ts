/**
 * The words in which whole connections are written down as cases: bytes, and what a decoder reports.
 *
 * Rules: bytes are one character each; each expected line is one event. `GET /a` is a request without content,
 * followed by `length 5`, `chunked` or `until close`, by `last` where no message may follow, `waits` where the client
 * waits for 100, `to x` where it asks for protocol x. `data …` joins neighbouring data. `end`, and the trailers. An
 * error is `CODE status line:column`.
 */
import {
  HttpDecoder,
  type HttpEvent,
  HttpParseError,
  type Preset,
  type RequestHead,
  type ResponseHead,
  type Role,
} from '../../src/message/index.ts'
import { toText } from '../message/octets.ts'

export type Told = readonly string[]

export interface ConnectionCase {
  readonly title: string
  readonly role: Role
  readonly octets: string
  /** Methods of the requests that a client sent. */
  readonly methods: readonly string[]
  readonly reported: Readonly<Record<Preset, Told>>
  /** Fields of the first head, where the case is about them. */
  readonly fields: readonly string[] | undefined
}

interface Details {
  readonly methods?: readonly string[]
  readonly fields?: readonly string[]
}

type Expected = Told | { readonly lenient: Told; readonly strict: Told; readonly server?: Told }

function connection(role: Role, title: string, octets: string, expected: Expected, details: Details): ConnectionCase {
  const reported =
    'lenient' in expected
      ? { server: expected.strict, ...expected }
      : { lenient: expected, strict: expected, server: expected }
  return { title, role, octets, methods: details.methods ?? [], reported, fields: details.fields }
}

/** A row for bytes from a client to a server. */
export const requests = (title: string, octets: string, reported: Expected, details: Details = {}): ConnectionCase =>
  connection('server', title, octets, reported, details)

/** A row for bytes from a server to a client. */
export const responses = (title: string, octets: string, reported: Expected, details: Details = {}): ConnectionCase =>
  connection('client', title, octets, reported, details)

/** Lines with CRLF, and the empty line. */
export const head = (...lines: readonly string[]): string => [...lines, '', ''].join('\r\n')

/** A request line and fields with `Host: a` before them. */
export const asked = (line: string, ...fields: readonly string[]): string => head(line, 'Host: a', ...fields)

/** Two requests, to be sent one after the other. */
export const [get, next] = [asked('GET /a HTTP/1.1'), asked('GET /b HTTP/1.1')]

/** A chunked POST with these bytes as its body, and the events of its head. */
export const chunkedPost = (body: string): string => asked('POST /p HTTP/1.1', 'Transfer-Encoding: chunked') + body
export const posted = ['POST /p chunked']

/** A status line, and a whole response. */
export const [ok, bye] = ['HTTP/1.1 200 OK', 'HTTP/1.1 204 No Content\r\n\r\n']

/** Observes a decoder from the first byte to the end of the connection. */
export function report(
  example: ConnectionCase,
  preset: Preset,
  pieces: Iterable<Uint8Array>,
): { reported: string[]; fields: string[] } {
  const decoder = new HttpDecoder(example.role, { preset })
  for (const method of example.methods) decoder.expect(method)
  const reported: string[] = []
  let fields: string[] | undefined
  let isUpgraded = false
  const add = (event: HttpEvent): void => {
    const last = reported.length - 1
    if (event.type === 'data') {
      if (event.chunk !== undefined && event.chunk.extensions !== '')
        reported.push(`extensions ${event.chunk.extensions}`)
      if (reported[last]?.startsWith('data ') && (event.chunk?.extensions ?? '') === '')
        reported[last] += toText(event.bytes)
      else reported.push(`data ${toText(event.bytes)}`)
    } else if (event.type === 'end') {
      const extensions = event.lastChunkExtensions ? ` ;${event.lastChunkExtensions}` : ''
      reported.push(
        ['end', ...Array.from(event.trailers, ([name, value]) => `${name}: ${value}`)].join(' ') + extensions,
      )
    } else if (event.type === 'upgrade') {
      reported.push(`upgrade ${toText(event.rest)}`)
      isUpgraded = true
    } else {
      fields ??= Array.from(event.head.headers, ([name, value]) => `${name}: ${value}`)
      reported.push(event.type === 'informational' ? `interim ${describe(event.head)}` : describe(event.head))
    }
  }
  try {
    for (const piece of pieces) {
      // After an upgrade the bytes are the caller's.
      if (isUpgraded) reported[reported.length - 1] += toText(piece)
      else for (const event of decoder.push(piece)) add(event)
    }
    for (const event of decoder.end()) add(event)
  } catch (error) {
    if (!(error instanceof HttpParseError)) throw error
    reported.push(`${error.code} ${error.status} ${error.line}:${error.column}`)
  }
  return { reported, fields: fields ?? [] }
}

function describe(head: RequestHead | ResponseHead): string {
  const { framing, keepAlive } = head
  const isRequest = 'method' in head
  const words = [
    isRequest ? `${head.method} ${head.target}` : `${head.status} ${head.reason}`.trimEnd(),
    framing === undefined
      ? ''
      : framing.type === 'length'
        ? `length ${framing.length}`
        : framing.type === 'close'
          ? 'until close'
          : 'chunked',
    keepAlive ? '' : 'last',
    isRequest && head.expectContinue ? 'waits' : '',
    isRequest && head.upgrade.length > 0 ? `to ${head.upgrade.join('+')}` : '',
  ]
  return words.filter((word) => word !== '').join(' ')
}
