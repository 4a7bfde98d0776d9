/**
 * Searches bytes for many patterns at once.
 *
 * Rules: bytes are read through a window that is as long as the shortest pattern, at most WINDOW_BYTES. A table of the
 * hashes of three bytes says how far the window can move before a pattern can begin in it (Wu and Manber, 1994), and it
 * moves over most of a text four bytes at a time: 100 MB without escapes and ten secrets, written to a SecretMask's
 * stream in pieces of 64 KiB, take 0.25 s (process.cpuUsage), and 0.87 s if each byte is looked up. A pattern is then
 * found by its first three bytes and compared to its end, and the longest match wins. If a text is truncated with an
 * ellipsis inside a secret, the part before the ellipsis matches. The cost of adding a pattern does not depend on the
 * number of patterns, and neither does that of searching, up to thousands of them: patterns are short, so the work
 * grows only with the bytes.
 */
import { isMark } from './escapes.ts'
import type { PatternNeighbour, SecretPattern } from './secret-patterns.ts'

/** The index of the first byte, and the index after the last. */
export type ByteRange = readonly [from: number, to: number]

export interface Findings {
  /** Ordered by start; they may overlap. */
  readonly ranges: readonly ByteRange[]
  /** The start of the first match that may continue beyond these bytes; their count if none may. */
  readonly openFrom: number
}

export const KEY_BYTES = 3
const HASH_SHIFT = 6
const HASH_MASK = 2 ** (KEY_BYTES * HASH_SHIFT) - 1

/** Patterns with the same first three bytes. */
interface Family {
  /** All patterns of a small family; only the short ones of a large family. */
  others: SecretPattern[]
  /** The other patterns of a large family, by their first bytes. */
  byHead: Map<string, SecretPattern[]> | undefined
}
/** A shorter piece of a truncated secret reveals nothing. */
const MIN_CUT_BYTES = 6
/** A truncated secret must also fill the window. */
const WINDOW_BYTES = MIN_CUT_BYTES
const HEAD_BYTES = MIN_CUT_BYTES
const LARGE_FAMILY = 16

/** The bytes end before it is known whether the pattern matches. */
const OPEN = -2
/** No match. */
export const NONE = -1

/** Called where a pattern stops matching but would continue with the start of an escape: `rest`. */
type AtMark = (start: number, index: number, rest: Uint8Array) => void
const ignoreMark: AtMark = () => undefined

interface Finding {
  /** NONE if no pattern matches. */
  readonly end: number
  readonly isOpen: boolean
}
const nothingFound: Finding = { end: NONE, isOpen: false }
/** The maximum number of bytes read after a pattern: a last byte, base64 padding or an ellipsis, and a neighbour. */
const FOLLOWING_BYTES = 4

const ellipses = [
  [0x2e, 0x2e, 0x2e],
  [0xe2, 0x80, 0xa6],
]
const ELLIPSIS_BYTES = 3

export class SecretIndex {
  /** By their first three bytes packed into a number. */
  readonly #families: Map<number, Family> = new Map()
  /** The first bytes of all patterns. */
  readonly firstBytes: Uint8Array = new Uint8Array(256)
  /** The first two bytes of all patterns, packed into a number. */
  readonly #firstPairs: Set<number> = new Set()
  readonly #patterns: SecretPattern[] = []
  #windowBytes = WINDOW_BYTES
  /** The maximum number of bytes needed to decide whether a pattern matches. */
  #longestBytes = 0
  /** How far the window can move, by the hash of its last three bytes. */
  readonly #shifts: Uint8Array = new Uint8Array(HASH_MASK + 1).fill(WINDOW_BYTES - KEY_BYTES + 1)

  get isEmpty(): boolean {
    return this.#patterns.length === 0
  }

  add(pattern: SecretPattern): void {
    const [first, second, third] = pattern.bytes as unknown as [number, number, number]
    this.firstBytes[first] = 1
    this.#firstPairs.add(pairOf(first, second))
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

  /** The window can shrink at most three times. */
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
  find(bytes: Uint8Array, before: number, isLast: boolean, atMark: AtMark): Findings {
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
    // The window no longer fits, but patterns may still begin here.
    for (let start = Math.max(0, count - this.#windowBytes + 1); start < count; start++) {
      if (this.firstBytes[bytes[start] as number] === 0) continue
      if (start + KEY_BYTES <= count) check(start)
      else if (
        start + 1 === count ||
        this.#firstPairs.has(pairOf(bytes[start] as number, bytes[start + 1] as number))
      ) {
        openFrom = Math.min(openFrom, start)
      }
    }
    return { ranges, openFrom }
  }

  /** The end of the longest match at `start`, and whether the bytes end before a match is decided. */
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

  /** The same for the bytes from `start` to `to`, followed by those of `after` from `place` on. */
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

/** The end of a match that begins at `start`; OPEN or NONE. */
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

/** The size of the pattern, excluding an end that may be read as the start of an escape. */
function certainBytes(bytes: Uint8Array): number {
  const mark = bytes.findLastIndex(isMark)
  return mark === -1 ? bytes.length : Math.max(KEY_BYTES, mark)
}

/** The end of a match that an ellipsis truncates; NONE or OPEN. */
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

function pairOf(first: number, second: number): number {
  return (first << 8) | second
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

/** The first bytes of a pattern, if it is long enough. */
function headOf({ bytes }: SecretPattern): string | undefined {
  return bytes.length >= HEAD_BYTES ? String.fromCharCode(...bytes.subarray(0, HEAD_BYTES)) : undefined
}

/** Patterns of a family that can begin at `start`. */
function candidates({ byHead, others }: Family, bytes: Uint8Array, start: number): readonly SecretPattern[] {
  if (byHead === undefined) return others
  if (start + HEAD_BYTES > bytes.length) return [...others, ...[...byHead.values()].flat()]
  const same = byHead.get(String.fromCharCode(...bytes.subarray(start, start + HEAD_BYTES)))
  return same === undefined ? others : [...others, ...same]
}
