/**
 * Many patterns, searched for in bytes at once.
 *
 * Rules: a pattern is found by its first three bytes; a table of their hashes tells for nearly every byte of a text that
 * nothing begins there. What does begin is compared to its end, and the longest counts. A text that is cut with an
 * ellipsis in the middle of a secret holds the secret up to there. Adding a pattern costs the same however many there
 * are, and so does searching, until there are thousands: patterns are short, so the work grows with the bytes alone.
 */
import type { PatternNeighbour, SecretPattern } from './secret-patterns.ts'

/** From the first byte up to, and without, the last. */
export type ByteRange = readonly [from: number, to: number]

export interface Findings {
  /** In order of where they begin; they may overlap. */
  readonly ranges: readonly ByteRange[]
  /** Where the first begins that may go on after the bytes; their count where none does. */
  readonly openFrom: number
}

const KEY_BYTES = 3
/** Three shifts push a byte out, so that a hash is one of the last three bytes. */
const HASH_SHIFT = 6
const HASH_MASK = 2 ** (KEY_BYTES * HASH_SHIFT) - 1

/** What begins with the same three bytes. */
interface Family {
  /** Those of a small family, and short ones. */
  others: SecretPattern[]
  /** Of a large family the rest, by their first bytes. */
  byHead: Map<string, SecretPattern[]> | undefined
}
/** Fewer bytes of a secret that is cut tell nothing. */
const MIN_CUT_BYTES = 6
const HEAD_BYTES = MIN_CUT_BYTES
const LARGE_FAMILY = 16

/** The bytes end before it is known whether the pattern does. */
const OPEN = -2
/** The pattern is not there. */
const NONE = -1

const ellipses = ['...', '…'].map((each) => Buffer.from(each))
const ELLIPSIS_BYTES = 3

export class SecretIndex {
  /** By their first three octets as one number. */
  readonly #families: Map<number, Family> = new Map()
  readonly #hashes: Uint8Array = new Uint8Array(HASH_MASK + 1)
  readonly #firstBytes: Uint8Array = new Uint8Array(256)

  get isEmpty(): boolean {
    return this.#families.size === 0
  }

  add(pattern: SecretPattern): void {
    const [first, second, third] = pattern.bytes as unknown as [number, number, number]
    this.#firstBytes[first] = 1
    this.#hashes[nextHash(nextHash(nextHash(0, first), second), third)] = 1
    const key = keyOf(first, second, third)
    const family = this.#families.get(key) ?? { others: [], byHead: undefined }
    this.#families.set(key, family)
    addToFamily(family, pattern)
  }

  /**
   * @param before the byte before the first one
   * @param isLast whether nothing follows
   */
  find(bytes: Uint8Array, before: number, isLast: boolean): Findings {
    const hashes = this.#hashes
    const count = bytes.length
    const ranges: ByteRange[] = []
    let openFrom = count
    let hash = 0
    for (let i = 0; i < count; i++) {
      hash = nextHash(hash, bytes[i] as number)
      if (hashes[hash] === 0 || i < KEY_BYTES - 1) continue
      const start = i - (KEY_BYTES - 1)
      const family = this.#families.get(keyOf(bytes[start] as number, bytes[start + 1] as number, bytes[i] as number))
      if (family === undefined) continue
      let end = NONE
      for (const pattern of candidates(family, bytes, start)) {
        const found = endOf(pattern, bytes, start, start === 0 ? before : (bytes[start - 1] as number), isLast)
        if (found === OPEN) openFrom = Math.min(openFrom, start)
        else if (found > end) end = found
      }
      if (end !== NONE) ranges.push([start, end])
    }
    return { ranges, openFrom: isLast ? count : Math.min(openFrom, this.#possibleStart(bytes)) }
  }

  /** The last bytes are too few for a hash. */
  #possibleStart(bytes: Uint8Array): number {
    const { length } = bytes
    const from = Math.max(0, length - KEY_BYTES + 1)
    for (let i = from; i < length; i++) if (this.#firstBytes[bytes[i] as number] === 1) return i
    return length
  }
}

/** Where the pattern that begins at `start` ends; OPEN or NONE. */
function endOf(pattern: SecretPattern, all: Uint8Array, start: number, before: number, isLast: boolean): number {
  const { bytes, notBeside, lastBytes } = pattern
  if (notBeside !== undefined && isNeighbour(before, notBeside)) return NONE
  let matched = KEY_BYTES
  while (matched < bytes.length && all[start + matched] === bytes[matched]) matched++
  let end = start + matched
  if (matched < bytes.length) return cutEnd(all, end, matched, isLast)
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

/** The bytes do not go on as the pattern does. */
function cutEnd(all: Uint8Array, end: number, matched: number, isLast: boolean): number {
  const left = all.length - end
  if (left === 0) return isLast ? NONE : OPEN
  if (matched < MIN_CUT_BYTES) return NONE
  const isCut = ellipses.some((each) => each.every((byte, index) => index >= left || all[end + index] === byte))
  if (!isCut) return NONE
  return left >= ELLIPSIS_BYTES ? end : isLast ? NONE : OPEN
}

const wordPattern = /[A-Za-z0-9_\-.\x80-\xff]/
const digitPattern = /[0-9]/

function isNeighbour(byte: number, kind: PatternNeighbour): boolean {
  return (kind === 'word' ? wordPattern : digitPattern).test(String.fromCharCode(byte))
}

function nextHash(hash: number, byte: number): number {
  return ((hash << HASH_SHIFT) ^ byte) & HASH_MASK
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

/** The first bytes of a pattern that has so many. */
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
