/**
 * Where a pattern that begins at a place ends.
 *
 * Rules: all ways of writing the pattern are followed side by side, those that lead to the same place as one, also from
 * other beginnings, so that the work grows with the length alone; the longest counts. A text that is cut with an
 * ellipsis in the middle of a secret holds the secret up to there. What cannot be told before more octets come is OPEN.
 */
import type { ReachedPlaces } from './reached-places.ts'
import type { PatternNeighbour, PatternPart, SecretPattern } from './secret-patterns.ts'
import type { Spellings } from './secret-spellings.ts'

/** The octets in which patterns are looked for. */
export interface SearchedOctets {
  readonly octets: Uint8Array
  /** The octet before the first one. */
  readonly before: number
  /** Whether nothing follows. */
  readonly isLast: boolean
  /** From the beginnings before. */
  readonly reached: ReachedPlaces
}

/** The octets end before it is known whether the pattern does. */
export const OPEN = -2
/** The pattern is not there. */
export const NONE = -1

/** Fewer octets of a secret that is cut tell nothing. */
const MIN_CUT_OCTETS = 6
const ellipses = ['...', Buffer.from('…').toString('latin1')]
const ELLIPSIS_OCTETS = 3

/** Fewer places are told apart by looking at them. */
const FEW_PLACES = 4

interface Trial {
  readonly pattern: SecretPattern
  readonly octets: Uint8Array
  readonly reached: ReachedPlaces
  readonly start: number
  isOpen: boolean
  /** Where the pattern is cut; NONE. */
  cut: number
}

/** The offset behind the last octet, OPEN or NONE. NONE, too, where only an earlier beginning counts. */
export function endOf(
  pattern: SecretPattern,
  start: number,
  { octets, before, isLast, reached }: SearchedOctets,
): number {
  const { parts, notBeside } = pattern
  if (notBeside !== undefined && isNeighbour(start === 0 ? before : octets[start - 1], notBeside)) return NONE
  const trial: Trial = { pattern, octets, reached, start, isOpen: false, cut: NONE }
  let places: readonly number[] = [start]
  for (const [index, part] of parts.entries()) {
    places = typeof part === 'string' ? behindText(part, places, trial) : behindAny(part, index, places, trial)
    if (places.length === 0) break
  }
  if (trial.isOpen && !isLast) return OPEN
  const ends = places.filter((place) => notBeside === undefined || !isNeighbour(octets[place], notBeside))
  if (notBeside !== undefined && !isLast && ends.includes(octets.length)) return OPEN
  return Math.max(trial.cut, ...ends)
}

/** All ways in which a part may be written. */
export function spellingsOfPart(part: PatternPart): readonly string[] {
  return typeof part === 'string' ? [part] : part
}

function behindText(text: string, places: readonly number[], trial: Trial): readonly number[] {
  const next: number[] = []
  for (const place of places) {
    const matched = matchedLength(text, trial.octets, place)
    if (matched === text.length) next.push(place + matched)
    else noteStop(place + matched, trial)
  }
  return next
}

/** @param index of the part */
function behindAny(spellings: Spellings, index: number, places: readonly number[], trial: Trial): readonly number[] {
  const { pattern, octets, reached } = trial
  const isWide = places.length > FEW_PLACES
  const next: number[] = []
  for (const place of places) {
    let isFound = false
    for (const spelling of beginningWith(octets[place], spellings)) {
      const matched = matchedLength(spelling, octets, place)
      if (matched === spelling.length) {
        isFound = true
        const end = place + matched
        if (isWide ? reached.isNew(pattern, index, end) : !next.includes(end)) next.push(end)
      } else if (place + matched === octets.length) trial.isOpen = true
    }
    if (!isFound || place === octets.length) noteStop(place, trial)
  }
  return next
}

/** The octets do not go on as the pattern does. */
function noteStop(place: number, trial: Trial): void {
  const { octets, start } = trial
  const left = octets.length - place
  if (left === 0) trial.isOpen = true
  if (left === 0 || place - start < MIN_CUT_OCTETS) return
  if (left < ELLIPSIS_OCTETS) trial.isOpen = true
  else if (ellipses.some((each) => matchedLength(each, octets, place) === ELLIPSIS_OCTETS))
    trial.cut = Math.max(trial.cut, place)
}

const byFirstOctet = new WeakMap<Spellings, Map<number | undefined, readonly string[]>>()

/** Those that may stand where this octet is: most characters have a dozen, of which one or two do. */
function beginningWith(octet: number | undefined, spellings: Spellings): readonly string[] {
  let known = byFirstOctet.get(spellings)
  if (known === undefined) {
    known = new Map()
    byFirstOctet.set(spellings, known)
  }
  let found = known.get(octet)
  if (found === undefined) {
    found = spellings.filter((each) => each === '' || each.charCodeAt(0) === octet)
    known.set(octet, found)
  }
  return found
}

/** How many octets of the spelling stand at `place`. */
function matchedLength(spelling: string, octets: Uint8Array, place: number): number {
  const end = Math.min(spelling.length, octets.length - place)
  let i = 0
  while (i < end && spelling.charCodeAt(i) === octets[place + i]) i++
  return i
}

const wordPattern = /[A-Za-z0-9_\-.\x80-\xff]/
const digitPattern = /[0-9]/

/** @param octet undefined at the end of a text */
function isNeighbour(octet: number | undefined, kind: PatternNeighbour): boolean {
  if (octet === undefined) return false
  return (kind === 'word' ? wordPattern : digitPattern).test(String.fromCharCode(octet))
}
