/**
 * Bytes with their escapes decoded once, and the source of each decoded byte.
 *
 * Rules: escapes of all languages (escapes.ts) are decoded together; NUL bytes are omitted, so that UTF-16 of ASCII
 * characters reads like ASCII. Anything that is not an escape is left unchanged. An incomplete escape at the end of the
 * bytes is left out of the view until more bytes arrive. One view decodes one level; nested encodings need a view of a
 * view.
 */
import {
  AMPERSAND,
  BACKSLASH,
  CODE_LIMIT,
  ESCAPE_CHARACTERS,
  LONGEST_ESCAPE_BYTES,
  mayFollow,
  NO_ESCAPE,
  OPEN_ESCAPE,
  PERCENT,
  plainEscapes,
  readEscape,
  tableOf,
  writeDecoded,
} from './escapes.ts'

const NUL = 0

/** The first bytes of escapes, as a table. */
export type Marks = Uint8Array

function marksOf(...bytes: readonly number[]): Marks {
  const marks = new Uint8Array(256)
  for (const byte of bytes) marks[byte] = 1
  return marks
}

const allMarks = marksOf(PERCENT, BACKSLASH, AMPERSAND, NUL)
/** The marks for each language alone, for each pair of languages, and for all three. */
export const marksOfLanguages: readonly Marks[] = [
  ...[PERCENT, BACKSLASH, AMPERSAND].map((mark) => marksOf(mark)),
  ...[PERCENT, BACKSLASH, AMPERSAND].map((mark) => {
    return marksOf(...[PERCENT, BACKSLASH, AMPERSAND].filter((other) => other !== mark))
  }),
  allMarks,
]

const isPartOfEscape = tableOf(ESCAPE_CHARACTERS)

/**
 * Fields of an escape in `#escapes`: its index in the view and in the source, its size in the view and in the source.
 */
const INDEX = 0
const SOURCE = 1
const DECODED_BYTES = 2
const SOURCE_BYTES = 3
const NUMBERS = 4

export class DecodedView {
  readonly bytes: Uint8Array
  readonly source: Uint8Array
  /** The number of source bytes in the view. */
  readonly sourceBytes: number
  /** Whether decoded bytes may be part of another escape. */
  readonly isNested: boolean
  #escapes: Int32Array
  #escapeCount = 0

  /**
   * @param isLast whether nothing follows the source
   * @param marks the first bytes of the escapes to decode
   */
  constructor(source: Uint8Array, isLast: boolean, marks: Marks = allMarks) {
    const target = Buffer.allocUnsafe(source.length)
    const { length } = source
    this.source = source
    this.#escapes = new Int32Array(NUMBERS * (8 + Math.floor(length / 16)))
    let size = 0
    let at = 0
    let isNested = false
    /** The last mark that is not an escape here but may begin one in the next view. */
    let markIndex = -LONGEST_ESCAPE_BYTES
    scan: while (at < length) {
      let byte = source[at] as number
      while (marks[byte] === 0) {
        target[size++] = byte
        if (++at === length) break scan
        byte = source[at] as number
      }
      const following = source[at + 1] ?? 0
      let sourceBytes: number
      let decodedBytes = 1
      // The common case: simple JSON escapes, and marks that do not begin an escape.
      const plain = byte === BACKSLASH ? (plainEscapes[following] as number) : 0
      if (plain !== 0) {
        target[size] = plain
        sourceBytes = 2
      } else if (byte === NUL) {
        sourceBytes = 1
        decodedBytes = 0
      } else {
        const mayBegin = at + 1 === length || mayFollow[byte]?.[following] !== 0
        const found = mayBegin ? readEscape(source, at, isLast) : NO_ESCAPE
        if (found === OPEN_ESCAPE) break
        if (found === NO_ESCAPE) {
          markIndex = size
          target[size++] = byte
          at++
          continue
        }
        sourceBytes = Math.floor(found / CODE_LIMIT)
        decodedBytes = writeDecoded(found, target, size)
      }
      this.#note(size, at, decodedBytes, sourceBytes)
      const decoded = decodedBytes === 0 ? BACKSLASH : (target[size] as number)
      if (allMarks[decoded] === 1 && decodedBytes > 0) markIndex = size
      isNested ||= isPartOfEscape[decoded] === 1 && size - markIndex < LONGEST_ESCAPE_BYTES
      size += decodedBytes
      at += sourceBytes
    }
    this.bytes = target.subarray(0, size)
    this.sourceBytes = at
    this.isNested = isNested
  }

