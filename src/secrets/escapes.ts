/**
 * Reads escapes of URLs, of JSON, JavaScript and C, and references of HTML and XML, and decodes each of them.
 *
 * Rules: each escape is read by the rules of its language. RFC 3986 section 2.1, RFC 8259 section 7, HTML 13.2.5.72.
 */

export const PERCENT = 0x25
export const BACKSLASH = 0x5c
export const AMPERSAND = 0x26
const SEMICOLON = 0x3b

/**
 * The result of a reader, packed into one number because millions are read: the size of the escape in bytes times
 * CODE_LIMIT, plus the decoded code point. A number from RAW_BYTE on is a byte that is not a character by itself.
 */
export type Escape = number
export const NO_ESCAPE = 0
/** The result if more bytes are needed to decide. */
export const OPEN_ESCAPE = -1
export const CODE_LIMIT = 0x400000
const RAW_BYTE = 0x200000

const REPLACEMENT_CHARACTER = 0xfffd
const LINE_FEED = Uint8Array.of(0x0a)
/** Leading zeros are included, and no language limits their number. */
const MAX_DIGITS = 32
/** Longer than any escape. */
export const LONGEST_ESCAPE_BYTES: number = MAX_DIGITS + 16

/** Values of hexadecimal digits; -1 for every other byte. */
const digitValues: Int8Array = new Int8Array(256).fill(-1)
for (const [digit, letter] of [...'0123456789abcdef'].entries()) {
  digitValues[letter.charCodeAt(0)] = digit
  digitValues[letter.toUpperCase().charCodeAt(0)] = digit
}

const DIGITS = '0123456789'
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
export const ESCAPE_CHARACTERS: string = `\\%&#;{}${LETTERS}${DIGITS}`

/** A table of bytes: 1 for these characters. Built at every start, so it avoids a function call for each byte. */
export function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256)
  for (let index = 0; index < characters.length; index++) table[characters.charCodeAt(index)] = 1
  return table
}

const isLetter = tableOf(LETTERS)

/** The bytes that may follow a mark in an escape, as tables. */
export const mayFollow: Readonly<Record<number, Uint8Array>> = {
  // A backslash followed by a zero byte is a backslash in UTF-16.
  [BACKSLASH]: new Uint8Array(256).fill(1, 1),
  [PERCENT]: tableOf(`${DIGITS}abcdefABCDEF`),
  [AMPERSAND]: tableOf(`#${LETTERS}`),
}

/**
 * The decoded form of a backslash and this character: the character itself if the escape has no meaning; 0 if more
 * bytes are needed.
 */
export const plainEscapes: Uint8Array = new Uint8Array(256)
for (let byte = 0; byte < 256; byte++) plainEscapes[byte] = byte
for (const letter of '01234567xuU') plainEscapes[letter.charCodeAt(0)] = 0
for (const [letter, code] of Object.entries({ n: 10, r: 13, t: 9, b: 8, f: 12, v: 11 })) {
  plainEscapes[letter.charCodeAt(0)] = code
}
/** The number of hexadecimal digits after a backslash and this letter. */
const hexEscapes: Uint8Array = new Uint8Array(256)
for (const [letter, digits] of Object.entries({ x: 2, u: 4, U: 8 })) hexEscapes[letter.charCodeAt(0)] = digits

/** HTML's names of ASCII characters. Browsers also accept those of the first line without the semicolon. */
const namesWithoutSemicolon = ['amp', 'lt', 'gt', 'quot', 'nbsp', 'AMP', 'LT', 'GT', 'QUOT']
const namedCharacters: ReadonlyMap<string, string> = new Map(
  (
    'amp& AMP& lt< LT< gt> GT> quot" QUOT" apos\' excl! num# dollar$ percnt% lpar( rpar) ast* midast* plus+ comma, ' +
    'period. sol/ colon: semi; equals= quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] Hat^ lowbar_ UnderBar_ grave` ' +
    'DiacriticalGrave` lcub{ lbrace{ verbar| vert| VerticalLine| rcub} rbrace}'
  )
    .split(' ')
    .map((entry): [string, string] => [entry.slice(0, -1), entry.slice(-1)])
    .concat([
      ['nbsp', ' '],
      ['Tab', '\t'],
      ['NewLine', '\n'],
    ]),
)
const LONGEST_NAME = Math.max(...[...namedCharacters.keys()].map(({ length }) => length))

/** Whether an escape may begin with this byte. */
export function isMark(byte: number): boolean {
  return byte === PERCENT || byte === BACKSLASH || byte === AMPERSAND
}

/** The escape at `at`. @param isLast whether nothing follows the source */
export function readEscape(source: Uint8Array, at: number, isLast: boolean): Escape {
  const found = readAt(source, at)
  if (found !== OPEN_ESCAPE || !isLast) return found
  // The end of the text terminates an escape, as any other byte would.
  const ended = Buffer.concat([source.subarray(at), LINE_FEED])
  const atEnd = readAt(ended, 0)
  return atEnd < ended.length * CODE_LIMIT && atEnd !== OPEN_ESCAPE ? atEnd : NO_ESCAPE
}

function readAt(source: Uint8Array, at: number): Escape {
  const mark = source[at]
  if (mark === BACKSLASH) return readBackslash(source, at)
  return mark === PERCENT ? readPercent(source, at) : readReference(source, at)
}

