/**
 * Many patterns, searched for in bytes at once.
 *
 * Rules: bytes are read through a window that is as long as the shortest pattern, at most WINDOW_BYTES: a table of the
 * hashes of three bytes says how far the window can move on before a pattern can begin in it (Wu and Manber, 1994), and
 * moves over most of a text four bytes at a time: 100 MB without escapes and ten secrets, written to a SecretMask's stream
 * in pieces of 64 KiB, take 0.25 s (process.cpuUsage), and 0.87 s where each byte is looked up. A pattern is then found
 * by its first three bytes and compared to its end, and the longest counts. A text that is cut with an ellipsis in the
 * middle of a secret holds the secret up to there. Adding a pattern costs the same however many there are, and so does
 * searching, until there are thousands: patterns are short, so the work grows with the bytes alone.
 */
import { isMark } from './escapes.ts'
import type { PatternNeighbour, SecretPattern } from './secret-patterns.ts'

/** From the first byte up to, and without, the last. */
export type ByteRange = readonly [from: number, to: number]

export interface Findings {
  /** In order of where they begin; they may overlap. */
  readonly ranges: readonly ByteRange[]
  /** Where the first begins that may go on after the bytes; their count where none does. */
  readonly openFrom: number
}

export const KEY_BYTES = 3
const HASH_SHIFT = 6
const HASH_MASK = 2 ** (KEY_BYTES * HASH_SHIFT) - 1

/** What begins with the same three bytes. */
interface Family {
  /** Those of a small family, and short ones. */
  others: SecretPattern[]
  /** Of a large family the rest, by their first bytes. */
  byHead: Map<string, SecretPattern[]> | undefined
}
/** A shorter piece of a cut secret reveals nothing. */
const MIN_CUT_BYTES = 6
/** What is cut has to fill the window, too. */
const WINDOW_BYTES = MIN_CUT_BYTES
const HEAD_BYTES = MIN_CUT_BYTES
const LARGE_FAMILY = 16

/** The bytes end before it is known whether the pattern does. */
const OPEN = -2
/** The pattern is not there. */
export const NONE = -1

/** Gets a place where a pattern does not go on, and how it would: with what escapes begin with. */
type AtMark = (start: number, index: number, rest: Uint8Array) => void
const ignoreMark: AtMark = () => undefined

interface Finding {
  /** NONE where no pattern ends. */
  readonly end: number
  readonly isOpen: boolean
}
const nothingFound: Finding = { end: NONE, isOpen: false }
/** What is read after a pattern at most: a last byte, padding of base64 or an ellipsis, and a neighbour. */
const FOLLOWING_BYTES = 4

const ellipses = ['...', '…'].map((each) => Buffer.from(each))
const ELLIPSIS_BYTES = 3

export class SecretIndex {
  /** By their first three bytes as one number. */
  readonly #families: Map<number, Family> = new Map()
  /** Which bytes patterns begin with. */
  readonly firstBytes: Uint8Array = new Uint8Array(256)
  readonly #patterns: SecretPattern[] = []
  #windowBytes = WINDOW_BYTES
  /** More bytes need not be read to know whether a pattern is there. */
  #longestBytes = 0
  /** By the hash of the last three bytes of the window: how far it can move on. */
  readonly #shifts: Uint8Array = new Uint8Array(HASH_MASK + 1).fill(WINDOW_BYTES - KEY_BYTES + 1)

  get isEmpty(): boolean {
    return this.#patterns.length === 0
  }

