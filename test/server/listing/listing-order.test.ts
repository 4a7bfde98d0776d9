import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ListedEntry } from '../../../src/server/listing/listed-directory.ts'
import { defaultOrder, formatOrder, parseOrder, sortEntries } from '../../../src/server/listing/listing-order.ts'

const file = (name: string, sizeBytes = 0, modifiedMs = 0): ListedEntry => ({
  name,
  type: 'file',
  sizeBytes,
  modifiedMs,
})
const directory = (name: string, modifiedMs = 0): ListedEntry => ({ name, type: 'directory', sizeBytes: 0, modifiedMs })
const names = (entries: readonly ListedEntry[]) => entries.map(({ name }) => name)

describe('the order of a listing', () => {
  it.each([
    ['nothing', '', 'name', 'asc'],
    ['a column', '?sort=size', 'size', 'asc'],
    ['a column and a direction', '?sort=date&order=desc', 'date', 'desc'],
    ['a direction alone', '?order=desc', 'name', 'desc'],
    ['unknown words', '?sort=owner&order=up', 'name', 'asc'],
    ['other parameters', '?v=1&sort=name', 'name', 'asc'],
    ['a broken escape', '?sort=%zz', 'name', 'asc'],
  ])('is read from %s', (_, query, column, direction) => {
    expect(parseOrder(query)).toEqual({ column, direction })
  })

  it('is written as read, and omitted if it is the default', () => {
    expect(formatOrder(defaultOrder)).toBe('')
    for (const query of ['?sort=size&order=asc', '?sort=name&order=desc', '?sort=date&order=desc']) {
      expect(formatOrder(parseOrder(query))).toBe(query)
    }
  })
})

describe('sorting a listing', () => {
  it('puts directories first and sorts names naturally', async () => {
    const entries = [file('b10.txt'), file('B2.txt'), file('a'), directory('z'), file('b02.txt'), directory('Y')]
    expect(names(await sortEntries(entries, defaultOrder))).toEqual(['Y', 'z', 'a', 'B2.txt', 'b02.txt', 'b10.txt'])
    const descending = await sortEntries(entries, { column: 'name', direction: 'desc' })
    expect(names(descending)).toEqual(['z', 'Y', 'b10.txt', 'b02.txt', 'B2.txt', 'a'])
  })

  it.each([
    ['size', 'asc', ['d', 'e', 'a', 'b', 'c']],
    ['size', 'desc', ['d', 'e', 'c', 'a', 'b']],
    ['date', 'asc', ['e', 'd', 'c', 'b', 'a']],
    ['date', 'desc', ['d', 'e', 'a', 'b', 'c']],
  ] as const)('by %s, %s; equal entries are sorted by name', async (column, direction, expected) => {
    const entries = [file('b', 1, 5), file('c', 2, 4), file('a', 1, 6), directory('e', 1), directory('d', 2)]
    expect(names(await sortEntries(entries, { column, direction }))).toEqual(expected)
  })

  it('compares numbers of any length by value', async () => {
    const entries = [file('v99999999999999999999'), file('v100000000000000000000'), file('v0'), file('v00'), file('v')]
    expect(names(await sortEntries(entries, defaultOrder))).toEqual([
      'v',
      'v0',
      'v00',
      'v99999999999999999999',
      'v100000000000000000000',
    ])
  })

  it('gives the same order for any order of input, also for thousands', async () => {
    const entries = Array.from({ length: 5_000 }, (_, index) => file(`file ${index}`, index % 7))
    const shuffled = entries.toSorted((one, other) => ((one.name.length * 31) % 7) - ((other.name.length * 17) % 5))
    expect(names(await sortEntries(shuffled, defaultOrder))).toEqual(names(entries))
    const bySize = await sortEntries(shuffled, { column: 'size', direction: 'desc' })
    expect(bySize.map(({ sizeBytes }) => sizeBytes)).toEqual(
      entries.map(({ sizeBytes }) => sizeBytes).toSorted((a, b) => b - a),
    )
  })

  it('keeps every entry exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.string(), { maxLength: 60 }), async (given) => {
        const sorted = await sortEntries(
          given.map((name) => file(name)),
          defaultOrder,
        )
        expect(names(sorted).toSorted()).toEqual([...given].toSorted())
      }),
      { numRuns: 50 },
    )
  })
})
