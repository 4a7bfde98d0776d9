/**
 * "Did you mean": finds the known option or command that is nearest to an unknown one.
 *
 * Rules: a name that begins with the unknown name wins, because the user probably abbreviated it. A single letter is
 * equally far from all other letters, so only the same letter in the other case is near. Loaded only when something has
 * gone wrong.
 */
import { nearestNames } from '../../http-file/index.ts'

/** The nearest of the known names, or undefined if none is near. Leading dashes are ignored. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = bare(name)
  if (wanted.length < 2) return known.find((candidate) => wanted !== '' && bare(candidate) === wanted)
  const words = known.filter((candidate) => bare(candidate).length > 1)
  const abbreviated = words.filter((candidate) => bare(candidate).startsWith(wanted))
  return abbreviated.length === 1 ? abbreviated[0] : nearestNames(wanted, words)[0]
}

function bare(name: string): string {
  return name.replace(/^-+/, '').toLowerCase()
}
