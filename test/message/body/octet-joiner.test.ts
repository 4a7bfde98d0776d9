/** Pieces of every size, joined. */
import { describe, expect, it } from 'vitest'
import { OctetJoiner } from '../../../src/message/index.ts'

describe('OctetJoiner', () => {
  it.each([
    [[]],
    [[0]],
    [[5]],
    [[0, 1, 0, 1]],
    [[1, 2, 3, 4, 5, 6, 7]],
    [[10, 5000, 1, 1, 70_000, 3]],
    [Array.from({ length: 3000 }, (_, index) => index % 97)],
  ])('joins pieces of %j bytes in their order', (sizes) => {
    const joiner = new OctetJoiner()
    const expected: number[] = []
    for (const [index, size] of sizes.entries()) {
      const piece = new Uint8Array(size).fill(index % 251)
      joiner.add(piece)
      expected.push(...piece)
      piece.fill(255)
    }
    const joined = joiner.joined()
    expect(Buffer.from(expected).equals(joined)).toBe(true)
    expect(joined.buffer.byteLength).toBe(joined.length)
  })

  it('takes more pieces after the others have been joined', () => {
    const joiner = new OctetJoiner()
    for (const piece of ['a', 'b', 'c']) joiner.add(Buffer.from(piece))
    expect(Buffer.from(joiner.joined()).toString()).toBe('abc')
    joiner.add(Buffer.from('d'))
    expect(Buffer.from(joiner.joined()).toString()).toBe('abcd')
  })
})
