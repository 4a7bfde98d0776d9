/**
 * The error for a value that a caller set: it is not in a message yet, so its place is one in the value.
 *
 * Rules: the same codes as for what a parser reads, and another class: a program does not answer its own mistake with
 * 400.
 */
import { type ErrorCode, HttpBuildError } from './errors.ts'
import { excerptOf } from './excerpt.ts'

/** `index`, from 0: the first character of `text` that is wrong. */
export function inputError(
  code: ErrorCode,
  message: string,
  text: string,
  index: number,
  hint?: string,
): HttpBuildError {
  const where = { line: 1, column: index + 1 }
  return new HttpBuildError(code, message, {
    where,
    excerpt: excerptOf(text, index),
    hint,
  })
}
