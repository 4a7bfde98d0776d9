/**
 * Did you mean: the known name that is nearest to an unknown one.
 *
 * Rules: a name of which the unknown one is a beginning wins, because it is an abbreviation; otherwise the fewest
 * edits, but never so many that the two have little in common. Loaded when something went wrong, never before.
 */
import { distance } from 'fastest-levenshtein'

/** The nearest of the known names, or undefined where none is near. Leading dashes do not count. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = bare(name)
  if (wanted === '') return undefined
  // One letter is like every other letter: only the other case of the same one is near.
  if (wanted.length === 1) return known.find((candidate) => bare(candidate) === wanted)
  const words = known.filter((candidate) => bare(candidate).length > 1)
  const abbreviated = words.filter((candidate) => bare(candidate).startsWith(wanted))
  if (abbreviated.length === 1) return abbreviated[0]
  const ranked = words
    .map((candidate) => ({ candidate, edits: distance(wanted, bare(candidate)) }))
    .sort((one, other) => one.edits - other.edits)
  const best = ranked[0]
  return best !== undefined && best.edits <= allowedEdits(wanted) ? best.candidate : undefined
}

/** One edit in a short name, two from four letters on (two neighbours that changed places), three from nine. */
function allowedEdits(name: string): number {
  return name.length < 4 ? 1 : name.length < 9 ? 2 : 3
}

function bare(name: string): string {
  return name.replace(/^-+/, '').toLowerCase()
}
