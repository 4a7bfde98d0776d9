/**
 * Formats one line of the access log for each answered request, as text or as JSON.
 *
 * Rules: the text is `address [time] "request line" status body-bytes`, with the local time and its UTC offset; the
 * JSON is one object per line, with the fields of `LoggedObject`. Request text is untrusted: control characters,
 * non-ASCII bytes, quotation marks and backslashes are escaped, so that no request can forge a line or control a
 * terminal; a long line that needs escapes is truncated. A formatter caches the parts that consecutive lines have in
 * common.
 */
import { machineOffsetMinutes } from './listing/local-time.ts'

/**
 * The outcome of one request. Passed to `onAnswer` when the last byte of the answer has been handed to the operating
 * system.
 */
export interface AnsweredRequest {
  readonly remoteAddress: string
  /** Milliseconds since 1970. */
  readonly answeredMs: number
  /** As received, without its line ending; undefined if not even a request line could be read. */
  readonly requestLine: string | undefined
  readonly status: number
  /** Bytes of the body that were sent; fewer than announced if the client disconnected. */
  readonly bodyBytes: number
  /** From the end of the request's head to the end of the answer. */
  readonly durationMs: number
  /** The backend that it was forwarded to, and the error code if that failed. */
  readonly backend?: { readonly name: string; readonly failure: string | undefined }
}

export type LogFormat = 'text' | 'json'

/** A line of the JSON form. The three parts of the request line are null unless it has exactly three. */
export interface LoggedObject {
  /** ISO 8601, UTC, with milliseconds. */
  readonly time: string
  readonly remoteAddress: string
  /** Null if not even a request line could be read. */
  readonly requestLine: string | null
  readonly method: string | null
  readonly target: string | null
  readonly version: string | null
  readonly status: number
  readonly bodyBytes: number
  readonly durationMs: number
  /** The backend that the request was forwarded to. */
  readonly backend?: string
  /** Error code of the exchange with the backend. */
  readonly backendFailure?: string
}

export interface LogFormatter {
  /** Printable ASCII, without a line ending. */
  format(entry: AnsweredRequest): string
}

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `offsetMinutesAt`: local time minus UTC at a moment, for the text form. Default: that of this machine. */
export function createLogFormatter(
  format: LogFormat,
  offsetMinutesAt: (epochMs: number) => number = machineOffsetMinutes,
): LogFormatter {
  return format === 'json' ? new JsonFormatter() : new TextFormatter(offsetMinutesAt)
}

/**
 * Consecutive lines usually have the same client and second, and are often identical. These parts are cached, so that a
 * line costs a few hundred nanoseconds. A new line is joined from as few strings as possible: the engine keeps the
 * parts of a joined string of 13 characters or more until the log is written.
 */
class TextFormatter implements LogFormatter {
  readonly #offsetMinutesAt: (epochMs: number) => number
  #second = Number.NaN
  #time = ''
  #remoteAddress = ''
  /** Up to the opening quotation mark. */
  #prefix = ''
  #requestLine: string | undefined
  #escapedLine = '-'
  #line = ''
  #status = 0
  #bodyBytes = 0

  constructor(offsetMinutesAt: (epochMs: number) => number) {
    this.#offsetMinutesAt = offsetMinutesAt
  }

  format(entry: AnsweredRequest): string {
    const { answeredMs, remoteAddress, requestLine, status, bodyBytes, backend } = entry
    const second = Math.floor(answeredMs / 1000)
    const isSameHead =
      second === this.#second && remoteAddress === this.#remoteAddress && requestLine === this.#requestLine
    if (!isSameHead) this.#prepare(second, remoteAddress, requestLine)
    if (!isSameHead || status !== this.#status || bodyBytes !== this.#bodyBytes) {
      this.#status = status
      this.#bodyBytes = bodyBytes
      // Short enough for the engine to store as one flat string.
      const end = `" ${status} ${bodyBytes}`
      this.#line = `${this.#prefix}${this.#escapedLine}${end}`
    }
    return backend === undefined ? this.#line : `${this.#line}${backendText(backend)}`
  }

