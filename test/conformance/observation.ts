/**
 * The results of a parser or a decoder, as plain values that can be compared.
 *
 * Rules: bytes are strings of one character per byte; the only knowledge of HTTP in here is the names of the events.
 */
import {
  type HeaderList,
  HttpDecoder,
  HttpParseError,
  HttpParser,
  type ParserLimits,
  type Preset,
  type RequestHead,
  type ResponseHead,
} from '../../src/message/index.ts'
import { toText } from '../message/octets.ts'
import type { Case, View } from './checklist-rows.ts'

/** An error as far as it must not depend on how the input was cut. */
export interface Failure {
  readonly code: string
  readonly status: number
  readonly at: string
}

export interface Observation {
  readonly seen: View
  readonly ended: boolean
  readonly failure: Failure | undefined
}

/** An observation of the decoder, and its events one by one, neighbouring data merged. */
export interface Traced extends Observation {
  readonly trace: readonly string[]
}

const lines = (headers: HeaderList): string[] => Array.from(headers, ([name, value]) => `${name}: ${value}`)

const shown = (extensions: string): string => extensions.replace(/^;/, '')

function failureOf(error: unknown): Failure {
  if (!(error instanceof HttpParseError)) throw error
  return { code: error.code, status: error.status, at: `${error.offset} ${error.line}:${error.column}` }
}

/** Parses a complete text. Anything thrown that is not a parse error is a defect and passes through. */
export function observeText(example: Case, preset: Preset, input: string | Uint8Array): Observation {
  const parser = new HttpParser({ preset })
  try {
    return {
      seen: example.role === 'request' ? readRequest(parser, input) : readResponse(parser, input, example),
      ended: true,
      failure: undefined,
    }
  } catch (error) {
    return { seen: {}, ended: false, failure: failureOf(error) }
  }
}

function readRequest(parser: HttpParser, input: string | Uint8Array): View {
  const request = parser.parseRequest(input)
  const content = request.eagerly().content
  return {
    method: request.method,
    target: request.target,
    form: request.form,
    ...(request.url === undefined ? {} : { url: request.url.href }),
    version: request.version,
    headers: lines(request.headers),
    body: content === undefined ? '' : toText(content.bytes),
    trailers: content === undefined ? [] : lines(content.trailers),
    extensions: content === undefined ? [] : content.chunks.map((chunk) => shown(chunk.extensions)),
    keepAlive: request.keepAlive,
    expectContinue: request.expectContinue,
    upgrade: request.upgrade,
    line: request.toString().split('\r\n', 1)[0] ?? '',
    repairs: [...new Set(request.repairs.map((repair) => repair.code))].sort(),
  }
}

function readResponse(parser: HttpParser, input: string | Uint8Array, example: Case): View {
  const response = parser.parseResponse(input, example.answers === undefined ? {} : { method: example.answers })
  const content = response.eagerly().content
  return {
    status: response.status,
    reason: response.reason,
    version: response.version,
    headers: lines(response.headers),
    // Not `bytes`: a transfer coding is not decoded in memory by the portable library.
    body: content === undefined ? '' : toText(content.framing.type === 'close' ? content.wire : content.bytes),
    trailers: content === undefined ? [] : lines(content.trailers),
    extensions: content === undefined ? [] : content.chunks.map((chunk) => shown(chunk.extensions)),
    keepAlive: response.keepAlive,
    line: response.toString().split('\r\n', 1)[0] ?? '',
    repairs: [...new Set(response.repairs.map((repair) => repair.code))].sort(),
  }
}

/** Pushes the pieces into a decoder, ends the input, and keeps what the first message was and every event. */
export function observeDecoder(
  example: Case,
  preset: Preset,
  pieces: Iterable<Uint8Array>,
  limits: Partial<ParserLimits> = {},
): Traced {
  const decoder = new HttpDecoder(example.role === 'request' ? 'server' : 'client', { preset, limits })
  if (example.role === 'response') decoder.expect(example.answers ?? 'GET')
  const trace: string[] = []
  const extensions: string[] = []
  let seen: View = { body: '' }
  let pending = ''
  let ended = false
  let failure: Failure | undefined
  const flush = (): void => {
    if (pending !== '') trace.push(`data ${pending}`)
    pending = ''
  }
  const take = (events: ReturnType<HttpDecoder['push']>): void => {
    for (const event of events) {
      if (event.type === 'data') {
        if (event.chunk !== undefined) {
          flush()
          trace.push(`chunk ${event.chunk.sizeBytes} ${event.chunk.extensions}`)
          if (!ended) extensions.push(shown(event.chunk.extensions))
        }
        pending += toText(event.bytes)
        if (!ended) seen = { ...seen, body: seen.body + toText(event.bytes) }
        continue
      }
      flush()
      if (event.type === 'end') {
        trace.push(`end ${event.lastChunkExtensions ?? ''} ${lines(event.trailers).join(', ')}`)
        if (!ended) seen = { ...seen, trailers: lines(event.trailers) }
        ended = true
      } else if (event.type === 'upgrade') {
        trace.push('upgrade')
        ended = true
      } else {
        trace.push(`${event.type} ${JSON.stringify(headOf(event.head))}`)
        if (!ended) seen = { ...headOf(event.head), body: '' }
      }
    }
  }
  try {
    for (const piece of pieces) take(decoder.push(piece))
    take(decoder.end())
    flush()
  } catch (error) {
    flush()
    failure = failureOf(error)
    trace.push(`error ${failure.code} ${failure.status} at ${failure.at}`)
  }
  return { seen: { ...seen, extensions }, ended, failure, trace }
}

function headOf(head: RequestHead | ResponseHead): View {
  const common = { version: head.version, headers: lines(head.headers), keepAlive: head.keepAlive }
  return 'method' in head
    ? { method: head.method, target: head.target, expectContinue: head.expectContinue, ...common }
    : { status: head.status, reason: head.reason, ...common }
}

/** Every way to look at the bytes in pieces: byte by byte, and in two pieces cut at each byte. */
export function* cuts(octets: Uint8Array): Generator<readonly [title: string, pieces: Uint8Array[]]> {
  yield ['byte by byte', Array.from(octets, (octet) => Uint8Array.of(octet))]
  // Long inputs are cut at both ends and in steps that meet every residue of a word.
  const step = octets.length <= 600 ? 1 : 509
  for (let at = 1; at < octets.length; at += at < 40 || at > octets.length - 40 ? 1 : step) {
    yield [`cut at ${at}`, [octets.slice(0, at), octets.slice(at)]]
  }
}
