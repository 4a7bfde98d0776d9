import { describe, expect, it } from 'vitest'
import { acceptedCodings } from '../../../src/server/semantics/coding-negotiation.ts'

describe('acceptedCodings', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['gzip', ['gzip']],
    ['GZip', ['gzip']],
    ['x-gzip', ['gzip']],
    ['gzip, deflate, br, zstd', ['br', 'zstd', 'gzip']],
    ['gzip;q=1, br;q=0.5', ['gzip', 'br']],
    ['gzip ; q=0.2 , br;q=0.5', ['br', 'gzip']],
    ['gzip;q=0', []],
    ['gzip;q=0.000', []],
    ['*', ['br', 'zstd', 'gzip']],
    ['*;q=0, gzip', ['gzip']],
    ['*, br;q=0', ['zstd', 'gzip']],
    ['identity', []],
    ['identity, gzip', ['gzip']],
    ['identity;q=1, gzip;q=0.5', []],
    ['identity;q=0', []],
    ['identity;q=0.5, gzip;q=0.8, br;q=0.1', ['gzip']],
    ['deflate', []],
    ['gzip;q=2', []],
    ['gzip;level=1', []],
    ['gz ip, br', ['br']],
  ])('of %j is %j', (value, names) => {
    expect(acceptedCodings(value).map(({ name }) => name)).toEqual(names)
  })

  it('reads no more of an endless field than any client sends', () => {
    expect(acceptedCodings(`${'x,'.repeat(1_000)}gzip`)).toEqual([])
  })
})
