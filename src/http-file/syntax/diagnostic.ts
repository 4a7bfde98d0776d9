/**
 * An error in a source text, as data: code, message, hint, place and an excerpt of the line with carets.
 *
 * Rules: this room throws nothing; the caller turns diagnostics into errors. An excerpt is two lines that are safe for
 * any terminal: control characters are replaced one for one, so that the carets stay below the place.
 */
import type { Span } from './span.ts'

/** Codes of errors in a request file or an environment file. The set is closed. */
export type DiagnosticCode =
  | 'bad-assertion'
  | 'bad-capture'
  | 'bad-continuation'
  | 'bad-environment'
  | 'bad-header'
  | 'bad-header-name'
  | 'bad-import'
  | 'bad-json'
  | 'bad-message-separator'
  | 'bad-override'
  | 'bad-request-line'
  | 'bad-variable'
  | 'foreign-syntax'
  | 'misplaced-assertion'
  | 'misplaced-script'
  | 'misplaced-text'
  | 'missing-target'
  | 'text-after-script'
  | 'unclosed-script'
  | 'unclosed-variable'
  | 'unknown-version'

/** @typeParam Code the codes of this room; other files have others */
export interface Diagnostic<Code extends string = DiagnosticCode> {
  /** Stable, kebab-case. */
  readonly code: Code
  /** States what was found and what was expected. */
  readonly message: string
  /** States how to fix it. */
  readonly hint?: string
  readonly span: Span
  /** The source line, and carets under the span below it. */
  readonly excerpt: string
}

/** An error without its place: what is wrong, and what to write instead. */
export type Mistake = Pick<Diagnostic, 'message' | 'hint'>

/** Receives the errors of a reader. */
export type ReportProblem = (problem: Diagnostic) => void

/** The maximum number of characters shown before the span, and in total. */
const SHOWN_BEFORE = 60
const SHOWN = 110

/** The line, and below it carets under `length` columns from `column` (from 1), truncated for a terminal. */
export function excerptOf(line: string, column: number, length: number): string {
  const index = Math.min(column - 1, line.length)
  const from = Math.max(0, index - SHOWN_BEFORE)
  const to = Math.min(line.length, from + SHOWN)
  const ahead = from > 0 ? '…' : ''
  const shown = `${ahead}${printable(line.slice(from, to))}${to < line.length ? '…' : ''}`
  const carets = Math.max(1, Math.min(length, to - index))
  return `${shown}\n${' '.repeat(index - from + ahead.length)}${'^'.repeat(carets)}`
}

/** The excerpt for a span of a whole text. It searches for the line, so use it only for errors. */
export function excerptAt(source: string, span: Span): string {
  const start = span.offset - (span.column - 1)
  const rest = source.slice(start, start + span.column + SHOWN + SHOWN_BEFORE)
  const end = rest.search(/[\r\n]/)
  return excerptOf(end === -1 ? rest : rest.slice(0, end), span.column, span.length)
}

function printable(text: string): string {
  return text.replace(/\t/g, ' ').replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '·')
}
