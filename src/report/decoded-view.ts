/**
 * Bytes with their escapes decoded once, and where each decoded byte comes from.
 *
 * Rules: escapes of URLs, of JSON, JavaScript and C, and references of HTML and XML are decoded, each as its own language
 * does, side by side; NUL bytes are left out, which makes UTF-16 of ASCII characters read like ASCII. What is not an
 * escape stays as it is. An escape that the bytes end in stays out of the view until more of them come. One view decodes one
 * level: views of views undo what was encoded several times. RFC 3986 section 2.1, RFC 8259 section 7, HTML 13.2.5.72.
 */

const PERCENT = 0x25
const BACKSLASH = 0x5c
const AMPERSAND = 0x26
const SEMICOLON = 0x3b
const NUL = 0

/** What escapes begin with, as a table. */
export type Marks = Uint8Array

function marksOf(...bytes: readonly number[]): Marks {
  const marks = new Uint8Array(256)
  for (const byte of bytes) marks[byte] = 1
  return marks
}

const allMarks = marksOf(PERCENT, BACKSLASH, AMPERSAND, NUL)
/** Of one language each, and of two. */
export const marksOfLanguages: readonly Marks[] = [
  ...[PERCENT, BACKSLASH, AMPERSAND].map((mark) => marksOf(mark)),
  ...[PERCENT, BACKSLASH, AMPERSAND].map((mark) => {
    return marksOf(...[PERCENT, BACKSLASH, AMPERSAND].filter((other) => other !== mark))
  }),
  allMarks,
]

/** Values of hexadecimal digits; -1 for every other byte. */
const digitValues = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase())
  return byte < 0x80 ? digit : -1
})

/** What may follow a mark in an escape, as tables. */
const mayFollow: Readonly<Record<number, Uint8Array>> = {
  [PERCENT]: Uint8Array.from({ length: 256 }, (_, byte) => ((digitValues[byte] as number) < 0 ? 0 : 1)),
  [AMPERSAND]: Uint8Array.from({ length: 256 }, (_, byte) => (byte === 0x23 || isLetter(byte) ? 1 : 0)),
}

const isPartOfEscape = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[\\%&#;{}A-Za-z0-9]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

/** After a backslash: what stands for the character, which is itself where it means nothing; 0 where more is to be read. */
const plainEscapes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
for (const letter of '01234567xuU') plainEscapes[letter.charCodeAt(0)] = 0
for (const [letter, code] of Object.entries({ n: 10, r: 13, t: 9, b: 8, f: 12, v: 11 })) {
  plainEscapes[letter.charCodeAt(0)] = code
}
/** Hexadecimal digits after a backslash and this letter. */
const hexEscapes: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
])

/** HTML's names of ASCII characters. A browser takes those of the first line without the semicolon, too. */
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
/** Leading zeros count, and have no end of their own. */
const MAX_DIGITS = 32

/** What `readEscape` found. `sizeBytes` is what it takes, 0 where no escape begins, OPEN where more must come. */
interface Escape {
  readonly sizeBytes: number
  /** As UTF-8, but for a byte of a percent escape. */
  readonly decoded: Uint8Array
}
const OPEN = -1
const nothing = new Uint8Array(0)
const LINE_FEED = Uint8Array.of(0x0a)
const noEscape: Escape = { sizeBytes: 0, decoded: nothing }
const openEscape: Escape = { sizeBytes: OPEN, decoded: nothing }

export class DecodedView {
  readonly bytes: Uint8Array
  /** How many bytes of the source are in the view. */
  readonly sourceBytes: number
  /** Whether what was decoded may be a part of an escape. */
  readonly isNested: boolean
  /** Of each escape: where it is in the view and in the source, how many bytes it is there and here. */
  readonly #indexes: number[] = []
  readonly #sources: number[] = []
  readonly #escapes: number[] = []
  readonly #decoded: number[] = []

