/**
 * Lines out of the octets that were pushed, and reports with the place where something is.
 *
 * Rules: a line ends at LF; whether the LF may stand without CR is an option, any other CR is an error (RFC 9112
 * section 2.2). A line is judged only when it is complete or longer than its limit. Offsets count from the first octet
 * of the current message; line numbers count the lines read here, not those inside content.
 */

import type { FieldSection } from '../head/field-section.ts'
import type { FramingContext } from '../head/framing.ts'
import { type AnswerStatus, type ErrorCode, HttpParseError, type Repair, type RepairCode } from '../syntax/errors.ts'
import { excerptOf } from '../syntax/excerpt.ts'
import type { LineContext } from '../syntax/line-context.ts'
import { CR, octetString } from '../syntax/octets.ts'
import type { ParserOptions } from '../syntax/options.ts'
import { ReceiveBuffer } from '../syntax/receive-buffer.ts'

/** Octets that a line may have without its line end. */
export interface LineLimit {
  readonly octets: number
  readonly what: string
  readonly status: AnswerStatus
}

export class LineReader implements LineContext, FramingContext {
  readonly options: ParserOptions
  readonly repairs: boolean
  protected readonly buffer: ReceiveBuffer = new ReceiveBuffer()
  protected section: FieldSection | undefined
  /** Where the current message begins in all that was pushed. */
  messageStart = 0
  /** Octets of the current message that were read. */
  protected offset = 0
  /** Number of the next line to be read. */
  protected lineNumber = 1
  /** The line that was read last, or the one that cannot be read. */
  protected line = ''
  protected lineOffset = 0
  protected repairList: Repair[] = []
  /** Whether a head has the list, so that the next message needs another one. */
  protected isRepairListTaken = false
  protected isEnded = false
  protected failure: HttpParseError | undefined
  #nextLineOffset = 0
  readonly #repairedOnce: Set<RepairCode> = new Set()

  constructor(options: ParserOptions) {
    this.options = options
    this.repairs = options.preset === 'lenient'
  }

  protected beginLines(): void {
    this.messageStart += this.offset
    this.offset = 0
    this.lineNumber = 1
    this.lineOffset = 0
    this.#nextLineOffset = 0
    if (!this.isRepairListTaken) return
    this.#repairedOnce.clear()
    this.repairList = []
    this.isRepairListTaken = false
  }

  /** Reads one line into `line`. False: not complete yet. At the end of the input `closeLine` decides. */
  protected takeLine(limit: LineLimit, closeLine: () => boolean): boolean {
    const { buffer } = this
    this.lineOffset = this.offset
    const lineEnd = buffer.indexOfLineEnd()
    const isComplete = lineEnd !== -1
    const hasReturn = isComplete && lineEnd > buffer.start && buffer.bytes[lineEnd - 1] === CR
    const contentEnd = isComplete ? lineEnd - (hasReturn ? 1 : 0) : buffer.end - 1
    // Whoever sends lines that end in CR alone waits for an answer: told at once, not when an LF comes.
    const room = Math.max(0, limit.octets)
    const bareReturn = buffer.indexOfBareReturn(Math.min(room, contentEnd + 1 - buffer.start))
    if (bareReturn !== -1) {
      this.line = octetString(buffer.bytes, buffer.start, bareReturn + 1)
      this.fail('BARE_CR', bareReturn - buffer.start, 'a carriage return without a line feed')
    }
    // One octet of an open line may still turn out to be the CR of its end.
    if (contentEnd - buffer.start > limit.octets) {
      this.line = octetString(buffer.bytes, buffer.start, buffer.start + room)
      this.fail('LIMIT', this.line.length, `${limit.what} is longer than the limit`, limit.status)
    }
    if (!isComplete) return this.isEnded && closeLine()
    this.line = octetString(buffer.bytes, buffer.start, contentEnd)
    this.#checkLineEnd(hasReturn)
    this.#lineTaken(lineEnd + 1 - buffer.start)
    return true
  }

