/**
 * Checks a cookie before it is parsed further.
 *
 * Rules (RFC 6265bis section 5.6 and 5.7): a Set-Cookie field is ignored if it has a control character other than a
 * tab, or if name and value together are longer than 4096 bytes; if an attribute is longer than 1024 bytes, only the
 * attribute is ignored. A tab inside a name, a value or an attribute is also refused: it separates the fields of a
 * cookie jar, so the next run would read a different cookie. A cookie whose name has a prefix (`__Secure-`, `__Host-`,
 * in any case) must meet the requirements of the prefix, in a jar as well.
 */
import type { Cookie } from 'tough-cookie'
import type { JarCookie } from './cookie-file.ts'

const MAX_PAIR_BYTES = 4096
const MAX_ATTRIBUTE_BYTES = 1024

/** The field to parse, or why it is refused. */
export type CheckedField = { readonly field: string } | { readonly problem: string }

/**
 * A Set-Cookie field without its overlong attributes.
 * @param field one character for each byte
 */
export function checkedField(field: string, url: URL): CheckedField {
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(field)) return { problem: 'it has a control character' }
  const [pair = '', ...attributes] = field.split(';').map(trimmed)
  if (pair.length - (pair.includes('=') ? 1 : 0) > MAX_PAIR_BYTES) {
    return { problem: `its name and value have more than ${MAX_PAIR_BYTES} bytes` }
  }
  if ([pair, ...attributes].some((piece) => piece.includes('\t'))) return { problem: 'it has a tab' }
  const short = attributes.filter((attribute) => attribute.length <= MAX_ATTRIBUTE_BYTES)
  // The last Domain counts, and an empty one is none. The library skips empty ones (RFC 6265bis section 5.7).
  const domain = short.map(attributeOf).findLast(([name]) => name === 'domain')
  const kept = domain?.[1] === '' ? short.filter((attribute) => attributeOf(attribute)[0] !== 'domain') : short
  return brokenPrefix(pair, kept, url) ?? { field: [pair, ...kept].join('; ') }
}

/** Removes the blanks and tabs around the name and the value (RFC 6265 section 5.2). */
function trimmed(piece: string): string {
  const equals = piece.indexOf('=')
  const parts = equals === -1 ? [piece] : [piece.slice(0, equals), piece.slice(equals + 1)]
  return parts.map((part) => part.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '')).join('=')
}

/** The end of the year 9999. A later time would be written with an exponent, which no reader of jars accepts. */
export const LATEST_EXPIRY_MS = 253_402_300_799_000

/**
 * When a cookie expires, in milliseconds since 1970; undefined at the end of the session. Max-Age counts from the
 * response, and before Expires (RFC 6265 section 5.3, step 3): the library counts it from the last use.
 */
export function expiryOf({ maxAge, expires }: Cookie, receivedMs: number): number | undefined {
  const expiryMs = maxAge === null ? undefined : Number(maxAge) <= 0 ? 0 : receivedMs + Number(maxAge) * 1000
  const wantedMs = expiryMs ?? (expires instanceof Date ? expires.getTime() : undefined)
  return wantedMs === undefined ? undefined : Math.min(Math.max(wantedMs, 0), LATEST_EXPIRY_MS)
}

/** The prefix in lower case, or undefined. */
export function prefixOf(name: string): string | undefined {
  return /^__(?:secure|host)-/i.exec(name)?.[0].toLowerCase()
}

function brokenPrefix(pair: string, attributes: readonly string[], url: URL): CheckedField | undefined {
  const prefix = prefixOf(pair)
  if (prefix === undefined) return undefined
  const values = new Map(attributes.map((attribute) => attributeOf(attribute)))
  if (!values.has('secure') || url.protocol !== 'https:')
    return { problem: `its prefix ${prefix} requires Secure and https` }
  if (prefix === '__host-' && (values.has('domain') || values.get('path') !== '/')) {
    return { problem: `its prefix ${prefix} requires Path=/ and no Domain` }
  }
  return undefined
}

/** An attribute with its name in lower case; an empty value if it has none. */
export function attributeOf(attribute: string): readonly [name: string, value: string] {
  const [name, value] = pairOf(attribute)
  return [name.toLowerCase(), value]
}

export function pairOf(text: string): readonly [name: string, value: string] {
  const equals = text.indexOf('=')
  return equals === -1 ? [text.trim(), ''] : [text.slice(0, equals).trim(), text.slice(equals + 1).trim()]
}

/** The name of a refused cookie, shortened for a message. */
export function shownName(field: string): string {
  return JSON.stringify((field.split(/[=;]/, 1)[0] as string).trim().slice(0, 60))
}

/** Why a cookie of a jar may not be sent; undefined if it may. */
export function storedProblem(cookie: JarCookie): string | undefined {
  const { name, value, domain, path } = cookie
  if (/[\x00-\x1f\x7f]/.test(name + value + domain + path)) return 'the cookie has a control character'
  if (/[;=]/.test(name) || name.trim() !== name)
    return `the name is ${JSON.stringify(name)}, expected one without ";", "=" and blanks around`
  if (value.includes(';')) return 'the value has a semicolon, which would begin another cookie'
  if (name.length + value.length > MAX_PAIR_BYTES) return `the name and value have more than ${MAX_PAIR_BYTES} bytes`
  const prefix = prefixOf(name)
  if (prefix !== undefined && !cookie.isSecure)
    return `the prefix ${prefix} of its name requires a cookie for https only`
  if (prefix === '__host-' && !(cookie.isHostOnly && path === '/')) {
    return `the prefix ${prefix} of its name requires a cookie for one host and the path /`
  }
  return /[\s/:;]/.test(domain) && !/^\[[0-9a-f:.]+\]$|^[0-9a-f:.]+$/i.test(domain)
    ? `the domain is ${JSON.stringify(domain)}, expected a host name`
    : undefined
}
