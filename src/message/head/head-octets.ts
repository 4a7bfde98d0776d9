/**
 * A canonical head kept as the bytes it arrived in, with the offsets of its parts; strings are made on demand.
 *
 * Rules: `marks[0]` is the start line, `marks[i + 1]` field i. Each mark packs two offsets from the start of the head
 * into one small integer, `first << 15 | lineEnd`: `first` is the end of the method (0 in a response) or the colon, and
 * `lineEnd` is the CR. So the next line begins at `lineEnd + 2`, and nothing else has to be kept. `marks[0]` also has
 * NORMAL if each field line is written as this library writes it: one SP before the value and no white space at its
 * ends, so values need no trimming. Names are looked up in the bytes, lengths first. The first request for a string
 * makes one string of the whole head, and all others are slices of it: the offset of a byte is the offset of its
 * character.
 *
 * The bytes are those that were pushed: keeping this object keeps their buffer alive; `own` returns a copy that does
 * not.
 */
import { copyOf, type OwnOctets, octetString, viewOf } from '../syntax/octets.ts'
import type { HttpVersion } from '../syntax/start-line.ts'
import type { FieldLines } from './field-lines.ts'

/** Bits of an offset within a head; two of them make a small integer in every engine. */
export const OFFSET_BITS = 15
const OFFSET_MASK = (1 << OFFSET_BITS) - 1
/** Heads have fewer than 2^13 bytes, so the highest bits of a mark are free. */
export const NORMAL: number = 1 << 29
/** Length of ` HTTP/1.1`. */
const VERSION_OCTETS = 9
const SP = 0x20

export class HeadOctets implements FieldLines {
  readonly #bytes: Uint8Array
  readonly #start: number
  readonly #marks: readonly number[]
  #text: string | undefined

  /** A canonical head that begins at `start` and that `scanHead` has read. */
  constructor(bytes: Uint8Array, start: number, marks: readonly number[]) {
    this.#bytes = bytes
    this.#start = start
    this.#marks = marks
    this.#text = undefined
  }

