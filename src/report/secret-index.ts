/**
 * Many patterns, searched for in octets at once.
 *
 * Rules: a pattern is found by its first three octets, in whatever way they may be written; a table of their hashes tells
 * for nearly every octet of a text that nothing begins there. What does begin is followed to its end (secret-match.ts),
 * and the longest counts. Adding a pattern costs the same however many there are, and so does searching, until there are
 * thousands.
 */
import { ReachedPlaces } from './reached-places.ts'
import { endOf, NONE, OPEN, spellingsOfPart } from './secret-match.ts'
import type { PatternPart, SecretPattern } from './secret-patterns.ts'

/** From the first octet up to, and without, the last. */
export type OctetRange = readonly [from: number, to: number]

export interface Findings {
  /** In order of where they begin; they may overlap. */
  readonly ranges: readonly OctetRange[]
  /** Where the first begins that may go on behind the octets; their count where none does. */
  readonly openFrom: number
}

const KEY_OCTETS = 3
/** Three shifts push an octet out, so that a hash is one of the last three octets. */
const HASH_SHIFT = 6
const HASH_MASK = 2 ** (KEY_OCTETS * HASH_SHIFT) - 1

/** What begins with the same three octets. */
interface Family {
  /** Those of a small family, and those whose first octets may be written in several ways. */
  others: SecretPattern[]
  /** Of a large family the rest, by their first octets. */
  byHead: Map<string, SecretPattern[]> | undefined
}
const HEAD_OCTETS = 8
const LARGE_FAMILY = 16

export class SecretIndex {
  /** By their first three octets as one number. */
  readonly #families: Map<number, Family> = new Map()
  readonly #hashes: Uint8Array = new Uint8Array(HASH_MASK + 1)
  readonly #firstOctets: Uint8Array = new Uint8Array(256)

  get isEmpty(): boolean {
    return this.#families.size === 0
  }

  add(pattern: SecretPattern): void {
    for (const beginning of beginnings(pattern.parts, KEY_OCTETS)) {
      const [first, second, third] = [0, 1, 2].map((at) => beginning.charCodeAt(at)) as [number, number, number]
      this.#firstOctets[first] = 1
      this.#hashes[nextHash(nextHash(nextHash(0, first), second), third)] = 1
      addToFamily(this.#family(keyOf(first, second, third)), pattern)
    }
  }

  /**
   * @param before the octet that stands before the first one
   * @param isLast whether nothing follows
   */
  find(octets: Uint8Array, before: number, isLast: boolean): Findings {
    const hashes = this.#hashes
    const count = octets.length
    const ranges: OctetRange[] = []
    const searched = { octets, before, isLast, reached: new ReachedPlaces(count) }
    let openFrom = count
    let hash = 0
    for (let i = 0; i < count; i++) {
      hash = nextHash(hash, octets[i] as number)
      if (hashes[hash] === 0 || i < KEY_OCTETS - 1) continue
      const start = i - (KEY_OCTETS - 1)
      const key = keyOf(octets[start] as number, octets[start + 1] as number, octets[i] as number)
      const family = this.#families.get(key)
      if (family === undefined) continue
      let end = NONE
      for (const pattern of candidates(family, octets, start)) {
        const found = endOf(pattern, start, searched)
        if (found === OPEN) openFrom = Math.min(openFrom, start)
        else if (found > end) end = found
      }
      if (end !== NONE) ranges.push([start, end])
    }
    return { ranges, openFrom: isLast ? count : Math.min(openFrom, this.#possibleStart(octets)) }
  }

  #family(key: number): Family {
    let family = this.#families.get(key)
    if (family === undefined) {
      family = { others: [], byHead: undefined }
      this.#families.set(key, family)
    }
    return family
  }

  /** The last octets are too few for a hash. */
  #possibleStart(octets: Uint8Array): number {
    const { length } = octets
    const from = Math.max(0, length - KEY_OCTETS + 1)
    for (let i = from; i < length; i++) if (this.#firstOctets[octets[i] as number] === 1) return i
    return length
  }
}

function nextHash(hash: number, octet: number): number {
  return ((hash << HASH_SHIFT) ^ octet) & HASH_MASK
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

/** The first octets of a pattern that always begins with the same. */
function headOf({ parts: [first = ''] }: SecretPattern): string | undefined {
  return typeof first === 'string' && first.length >= HEAD_OCTETS ? first.slice(0, HEAD_OCTETS) : undefined
}

/** Those of a family that can stand at `start`. */
function candidates({ byHead, others }: Family, octets: Uint8Array, start: number): readonly SecretPattern[] {
  if (byHead === undefined) return others
  if (start + HEAD_OCTETS > octets.length) return [...others, ...[...byHead.values()].flat()]
  const head = String.fromCharCode(...octets.subarray(start, start + HEAD_OCTETS))
  const same = byHead.get(head)
  return same === undefined ? others : [...others, ...same]
}

/** Every way in which the parts can begin, as octet strings of that length. */
function beginnings(parts: readonly PatternPart[], length: number): ReadonlySet<string> {
  const [first] = parts
  if (typeof first === 'string' && first.length >= length) return new Set([first.slice(0, length)])
  let texts = new Set([''])
  for (const part of parts) {
    if ([...texts].every((text) => text.length === length)) break
    const longer = new Set<string>()
    for (const text of texts) {
      for (const spelling of spellingsOfPart(part)) longer.add((text + spelling).slice(0, length))
    }
    texts = longer
  }
  return texts
}