  /**
   * @param isLast whether nothing follows the source
   * @param marks of the languages whose escapes are decoded
   */
  constructor(source: Uint8Array, isLast: boolean, marks: Marks = allMarks) {
    const target = new Uint8Array(source.length)
    const { length } = source
    let size = 0
    let at = 0
    let isNested = false
    while (at < length) {
      const byte = source[at] as number
      if (marks[byte] === 0) {
        target[size++] = byte
        at++
        continue
      }
      const following = source[at + 1] ?? 0
      // Nearly all escapes of JSON, and marks that are only marks.
      const plain = byte === BACKSLASH ? (plainEscapes[following] as number) : 0
      if (plain !== 0) {
        this.#note(size, at, 2, 1)
        target[size++] = plain
        at += 2
        isNested ||= isPartOfEscape[plain] === 1
      } else if (byte === NUL) {
        this.#note(size, at++, 1, 0)
        isNested = true
      } else if (at + 1 < length && mayFollow[byte]?.[following] === 0) {
        target[size++] = byte
        at++
      } else {
        const found = readEscape(source, at, isLast)
        if (found.sizeBytes === OPEN) break
        if (found.sizeBytes === 0) {
          target[size++] = byte
          at++
        } else {
          this.#note(size, at, found.sizeBytes, found.decoded.length)
          target.set(found.decoded, size)
          size += found.decoded.length
          at += found.sizeBytes
          isNested ||= found.decoded.some((each) => isPartOfEscape[each] === 1)
        }
      }
    }
    this.bytes = target.subarray(0, size)
    this.sourceBytes = at
    this.isNested = isNested
  }

