/** Errors of the command itself: its command line, its outputs, the files that it writes. */
import { CodedError } from '../../message/index.ts'

/** The set is closed. Some codes are also codes of other rooms: the same fault, found by the command. */
export type CliErrorCode =
  | 'usage'
  | 'body-used'
  | 'convert-loss'
  | 'convert-unknown-format'
  | 'file-is-directory'
  | 'file-not-found'
  | 'invalid-http-file'
  | 'invalid-report'
  | 'max-time'
  | 'not-continued'
  | 'not-utf-8'
  | 'output-closed'
  | 'output-exists'
  | 'output-failed'
  | 'outside-file-root'
  | 'report-mismatch'
  | 'report-unwritable'
  | 'save-failed'
  | 'spill-failed'
  | 'unreadable-file'

declare module '../../message/index.ts' {
  interface ErrorCodes {
    readonly cli: CliErrorCode
  }
}

export class CliError extends CodedError<CliErrorCode> {}
