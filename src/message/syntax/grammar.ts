/**
 * The character classes of HTTP and of URIs as one table of bits per byte.
 *
 * Rules: a class is exactly what its RFC defines; if practice needs more, that is a separate class with the reason next
 * to it. Tables are indexed by byte, so a test is one lookup and never reads past 0xFF.
 */
import { checkType } from './checked-input.ts'

/** RFC 9110 section 5.6.2: tchar, the characters of methods and field names. */
export const TOKEN = 1
/** RFC 5234: DIGIT. */
export const DIGIT = 2
/** RFC 5234: HEXDIG, both cases. */
export const HEXDIG = 4
/** RFC 9110 section 5.5: field-vchar, SP, HTAB and obs-text: the characters of a field value. */
export const FIELD_VALUE = 8
/** RFC 3986 section 3.3: pchar and "/", without the percent sign. */
export const PATH = 16
/** RFC 3986 section 3.4: pchar, "/" and "?", without the percent sign; "[" and "]" too, since form arrays use them. */
export const QUERY = 32
/** RFC 3986 section 3.2.2: reg-name without percent sign and without ",", which would make a Host look like a list. */
export const REG_NAME = 64
/**
 * A query with the characters that browsers leave unescaped although RFC 3986 forbids it (URL Standard, query
 * percent-encode set), among them a percent sign that does not begin an escape.
 */
export const BROWSER_QUERY = 128
/** The same for a path (path percent-encode set, to which "^" was added late). */
export const BROWSER_PATH = 256
/**
 * Every byte of a request line except blanks and control characters.
 */
export const VISIBLE = 512

const classes = new Uint16Array(256)

function markRange(first: number, last: number, bits: number): void {
  for (let octet = first; octet <= last; octet++) classes[octet] = (classes[octet] as number) | bits
}

function mark(octets: string, bits: number): void {
  for (let i = 0; i < octets.length; i++) classes[octets.charCodeAt(i)]! |= bits
}

const paths = PATH | BROWSER_PATH
const queries = QUERY | BROWSER_QUERY

// RFC 3986 section 2.3: unreserved. All of these are allowed in tokens, too.
const inAllNames = TOKEN | paths | queries | REG_NAME
markRange(0x41, 0x5a, inAllNames)
markRange(0x61, 0x7a, inAllNames)
markRange(0x30, 0x39, inAllNames | DIGIT | HEXDIG)
mark('-._~', inAllNames)
// RFC 3986 section 2.2: sub-delims.
mark("!$&'()*+;=", paths | queries | REG_NAME)
mark(',', paths | queries)

mark("!#$%&'*+^`|", TOKEN)
markRange(0x41, 0x46, HEXDIG)
markRange(0x61, 0x66, HEXDIG)
mark('\t ', FIELD_VALUE)
markRange(0x21, 0x7e, FIELD_VALUE | VISIBLE)
markRange(0x80, 0xff, FIELD_VALUE | VISIBLE)
mark(':@/', paths | queries)
mark('?[]', queries)
mark('%{}|^`\\', BROWSER_QUERY)
mark('[]|^', BROWSER_PATH)

/** Whether the byte belongs to one of the classes in `bits`. */
export function isOctet(octet: number, bits: number): boolean {
  return ((classes[octet] as number) & bits) !== 0
}

/**
 * Index of the first character of a binary string that is not in the classes, or -1. No class contains characters above
 * U+00FF.
 */
export function indexOfOther(text: string, bits: number, start = 0): number {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0xff || ((classes[code] as number) & bits) === 0) return i
  }
  return -1
}

/** Whether the text is 1*tchar: the name of a field, a method (RFC 9110 section 5.6.2). */
export function isToken(text: string): boolean {
  return checkType(text, 'string', 'the text').length > 0 && indexOfOther(text, TOKEN) === -1
}

/** 1*DIGIT below 2^53 as a number; undefined for anything else (`Number` would take '', ' 5' and '0x5'). */
export function parseDecimal(text: string): number | undefined {
  if (text.length === 0 || indexOfOther(text, DIGIT) !== -1) return undefined
  const value = Number(text)
  return value <= Number.MAX_SAFE_INTEGER ? value : undefined
}
