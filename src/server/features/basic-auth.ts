/**
 * Checks user and password before anything is looked up (HTTP Basic authentication).
 *
 * Rules: the client's credentials and the expected ones are compared as digests of equal length in constant time, user
 * and password as one text, so neither the time nor the answer reveals which of them was wrong. Errors about a setting
 * never show it, because it contains the password. RFC 7617, RFC 9110 section 11.6.1.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Answer, textAnswer } from '../semantics/answer.ts'
import { ServerError } from '../semantics/errors.ts'
import type { ServerRequest } from '../semantics/hooks.ts'

export interface Credentials {
  readonly user: string
  readonly password: string
}

/**
 * `user:password`; the first colon separates. Throws HttpcliError `credentials` for credentials that no client could
 * send: no colon, a control character (RFC 7617 section 2).
 */
export function parseCredentials(text: string): Credentials {
  const colon = text.indexOf(':')
  const fault =
    colon < 0
      ? 'have no colon between user and password'
      : /[\x00-\x1f\x7f]/.test(text)
        ? 'contain a control character'
        : text === ':'
          ? 'are empty'
          : undefined
  if (fault !== undefined) {
    throw new ServerError('credentials', `the credentials ${fault}`, { hint: 'Write them as user:password.' })
  }
  return { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** RFC 7617 section 2.1: only informs the client that UTF-8 is supported. */
const challenge = 'Basic realm="httpcli", charset="UTF-8"'

/** Returns the step that admits only clients with one of the credentials. */
export function createBasicAuth(
  ...credentials: readonly Credentials[]
): (request: ServerRequest) => Answer | undefined {
  const key = randomBytes(32)
  const digest = (octets: Uint8Array): Buffer => createHmac('sha256', key).update(octets).digest()
  const expected = credentials.map(({ user, password }) => digest(Buffer.from(`${user}:${password}`.normalize('NFC'))))
  return (request) => {
    const received = basicOctets(request.get('authorization'))
    // All are compared, so that the time does not depend on which one matches.
    const fits = received === undefined ? [] : expected.map((one) => timingSafeEqual(digest(received), one))
    if (fits.includes(true)) return undefined
    return textAnswer(401, undefined, [['WWW-Authenticate', challenge]])
  }
}

/** The decoded text after the scheme; undefined for another scheme or invalid base64. */
function basicOctets(authorization: string | undefined): Buffer | undefined {
  const match = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')
  return match === null ? undefined : Buffer.from(match[1]!, 'base64')
}
