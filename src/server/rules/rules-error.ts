/**
 * Errors in files of rules and of media types, with file, line, column and the line itself.
 *
 * Rules: all errors of all files are reported together, in order. An error keeps only its offset at first: lines are
 * counted only for the reported errors, whose number is limited, so that a file full of errors takes time linear in its
 * length.
 */
import { excerptOf, type HttpcliError, type SourcePlace } from '../../message/index.ts'
import { ServerError } from '../semantics/errors.ts'

/** A text with its position, for errors. */
export interface Token {
  readonly text: string
  /** The offset of its first character in the file. */
  readonly offset: number
}

export interface RulesSource {
  /** As shown in messages. */
  readonly file: string
  readonly text: string
}

/** Thrown by readers of parts of a file, caught by `RulesMistakes`. */
export class RulesMistake extends Error {
  readonly hint: string
  /** The offset in the file; called only if the error is reported. */
  readonly offset: () => number
  /** Whether the line contains a password, and is not shown. */
  readonly isSecret: boolean

  constructor(message: string, hint: string, offset: () => number, isSecret = false) {
    super(message)
    this.hint = hint
    this.offset = offset
    this.isSecret = isSecret
  }
}

/** `rules-syntax`: all errors that were found, with the message of the first. */
export class InvalidRulesError extends ServerError {
  readonly errors: readonly HttpcliError[]

  constructor(first: ServerError, others: readonly ServerError[]) {
    const { where, excerpt, hint } = first
    super(first.code, first.message, { hint, ...(where && { where }), ...(excerpt !== undefined && { excerpt }) })
    this.errors = [first, ...others]
  }
}

/** More than a user repairs before the next start. */
const maximumReported = 50

export class RulesMistakes {
  readonly #errors: ServerError[] = []
  #unreported = 0

  /** The result of `read`; undefined if it throws a mistake, which is recorded. Other errors are rethrown. */
  attempt<Result>(source: RulesSource, read: () => Result): Result | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof RulesMistake)) throw error
      this.add(source, error)
      return undefined
    }
  }

  add(source: RulesSource, mistake: RulesMistake): void {
    if (this.#errors.length < maximumReported) this.#errors.push(placed(source, mistake))
    else this.#unreported += 1
  }

  /** Throws InvalidRulesError. */
  throwIfAny(): void {
    const [first, ...others] = this.#errors
    if (first === undefined) return
    if (this.#unreported > 0) {
      const hint = 'Correct those that were reported first.'
      others.push(new ServerError(first.code, `more mistakes in the rules: ${this.#unreported}`, { hint }))
    }
    throw new InvalidRulesError(first, others)
  }
}

function placed(source: RulesSource, { message, hint, offset, isSecret }: RulesMistake): ServerError {
  const at = offset()
  if (!isSecret) return rulesError(source, at, message, hint)
  return new ServerError('rules-syntax', message, { where: placeOf(source, at), hint })
}

/** HttpcliError with the code, by default `rules-syntax`. */
export function rulesError(
  source: RulesSource,
  offset: number,
  message: string,
  hint: string,
  code: 'rules-syntax' | 'media-types-syntax' = 'rules-syntax',
): ServerError {
  const { text } = source
  const where = placeOf(source, offset)
  const lineStart = offset - where.column + 1
  const [line = ''] = text.slice(lineStart).split(lineEnd, 1)
  return new ServerError(code, message, { where, hint, excerpt: excerptOf(line, where.column - 1, withoutControls) })
}

function withoutControls(text: string): string {
  return text.replace(/[\0-\x1f\x7f-\x9f]/g, ' ')
}

function placeOf({ file, text }: RulesSource, offset: number): SourcePlace {
  const lines = text.slice(0, offset).split(lineEnd)
  return { file, line: lines.length, column: (lines.at(-1) as string).length + 1 }
}

const lineEnd = /\r\n|\n|\r/

/** The lines of a file with their positions, trimmed; empty lines are omitted. */
export function linesOf(text: string): readonly Token[] {
  return [...text.matchAll(/[^\n]+/g)].flatMap(({ 0: line, index }) => {
    const trimmed = line.trim()
    return trimmed === '' ? [] : [{ text: trimmed, offset: index + line.length - line.trimStart().length }]
  })
}
