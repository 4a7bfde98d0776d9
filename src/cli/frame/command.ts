/**
 * The interface of a sub-command: parsed options, streams, environment, and an exit code as its result. A sub-command
 * never touches `process`; everything it needs is passed in, so that tests can replace it.
 */
import type { Readable } from 'node:stream'
import type { CommonValues } from '../options/specification.ts'
import type { ExitCode } from './exit-codes.ts'

/** The words of the command line, checked against the option table. Names are long names without dashes. */
interface Words<Name, Texts, ListName> {
  readonly positionals: readonly string[]
  /** Whether a flag or any other option was given. */
  readonly has: (name: Name) => boolean
  /** The value of an option; undefined if it was not given. */
  readonly value: <TextName extends keyof Texts>(name: TextName) => Texts[TextName] | undefined
  /** All values of an option that may be repeated, in order. */
  readonly values: (name: ListName) => readonly string[]
}

/** @typeParam Values the options of the table, with the types of their values */
export type ParsedArguments<Values = CommonValues> = Words<
  keyof Values,
  Pick<Values, NamesOf<Values, string>>,
  NamesOf<Values, readonly string[]>
>

/** Names of the options whose values have this type. */
export type NamesOf<Values, Value> = {
  [Name in keyof Values]: Values[Name] extends Value ? Name : never
}[keyof Values]

/** Values of a table that is known only at run time: the command that receives them knows their types. */
// biome-ignore lint/suspicious/noExplicitAny: arguments of any table go to the command of that table
export type AnyValues = any

/**
 * stdout or stderr. `write` resolves when the stream accepts more; when the reader is gone, it rejects with
 * OutputClosedError.
 */
export interface Output {
  readonly isTerminal: boolean
  /** Width in columns, 80 if it is not a terminal. */
  readonly columns: number
  /** Whether colour is enabled: on a terminal, unless NO_COLOR, FORCE_COLOR or --color override it. */
  readonly colors: boolean
  write(data: string | Uint8Array): Promise<void>
  /**
   * Shows a status line, only on a terminal. The next status line replaces it, an empty one erases it, and it is erased
   * before other text is written.
   */
  showStatus?(line: string): Promise<void>
  /** Writes text that must not be masked again; only on outputs that mask. */
  writeUnmasked?(text: string): Promise<void>
  /** Erases the line of `showStatus` synchronously, because the process is about to end. */
  wipeStatusNow?(): void
}

/** The input of a sub-command. */
export interface CommandContext<Values = CommonValues> extends Surroundings {
  readonly arguments: ParsedArguments<Values>
}

interface Surroundings {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly workingDirectory: string
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP; the command then cleans up and returns 130. */
  readonly signal: AbortSignal
  /** The maximum number of open files of the process; undefined if unlimited or unknown. */
  openFileLimit?(): number | undefined
  /** Redirects later errors that end the command to this output instead of `stderr`. */
  reportErrorsTo?(output: Output): void
}

/** A sub-command. Throws HttpcliError; failure.ts turns it into text and an exit code. */
export type Command<Values = AnyValues> = (context: CommandContext<Values>) => Promise<ExitCode>
