/**
 * Fixes from hints with suggestions: `Did you mean host or hosts?`
 *
 * Rules: the range of a finding may contain more than the wrong name; the pattern for its code finds the part to
 * replace.
 */
import type { Fix, Problem } from './fix.ts'

/** The first group of the first matching pattern is the part that a suggestion replaces. */
const replaced: ReadonlyMap<string, readonly RegExp[]> = new Map([
  [
    'unknown-variable',
    [
      /^\{\{[ \t]*([\w-]+)(?=\.(?:request|response)\.(?:body|headers))/,
      // Keeps the arguments of `{{$name(1, 2)}}`.
      /^\{\{[ \t]*([^{}(]*[^{}( \t])(?:[ \t]*\([^{}]*)?[ \t]*\}\}$/,
    ],
  ],
  ['unknown-request', [/^[ \t]*run[ \t]+(#.*?)[ \t]*(?:\([ \t]*@.*)?$/s]],
  ['unknown-tag', [/(@[\w-]+)/]],
])

const wholePlace: readonly RegExp[] = [/^(.+)$/s]

/** Longer than any name. A limit, because matching may take quadratic time. */
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
    // The suggested member includes its object, which is not in the range.
    const text = problem.code === 'unknown-member' ? name.slice(name.lastIndexOf('.') + 1) : name
    return {
      title: `Replace ${JSON.stringify(wrong)} by ${JSON.stringify(text)}`,
      edits: [{ offset, length: wrong.length, text }],
      isPreferred: names.length === 1,
    }
  })
}
