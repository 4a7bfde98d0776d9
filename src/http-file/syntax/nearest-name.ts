/**
 * Which known names somebody may have meant.
 *
 * Rules: only on the error path. A name is near when few edits lead to it, measured against its length; names that
 * differ in case or in `-`, `_`, `.` only are nearest of all.
 */
import { distance } from 'fastest-levenshtein'

const SHOWN = 3

/** Up to three names, the nearest first. */
export function nearestNames(name: string, known: Iterable<string>): readonly string[] {
  const plain = plainName(name)
  return [...new Set(known)]
    .map((candidate) => ({ candidate, edits: distance(plain, plainName(candidate)) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(Math.max(plain.length, candidate.length) / 3)))
    .sort((a, b) => a.edits - b.edits || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, SHOWN)
    .map(({ candidate }) => candidate)
}

/** The known name that was certainly meant by one that is not known: what differs is a slip of the fingers. */
export function misspelledName(name: string, known: Iterable<string>): string | undefined {
  const plain = plainName(name)
  for (const candidate of known) {
    const other = plainName(candidate)
    const edits = distance(plain, other)
    const isSwapped = plain.length === other.length && edits === 2 && sortedLetters(plain) === sortedLetters(other)
    if (edits <= 1 || isSwapped || (edits === 2 && plain.length > 7)) return candidate
  }
  return undefined
}

function sortedLetters(text: string): string {
  return [...text].sort().join('')
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_.]/g, '')
}
