/**
 * Errors of a run, with the place in the file that the user wrote.
 *
 * Rules: every error about a text names its file, line and column and shows the line. Codes: `invalid-http-file`,
 * `invalid-environment-file`, `invalid-data-file`, `invalid-cookie-jar`, `unknown-environment`, `nothing-chosen`,
 * `unknown-variable`, `circular-variable`, `not-supported`, `invalid-request`, `unreadable-file`, `script-failed`,
 * `test-failed`; those of wire and message for an exchange.
 */
import { type Diagnostic, excerptAt, type Span } from '../../http-file/index.ts'
import { HttpcliError, type SourcePlace } from '../../message/index.ts'
import { Pending } from './pending.ts'

/** A text that the user wrote, and the path by which he knows it. */
export interface SourceText {
  readonly path: string
  readonly text: string
}

/** An error at a place of a text. */
export function errorAt(
  source: SourceText,
  span: Span,
  problem: { readonly code: string; readonly message: string; readonly hint?: string; readonly cause?: unknown },
): HttpcliError {
  const { code, message, hint, cause } = problem
  return new HttpcliError(code, message, {
    where: placeOf(source, span),
    excerpt: excerptAt(source.text, span),
    ...(hint === undefined ? {} : { hint }),
    ...(cause === undefined ? {} : { cause }),
  })
}

function placeOf({ path, text }: SourceText, { offset, line, column, length }: Span): SourcePlace {
  const lines = text.slice(offset, offset + length).split(/\r\n?|\n/)
  const last = lines.at(-1) as string
  const end = { line: line + lines.length - 1, column: (lines.length === 1 ? column : 1) + last.length }
  return { file: path, line, column, end }
}

/** Runs `action`; what it throws about a request gets the place, and the code `invalid-request` but for `not-supported`. */
export function atPlace<Result>(source: SourceText, span: Span, action: () => Result): Result {
  try {
    return action()
  } catch (cause) {
    if (!(cause instanceof HttpcliError)) throw cause
    const { message, hint } = cause
    const code = cause.code === 'not-supported' ? cause.code : 'invalid-request'
    throw errorAt(source, span, { code, message, cause, ...(hint === undefined ? {} : { hint }) })
  }
}

/** Where something is written that an error is about. */
export interface Place {
  readonly source: SourceText
  readonly span: Span
}

/** The error with the place, where it has none and is about something that a user wrote. */
export function placed(error: unknown, place: Place): unknown {
  if (error instanceof Pending) return new Pending(() => loadAt(error, place))
  if (!(error instanceof HttpcliError) || error.where !== undefined) return error
  const { code, message, hint } = error
  const problem = { code, message, cause: error, ...(hint === undefined ? {} : { hint }) }
  return errorAt(place.source, place.span, problem)
}

async function loadAt(pending: Pending, place: Place): Promise<void> {
  try {
    await pending.load()
  } catch (error) {
    throw placed(error, place)
  }
}

/** The same error with another message. */
export function withMessage({ code, where, hint, excerpt }: HttpcliError, message: string): HttpcliError {
  return new HttpcliError(code, message, {
    ...(where === undefined ? {} : { where }),
    ...(hint === undefined ? {} : { hint }),
    ...(excerpt === undefined ? {} : { excerpt }),
  })
}

/** Which kind of file it is. */
export type InvalidFileCode =
  | 'invalid-http-file'
  | 'invalid-environment-file'
  | 'invalid-cookie-jar'
  | 'invalid-data-file'

/** A text with errors, all of them: nothing is sent. `errors` has at least one. */
export class InvalidFileError extends HttpcliError {
  readonly errors: readonly HttpcliError[]

  constructor(code: InvalidFileCode, source: SourceText, diagnostics: readonly Diagnostic[]) {
    super(code, `${source.path} has ${diagnostics.length === 1 ? 'an error' : `${diagnostics.length} errors`}`)
    this.errors = diagnostics.map(
      ({ message, hint, span, excerpt }) =>
        new HttpcliError(code, message, {
          where: placeOf(source, span),
          ...(excerpt === '' ? {} : { excerpt }),
          ...(hint === undefined ? {} : { hint }),
        }),
    )
  }
}

/** `-e` names an environment that no file has. `known` are the names that would be right. */
export class UnknownEnvironmentError extends HttpcliError {
  readonly known: readonly string[]

  /** @param ignored why files that may have it were not read */
  constructor(name: string, known: readonly string[], files: readonly string[], ignored: readonly HttpcliError[] = []) {
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
