/**
 * The error for a value that a caller set: the value is not in a message yet, so the position is one in the value.
 *
 * Rules: the codes are those of the parser, but the class is a different one, because a program does not answer its own
 * mistakes with 400.
 */
import { type ErrorCode, HttpBuildError } from './errors.ts'
import { excerptOf } from './excerpt.ts'

/** `index`: index of the first wrong character of `text`, from 0. */
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
