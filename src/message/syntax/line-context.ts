/**
 * The context of line parsers: the options of the whole message, and functions for reporting.
 *
 * Rules: line parsers are pure functions of one binary string without its line ending; columns are indices from 0 into
 * that string. `fail` throws.
 */
import type { AnswerStatus, ErrorCode, RepairCode } from './errors.ts'
import type { ParserOptions } from './options.ts'

/** A place in a line of a message: the text of the line, and the index of a character in it. */
export interface LinePlace {
  /** The number of bytes of the message before the character. */
  readonly offset: number
  /** The number of the line, from 1. */
  readonly line: number
  readonly column: number
  readonly text: string
}

export interface LineContext {
  readonly options: ParserOptions
  /** Whether small mistakes are repaired: the lenient preset. */
  readonly isLenient: boolean
  /** The position of a character of the line. */
  placeAt(column: number): LinePlace
  repair(code: RepairCode, column: number, message: string): void
  /** As `repair`, but only for the first line of the message that needs it. */
  repairOnce(code: RepairCode, column: number, message: string): void
  fail(code: ErrorCode, column: number, message: string, status?: AnswerStatus, hint?: string): never
}
