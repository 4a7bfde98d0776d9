/**
 * Errors of a run, with their place in the user's file.
 *
 * Rules: every error about a text names its file, line and column and shows the line. The codes are those of
 * error-codes.ts; errors of wire and message keep their own codes.
 */
import { type Diagnostic, excerptAt, type Span } from '../../http-file/index.ts'
import {
  CodedError,
  HttpcliError,
  type HttpcliErrorDetails,
  RestatedError,
  type SourcePlace,
} from '../../message/index.ts'
import type { FileDiagnostic, InvalidFileCode, RunErrorCode } from './error-codes.ts'

declare module '../../message/index.ts' {
  interface ErrorCodes {
    readonly runner: RunErrorCode
  }
}

export class RunError extends CodedError<RunErrorCode> {}

/** A text that the user wrote, with its path as the user knows it. */
export interface SourceText {
  readonly path: string
  readonly text: string
}

/** An error's code, message and hint, without its place. */
export interface Problem {
  readonly code: RunErrorCode
  readonly message: string
  readonly hint?: string | undefined
  readonly cause?: unknown
}

export function errorAt(source: SourceText, span: Span, { code, message, hint, cause }: Problem): RunError {
  return new RunError(code, message, { ...shownPlace({ source, span }), hint, cause })
}

/** An error or a warning made of a diagnostic. An empty excerpt is left out. */
export function diagnosedError(
  source: SourceText,
  code: RunErrorCode,
  { message, hint, span, excerpt }: Omit<Diagnostic<string>, 'code'>,
): RunError {
  return new RunError(code, message, { where: placeOf(source, span), hint, ...(excerpt === '' ? {} : { excerpt }) })
}

function shownPlace({ source, span }: Place): Required<Pick<HttpcliErrorDetails, 'where' | 'excerpt'>> {
  return { where: placeOf(source, span), excerpt: excerptAt(source.text, span) }
}

function placeOf({ path, text }: SourceText, { offset, line, column, length }: Span): SourcePlace {
  const lines = text.slice(offset, offset + length).split(/\r\n?|\n/)
  const last = lines.at(-1) as string
  const end = { line: line + lines.length - 1, column: (lines.length === 1 ? column : 1) + last.length }
  return { file: path, line, column, end }
}

/** Runs `action`, and adds the place to its errors. Their code becomes `invalid-request`, except `not-supported`. */
export function atPlace<Result>(
  source: SourceText,
  span: Span | ((error: HttpcliError) => Span),
  action: () => Result,
): Result {
  try {
    return action()
  } catch (cause) {
    if (!(cause instanceof HttpcliError)) throw cause
    const { message, hint } = cause
    const code = cause.code === 'not-supported' ? 'not-supported' : 'invalid-request'
    throw errorAt(source, typeof span === 'function' ? span(cause) : span, { code, message, hint, cause })
  }
}

/** The place of an error that concerns no particular text. */
export const wholeFile: Span = { offset: 0, line: 1, column: 1, length: 0 }

/** The place that an error is about. */
export interface Place {
  readonly source: SourceText
  readonly span: Span
}

/** Adds the place to an error about the user's text that does not have one yet. */
export function placed(error: unknown, place: Place): unknown {
  if (!(error instanceof HttpcliError) || error.where !== undefined) return error
  return new RestatedError(error, error.message, { ...shownPlace(place), hint: error.hint, cause: error })
}

/** All errors of a text; nothing of it is sent. `errors` has at least one element. */
export class InvalidFileError extends RunError {
  readonly errors: readonly HttpcliError[]

  constructor(code: InvalidFileCode, source: SourceText, diagnostics: readonly FileDiagnostic[]) {
    super(code, `${source.path} has ${diagnostics.length === 1 ? 'an error' : `${diagnostics.length} errors`}`)
    this.errors = diagnostics.map((diagnostic) => diagnosedError(source, code, diagnostic))
  }
}

/** `-e` names an environment that no file defines. `known` lists the valid names. */
export class UnknownEnvironmentError extends RunError {
  readonly known: readonly string[]

  /** @param ignored why files that may define it were not read */
  constructor(name: string, known: readonly string[], files: readonly string[], ignored: readonly HttpcliError[]) {
    const where =
      files.length === 0 ? 'no http-client.env.json found beside or above the request file' : files.join(', ')
    const found = [where, ...ignored.map(({ message }) => message)].join('; ')
    super('unknown-environment', `no environment "${name}" found: ${found}`, {
      hint:
        known.length === 0
          ? 'Environments are named in http-client.env.json'
          : `The environments are: ${known.join(', ')}`,
    })
    this.known = known
  }
}
