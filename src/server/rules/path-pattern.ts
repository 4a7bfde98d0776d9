/**
 * The paths of `_headers` and `_redirects`, and of `--cache-control`: segments, placeholders and asterisks.
 *
 * Rules: a segment `:name` matches one segment; an asterisk matches any text, including slashes. As the last segment it
 * may also match nothing; the slash before it is then optional. A trailing slash makes no difference. Percent escapes
 * are decoded, because patterns are compared with decoded paths.
 */
import {
  anything,
  capture,
  choice,
  inSegment,
  LinearPattern,
  many,
  maximumPatternLength,
  optional,
  type PatternNode,
  sequence,
  text,
} from './linear-pattern.ts'

/** The capture name of the last asterisk in a pattern. */
export const splatName = 'splat'

export interface PathPatternSettings {
  readonly isCaseInsensitive: boolean
  /** Whether an asterisk is allowed only at the end. */
  readonly isAsteriskLast: boolean
}

/** An error in a pattern. `index`: its position in the pattern. */
export interface PatternFault {
  readonly index: number
  readonly message: string
}

/** `source` begins with a slash. */
export function parsePathPattern(source: string, settings: PathPatternSettings): LinearPattern | PatternFault {
  if (source.length > maximumPatternLength)
    return { index: 0, message: `the path is longer than ${maximumPatternLength} characters` }
  const mark = source.indexOf('?')
  if (mark >= 0) return { index: mark, message: 'a path has no query (a question mark in a name is %3F)' }
  const asterisk = source.indexOf('*')
  if (settings.isAsteriskLast && asterisk >= 0 && asterisk < source.length - 1) {
    return { index: asterisk, message: 'an asterisk is allowed only at the end of the path' }
  }
  const segments = [...source.matchAll(/[^/]+/g)]
  const nodes: PatternNode[] = []
  for (const { 0: segment, index } of segments) {
    const node = segmentNode(segment, index === segments.at(-1)?.index)
    if (node === undefined) return { index, message: `broken percent escape in ${JSON.stringify(segment)}` }
    // `/a/*/b` also matches `/a/b`, so the slash before the asterisk belongs to it.
    nodes.push(segment === '*' ? node : sequence(text('/'), node))
  }
  if (nodes.length === 0) nodes.push(text('/'))
  return new LinearPattern(sequence(...nodes), settings)
}

/** Undefined for a broken percent escape. */
function segmentNode(segment: string, isLast: boolean): PatternNode | undefined {
  const name = placeholderName(segment)
  if (name !== undefined) return capture(name, many(inSegment, 1))
  if (segment === '*') {
    const rest = sequence(text('/'), isLast ? capture(splatName, anything) : anything)
    return isLast ? choice(rest, optional(text('/'))) : optional(rest)
  }
  const literals = segment.split('*').map(decoded)
  if (literals.includes(undefined)) return undefined
  const nodes = literals.flatMap((literal, index) => {
    if (index === 0) return [text(literal!)]
    return [isLast && index === literals.length - 1 ? capture(splatName, anything) : anything, text(literal!)]
  })
  return sequence(...nodes)
}

/** The name in `:name`; undefined for other segments. */
export function placeholderName(segment: string): string | undefined {
  return /^:([A-Za-z_]\w*)$/.exec(segment)?.[1]
}

function decoded(literal: string): string | undefined {
  try {
    return decodeURIComponent(literal)
  } catch {
    return undefined
  }
}

/** A decoded path for comparison with patterns: without a trailing slash. */
export function comparablePath(names: readonly string[]): string {
  return `/${names.join('/')}`
}