  /** Whether an LF alone ends the line that is being read. */
  protected get allowsBareLf(): boolean {
    return this.options.allowBareLf
  }

  /** Takes what is left as a line: the end of a text closes it. */
  protected takeOpenLine(): void {
    const { bytes, start, end, length } = this.buffer
    const text = octetString(bytes, start, end)
    this.line = text.endsWith('\r') ? text.slice(0, -1) : text
    this.#checkLineEnd(true)
    this.#lineTaken(length)
  }

  #checkLineEnd(hasReturn: boolean): void {
    if (hasReturn) return
    if (!this.allowsBareLf) {
      this.fail('BARE_LF', this.line.length, 'a line feed without a carriage return', 400, 'end each line with CRLF')
    }
    if (this.repairs) this.repairOnce('bare-lf', this.line.length, 'lines end with LF; CRLF is written')
  }

  #lineTaken(count: number): void {
    this.take(count)
    this.lineTaken()
  }

  /** The octets up to here belong to lines that are done. */
  protected lineTaken(): void {
    this.lineNumber++
    this.#nextLineOffset = this.offset
  }

  /** Goes past lines that were read where they stand; the last of them has `lastOctets` octets with its line end. */
  protected skipLines(count: number, octets: number, lastOctets: number): void {
    this.buffer.start += octets
    this.offset += octets
    this.lineOffset = this.offset - lastOctets
    this.lineNumber += count
    this.#nextLineOffset = this.offset
  }

  /** The next octets as a view, at most `limit` of them. */
  protected take(limit: number): Uint8Array {
    const bytes = this.buffer.take(limit)
    this.offset += bytes.length
    return bytes
  }

  repair(code: RepairCode, column: number, message: string): void {
    this.#report({ code, message, offset: this.lineOffset + column, line: this.#openLine, column: column + 1 })
  }

  /** A repair that would be the same on every line is told once. */
  protected repairOnce(code: RepairCode, column: number, message: string): void {
    if (this.#repairedOnce.has(code)) return
    this.#repairedOnce.add(code)
    this.repair(code, column, message)
  }

  repairField(code: RepairCode, field: string, message: string): void {
    const place = this.section?.placeOf(field)
    this.#report({
      code,
      message,
      offset: place?.offset ?? 0,
      line: place?.line ?? 1,
      column: (place?.column ?? 0) + 1,
    })
  }

  fail(code: ErrorCode, column: number, message: string, status: AnswerStatus = 400, hint?: string): never {
    const position = { offset: this.lineOffset + column, line: this.#openLine, column: column + 1 }
    return this.#throw(new HttpParseError(code, message, position, excerptOf(this.line, column), status, hint))
  }

  failField(code: ErrorCode, field: string, message: string, status: AnswerStatus = 400, hint?: string): never {
    const place = this.section?.placeOf(field)
    if (place === undefined) return this.fail(code, 0, message, status, hint)
    const position = { offset: place.offset, line: place.line, column: place.column + 1 }
    return this.#throw(new HttpParseError(code, message, position, excerptOf(place.text, place.column), status, hint))
  }

  /** An error `ahead` octets behind what was read, where no line is. */
  protected failAhead(code: ErrorCode, ahead: number, message: string, status: AnswerStatus = 400): never {
    const { bytes, start, end } = this.buffer
    const offset = this.offset + ahead
    const position = { offset, line: this.lineNumber, column: offset - this.#nextLineOffset + 1 }
    const shown = octetString(bytes, start, Math.min(end, start + ahead + 1))
    return this.#throw(new HttpParseError(code, message, position, excerptOf(shown, ahead), status))
  }

  /** The number of `line`: it counts as read only when it has been taken. */
  get #openLine(): number {
    return this.lineOffset === this.offset ? this.lineNumber : this.lineNumber - 1
  }

  #report(repair: Repair): void {
    this.repairList.push(repair)
    this.options.onRepair?.(repair)
  }

  #throw(error: HttpParseError): never {
    this.failure = error
    throw error
  }
}
