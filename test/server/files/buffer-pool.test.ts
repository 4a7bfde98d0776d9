import { describe, expect, it } from 'vitest'
import { BufferPool, pieceBytes } from '../../../src/server/files/buffer-pool.ts'

const mebibyte = 1_048_576

describe('BufferPool', () => {
  it('gives a returned buffer to the next transfer', () => {
    const pool = new BufferPool(16 * mebibyte)
    const buffer = pool.take()
    expect(buffer).toHaveLength(pieceBytes)
    expect(pool.take()).not.toBe(buffer)
    pool.giveBack(buffer)
    expect(pool.take()).toBe(buffer)
  })

  it('gives ever smaller buffers while all others are in use, and keeps none of them', () => {
    const pool = new BufferPool(16 * mebibyte)
    const given = Array.from({ length: 2_000 }, () => pool.take())
    expect(given.filter(({ length }) => length === pieceBytes)).toHaveLength(128)
    expect(given.filter(({ length }) => length === 16_384)).toHaveLength(1_024)
    expect(given.at(-1)).toHaveLength(4_096)
    for (const buffer of given) pool.giveBack(buffer)
    const again = Array.from({ length: 128 }, () => pool.take())
    expect(again.every((buffer) => given.includes(buffer) && buffer.length === pieceBytes)).toBe(true)
  })
})
