/**
 * The head of a message: start line and header section (RFC 9112 section 2.1).
 *
 *   start-line *( field-line CRLF ) CRLF
 *
 * State: the start line whose header section is being read, and what the last head means for the rest of the
 * connection.
 *
 * Rules: the fast path (fast/) reads canonical heads; syntax/start-line.ts, field-section-reader.ts and head/head.ts
 * read all others. A complete text may end where a connection must not (complete-text.ts).
 */
import { CanonicalHeads } from '../fast/canonical-head.ts'
import { completeRequestHead, completeResponseHead, type RequestHead, type ResponseHead } from '../head/head.ts'
import type { ReceiveBuffer } from '../syntax/receive-buffer.ts'
import { parseRequestLine, parseStatusLine, type RequestLine, type StatusLine } from '../syntax/start-line.ts'
import type { TextRules } from './complete-text.ts'
import type { FieldSectionReader } from './field-section-reader.ts'
import { refuseOtherProtocol, skipMark } from './first-bytes.ts'
import { type LineReader, lineKind } from './line-reader.ts'
import type { Reporter } from './reporter.ts'

/** The side that reads: a `server` reads requests, a `client` reads responses. */
export type Role = 'server' | 'client'

/** What follows a head: its content, another head for the same request, or another protocol. */
export type AfterHead = 'content' | 'head' | 'tunnel'

const startLines = { server: lineKind('start line', 414, false), client: lineKind('start line', 400, false) }

/** A head in two pieces still takes the fast path; a head in many pieces is not rescanned for each. */
const FAST_TRIES = 2

export class HeadReader {
  /** What follows the last head. */
  after: AfterHead = 'content'
  readonly #role: Role
  readonly #text: TextRules | undefined
  readonly #buffer: ReceiveBuffer
  readonly #lines: LineReader
  readonly #reporter: Reporter
  readonly #fields: FieldSectionReader
  readonly #canonical: CanonicalHeads
  readonly #fastTries: number
  #triesLeft = 0
  #startLine: RequestLine | StatusLine | undefined = undefined

  constructor(
    role: Role,
    text: TextRules | undefined,
    buffer: ReceiveBuffer,
    lines: LineReader,
    fields: FieldSectionReader,
    reporter: Reporter,
  ) {
    const { options } = reporter
    this.#role = role
    this.#text = text
    this.#buffer = buffer
    this.#lines = lines
    this.#reporter = reporter
    this.#fields = fields
    this.#canonical = new CanonicalHeads(options)
    // The end of a text affects the meaning of its bytes, which the fast path does not handle.
    this.#fastTries = options.fastPath && text === undefined ? FAST_TRIES : 0
    this.begin()
  }

  /** A message begins at the next byte. */
  begin(): void {
    this.#triesLeft = this.#fastTries
    this.#startLine = undefined
  }

  /**
   * The head; undefined if more bytes are needed, or if the input ends here.
   * @param method method of the request that a response answers
   */
  read(method: string): RequestHead | ResponseHead | undefined {
    const buffer = this.#buffer
    // Between messages the buffer is usually empty.
    if (buffer.length === 0 && !buffer.isEnded) return undefined
    // Bytes skipped before the start line count towards its limit, which the fast path does not handle.
    if (this.#triesLeft > 0 && buffer.offset === 0 && buffer.length > 0) {
      this.#triesLeft--
      const head = this.#canonical.read(this.#role, buffer, this.#reporter, method)
      if (typeof head === 'object') {
        this.after = 'content'
        return head
      }
      if (head === 'incomplete' && this.#triesLeft > 0 && !buffer.isEnded) return undefined
    }
    this.#startLine ??= this.#readStartLine()
    if (this.#startLine === undefined) return undefined
    const headers = this.#fields.read()
    if (headers === undefined) return undefined
    const repairs = this.#reporter.giveRepairList()
    if (this.#role === 'server') {
      const line = this.#startLine as RequestLine
      this.after = line.method === 'CONNECT' ? 'tunnel' : 'content'
      const head = completeRequestHead(line, headers, repairs, this.#fields)
      return this.#text?.withInferredLength(head, this.#buffer, this.#reporter) ?? head
    }
    const line = this.#startLine as StatusLine
    this.after = afterResponse(line.status, method)
    return completeResponseHead(line, headers, method, repairs, this.#fields)
  }

  #readStartLine(): RequestLine | StatusLine | undefined {
    const reporter = this.#reporter
    for (;;) {
      const { length, isEnded, offset } = this.#buffer
      if (length === 0) {
        return isEnded ? this.#text?.refuseEmpty(reporter) : undefined
      }
      if (!skipMark(this.#buffer, reporter)) return undefined
      if (this.#text === undefined) refuseOtherProtocol(this.#role, this.#buffer, reporter)
      const line = this.#lines.read(startLines[this.#role], reporter.options.limits.startLine - offset)
      if (line === undefined) return undefined
      if (line !== '') {
        this.#fields.begin()
        return this.#role === 'server' ? parseRequestLine(line, reporter) : parseStatusLine(line, reporter)
      }
      // RFC 9112 section 2.2: a server ignores at least one empty line before the request line.
      if (!reporter.options.ignoreLeadingEmptyLine) {
        reporter.fail('START_LINE', 0, 'an empty line before the start line', 400, 'Begin with the start line')
      }
      if (reporter.isLenient) {
        reporter.repair('leading-empty-line', 0, 'an empty line before the start line was skipped')
      }
    }
  }
}

/** RFC 9110 sections 15.2 and 9.3.6: 1xx other than 101 precede the final response to the same request. */
function afterResponse(status: number, method: string): AfterHead {
  if (status === 101) return 'tunnel'
  if (status < 200) return 'head'
  return method === 'CONNECT' && status < 300 ? 'tunnel' : 'content'
}
