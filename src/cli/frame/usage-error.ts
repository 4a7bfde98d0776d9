/**
 * An error in the command line, found by the frame or by a sub-command.
 *
 * Rules: the message says what is wrong, the hint what to write instead; both are printed on one line. The exit code is
 * 1.
 */
import { CliError } from './cli-error.ts'

/** An unknown name, and the known names: the nearest is suggested when the error is printed. */
export interface UnknownName {
  readonly name: string
  readonly known: readonly string[]
}

export class UsageError extends CliError {
  readonly unknown: UnknownName | undefined
  readonly option: string | undefined

  /** @param details `option` is the long name of the misused option */
  constructor(
    message: string,
    details: { readonly hint?: string; readonly unknown?: UnknownName; readonly option?: string } = {},
  ) {
    super('usage', message, details.hint === undefined ? {} : { hint: details.hint })
    this.unknown = details.unknown
    this.option = details.option
  }
}
