/**
 * Parses the short forms of Authorization: `Basic user password` and `Digest user password`.
 *
 * Rules: user and password are separated before variables are replaced, so that a blank in a value stays part of it; if
 * one variable contains both, they are separated afterwards. A single token is sent unchanged, except `user:password`,
 * which cannot be a token. Forms from which other tools compute the field are refused: as written, they would disclose
 * the password or the key. RFC 7617 for Basic.
 */
import type { Span, Template } from '../../http-file/index.ts'
import { basicAuthorization, type Credentials, joinedCredentials, separatedCredentials } from '../../wire/index.ts'
import { RunError } from '../base/errors.ts'

export interface Authorization {
  /** The field to send; undefined if the client has to wait for a challenge of the server. */
  readonly value: string | undefined
  readonly digest: Credentials | undefined
}

interface ForeignForm {
  readonly pattern: RegExp
  readonly form: string
  readonly tool: string
  readonly hint: string
}

const tokenHint = 'Write "Bearer {{$auth.token("id")}}", with the id in "Security" of the environment.'

const foreignForms: readonly ForeignForm[] = [
  {
    // `AWS id:signature` is a complete field.
    pattern: /^AWS[ \t]+\S+[ \t]+\S/i,
    form: '"AWS key secret"',
    tool: 'REST Client and httpYac',
    hint: 'Compute the signature in a script above the request, with crypto.hmac.sha256().',
  },
  {
    pattern: /^COGNITO[ \t]+\S+[ \t]+\S/i,
    form: '"COGNITO user password"',
    tool: 'REST Client',
    hint: tokenHint,
  },
  {
    // A message of NTLM is a single word without a colon.
    pattern: /^NTLM[ \t]+(?:[^\s:]*:|\S+[ \t]+\S)/i,
    form: '"NTLM user password"',
    tool: 'Kulala.nvim',
    hint: 'Write Basic, Digest or Bearer: NTLM is not supported.',
  },
  {
    pattern:
      /^(?:OpenId|OAuth2)[ \t]+(?:authorization_code|client_credentials|code|device_code|hybrid|implicit|password)\b/i,
    form: 'a grant type in Authorization',
    tool: 'httpYac',
    hint: tokenHint,
  },
]

/** @throws HttpcliError `not-supported` */
function refuseForeign(value: string): void {
  const found = foreignForms.find(({ pattern }) => pattern.test(value))
  if (found === undefined) return
  throw new RunError('not-supported', `${found.form} is a form of ${found.tool}, which is not supported`, {
    hint: found.hint,
  })
}

/** Placeholders for the values of variables while the text is split; header text never contains them. */
const FIRST_MARK = 0xf0000

/**
 * @param expressionValue returns the value of an expression
 * @throws HttpcliError `not-supported`, without a place
 */
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
  refuseForeign(whole)
  const { user, password } = credentialsIn(marked) ?? credentialsIn(whole) ?? {}
  if (user === undefined || password === undefined) return { value: whole, digest: undefined }
  const resolved = { user: filled(user), password: filled(password) }
  if (/^digest/i.test(whole)) return { value: undefined, digest: resolved }
  return { value: basicAuthorization(resolved), digest: undefined }
}

function credentialsIn(value: string): Credentials | undefined {
  return separatedCredentials(value) ?? joinedCredentials(value)
}
