/** Patterns of rules files: the path or segment by which rules are found among tens of thousands. */
import { describe, expect, it } from 'vitest'
import { GlobPattern } from '../../../src/server/rules/glob-pattern.ts'
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

describe('the only path, and the first segment, of a pattern of serve.json', () => {
  it.each([
    ['/old/page', '/old/page', '/old'],
    ['old', '/old', '/old'],
    ['/Old/:id', undefined, '/old'],
    ['/old/:rest*', undefined, '/old'],
    ['/old/**', undefined, '/old'],
    // Each of these also matches paths with another first segment.
    ['!/old/page', undefined, undefined],
    ['!/old/*', undefined, undefined],
    ['/old{a,b}/page', undefined, undefined],
    ['/{old,new}/page', undefined, undefined],
    ['/old:id', undefined, undefined],
    ['/ol?/page', undefined, undefined],
    ['**', undefined, undefined],
  ])('%s: %s, %s', (source, path, segment) => {
    const pattern = GlobPattern.parse(source, true)
    expect(pattern instanceof GlobPattern && [pattern.plainPath, pattern.firstSegment]).toEqual([path, segment])
  })
})
