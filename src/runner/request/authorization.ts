/**
 * Parses the short forms of Authorization: `Basic user password` and `Digest user password`.
 *
 * Rules: user and password are separated before variables are replaced, so that a blank in a value stays part of it; if
 * one variable contains both, they are separated afterwards. A single token is sent unchanged, except `user:password`,
 * which cannot be a token. RFC 7617 for Basic.
 */
import type { Span, Template } from '../../http-file/index.ts'
import { basicAuthorization, type Credentials, joinedCredentials, separatedCredentials } from '../../wire/index.ts'

export interface Authorization {
  /** The field to send; undefined if the client has to wait for a challenge of the server. */
  readonly value: string | undefined
  readonly digest: Credentials | undefined
}

/** Placeholders for the values of variables while the text is split; header text never contains them. */
const FIRST_MARK = 0xf0000

/** @param expressionValue returns the value of an expression */
export function parseAuthorization(
  template: Template,
  expressionValue: (expression: string, span: Span) => string,
): Authorization {
  const values: string[] = []
  const marked = template.parts
    .map((part) => {
      if (part.type === 'text') return part.text
      values.push(expressionValue(part.expression, part.span))
      return String.fromCodePoint(FIRST_MARK + values.length - 1)
    })
    .join('')
  const filled = (text: string): string =>
    text.replace(/[\u{f0000}-\u{ffffd}]/gu, (mark) => values[(mark.codePointAt(0) as number) - FIRST_MARK] ?? mark)
  const whole = filled(marked)
  const credentials = separatedCredentials(marked)
  const { user, password } = credentials ?? separatedCredentials(whole) ?? joinedCredentials(whole) ?? {}
  if (user === undefined || password === undefined) return { value: whole, digest: undefined }
  const resolved = { user: filled(user), password: filled(password) }
  if (/^digest/i.test(whole)) return { value: undefined, digest: resolved }
  return { value: basicAuthorization(resolved), digest: undefined }
}
