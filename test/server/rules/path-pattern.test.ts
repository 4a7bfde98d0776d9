/** Paths of `_headers` and `_redirects`: the segment by which rules are found among tens of thousands. */
import { describe, expect, it } from 'vitest'
import { LinearPattern } from '../../../src/server/rules/linear-pattern.ts'
import { parsePathPattern } from '../../../src/server/rules/path-pattern.ts'

describe('the first segment of the paths that a pattern matches', () => {
  it.each([
    ['/old/*', '/old'],
    ['/old/:id', '/old'],
    ['/old/*/photos', '/old'],
    ['/a%2Fb/*', '/a'],
    ['/old', '/old'],
    // Each of these also matches paths with another first segment.
    ['/old*', undefined],
    ['/old*/photos', undefined],
    ['/:id/old', undefined],
    ['/*', undefined],
    ['/*/old', undefined],
    ['/', undefined],
  ])('%s: %s', (source, segment) => {
    const pattern = parsePathPattern(source, { isCaseInsensitive: false, isAsteriskLast: false })
    expect(pattern instanceof LinearPattern && [pattern.firstSegment]).toEqual([segment])
  })
})
