/**
 * Checks fields that the user adds to answers, before the server starts.
 *
 * Rules: a name is a token, a value is one line. Fields about framing or the connection, and fields that are computed
 * for each answer, are refused: a constant value would be wrong and break clients or caches. RFC 9110 sections 5.1, 5.5
 * and 7.6.1, RFC 9112 section 6.
 */
import { type HttpcliError, isToken } from '../../message/index.ts'
import type { Field } from '../semantics/answer.ts'
import { ServerError } from '../semantics/errors.ts'

const computedByServer = 'the server computes it for each response'

/** Why a field cannot be constant, by lower-case name. */
const reservedNames: ReadonlyMap<string, string> = new Map([
  ...['content-length', 'transfer-encoding', 'trailer'].map((name) => [name, 'it says where a response ends'] as const),
  ...['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'te', 'http2-settings'].map(
    (name) => [name, 'it belongs to the connection'] as const,
  ),
  ...['content-range', 'content-encoding', 'accept-ranges', 'etag', 'last-modified', 'date'].map(
    (name) => [name, computedByServer] as const,
  ),
  ...['location', 'allow', 'www-authenticate', 'retry-after'].map(
    (name) => [name, 'it has a meaning only in some responses'] as const,
  ),
])

/** `Name: value`. Throws HttpcliError `field` with the reason. */
export function parseExtraField(text: string): Field {
  const colon = text.indexOf(':')
  if (colon < 0) throw fieldError(text, 'has no colon')
  const name = text.slice(0, colon)
  if (name.toLowerCase() === 'content-type')
    throw fieldError(text, `cannot be set: ${computedByServer}`, 'Leave it out.')
  return checkResponseField(name, text.slice(colon + 1))
}

/**
 * A field that rules set for some paths. Content-Type is allowed: it is constant for a path. Throws HttpcliError
 * `field`.
 */
export function checkResponseField(name: string, value: string): Field {
  const text = `${name}: ${value.trim()}`
  if (!isToken(name)) throw fieldError(text, `has an invalid name, ${JSON.stringify(name)}`)
  const reason = reservedNames.get(name.toLowerCase())
  if (reason !== undefined) throw fieldError(text, `cannot be set: ${reason}`, 'Leave it out.')
  return [name, checkFieldValue(value)]
}

/** The value without surrounding blanks. Throws HttpcliError `field`. */
export function checkFieldValue(value: string): string {
  const trimmed = value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '')
  // RFC 9110 section 5.5: visible characters, with blanks and tabs between them; non-ASCII characters only if they fit
  // in one byte.
  const found = /[^\t\x20-\x7e\x80-\xff]/u.exec(trimmed)
  if (found === null) return trimmed
  const code = found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  const message = `the value ${JSON.stringify(trimmed)} has a character that is not allowed in a header, U+${code}`
  throw new ServerError('field', message, { hint: 'Leave it out.' })
}

function fieldError(
  text: string,
  fault: string,
  hint: string = 'Write it like "X-Robots-Tag: noindex".',
): HttpcliError {
  return new ServerError('field', `the header ${JSON.stringify(text)} ${fault}`, { hint })
}
