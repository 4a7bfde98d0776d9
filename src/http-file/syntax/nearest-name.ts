/**
 * Suggests known names for a misspelt one.
 *
 * Rules: runs only after an error. A name is similar if few edits lead to it, relative to its length; names that differ
 * only in case or in `-`, `_`, `.` are the most similar. Two swapped letters are one edit.
 * Names that share no letter are never similar.
 */
import { distance } from 'fastest-levenshtein'

const SHOWN = 3

/** Up to three names, most similar first. */
export function nearestNames(name: string, known: Iterable<string>): readonly string[] {
  const plain = plainName(name)
  return [...new Set(known)]
    .map((candidate) => ({ candidate, edits: editsBetween(plain, plainName(candidate)) }))
    .filter(({ candidate, edits }) => {
      const other = plainName(candidate)
      const isAllDifferent = edits > 0 && edits >= Math.min(plain.length, other.length)
      return !isAllDifferent && edits <= Math.max(1, Math.floor(Math.max(plain.length, candidate.length) / 3))
    })
    .sort((a, b) => a.edits - b.edits || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, SHOWN)
    .map(({ candidate }) => candidate)
}

/** The known name that was certainly meant, because the difference is a typo. */
export function misspelledName(name: string, known: Iterable<string>): string | undefined {
  const plain = plainName(name)
  const most = plain.length > 7 ? 2 : 1
  return [...known].find((candidate) => editsBetween(plain, plainName(candidate)) <= most)
}

function editsBetween(one: string, other: string): number {
  const edits = distance(one, other)
  return edits === 2 && sortedLetters(one) === sortedLetters(other) ? 1 : edits
}

function sortedLetters(text: string): string {
  return [...text].sort().join('')
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_.]/g, '')
}
