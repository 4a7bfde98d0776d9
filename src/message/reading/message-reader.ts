/**
 * The one HTTP/1.1 parser: octets in, events out, no I/O (RFC 9112).
 *
 * Rules: three layers, one class on the other: lines (line-reader.ts), content (content-layer.ts), and here messages: a
 * state machine with one method per state; each returns an event, AGAIN (go on in the new state) or NEED_MORE. How the
 * octets were cut changes no head, no error, and nothing of the content but where its pieces end. The first error is
 * final.
 *
 * A complete text (`isText`) may end where a connection may not: its end closes an open line, and the octets behind
 * the header section of a request without framing fields are its content.
 */

import { readRequestHead, readResponseHead } from '../fast/canonical-head.ts'
import { DECLINED, found, HeadRules, INCOMPLETE } from '../fast/fast-head.ts'
import type { HttpEvent } from '../head/events.ts'
import type { FieldSection } from '../head/field-section.ts'
import type { Framing } from '../head/framing.ts'
import { completeRequestHead, completeResponseHead, RequestHead, type ResponseHead } from '../head/head.ts'
import { DIGIT, isOctet, TOKEN } from '../syntax/grammar.ts'
import { CR, isWhitespace, LF, octetString } from '../syntax/octets.ts'
import type { ParserOptions } from '../syntax/options.ts'
import { parseRequestLine, parseStatusLine, type RequestLine, type StatusLine } from '../syntax/start-line.ts'
import { AGAIN, ContentLayer, NEED_MORE, PLAIN_END, type Role } from './content-layer.ts'

type State = 'start' | 'fields' | 'content' | 'no-content' | 'upgrade' | 'closed'
type Step = HttpEvent | typeof AGAIN | typeof NEED_MORE

const FAST_TRIES = 2
const CAPITAL_H = 0x48
/** RFC 8446 section 5.1: the content types with which a connection in TLS begins. */
const TLS_ALERT = 21
const TLS_HANDSHAKE = 22
const BOM = [0xef, 0xbb, 0xbf]

export class MessageReader extends ContentLayer {
  readonly #methods: string[] = []
  #state: State = 'start'
  #startLine: RequestLine | StatusLine | undefined
  #keepAlive = false
  #isTunnel = false
  readonly #rules: HeadRules
  #triesLeft: number

  constructor(role: Role, options: ParserOptions, isText = false) {
    super(role, options, isText)
    this.#rules = new HeadRules(options)
    this.#triesLeft = this.#fastTries
  }

