/**
 * Reads lines from the pushed bytes (RFC 9112 section 2.2).
 *
 *   HTTP-message = start-line CRLF *( field-line CRLF ) CRLF [ message-body ]
 *
 * State: none; the buffer tracks what has been read, the reporter tracks the line being checked.
 *
 * Rules: a line ends at LF; an option decides whether LF without CR is allowed; any other CR is an error. A line is
 * checked only when it is complete or longer than its limit. The end of a text closes an open line; the end of a
 * connection does not.
 */
import type { AnswerStatus } from '../syntax/errors.ts'
import { CR, octetString } from '../syntax/octets.ts'
import type { ReceiveBuffer } from '../syntax/receive-buffer.ts'
import type { TextRules } from './complete-text.ts'
import type { Reporter } from './reporter.ts'

/** The part of a message that a line belongs to. */
export interface LineKind {
  /** The name of the part for the error when the limit is exceeded. */
  readonly limited: string
  /** The name of the part for the error when the input ends inside it. */
  readonly part: string
  readonly status: AnswerStatus
  /** Within content, LF alone ends a line only in a text, which has no further message. */
  readonly isInContent: boolean
  /** Whether the end of a text may take the place of this line, as an empty line. */
  readonly allowsEmpty: boolean
}

/** A line of a part that may be empty, such as `header section`. */
export function lineKind(part: string, status: AnswerStatus, isInContent: boolean): LineKind {
  return { limited: `the ${part}`, part: `its ${part}`, status, isInContent, allowsEmpty: true }
}

export const BARE_LF_REPAIR = 'lines end with LF; CRLF is written'

export class LineReader {
  readonly #buffer: ReceiveBuffer
  readonly #reporter: Reporter
  readonly #text: TextRules | undefined

  constructor(buffer: ReceiveBuffer, reporter: Reporter, text: TextRules | undefined) {
    this.#buffer = buffer
    this.#reporter = reporter
    this.#text = text
  }

  /** Whether LF alone may end a line, or a chunk, here. */
  allowsBareLf(isInContent: boolean): boolean {
    return this.#reporter.options.allowBareLf && (this.#text !== undefined || !isInContent)
  }

  /** The next line without its line ending, of at most `maxBytes` bytes; undefined if it is not complete yet. */
  read(kind: LineKind, maxBytes: number): string | undefined {
    const { bytes, start, end } = this.#buffer
    const lineEnd = this.#buffer.indexOfLineEnd()
    const isComplete = lineEnd !== -1
    const hasReturn = isComplete && lineEnd > start && bytes[lineEnd - 1] === CR
    const contentEnd = isComplete ? lineEnd - (hasReturn ? 1 : 0) : end - 1
    // A peer whose lines end in CR alone waits for an answer: report the error at once, not at the next LF.
    const room = Math.max(0, maxBytes)
    const bareReturn = this.#buffer.indexOfBareReturn(Math.min(room, contentEnd + 1 - start))
    if (bareReturn !== -1) {
      this.#reporter.beginLine(octetString(bytes, start, bareReturn + 1))
      this.#reporter.fail('BARE_CR', bareReturn - start, 'a carriage return without a line feed')
    }
    // The last byte of an open line may still turn out to be the CR of its line ending.
    if (contentEnd - start > maxBytes) {
      this.#reporter.beginLine(octetString(bytes, start, start + room))
      this.#reporter.fail('LIMIT', room, `${kind.limited} is longer than the limit`, kind.status)
    }
    if (isComplete) return this.#take(octetString(bytes, start, contentEnd), lineEnd + 1, hasReturn, kind)
    return this.#buffer.isEnded ? this.#takeOpenLine(kind) : undefined
  }

  /** The rest is a line if the end of a text closes it. */
  #takeOpenLine(kind: LineKind): string {
    const { length, end } = this.#buffer
    const reporter = this.#reporter
    if (this.#text === undefined || !reporter.isLenient || !(kind.allowsEmpty || length > 0)) {
      return reporter.failAhead('INCOMPLETE', length, `the message ends before ${kind.part} is complete`)
    }
    return this.#take(this.#text.closeLine(this.#buffer, reporter), end, true, kind)
  }

  #take(text: string, end: number, hasReturn: boolean, kind: LineKind): string {
    const reporter = this.#reporter
    reporter.beginLine(text)
    if (!hasReturn) {
      if (!this.allowsBareLf(kind.isInContent)) {
        reporter.fail('BARE_LF', text.length, 'a line feed without a carriage return', 400, 'End each line with CRLF')
      }
      if (reporter.isLenient) reporter.repairOnce('bare-lf', text.length, BARE_LF_REPAIR)
    }
    this.#buffer.start = end
    reporter.endLine()
    return text
  }
}