  add(pattern: SecretPattern): void {
    const [first, second, third] = pattern.bytes as unknown as [number, number, number]
    this.firstBytes[first] = 1
    const key = keyOf(first, second, third)
    const family = this.#families.get(key) ?? { others: [], byHead: undefined }
    this.#families.set(key, family)
    addToFamily(family, pattern)
    this.#patterns.push(pattern)
    this.#longestBytes = Math.max(this.#longestBytes, pattern.bytes.length + FOLLOWING_BYTES)
    const sizeBytes = certainBytes(pattern.bytes)
    if (sizeBytes >= this.#windowBytes) this.#addShifts(pattern.bytes)
    else this.#shortenWindow(sizeBytes)
  }

  #addShifts(bytes: Uint8Array): void {
    for (let end = KEY_BYTES; end <= this.#windowBytes; end++) {
      const hash = hashOf(bytes[end - 3] as number, bytes[end - 2] as number, bytes[end - 1] as number)
      this.#shifts[hash] = Math.min(this.#shifts[hash] as number, this.#windowBytes - end)
    }
  }

  /** Happens three times at most. */
  #shortenWindow(sizeBytes: number): void {
    this.#windowBytes = sizeBytes
    this.#shifts.fill(sizeBytes - KEY_BYTES + 1)
    for (const { bytes } of this.#patterns) this.#addShifts(bytes)
  }

