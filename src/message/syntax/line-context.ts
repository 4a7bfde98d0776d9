/**
 * What the readers of single lines need of the reader of the whole message: its options, and a way to report.
 *
 * Rules: line readers are pure functions over one octet string without its line end; columns are indexes from 0 into
 * that string. `fail` throws.
 */
import type { AnswerStatus, ErrorCode, RepairCode } from './errors.ts'
import type { ParserOptions } from './options.ts'

export interface LineContext {
  readonly options: ParserOptions
  /** Whether small mistakes are mended: the lenient preset. */
  readonly repairs: boolean
  repair(code: RepairCode, column: number, message: string): void
  fail(code: ErrorCode, column: number, message: string, status?: AnswerStatus, hint?: string): never
}