  #prepare(second: number, remoteAddress: string, requestLine: string | undefined): void {
    if (second !== this.#second) {
      this.#second = second
      this.#time = formatTime(second * 1000, this.#offsetMinutesAt(second * 1000))
      this.#remoteAddress = ''
    }
    if (remoteAddress !== this.#remoteAddress) {
      this.#remoteAddress = remoteAddress
      this.#prefix = `${remoteAddress} [${this.#time}] "`
    }
    if (requestLine === this.#requestLine) return
    this.#requestLine = requestLine
    this.#escapedLine = requestLine === undefined ? '-' : escapeText(requestLine)
  }
}

function backendText({ name, failure }: NonNullable<AnsweredRequest['backend']>): string {
  return ` via ${escapeText(name)}${failure === undefined ? '' : `: ${failure}`}`
}

function formatTime(epochMs: number, offsetMinutes: number): string {
  const local = new Date(epochMs + offsetMinutes * 60_000)
  const date = `${two(local.getUTCDate())}/${monthNames[local.getUTCMonth()]}/${local.getUTCFullYear()}`
  const clock = [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds()].map(two).join(':')
  const offset = Math.abs(offsetMinutes)
  return `${date}:${clock} ${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(offset / 60))}${two(offset % 60)}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

const unsafeInText = /[^ !#-[\]-~]/

/** A request line that needs escapes is truncated to this length, so that a flood of such lines stays small. */
const maximumEscapedCharacters = 1_000

function cutUnreadable(line: string): string {
  const isCut = line.length > maximumEscapedCharacters && unsafeInText.test(line)
  return isCut ? `${line.slice(0, maximumEscapedCharacters)}...` : line
}

/** A binary string as printable ASCII: other bytes as `\xHH`, and `\"` and `\\`. */
function escapeText(line: string): string {
  if (!unsafeInText.test(line)) return line
  return cutUnreadable(line).replace(/[^ !#-[\]-~]/g, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}

/** Assembled from cached pieces: a serializer would process the same request line again and again. */
class JsonFormatter implements LogFormatter {
  #second = Number.NaN
  /** Up to the dot before the milliseconds. */
  #time = ''
  #remoteAddress = ''
  #requestLine: string | undefined
  /** From the address to the status. */
  #middle = ''

  format(entry: AnsweredRequest): string {
    const { answeredMs, remoteAddress, requestLine, status, bodyBytes, durationMs, backend } = entry
    const second = Math.floor(answeredMs / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#time = new Date(second * 1000).toISOString().slice(0, -'000Z'.length)
    }
    if (remoteAddress !== this.#remoteAddress || requestLine !== this.#requestLine) {
      this.#remoteAddress = remoteAddress
      this.#requestLine = requestLine
      this.#middle = middleOf(remoteAddress, requestLine)
    }
    const milliseconds = String(Math.floor(answeredMs) - second * 1000).padStart(3, '0')
    const numbers = `"status":${status},"bodyBytes":${bodyBytes},"durationMs":${durationMs}`
    const forwarded = backend === undefined ? '' : `,${backendMembers(backend)}`
    return `{"time":"${this.#time}${milliseconds}Z",${this.#middle},${numbers}${forwarded}}`
  }
}

function backendMembers({ name, failure }: NonNullable<AnsweredRequest['backend']>): string {
  const members: Pick<LoggedObject, 'backend' | 'backendFailure'> = {
    backend: name,
    ...(failure === undefined ? {} : { backendFailure: failure }),
  }
  return asciiJson(members).slice(1, -1)
}

type LoggedMiddle = Pick<LoggedObject, 'remoteAddress' | 'requestLine' | 'method' | 'target' | 'version'>

function middleOf(remoteAddress: string, requestLine: string | undefined): string {
  const line = requestLine === undefined ? null : cutUnreadable(requestLine)
  const parts = line?.split(' ') ?? []
  const [method = null, target = null, version = null] = parts.length === 3 ? parts : []
  const middle: LoggedMiddle = { remoteAddress, requestLine: line, method, target, version }
  return asciiJson(middle).slice(1, -1)
}

/** JSON does not escape DEL and non-ASCII bytes; terminals interpret some of them. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
