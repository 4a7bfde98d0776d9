/**
 * The character classes of HTTP and of URIs as one table of bits per octet.
 *
 * Rules: a class is what its RFC says, nothing more; where practice needs more, that is a class of its own with the
 * reason beside it. Tables are indexed by octet, so a test costs one look-up and never reads past 0xFF.
 */

/** RFC 9110 section 5.6.2: tchar, of which methods and field names are made. */
export const TOKEN = 1
/** RFC 5234: DIGIT. */
export const DIGIT = 2
/** RFC 5234: HEXDIG, both cases. */
export const HEXDIG = 4
/** RFC 9110 section 5.5: field-vchar, SP, HTAB and obs-text: all that a field value may hold. */
export const FIELD_VALUE = 8
/** RFC 3986 section 3.3: pchar and "/", without the percent sign. */
export const PATH = 16
/** RFC 3986 section 3.4: pchar, "/" and "?", without the percent sign; "[" and "]" too, since form arrays use them. */
export const QUERY = 32
/** RFC 3986 section 3.2.2: reg-name without percent sign and without ",", which would make a Host look like a list. */
export const REG_NAME = 64
/** A query with what browsers leave unescaped although RFC 3986 forbids it (URL Standard, query percent-encode set). */
export const BROWSER_QUERY = 128
/** A path likewise (path percent-encode set, of which "^" is a late member). */
export const BROWSER_PATH = 256
/** All that can be told from what stands around it in a request line: neither blanks nor control characters. */
export const VISIBLE = 512

const classes = new Uint16Array(256)

function mark(octets: string, bits: number): void {
  for (let i = 0; i < octets.length; i++) {
    const octet = octets.charCodeAt(i)
    classes[octet] = (classes[octet] ?? 0) | bits
  }
}

function range(first: number, last: number): string {
  let octets = ''
  for (let octet = first; octet <= last; octet++) octets += String.fromCharCode(octet)
  return octets
}

const digits = range(0x30, 0x39)
const letters = range(0x41, 0x5a) + range(0x61, 0x7a)
const unreserved = `${letters}${digits}-._~`
const subDelims = "!$&'()*+,;="

mark(`${letters}${digits}!#$%&'*+-.^_\`|~`, TOKEN)
mark(digits, DIGIT)
mark(`${digits}abcdefABCDEF`, HEXDIG)
mark(`\t${range(0x20, 0x7e)}${range(0x80, 0xff)}`, FIELD_VALUE)
mark(`${unreserved}${subDelims}:@/`, PATH | BROWSER_PATH)
mark(`${unreserved}${subDelims}:@/?[]`, QUERY | BROWSER_QUERY)
mark('{}|^`\\', BROWSER_QUERY)
mark('[]|^', BROWSER_PATH)
mark(`${range(0x21, 0x7e)}${range(0x80, 0xff)}`, VISIBLE)
mark(`${unreserved}${subDelims.replace(',', '')}`, REG_NAME)

/** Whether the octet belongs to one of the classes in `bits`. */
export function isOctet(octet: number, bits: number): boolean {
  return ((classes[octet] as number) & bits) !== 0
}

/** Index of the first character of an octet string outside the classes, or -1. Characters above U+00FF are outside. */
export function indexOfOther(text: string, bits: number, start = 0): number {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0xff || ((classes[code] as number) & bits) === 0) return i
  }
  return -1
}

/** Whether the text is 1*tchar. */
export function isToken(text: string): boolean {
  return text.length > 0 && indexOfOther(text, TOKEN) === -1
}

/** 1*DIGIT below 2^53 as a number; undefined for anything else (`Number` would take '', ' 5' and '0x5'). */
export function parseDecimal(text: string): number | undefined {
  if (text.length === 0 || indexOfOther(text, DIGIT) !== -1) return undefined
  const value = Number(text)
  return value <= Number.MAX_SAFE_INTEGER ? value : undefined
}