  #note(index: number, source: number, escapeBytes: number, decodedBytes: number): void {
    this.#indexes.push(index)
    this.#sources.push(source)
    this.#escapes.push(escapeBytes)
    this.#decoded.push(decodedBytes)
  }

  /** Where the byte at `index` begins in the source; the end of the source's part for the end of the view. */
  startOf(index: number): number {
    if (index >= this.bytes.length) return this.sourceBytes
    const last = lastAtMost(this.#indexes, index)
    if (last === -1) return index
    const inEscape = index - (this.#indexes[last] as number) - (this.#decoded[last] as number)
    const source = this.#sources[last] as number
    return inEscape < 0 ? source : source + (this.#escapes[last] as number) + inEscape
  }

  /** Where the byte before `index` ends in the source. */
  endOf(index: number): number {
    if (index === 0) return 0
    const before = lastAtMost(this.#indexes, index - 1)
    if (before === -1) return index
    const past = index - (this.#indexes[before] as number) - (this.#decoded[before] as number)
    return (this.#sources[before] as number) + (this.#escapes[before] as number) + Math.max(0, past)
  }

  /** The byte of the view that a place in the source lies in or before. */
  indexBefore(place: number): number {
    if (place >= this.sourceBytes) return this.bytes.length
    const last = lastAtMost(this.#sources, place)
    if (last === -1) return place
    const past = place - (this.#sources[last] as number) - (this.#escapes[last] as number)
    const index = this.#indexes[last] as number
    return past < 0 ? index : index + (this.#decoded[last] as number) + past
  }

  /** The end in the view of what ends at a place in the source. */
  indexAfter(place: number): number {
    let index = this.indexBefore(place)
    while (index < this.bytes.length && this.startOf(index) < place) index++
    return index
  }
}

/** Whether there may be an escape in the bytes, or the beginning of one at their end. */
export function mayDecode(bytes: Uint8Array): boolean {
  // Buffers are searched much faster than by a loop.
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return [BACKSLASH, PERCENT, AMPERSAND, NUL].some((mark) => {
    for (let at = buffer.indexOf(mark); at !== -1; at = buffer.indexOf(mark, at + 1)) {
      if (mayFollow[mark]?.[buffer[at + 1] ?? PERCENT] !== 0 || at + 1 === buffer.length) return true
    }
    return false
  })
}

/** @returns the index of the last number that is at most `value`; -1 where there is none */
function lastAtMost(numbers: readonly number[], value: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] as number) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}

function readEscape(source: Uint8Array, at: number, isLast: boolean): Escape {
  const found = readers[source[at] as number]?.(source, at) ?? noEscape
  if (found.sizeBytes !== OPEN || !isLast) return found
  // What the end of the text ends, as any other byte would.
  const ended = Buffer.concat([source.subarray(at), LINE_FEED])
  const atEnd = readers[ended[0] as number]?.(ended, 0) ?? noEscape
  return atEnd.sizeBytes < ended.length ? atEnd : noEscape
}

const readers: Readonly<Record<number, (source: Uint8Array, at: number) => Escape>> = {
  [PERCENT]: readPercent,
  [BACKSLASH]: readBackslash,
  [AMPERSAND]: readReference,
}

function readPercent(source: Uint8Array, at: number): Escape {
  const digits = digitsFrom(source, at + 1, 2, 16)
  if (digits.count === 2) return { sizeBytes: 3, decoded: Uint8Array.of(digits.value) }
  return at + 1 + digits.count === source.length ? openEscape : noEscape
}

function readBackslash(source: Uint8Array, at: number): Escape {
  if (at + 1 === source.length) return openEscape
  const byte = source[at + 1] as number
  const letter = String.fromCharCode(byte)
  const wanted = hexEscapes.get(letter)
  if (wanted !== undefined) {
    const found = letter === 'u' && source[at + 2] === 0x7b ? readBraced(source, at) : readHex(source, at, wanted)
    if (found !== undefined) return found
  }
  const octal = digitsFrom(source, at + 1, byte <= 0x33 ? 3 : 2, 8)
  if (octal.count > 0) {
    const mayGoOn = at + 1 + octal.count === source.length && octal.count < (byte <= 0x33 ? 3 : 2)
    return mayGoOn ? openEscape : characterEscape(octal.value, 1 + octal.count)
  }
  return { sizeBytes: 2, decoded: source.subarray(at + 1, at + 2) }
}

function readHex(source: Uint8Array, at: number, wanted: number): Escape | undefined {
  const { count, value } = digitsFrom(source, at + 2, wanted, 16)
  const end = at + 2 + count
  if (count < wanted) return end === source.length ? openEscape : undefined
  if (value >= 0xd800 && value < 0xdc00 && wanted === 4) {
    const next = source.subarray(end, end + 2)
    const isNext = [BACKSLASH, 0x75].every((byte, index) => next[index] === undefined || next[index] === byte)
    const low = next.length === 2 && isNext ? digitsFrom(source, end + 2, 4, 16) : undefined
    if (isNext && end + next.length + (low?.count ?? 0) === source.length && low?.count !== 4) return openEscape
    if (low?.count === 4 && low.value >= 0xdc00 && low.value < 0xe000) {
      return characterEscape(0x10000 + ((value - 0xd800) << 10) + (low.value - 0xdc00), end + 6 - at)
    }
  }
  return characterEscape(value, end - at)
}

function readBraced(source: Uint8Array, at: number): Escape | undefined {
  const { count, value } = digitsFrom(source, at + 3, MAX_DIGITS, 16)
  const end = at + 3 + count
  if (end === source.length) return openEscape
  return count > 0 && source[end] === 0x7d ? characterEscape(value, end + 1 - at) : undefined
}

function readReference(source: Uint8Array, at: number): Escape {
  if (at + 1 === source.length) return openEscape
  if (source[at + 1] === 0x23) {
    const isHex = source[at + 2] === 0x78 || source[at + 2] === 0x58
    const start = at + (isHex ? 3 : 2)
    const { count, value } = digitsFrom(source, start, MAX_DIGITS, isHex ? 16 : 10)
    const end = start + count
    if (end >= source.length) return openEscape
    return count === 0 ? noEscape : characterEscape(value, end - at + (source[end] === SEMICOLON ? 1 : 0))
  }
  let end = at + 1
  while (end < source.length && end - at <= LONGEST_NAME && isLetter(source[end] as number)) end++
  if (end === source.length && end - at <= LONGEST_NAME) return openEscape
  const name = String.fromCharCode(...source.subarray(at + 1, end))
  const character = namedCharacters.get(name)
  if (character !== undefined && source[end] === SEMICOLON) return textEscape(character, name.length + 2)
  const known = namesWithoutSemicolon.find((each) => name.startsWith(each))
  return known === undefined ? noEscape : textEscape(namedCharacters.get(known) as string, known.length + 1)
}

function isLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
}

/** Digits of a base, up to a number of them. A value that is not a character is 0xfffd. */
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
  return { count, value: value > 0x10ffff ? 0xfffd : value }
}

function characterEscape(code: number, sizeBytes: number): Escape {
  return code < 0x80 ? { sizeBytes, decoded: Uint8Array.of(code) } : textEscape(String.fromCodePoint(code), sizeBytes)
}

function textEscape(text: string, sizeBytes: number): Escape {
  return { sizeBytes, decoded: Buffer.from(text) }
}
