/**
 * The parser of Node.js, llhttp, as an independent judge: its result for bytes, message by message.
 *
 * Rules: it is reached by the names under which Node.js's own modules use it; only tests may do that.
 */
import { createRequire } from 'node:module'
import type { Role } from '../../src/message/index.ts'
import { textOf } from './decoder-trace.ts'

export interface ReadMessage {
  /** Method and target, or status and reason. */
  readonly line: readonly [string, string]
  readonly headers: readonly string[]
  readonly body: string
  readonly trailers: readonly string[]
  readonly keepAlive: boolean
}

export interface Reading {
  readonly messages: readonly ReadMessage[]
  /** Why it stopped: a code, `upgrade`, or undefined at the end of the bytes. */
  readonly stop: string | undefined
}

type HeadersComplete = (
  major: number,
  minor: number,
  headers: string[] | undefined,
  method: number | undefined,
  url: string | undefined,
  status: number | undefined,
  reason: string | undefined,
  upgrade: boolean,
  keepAlive: boolean,
) => number

interface NativeParser {
  initialize(type: number, resource: object, maxHeaderSize?: number): void
  execute(octets: Uint8Array): number | (Error & { code: string })
  finish(): undefined | (Error & { code: string })
  [callback: number]: unknown
}

interface NativeParserClass {
  new (): NativeParser
  readonly REQUEST: number
  readonly RESPONSE: number
  readonly kOnHeaders: number
  readonly kOnHeadersComplete: number
  readonly kOnBody: number
  readonly kOnMessageComplete: number
}

const { HTTPParser, methods } = createRequire(import.meta.url)('_http_common') as {
  readonly HTTPParser: NativeParserClass
  readonly methods: readonly string[]
}

const SKIP_BODY = 1
/** llhttp counts the methods of RTSP too, which Node.js omits from its list. */
const QUERY = 46

const nameOf = (method: number): string => methods[method] ?? (method === QUERY ? 'QUERY' : String(method))

/** Reads all messages. `sent` are the methods of the requests that responses answer. */
export function readWithNode(role: Role, octets: Uint8Array, sent: readonly string[] = []): Reading {
  const parser = new HTTPParser()
  parser.initialize(role === 'server' ? HTTPParser.REQUEST : HTTPParser.RESPONSE, {}, 1 << 20)
  const messages: ReadMessage[] = []
  let answered = 0
  let isUpgrade = false
  let head: Pick<ReadMessage, 'line' | 'keepAlive'> | undefined
  let headers: string[] = []
  let trailers: string[] = []
  let flushed: string[] = []
  let body = ''
  parser[HTTPParser.kOnHeaders] = (lines: string[], url: string): void => {
    flushed.push(...lines)
    flushedUrl += url
  }
  let flushedUrl = ''
  const onHeadersComplete: HeadersComplete = (
    _major,
    _minor,
    lines,
    method,
    url,
    status,
    reason,
    upgrade,
    keepAlive,
  ) => {
    headers = flushed.concat(lines ?? [])
    flushed = []
    body = ''
    isUpgrade = upgrade
    head = {
      line: method === undefined ? [String(status), reason ?? ''] : [nameOf(method), url ?? flushedUrl],
      keepAlive: role === 'server' && keepAlive,
    }
    flushedUrl = ''
    const isInterim = status !== undefined && status < 200 && status !== 101
    const isHead = role === 'client' && !isInterim && sent[answered] === 'HEAD'
    if (!isInterim) answered += 1
    return isHead ? SKIP_BODY : 0
  }
  parser[HTTPParser.kOnHeadersComplete] = onHeadersComplete
  parser[HTTPParser.kOnBody] = (bytes: Uint8Array): void => {
    body += textOf(bytes)
  }
  parser[HTTPParser.kOnMessageComplete] = (): void => {
    trailers = flushed
    flushed = []
    // A flush of trailers reports the target once more.
    flushedUrl = ''
    if (head !== undefined) messages.push({ ...head, headers: inLines(headers), body, trailers: inLines(trailers) })
    head = undefined
  }
  const result = parser.execute(octets)
  if (typeof result !== 'number') return { messages, stop: result.code }
  if (isUpgrade) return { messages, stop: 'upgrade' }
  const end = parser.finish()
  return { messages, stop: end?.code ?? (head === undefined ? undefined : 'INCOMPLETE') }
}

function inLines(flat: readonly string[]): string[] {
  const lines: string[] = []
  for (let i = 0; i < flat.length; i += 2) lines.push(`${flat[i]}: ${flat[i + 1]}`)
  return lines
}
