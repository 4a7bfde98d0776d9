/**
 * Records repairs and errors, each with its position in the message.
 *
 * State: the line being checked and its position, the repairs of the current message, the first error.
 *
 * Rules: offsets count from the first byte of the current message; line numbers count the lines read here, without the
 * lines of content. The first error is final.
 */
import { type AnswerStatus, type ErrorCode, HttpParseError, type Repair, type RepairCode } from '../syntax/errors.ts'
import { excerptOf } from '../syntax/excerpt.ts'
import type { LineContext, LinePlace } from '../syntax/line-context.ts'
import { octetString } from '../syntax/octets.ts'
import type { ParserOptions } from '../syntax/options.ts'
import type { ReceiveBuffer } from '../syntax/receive-buffer.ts'

export class Reporter implements LineContext {
  readonly options: ParserOptions
  /** Whether small mistakes are repaired. */
  readonly isLenient: boolean
  /** The first error; nothing is read after it. */
  failure: HttpParseError | undefined = undefined
  readonly #buffer: ReceiveBuffer
  #line = ''
  #lineOffset = 0
  #lineNumber = 1
  #nextLineNumber = 1
  #nextLineOffset = 0
  #repairList: Repair[] = []
  #isRepairListGiven = false
  readonly #repairedOnce: Set<RepairCode> = new Set()

  constructor(options: ParserOptions, buffer: ReceiveBuffer) {
    this.options = options
    this.isLenient = options.preset === 'lenient'
    this.#buffer = buffer
  }

  /** The repairs of the current message; reading its content may add to them. */
  get repairList(): readonly Repair[] {
    return this.#repairList
  }

  /** Hands the list of repairs over to a head; the next message gets a new list. */
  giveRepairList(): readonly Repair[] {
    this.#isRepairListGiven = true
    return this.#repairList
  }

  beginMessage(): void {
    this.#lineOffset = 0
    this.#nextLineNumber = 1
    this.#nextLineOffset = 0
    if (!this.#isRepairListGiven) return
    this.#repairedOnce.clear()
    this.#repairList = []
    this.#isRepairListGiven = false
  }

  /** A line begins at the next byte; reports refer to `text`, which is the line or its start. */
  beginLine(text: string): void {
    this.#line = text
    this.#lineOffset = this.#buffer.offset
    this.#lineNumber = this.#nextLineNumber
  }

  /** The bytes up to here belong to lines that have been read. */
  endLine(): void {
    this.#nextLineNumber++
    this.#nextLineOffset = this.#buffer.offset
  }

  /** As `endLine`, for lines that were read in place, without a string; the last one has `lastLineBytes` bytes. */
  endLines(count: number, lastLineBytes: number): void {
    const { offset } = this.#buffer
    this.#nextLineNumber += count
    this.#nextLineOffset = offset
    this.#lineNumber = this.#nextLineNumber - 1
    this.#lineOffset = offset - lastLineBytes
  }

  /** The position of a character of the line. */
  placeAt(column: number): LinePlace {
    return { offset: this.#lineOffset + column, line: this.#lineNumber, column, text: this.#line }
  }

  repair(code: RepairCode, column: number, message: string): void {
    this.repairAt(code, this.placeAt(column), message)
  }

  /** Reports a repair that would be the same on every line only once. */
  repairOnce(code: RepairCode, column: number, message: string): void {
    if (this.#repairedOnce.has(code)) return
    this.#repairedOnce.add(code)
    this.repair(code, column, message)
  }

  repairAt(code: RepairCode, { offset, line, column }: Omit<LinePlace, 'text'>, message: string): void {
    const repair: Repair = { code, message, offset, line, column: column + 1 }
    this.#repairList.push(repair)
    this.options.onRepair?.(repair)
  }

  fail(code: ErrorCode, column: number, message: string, status?: AnswerStatus, hint?: string): never {
    return this.failAt(code, this.placeAt(column), message, status, hint)
  }

  failAt(code: ErrorCode, place: LinePlace, message: string, status?: AnswerStatus, hint?: string): never {
    const { offset, line, column, text } = place
    return this.#throw(code, message, { offset, line, column: column + 1 }, excerptOf(text, column), status, hint)
  }

  /** Reports an error `ahead` bytes after the bytes read so far, outside a line. */
  failAhead(code: ErrorCode, ahead: number, message: string, status?: AnswerStatus): never {
    const { bytes, start, end, offset } = this.#buffer
    const position = {
      offset: offset + ahead,
      line: this.#nextLineNumber,
      column: offset + ahead - this.#nextLineOffset + 1,
    }
    const shown = octetString(bytes, start, Math.min(end, start + ahead + 1))
    return this.#throw(code, message, position, excerptOf(shown, ahead), status)
  }

  /** Reports that the next bytes make the content longer than the limit. */
  failContentLimit(): never {
    return this.failAhead('LIMIT', 0, contentAboveLimit(this.options.limits.body), 413)
  }

  #throw(...details: ConstructorParameters<typeof HttpParseError>): never {
    this.failure = new HttpParseError(...details)
    throw this.failure
  }
}

export function contentAboveLimit(limitBytes: number): string {
  return `the content is above the limit of ${limitBytes} bytes`
}