  #note(index: number, source: number, decodedBytes: number, sourceBytes: number): void {
    const at = this.#escapeCount++ * NUMBERS
    if (at === this.#escapes.length) {
      const longer = new Int32Array(at * 4)
      longer.set(this.#escapes)
      this.#escapes = longer
    }
    this.#escapes[at + INDEX] = index
    this.#escapes[at + SOURCE] = source
    this.#escapes[at + DECODED_BYTES] = decodedBytes
    this.#escapes[at + SOURCE_BYTES] = sourceBytes
  }

  /**
   * Calls `use` for each byte that is in a table, of all bytes of an escape except its first: with its place in the
   * source, the end of the escape in the source, and the end of the decoded bytes in the view.
   */
  forEachLiteral(table: Uint8Array, use: (at: number, end: number, index: number) => void): void {
    const escapes = this.#escapes
    const { source } = this
    for (let at = 0; at < this.#escapeCount * NUMBERS; at += NUMBERS) {
      const from = escapes[at + SOURCE] as number
      const end = from + (escapes[at + SOURCE_BYTES] as number)
      for (let place = from + 1; place < end; place++) {
        if (table[source[place] as number] === 0) continue
        use(place, end, (escapes[at + INDEX] as number) + (escapes[at + DECODED_BYTES] as number))
      }
    }
  }

  /** The source of the escape whose decoded bytes begin at `index`. */
  escapeAt(index: number): Uint8Array | undefined {
    const last = this.#lastAtMost(INDEX, index)
    if (last === undefined || this.#number(last, INDEX) !== index) return undefined
    const from = this.#number(last, SOURCE)
    return this.source.subarray(from, from + this.#number(last, SOURCE_BYTES))
  }

  #number(at: number, field: number): number {
    return this.#escapes[at + field] as number
  }

  /** The last escape whose field is at most `value`, if any. */
  #lastAtMost(field: number, value: number): number | undefined {
    let low = 0
    let high = this.#escapeCount
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#number(middle * NUMBERS, field) <= value) low = middle + 1
      else high = middle
    }
    return low === 0 ? undefined : (low - 1) * NUMBERS
  }

  /** Where the byte at `index` begins in the source; for the end of the view, the end of the source. */
  startOf(index: number): number {
    if (index >= this.bytes.length) return this.sourceBytes
    const last = this.#lastAtMost(INDEX, index)
    if (last === undefined) return index
    const inEscape = index - this.#number(last, INDEX) - this.#number(last, DECODED_BYTES)
    const source = this.#number(last, SOURCE)
    return inEscape < 0 ? source : source + this.#number(last, SOURCE_BYTES) + inEscape
  }

  /** Where the byte before `index` ends in the source. */
  endOf(index: number): number {
    if (index === 0) return 0
    const last = this.#lastAtMost(INDEX, index - 1)
    if (last === undefined) return index
    const past = index - this.#number(last, INDEX) - this.#number(last, DECODED_BYTES)
    return this.#number(last, SOURCE) + this.#number(last, SOURCE_BYTES) + Math.max(0, past)
  }

  /** The index in the view of the byte that contains or follows a place in the source. */
  indexBefore(place: number): number {
    if (place >= this.sourceBytes) return this.bytes.length
    const last = this.#lastAtMost(SOURCE, place)
    if (last === undefined) return place
    const past = place - this.#number(last, SOURCE) - this.#number(last, SOURCE_BYTES)
    const index = this.#number(last, INDEX)
    return past < 0 ? index : index + this.#number(last, DECODED_BYTES) + past
  }

  /** The index in the view of the end of an item that ends at a place in the source. */
  indexAfter(place: number): number {
    let index = this.indexBefore(place)
    while (index < this.bytes.length && this.startOf(index) < place) index++
    return index
  }
}

/** Whether the bytes may contain an escape, or the beginning of one at their end. */
export function mayDecode(bytes: Uint8Array): boolean {
  // Searching a Buffer is much faster than a loop.
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return [BACKSLASH, PERCENT, AMPERSAND, NUL].some((mark) => {
    for (let at = buffer.indexOf(mark); at !== -1; at = buffer.indexOf(mark, at + 1)) {
      if (mayFollow[mark]?.[buffer[at + 1] ?? PERCENT] !== 0 || at + 1 === buffer.length) return true
    }
    return false
  })
}
