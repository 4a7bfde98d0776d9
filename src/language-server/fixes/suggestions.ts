/**
 * Fixes from hints that name what was meant: `Did you mean host or hosts?`
 *
 * Rules: the place of a finding may be more than the wrong name; the pattern of its code says which part of it is
 * replaced.
 */
import type { Fix, Problem } from './fix.ts'

/** The part of the place that a suggestion replaces, in the first group of the first pattern that matches. */
const replaced: ReadonlyMap<string, readonly RegExp[]> = new Map([
  [
    'unknown-variable',
    [
      /^\{\{[ \t]*([\w-]+)(?=\.(?:request|response)\.(?:body|headers))/,
      // The arguments of `{{$name(1, 2)}}` stay.
      /^\{\{[ \t]*([^{}(]*[^{}( \t])(?:[ \t]*\([^{}]*)?[ \t]*\}\}$/,
    ],
  ],
  ['unknown-request', [/^[ \t]*run[ \t]+(#.*?)[ \t]*(?:\([ \t]*@.*)?$/s]],
  ['unknown-tag', [/(@[\w-]+)/]],
])

const wholePlace: readonly RegExp[] = [/^(.+)$/s]

/** Longer than any name; what matches the place may take time by the square of its length. */
const MAX_LENGTH = 500

export function suggestionFixes(problem: Problem): readonly Fix[] {
  if (problem.length > MAX_LENGTH) return []
  const names = /^Did you mean (.+)\?$/.exec(problem.hint ?? '')?.[1]?.split(' or ') ?? []
  const patterns = replaced.get(problem.code) ?? wholePlace
  const match = patterns.map((pattern) => pattern.exec(problem.text)).find((each) => each !== null)
  const wrong = match?.[1]
  if (match === undefined || wrong === undefined) return []
  const offset = problem.offset + match.index + match[0].indexOf(wrong)
  return names.map((name) => {
    // A member is named with its object, which is not at the place.
    const text = problem.code === 'unknown-member' ? name.slice(name.lastIndexOf('.') + 1) : name
    return {
      title: `Replace ${JSON.stringify(wrong)} by ${JSON.stringify(text)}`,
      edits: [{ offset, length: wrong.length, text }],
      isPreferred: names.length === 1,
    }
  })
}
