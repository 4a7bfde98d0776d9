/**
 * Errors of a run as records for reports.
 *
 * Rules: `text` prepares every text for the report (masked, shortened), except the name of the file that the user gave.
 * The code of an unexpected error is that of the system, if it has one, otherwise `internal`.
 */
import type { RunEvent } from '../../runner/index.ts'
import { sentence, wellFormed } from './printable-text.ts'
import type { FailureRecord, ReportErrorCode } from './run-record.ts'

/** Properties of expected errors besides code and message; others lack them. */
type ErrorDetails = Partial<Extract<RunEvent, { readonly type: 'script-failed' }>['error']>

export function failureRecord(error: unknown, text: (text: string) => string, ownFile?: string): FailureRecord {
  const { code, message, hint, where, excerpt } = (error ?? {}) as ErrorDetails
  return {
    code: typeof code === 'string' ? code : ('internal' satisfies ReportErrorCode),
    message: text(message ?? String(error)),
    ...(hint === undefined ? {} : { hint: text(sentence(hint)) }),
    ...(where?.file === undefined ? {} : { file: where.file === ownFile ? wellFormed(where.file) : text(where.file) }),
    ...(where === undefined ? {} : { line: where.line, column: where.column }),
    ...(excerpt === undefined ? {} : { excerpt: text(excerpt) }),
  }
}

/** `api.http:7:3`; empty if the place is unknown. */
export function placeText({ file, line, column }: FailureRecord): string {
  return file === undefined || line === undefined ? '' : `${file}:${line}${column === undefined ? '' : `:${column}`}`
}

/** Message, place, the line with its caret and the hint, as far as they are known, each on one line. */
export function failureLines(failure: FailureRecord): readonly string[] {
  const place = placeText(failure)
  const { message, excerpt, hint } = failure
  return [
    ...message.split('\n'),
    ...(place === '' ? [] : [`at ${place}`]),
    ...(excerpt === undefined ? [] : excerpt.split('\n').map((line) => `  ${line}`)),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ]
}
