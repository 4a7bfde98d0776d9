/**
 * What a sub-command is given and what it gives back: options parsed against the table, streams, environment.
 * A sub-command never touches `process`; everything it needs of it comes in here, so that tests can hand in their own.
 */
import type { Readable } from 'node:stream'
import type { CommonValues } from '../options/specification.ts'
import type { ExitCode } from './exit-codes.ts'

/** The words of the command line, checked against the option table. Names are long names without dashes. */
interface Words<Name, Texts, ListName> {
  readonly positionals: readonly string[]
  /** A flag, or any other option: given or not. */
  readonly has: (name: Name) => boolean
  /** The value of an option, undefined when it was not given. */
  readonly value: <TextName extends keyof Texts>(name: TextName) => Texts[TextName] | undefined
  /** All values of an option that may be repeated, in order. */
  readonly values: (name: ListName) => readonly string[]
}

/** @typeParam Values which options the table has, with the types of their values */
export type ParsedArguments<Values = CommonValues> = Words<
  keyof Values,
  Pick<Values, NamesOf<Values, string>>,
  NamesOf<Values, readonly string[]>
>

/** Names of the options whose values are of a type. */
export type NamesOf<Values, Value> = {
  [Name in keyof Values]: Values[Name] extends Value ? Name : never
}[keyof Values]

/** Values of a table that is known when the program runs: the command that gets them knows their types. */
// biome-ignore lint/suspicious/noExplicitAny: arguments of any table go to the command of that table
export type AnyValues = any

/** stdout or stderr. `write` resolves when the stream wants more; after the reader has gone it rejects with OutputClosedError. */
export interface Output {
  readonly isTerminal: boolean
  /** Width in columns, 80 where it is not a terminal. */
  readonly columns: number
  /** Whether colour may be written: a terminal, unless NO_COLOR, FORCE_COLOR or --color say otherwise. */
  readonly colors: boolean
  write(data: string | Uint8Array): Promise<void>
  /**
   * Shows a line that the next one replaces, and that is wiped before other text is written; an empty one wipes it. Only
   * where the output is a terminal itself.
   */
  showStatus?(line: string): Promise<void>
  /** Wipes the line of `showStatus` before it returns: the process is about to end. */
  wipeStatusNow?(): void
}

/** What a sub-command is given. */
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
  /** How many files the process may have open; undefined where that is not limited or not known. */
  openFileLimit?(): number | undefined
  /** From now on, errors that end the command are told there in place of `stderr`. */
  reportErrorsTo?(output: Output): void
}

/** A sub-command. Throws HttpcliError; failure.ts turns it into text and an exit code. */
export type Command<Values = AnyValues> = (context: CommandContext<Values>) => Promise<ExitCode>
