import { describe, expect, it } from 'vitest'
import { ZstdFrames } from '../../src/message-node/zstd-frames.ts'

const raw = Buffer.from('28b52ffd200631000068656c6c6f20', 'hex')
const repeated = Buffer.from('28b52ffd24082300002a00000000', 'hex')
const twoBlocks = Buffer.from('28b52ffd00580800006109000062', 'hex')
const skippable = Buffer.from('5f2a4d1803000000010203', 'hex')
const empty = Buffer.from('502a4d1800000000', 'hex')
const frames = [skippable, raw, repeated, empty, twoBlocks, raw]
const content = Buffer.concat(frames)
const ends = frames.map((_, index) => Buffer.concat(frames.slice(0, index + 1)).length)

function divided(pieceBytes: number): { readonly joined: Buffer; readonly ends: readonly number[] } {
  const reader = new ZstdFrames()
  const parts: Uint8Array[] = []
  const found: number[] = []
  for (let at = 0; at < content.length; at += pieceBytes) {
    for (const part of reader.divide(content.subarray(at, at + pieceBytes))) {
      parts.push(part)
      if (!reader.isInside) found.push(Buffer.concat(parts).length)
    }
  }
  return { joined: Buffer.concat(parts), ends: found }
}

describe('frames of zstd', () => {
  it.each([1, 2, 3, 7, 16, 1000])('are divided in pieces of %i bytes', (pieceBytes) => {
    expect(divided(pieceBytes)).toEqual({ joined: content, ends })
  })

  it('are counted, and known to be incomplete, at each byte', () => {
    for (let length = 0; length <= content.length; length++) {
      const reader = new ZstdFrames()
      Array.from(reader.divide(content.subarray(0, length)))
      expect(reader.isInside).toBe(length > 0 && !ends.includes(length))
      expect(reader.completeCount).toBe(ends.filter((end) => end <= length).length)
    }
  })

  it('end where other bytes begin, which are left to the decoder', () => {
    const reader = new ZstdFrames()
    const parts = Array.from(reader.divide(Buffer.concat([raw, Buffer.from('junk'), raw])))
    expect(parts.map(({ length }) => length)).toEqual([raw.length, 4 + raw.length])
    expect(reader.isInside).toBe(false)
  })
})
