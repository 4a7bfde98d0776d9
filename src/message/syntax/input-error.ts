/**
 * The error for a value that a caller set: there is no message around it yet, so its place is one in the value.
 *
 * Rules: the same class and codes as for what a parser reads, so that callers branch on one thing.
 */
import { type ErrorCode, HttpParseError } from './errors.ts'
import { excerptOf } from './excerpt.ts'

/** `index`, from 0: the first character of `text` that is wrong. */
export function inputError(
  code: ErrorCode,
  message: string,
  text: string,
  index: number,
  hint?: string,
): HttpParseError {
  const position = { offset: index, line: 1, column: index + 1 }
  return new HttpParseError(code, message, position, excerptOf(text, index), 400, hint)
}