  /** A copy that keeps no other bytes alive. */
  own(): HeadOctets {
    return new HeadOctets(this.toBytes(), 0, this.#marks)
  }

  /** A copy of the bytes. */
  toBytes(): OwnOctets {
    return copyOf(this.#bytes, this.#start, this.#start + this.sizeBytes)
  }

  /** The same head, copied to the start of other bytes. */
  copyTo(target: Uint8Array): HeadOctets {
    target.set(viewOf(this.#bytes, this.#start, this.sizeBytes))
    return new HeadOctets(target, 0, this.#marks)
  }

  /** Number of bytes of the head, including its empty line. */
  get sizeBytes(): number {
    return this.#lineEnd(this.fieldCount) + 4
  }

  /** Whether each field line has a value and is written as this library writes it. */
  get isNormal(): boolean {
    return ((this.#marks[0] as number) & NORMAL) !== 0
  }

  /** Number of field lines. */
  get fieldCount(): number {
    return this.#marks.length - 1
  }

  /** The method of a request. */
  get method(): string {
    const end = this.#methodEnd
    // Return a constant for common methods instead of slicing a string.
    if (this.#isAt('GET', end)) return 'GET'
    if (this.#isAt('POST', end)) return 'POST'
    if (this.#isAt('HEAD', end)) return 'HEAD'
    return this.#slice(0, end)
  }

  /** The target of a request, as received. */
  get target(): string {
    return this.#slice(this.#methodEnd + 1, this.#lineEnd(0) - VERSION_OCTETS)
  }

  /** The status of a response. */
  get status(): number {
    return this.#digit(9) * 100 + this.#digit(10) * 10 + this.#digit(11)
  }

  /** The reason phrase of a response. */
  get reason(): string {
    return this.#slice(13, this.#lineEnd(0))
  }

  /** The version: at the end of a request line, at the start of a status line. */
  get version(): HttpVersion {
    return this.#digit(this.#methodEnd === 0 ? 7 : this.#lineEnd(0) - 1) === 0 ? 'HTTP/1.0' : 'HTTP/1.1'
  }

  /** Index of the first field of that name from field `from` on, or -1. */
  indexOf(name: string, from: number): number {
    const marks = this.#marks
    const bytes = this.#bytes
    const start = this.#start
    const { length } = name
    let lineEnd = (marks[from] as number) & OFFSET_MASK
    for (let i = from + 1; i < marks.length; i++) {
      const mark = marks[i] as number
      const nameStart = lineEnd + 2
      if ((mark >> OFFSET_BITS) - nameStart === length && isNameAt(bytes, start + nameStart, name)) return i - 1
      lineEnd = mark & OFFSET_MASK
    }
    return -1
  }

  /** The name of field `index`, as received. */
  name(index: number): string {
    return this.#slice(this.#lineEnd(index) + 2, (this.#marks[index + 1] as number) >> OFFSET_BITS)
  }

  /** The value of field `index`, without surrounding white space. */
  value(index: number): string {
    return fieldValue(this.#text ?? this.#makeText(), this.#marks[index + 1] as number, this.isNormal)
  }

  /** Name and value of each field. */
  pairs(): Iterator<readonly [name: string, value: string]> {
    return new HeadPairs(this.#text ?? this.#makeText(), this.#marks)
  }

  /** Line of field `index` in the message, from 1. */
  lineNumber(index: number): number {
    return index + 2
  }

  get #methodEnd(): number {
    return ((this.#marks[0] as number) & ~NORMAL) >> OFFSET_BITS
  }

  #lineEnd(mark: number): number {
    return (this.#marks[mark] as number) & OFFSET_MASK
  }

  #digit(offset: number): number {
    return (this.#bytes[this.#start + offset] as number) - 0x30
  }

  #isAt(word: string, length: number): boolean {
    if (word.length !== length) return false
    for (let i = 0; i < length; i++) if (this.#bytes[this.#start + i] !== word.charCodeAt(i)) return false
    return true
  }

  #slice(from: number, to: number): string {
    return (this.#text ?? this.#makeText()).slice(from, to)
  }

  #makeText(): string {
    this.#text = octetString(this.#bytes, this.#start, this.#start + this.sizeBytes)
    return this.#text
  }
}

/** Makes each pair on demand. A generator would take twice as long. */
class HeadPairs implements Iterator<readonly [name: string, value: string]> {
  readonly #text: string
  readonly #marks: readonly number[]
  readonly #isNormal: boolean
  #index = 1

  constructor(text: string, marks: readonly number[]) {
    this.#text = text
    this.#marks = marks
    this.#isNormal = ((marks[0] as number) & NORMAL) !== 0
  }

  next(): IteratorResult<readonly [name: string, value: string]> {
    const index = this.#index
    const marks = this.#marks
    if (index === marks.length) return { done: true, value: undefined }
    this.#index = index + 1
    const text = this.#text
    const mark = marks[index] as number
    const nameStart = ((marks[index - 1] as number) & OFFSET_MASK) + 2
    return {
      done: false,
      value: [text.slice(nameStart, mark >> OFFSET_BITS), fieldValue(text, mark, this.#isNormal)],
    }
  }
}

/** The value without surrounding white space. */
function fieldValue(text: string, mark: number, isNormal: boolean): string {
  let to = mark & OFFSET_MASK
  if (isNormal) return text.slice((mark >> OFFSET_BITS) + 2, to)
  let from = (mark >> OFFSET_BITS) + 1
  // A value holds no bytes up to SP other than SP and HTAB.
  while (from < to && text.charCodeAt(from) <= SP) from++
  while (to > from && text.charCodeAt(to - 1) <= SP) to--
  return text.slice(from, to)
}

/** Whether a token begins with the name, ignoring case. The bytes are known to belong to a token. */
function isNameAt(bytes: Uint8Array, start: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const one = bytes[start + i] as number
    const other = name.charCodeAt(i)
    if (one === other) continue
    const folded = one | 0x20
    // `| 0x20` folds more than letters: the result must be a letter.
    if (folded !== (other | 0x20) || folded < 0x61 || folded > 0x7a) return false
  }
  return true
}