  /**
   * @param before the byte before the first one
   * @param isLast whether nothing follows
   * @param atMark decides whether the end of a pattern is read as the start of an escape: `ice\` before `n`
   */
  find(bytes: Uint8Array, before: number, isLast: boolean, atMark: AtMark = ignoreMark): Findings {
    const shifts = this.#shifts
    const count = bytes.length
    const ranges: ByteRange[] = []
    let openFrom = count
    const check = (start: number): void => {
      const found = this.findAt(bytes, start, start === 0 ? before : (bytes[start - 1] as number), isLast, atMark)
      if (found.isOpen) openFrom = Math.min(openFrom, start)
      if (found.end !== NONE) ranges.push([start, found.end])
    }
    for (let last = this.#windowBytes - 1; last < count; ) {
      const hash = hashOf(bytes[last - 2] as number, bytes[last - 1] as number, bytes[last] as number)
      const shift = shifts[hash] as number
      if (shift === 0) check(++last - this.#windowBytes)
      else last += shift
    }
    if (isLast) return { ranges, openFrom: count }
    // The window does not fit in any more, but patterns may begin.
    for (let start = Math.max(0, count - this.#windowBytes + 1); start < count; start++) {
      if (this.firstBytes[bytes[start] as number] === 0) continue
      if (start + KEY_BYTES <= count) check(start)
      else openFrom = Math.min(openFrom, start)
    }
    return { ranges, openFrom }
  }

  /** Where the longest pattern at `start` ends, and whether the bytes end before one does. */
  findAt(bytes: Uint8Array, start: number, before: number, isLast: boolean, atMark: AtMark = ignoreMark): Finding {
    const family = this.#families.get(
      keyOf(bytes[start] as number, bytes[start + 1] as number, bytes[start + 2] as number),
    )
    if (family === undefined) return nothingFound
    let end = NONE
    let isOpen = false
    for (const pattern of candidates(family, bytes, start)) {
      const found = endOf(pattern, bytes, start, before, isLast, atMark)
      if (found === OPEN) isOpen = true
      else if (found > end) end = found
    }
    return { end, isOpen }
  }

  /** The same where the first bytes are those from `start` to `to`, and those of `after` from `place` on follow them. */
  findAcross(bytes: Uint8Array, start: number, to: number, after: Uint8Array, place: number, isLast: boolean): Finding {
    const own = to - start
    const second = own > 1 ? bytes[start + 1] : after[place]
    const third = own > 2 ? bytes[start + 2] : after[place + 2 - own]
    if (second === undefined || third === undefined) return { end: NONE, isOpen: !isLast }
    if (!this.#families.has(keyOf(bytes[start] as number, second, third))) return nothingFound
    const all = Buffer.concat([bytes.subarray(start, to), after.subarray(place, place + this.#longestBytes)])
    const { end, isOpen } = this.findAt(all, 0, bytes[start - 1] as number, isLast)
    return { end: end > own ? place + end - own : NONE, isOpen }
  }
}

/** Where the pattern that begins at `start` ends; OPEN or NONE. */
function endOf(
  pattern: SecretPattern,
  all: Uint8Array,
  start: number,
  before: number,
  isLast: boolean,
  atMark: AtMark,
): number {
  const { bytes, notBeside, lastBytes } = pattern
  if (notBeside !== undefined && isNeighbour(before, notBeside)) return NONE
  let matched = KEY_BYTES
  while (matched < bytes.length && all[start + matched] === bytes[matched]) matched++
  let end = start + matched
  if (matched < bytes.length) {
    if (isMark(bytes[matched] as number)) atMark(start, end, bytes.subarray(matched))
    return cutEnd(all, end, matched, isLast)
  }
  if (lastBytes !== undefined) {
    if (end === all.length) return isLast ? NONE : OPEN
    if (!lastBytes.includes(all[end] as number)) return NONE
    end++
    const padded = end + 2
    while (end < padded && all[end] === 0x3d) end++
    if (end < padded && end === all.length && !isLast) return OPEN
  }
  if (notBeside === undefined) return end
  if (end === all.length) return isLast ? end : OPEN
  return isNeighbour(all[end] as number, notBeside) ? NONE : end
}

/** How many bytes of a pattern are there also where its end is read as the start of an escape. */
function certainBytes(bytes: Uint8Array): number {
  const mark = bytes.findLastIndex(isMark)
  return mark === -1 ? bytes.length : Math.max(KEY_BYTES, mark)
}

/** The bytes do not go on as the pattern does. */
function cutEnd(all: Uint8Array, end: number, matched: number, isLast: boolean): number {
  const left = all.length - end
  if (left === 0) return isLast ? NONE : OPEN
  if (matched < MIN_CUT_BYTES) return NONE
  const isCut = ellipses.some((each) => each.every((byte, index) => index >= left || all[end + index] === byte))
  if (!isCut) return NONE
  return left >= ELLIPSIS_BYTES ? end : isLast ? NONE : OPEN
}

const neighbourPatterns: Readonly<Record<PatternNeighbour, RegExp>> = {
  word: /[A-Za-z0-9_\-.\x80-\xff]/,
  letter: /[A-Za-z0-9_\x80-\xff]/,
  digit: /[0-9]/,
}

function isNeighbour(byte: number, kind: PatternNeighbour): boolean {
  return neighbourPatterns[kind].test(String.fromCharCode(byte))
}

function hashOf(first: number, second: number, third: number): number {
  return ((first << (2 * HASH_SHIFT)) ^ (second << HASH_SHIFT) ^ third) & HASH_MASK
}

function keyOf(first: number, second: number, third: number): number {
  return (first << 16) | (second << 8) | third
}

function addToFamily(family: Family, pattern: SecretPattern): void {
  if (family.byHead === undefined) {
    family.others.push(pattern)
    if (family.others.length > LARGE_FAMILY) orderByHead(family)
    return
  }
  const head = headOf(pattern)
  const same = head === undefined ? family.others : family.byHead.get(head)
  if (same === undefined) family.byHead.set(head as string, [pattern])
  else same.push(pattern)
}

function orderByHead(family: Family): void {
  const { others } = family
  family.others = []
  family.byHead = new Map()
  for (const pattern of others) addToFamily(family, pattern)
}

/** The first bytes of a pattern that is long enough. */
function headOf({ bytes }: SecretPattern): string | undefined {
  return bytes.length >= HEAD_BYTES ? String.fromCharCode(...bytes.subarray(0, HEAD_BYTES)) : undefined
}

/** Those of a family that can be at `start`. */
function candidates({ byHead, others }: Family, bytes: Uint8Array, start: number): readonly SecretPattern[] {
  if (byHead === undefined) return others
  if (start + HEAD_BYTES > bytes.length) return [...others, ...[...byHead.values()].flat()]
  const same = byHead.get(String.fromCharCode(...bytes.subarray(start, start + HEAD_BYTES)))
  return same === undefined ? others : [...others, ...same]
}
