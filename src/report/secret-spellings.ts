/**
 * How one character of a secret may be written in what is printed.
 *
 * Rules: letters and digits of ASCII are written as they are, whatever a text is encoded for; every other character has a
 * set of spellings: percent escapes of URLs and forms, once or twice, escapes of JSON and of JavaScript, also within a
 * JSON text that stands in another one, references of HTML and XML, and what this program makes of control characters.
 * Any of them may stand beside any other, because encoders differ in what they escape. A spelling is an octet string: a
 * character for each octet. RFC 3986 section 2.1, RFC 8259 section 7.
 */

/** Spellings of a character, each of at least one octet; one alone where it has no other. */
export type Spellings = readonly string[]

const known = new Map<string, Spellings>()

/** @param character one code point */
export function spellingsOf(character: string): Spellings {
  let spellings = known.get(character)
  if (spellings === undefined) {
    spellings = /^[A-Za-z0-9]$/.test(character) ? [character] : [...new Set(allSpellings(character))]
    known.set(character, spellings)
  }
  return spellings
}

/** What stands for a character of base64: the two of base64url mean the same, and escapes of URLs and JSON are found. */
export function base64Spellings(character: string): Spellings {
  return base64Characters[character] ?? [character]
}

const base64Characters: Readonly<Record<string, Spellings>> = {
  '+': ['+', '-', '%2B', '%2b', '%252B', '%252b', '\\u002b', '\\u002B', '&#43;', '&#x2B;', '&#x2b;'],
  '/': ['/', '_', '%2F', '%2f', '%252F', '%252f', '\\/', '\\u002f', '\\u002F', '&#47;', '&#x2F;', '&#x2f;'],
}

/** Of a JSON text, a JavaScript text, HTML or XML, behind the backslash or between `&` and `;`. */
const shortNames: Readonly<Record<string, readonly string[]>> = {
  '\n': ['\\n', '\\\\n', '\r\n', '\\r\\n', '\\\\r\\\\n', '%0D%0A', '%0d%0a'],
  '\r': ['\\r', '\\\\r'],
  '\t': ['\\t', '\\\\t', ' '],
  '\b': ['\\b', '\\\\b'],
  '\f': ['\\f', '\\\\f'],
  '\v': ['\\v', '\\\\v'],
  '\0': ['\\0', '\\\\0'],
  ' ': ['+', '&nbsp;'],
  '&': ['&amp;', '&amp;amp;'],
  '<': ['&lt;', '&amp;lt;'],
  '>': ['&gt;', '&amp;gt;'],
  '"': ['&quot;', '&amp;quot;', '\\\\\\"'],
  "'": ['&apos;', '&#039;', "\\\\\\'"],
  '\\': ['\\\\\\\\'],
}

function allSpellings(character: string): readonly string[] {
  const code = character.codePointAt(0) as number
  const isAscii = code < 0x80
  const octets = utf8(character)
  return [
    octets,
    ...(shortNames[character] ?? []).flatMap(withMarkEscaped),
    ...percentEscapes(octets),
    ...unicodeEscapes(character).flatMap((spelling) => [...withMarkEscaped(spelling), `\\${spelling}`]),
    ...inBothCases(octetEscapes(octets)),
    ...inBothCases(`&#x${code.toString(16)};`, '&#x'.length),
    `&#${code};`,
    ...(isAscii && code >= 0x20 ? [`\\${character}`, ...percentEscapes(`\\${character}`)] : []),
    ...(code < 0x20 || code === 0x7f ? [utf8('·')] : []),
    // Text in ISO-8859-1, and UTF-8 that was taken for it and encoded again.
    ...(!isAscii && code < 0x100 ? [character, ...inBothCases(octetEscapes(character))] : []),
    ...(isAscii ? [] : [utf8(octets)]),
  ]
}

/** A text with backslashes, as it is and in a URL. */
function withMarkEscaped(text: string): readonly string[] {
  return text.includes('\\') ? [text, ...percentEscapes('\\').map((mark) => text.replaceAll('\\', mark))] : [text]
}

/** Each octet as `%XX`, and with the `%` escaped once more. */
function percentEscapes(octets: string): readonly string[] {
  const once = inBothCases(escaped(octets, '%'), 0)
  return [...once, ...once.map((text) => text.replaceAll('%', '%25'))]
}

/** Each octet as `\xXX`. */
function octetEscapes(octets: string): string {
  return escaped(octets, '\\x')
}

/** Each unit of UTF-16 as `\uXXXX`. */
function unicodeEscapes(character: string): readonly string[] {
  const digits = Array.from({ length: character.length }, (_, index) =>
    character.charCodeAt(index).toString(16).padStart(4, '0'),
  )
  return [
    ...new Set(
      [digits, digits.map((text) => text.toUpperCase())].map((each) => each.map((text) => `\\u${text}`).join('')),
    ),
  ]
}

function escaped(octets: string, mark: string): string {
  return octets.replace(/./gs, (octet) => mark + octet.charCodeAt(0).toString(16).padStart(2, '0'))
}

/** Hexadecimal digits in capitals and in small letters; what stands before `from` stays, and so does an `x`. */
function inBothCases(text: string, from = 0): readonly string[] {
  const capitals = text.slice(0, from) + text.slice(from).replace(/[a-f]/g, (digit) => digit.toUpperCase())
  return capitals === text ? [text] : [capitals, text]
}

function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