function readPercent(source: Uint8Array, at: number): Escape {
  const digits = digitsFrom(source, at + 1, 2, 16)
  if (digits.count === 2) return 3 * CODE_LIMIT + RAW_BYTE + digits.value
  return at + 1 + digits.count === source.length ? OPEN_ESCAPE : NO_ESCAPE
}

function readBackslash(source: Uint8Array, at: number): Escape {
  if (at + 1 === source.length) return OPEN_ESCAPE
  const byte = source[at + 1] as number
  const wanted = hexEscapes[byte] as number
  if (wanted > 0) {
    const isBraced = wanted === 4 && source[at + 2] === 0x7b
    const found = isBraced ? readBraced(source, at) : readHex(source, at, wanted)
    if (found !== NO_ESCAPE) return found
  }
  const longest = byte <= 0x33 ? 3 : 2
  const octal = digitsFrom(source, at + 1, longest, 8)
  if (octal.count === 0) return 2 * CODE_LIMIT + RAW_BYTE + byte
  const canContinue = at + 1 + octal.count === source.length && octal.count < longest
  return canContinue ? OPEN_ESCAPE : characterEscape(octal.value, 1 + octal.count)
}

function readHex(source: Uint8Array, at: number, wanted: number): Escape {
  const { count, value } = digitsFrom(source, at + 2, wanted, 16)
  const end = at + 2 + count
  if (count < wanted) return end === source.length ? OPEN_ESCAPE : NO_ESCAPE
  return value >= 0xd800 && value < 0xdc00 && wanted === 4
    ? readSurrogates(source, at, value)
    : characterEscape(value, end - at)
}

/** @param high the first half of a pair, read at `at` */
function readSurrogates(source: Uint8Array, at: number, high: number): Escape {
  const end = at + 6
  for (const [index, byte] of [BACKSLASH, 0x75].entries()) {
    if (end + index === source.length) return OPEN_ESCAPE
    if (source[end + index] !== byte) return characterEscape(high, 6)
  }
  const low = digitsFrom(source, end + 2, 4, 16)
  if (low.count < 4 && end + 2 + low.count === source.length) return OPEN_ESCAPE
  return low.count === 4 && low.value >= 0xdc00 && low.value < 0xe000
    ? characterEscape(0x10000 + ((high - 0xd800) << 10) + (low.value - 0xdc00), 12)
    : characterEscape(high, 6)
}

function readBraced(source: Uint8Array, at: number): Escape {
  const { count, value } = digitsFrom(source, at + 3, MAX_DIGITS, 16)
  const end = at + 3 + count
  if (end === source.length) return OPEN_ESCAPE
  return count > 0 && source[end] === 0x7d ? characterEscape(value, end + 1 - at) : NO_ESCAPE
}

function readReference(source: Uint8Array, at: number): Escape {
  if (at + 1 === source.length) return OPEN_ESCAPE
  if (source[at + 1] === 0x23) {
    const isHex = source[at + 2] === 0x78 || source[at + 2] === 0x58
    const start = at + (isHex ? 3 : 2)
    const { count, value } = digitsFrom(source, start, MAX_DIGITS, isHex ? 16 : 10)
    const end = start + count
    if (end >= source.length) return OPEN_ESCAPE
    return count === 0 ? NO_ESCAPE : characterEscape(value, end - at + (source[end] === SEMICOLON ? 1 : 0))
  }
  let end = at + 1
  while (end < source.length && end - at <= LONGEST_NAME && isLetter[source[end] as number] === 1) end++
  if (end === source.length && end - at <= LONGEST_NAME) return OPEN_ESCAPE
  const name = String.fromCharCode(...source.subarray(at + 1, end))
  const character = namedCharacters.get(name)
  if (character !== undefined && source[end] === SEMICOLON) return namedEscape(character, name.length + 2)
  const known = namesWithoutSemicolon.find((each) => name.startsWith(each))
  return known === undefined ? NO_ESCAPE : namedEscape(namedCharacters.get(known) as string, known.length + 1)
}

/** Up to `atMost` digits of a base. A value that is not a character is REPLACEMENT_CHARACTER. */
function digitsFrom(
  source: Uint8Array,
  from: number,
  atMost: number,
  base: number,
): { readonly count: number; readonly value: number } {
  let count = 0
  let value = 0
  while (count < atMost && from + count < source.length) {
    const digit = digitValues[source[from + count] as number] as number
    if (digit < 0 || digit >= base) break
    value = Math.min(value * base + digit, 0x110000)
    count++
  }
  return { count, value: value > 0x10ffff ? REPLACEMENT_CHARACTER : value }
}

/** Half of a surrogate pair is not a character. */
function characterEscape(code: number, sizeBytes: number): Escape {
  return sizeBytes * CODE_LIMIT + (code >= 0xd800 && code < 0xe000 ? REPLACEMENT_CHARACTER : code)
}

function namedEscape(character: string, sizeBytes: number): Escape {
  return characterEscape(character.codePointAt(0) as number, sizeBytes)
}

/** Writes the decoded bytes of an escape. @returns their number */
export function writeDecoded(found: Escape, target: Uint8Array, at: number): number {
  const code = found % CODE_LIMIT
  if (code < 0x80 || code >= RAW_BYTE) {
    target[at] = code & 0xff
    return 1
  }
  const following = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3
  target[at] = ((0xff00 >> (following + 1)) & 0xff) | (code >> (6 * following))
  for (let rest = following - 1; rest >= 0; rest--) target[at + following - rest] = 0x80 | ((code >> (6 * rest)) & 0x3f)
  return following + 1
}