  /** What the octets of a text are is decided by its end too, which the fast path does not know. */
  get #fastTries(): number {
    return this.options.fastPath && !this.isText ? FAST_TRIES : 0
  }

  /** Client role: the method of a request that was sent; responses are matched in order. */
  expect(method: string): void {
    this.#methods.push(method)
  }

  push(bytes: Uint8Array): void {
    // What comes behind the last message is for nobody: it is not piled up.
    if (this.#state === 'closed') this.buffer.take(Number.POSITIVE_INFINITY)
    this.buffer.append(bytes)
  }

  end(): void {
    this.isEnded = true
  }

  /** Octets that were pushed and belong to no event so far. */
  get leftover(): Uint8Array {
    return this.buffer.bytes.subarray(this.buffer.start, this.buffer.end)
  }

  /** The next event; undefined when more octets are needed or, after `end`, there is nothing more. */
  next(): HttpEvent | undefined {
    if (this.failure !== undefined) throw this.failure
    // What was skipped before the start line counts for its limit, which the fast path does not know.
    const isHeadTried = this.#state === 'start' && this.#triesLeft > 0 && this.offset === 0 && this.buffer.length > 0
    let step: Step = isHeadTried ? this.#readCanonicalHead() : AGAIN
    while (step === AGAIN) step = this.#step()
    return step
  }

  /** Whether the input has ended, or nothing more will be read of it. */
  get isAtEnd(): boolean {
    return this.isEnded || this.#state === 'closed'
  }

  /** Whether the rest of the connection is another protocol, and the next event says so. */
  get isTunnel(): boolean {
    return this.#state === 'upgrade'
  }

  /** Whether nothing more can be read, because something was wrong. */
  get hasFailed(): boolean {
    return this.failure !== undefined
  }

  /** Octets behind a complete text: nobody will read them, so the person who wrote them should know. */
  reportTrailingData(): void {
    const { length } = this.leftover
    if (!this.repairs || isLineEndsOnly(this.leftover)) return
    this.lineOffset = this.offset
    this.repair('trailing-data', 0, `${length} octets behind the end of the message were ignored`)
  }

  #step(): Step {
    switch (this.#state) {
      case 'start':
        return this.#readStartLine()
      case 'fields':
        return this.#readField()
      case 'content':
        return this.#readContent()
      case 'no-content':
        return this.#finish(PLAIN_END)
      case 'upgrade':
        return this.#upgrade()
      case 'closed':
        return NEED_MORE
    }
  }

  #readStartLine(): Step {
    if (this.buffer.length === 0) return this.#emptyInput()
    if (this.#skipBom() === NEED_MORE) return NEED_MORE
    if (!this.isText) this.#refuseOtherProtocol()
    const limit = this.options.limits.startLine - this.offset
    const status = this.role === 'server' ? 414 : 400
    if (!this.readLine({ octets: limit, what: 'the start line', status })) return NEED_MORE
    if (this.line === '') {
      if (!this.options.ignoreLeadingEmptyLine) {
        this.fail('START_LINE', 0, 'an empty line before the start line', 400, 'begin with the start line')
      }
      if (this.repairs) this.repair('leading-empty-line', 0, 'an empty line before the start line was skipped')
      return AGAIN
    }
    this.#startLine = this.role === 'server' ? parseRequestLine(this.line, this) : parseStatusLine(this.line, this)
    this.beginSection(false)
    this.#state = 'fields'
    return AGAIN
  }

  /**
   * A whole head by the fast path; AGAIN where that is not for it. A head is tried twice, so that one in two pieces has
   * its chance and one in many is not read again and again. It is that of a final message and opens no tunnel.
   */
  #readCanonicalHead(): Step {
    this.#triesLeft--
    const { buffer, repairList } = this
    const rules = this.#rules
    const head =
      this.role === 'server'
        ? readRequestHead(buffer, rules, repairList)
        : readResponseHead(buffer, rules, repairList, this.#methods[0] ?? 'GET')
    if (head === INCOMPLETE && this.#triesLeft > 0 && !this.isEnded) return NEED_MORE
    if (head === DECLINED || head === INCOMPLETE) return AGAIN
    this.isRepairListTaken = head.repairs === repairList
    this.skipLines(found.markCount + 1, found.length, 2)
    this.#keepAlive = head.keepAlive
    this.#beginContent(head.framing)
    if (head instanceof RequestHead) return { type: 'request', head }
    this.#methods.shift()
    return { type: 'response', head }
  }

  #emptyInput(): Step {
    if (this.isEnded && this.isText) this.failAhead('INCOMPLETE', 0, 'the message is empty')
    return NEED_MORE
  }

  /** Whoever speaks TLS or another protocol waits for an answer: told at its first octet, not when a line ends. */
  #refuseOtherProtocol(): void {
    const { bytes, start, length } = this.buffer
    const first = bytes[start] as number
    if (length === 0 || isWhitespace(first) || first === CR || first === LF || this.#isStart(first)) return
    this.line = octetString(Uint8Array.of(first))
    this.lineOffset = this.offset
    const isTls = first === TLS_ALERT || first === TLS_HANDSHAKE
    if (this.role === 'server') {
      const what = isTls
        ? 'a TLS handshake, expected plain HTTP'
        : 'the first octet of the request line cannot begin a method'
      this.fail('METHOD', 0, what, 400, isTls ? 'use http:// in the URL' : undefined)
    }
    const what = isTls
      ? 'an answer in TLS, expected plain HTTP'
      : 'the answer is not HTTP/1.1: it does not begin with "HTTP/"'
    this.fail('VERSION', 0, what, 400, isTls ? 'use https:// in the URL' : undefined)
  }

  /** Whether the octet may begin a start line. */
  #isStart(octet: number): boolean {
    if (this.role === 'server') return isOctet(octet, TOKEN)
    return octet === CAPITAL_H || (this.options.insertVersion && isOctet(octet, DIGIT))
  }

  /** A text from an editor may begin with a UTF-8 byte order mark. */
  #skipBom(): Step {
    if (!this.repairs || this.offset > 0) return AGAIN
    const { bytes, start, length } = this.buffer
    for (let i = 0; i < BOM.length; i++) {
      if (i >= length) return this.isEnded ? AGAIN : NEED_MORE
      if (bytes[start + i] !== BOM[i]) return AGAIN
    }
    this.line = ''
    this.lineOffset = this.offset
    this.repair('bom', 0, 'the byte order mark was skipped')
    this.take(BOM.length)
    return AGAIN
  }

  #readField(): Step {
    const { headerSection, headerCount } = this.options.limits
    const limit = headerSection - (this.offset - this.sectionStart)
    if (!this.readLine({ octets: limit, what: 'the header section', status: 431 })) return NEED_MORE
    if (this.line === '') return this.#finishHead()
    this.addField(headerCount, 'header')
    return AGAIN
  }

  #finishHead(): Step {
    const fields = (this.section as FieldSection).headers()
    const repairs = this.repairList
    this.isRepairListTaken = true
    if (this.role === 'server') {
      const head = completeRequestHead(this.#startLine as RequestLine, fields, repairs, this)
      return this.#beginRequest(this.isText ? this.#withInferredLength(head) : head)
    }
    const method = this.#methods[0] ?? 'GET'
    return this.#beginResponse(
      completeResponseHead(this.#startLine as StatusLine, fields, method, repairs, this),
      method,
    )
  }

  /** What a person typed below the empty line is meant to be sent, unless it is line ends only. */
  #withInferredLength(head: RequestHead): RequestHead {
    if (!this.options.inferContentLength || head.framing !== undefined || head.headers.has('content-length'))
      return head
    const rest = this.leftover
    if (isLineEndsOnly(rest)) return head
    this.checkBodyLimit(rest.length)
    this.lineOffset = this.offset
    this.repair('missing-content-length', 0, `Content-Length: ${rest.length} was added`)
    return new RequestHead(
      { method: head.method, target: head.targetParts, version: head.version },
      head.headers.append('Content-Length', String(rest.length)),
      { type: 'length', length: rest.length },
      head.keepAlive,
      this.repairList,
    )
  }

  #beginRequest(head: RequestHead): Step {
    this.#isTunnel = head.method === 'CONNECT'
    this.#keepAlive = head.keepAlive
    this.#beginContent(head.framing)
    return { type: 'request', head }
  }

  #beginResponse(head: ResponseHead, method: string): Step {
    // 1xx but 101 come before the final response and belong to the same request (RFC 9110 section 15.2).
    if (head.status < 200 && head.status !== 101) {
      if (this.isText && isLineEndsOnly(this.leftover)) this.#state = 'closed'
      else this.#beginMessage()
      return { type: 'informational', head }
    }
    this.#methods.shift()
    this.#isTunnel = head.status === 101 || (method === 'CONNECT' && head.status < 300)
    this.#keepAlive = head.keepAlive
    this.#beginContent(head.framing)
    return { type: 'response', head }
  }

  #beginContent(framing: Framing | undefined): void {
    if (framing === undefined) {
      this.#state = 'no-content'
      return
    }
    this.beginContent(framing)
    this.#state = 'content'
  }

  #readContent(): Step {
    const step = this.readContent()
    return step === 'done' ? this.#finish(this.contentEnd()) : step
  }

  #finish(end: HttpEvent): Step {
    // RFC 9112 section 9.6: nothing is read behind a message that ends the connection. A text is one message.
    if (this.#isTunnel) this.#state = 'upgrade'
    else if (this.#keepAlive && !this.isText) this.#beginMessage()
    else this.#state = 'closed'
    return end
  }

  #upgrade(): Step {
    this.#state = 'closed'
    return { type: 'upgrade', rest: this.buffer.take(Number.POSITIVE_INFINITY) }
  }

  #beginMessage(): void {
    this.#state = 'start'
    this.#triesLeft = this.#fastTries
    this.beginLines()
  }

  protected override incompletePart(): string {
    if (this.#state === 'start') return 'its start line'
    return this.#state === 'fields' ? 'its header section' : super.incompletePart()
  }
}

function isLineEndsOnly(octets: Uint8Array): boolean {
  return octets.every((octet) => octet === CR || octet === LF)
}
