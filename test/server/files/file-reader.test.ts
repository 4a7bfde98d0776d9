import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileReader } from '../../../src/server/files/file-reader.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

const buffer = Buffer.alloc(4)
let descriptor: number

beforeEach(() => {
  const file = join(temporaryDirectory(), 'file')
  writeFileSync(file, 'abcdef')
  descriptor = openSync(file, 'r')
})

afterEach(() => closeSync(descriptor))

/** A clock by which each reading in the event loop takes the given milliseconds. */
function clockOf(readingMs: number): () => number {
  let nowMs = 0
  return () => (nowMs += readingMs)
}

/** For the given number of pieces: whether each came through a thread. */
async function waysOf(reader: FileReader, count: number): Promise<readonly boolean[]> {
  const ways: boolean[] = []
  for (let index = 0; index < count; index++) {
    const read = reader.read(buffer, 0)
    ways.push(read instanceof Promise)
    await read
  }
  return ways
}

const run = (isThread: boolean, count: number): readonly boolean[] => new Array(count).fill(isThread)

describe('FileReader', () => {
  it('reads the first piece in a thread, and the others in the event loop while reads are fast', async () => {
    expect(await waysOf(new FileReader(descriptor, clockOf(0.05)), 50)).toEqual([true, ...run(false, 49)])
  })

  it('reads in a thread after each slow piece, for twice as long each time', async () => {
    const expected = [true, false, ...run(true, 16), false, ...run(true, 32), false, ...run(true, 64), false]
    expect(await waysOf(new FileReader(descriptor, clockOf(20)), expected.length)).toEqual(expected)
  })

  it.each(['in a thread', 'in the event loop'])(
    'returns the bytes at a position, and 0 after the end: %s',
    async (way) => {
      const reader = new FileReader(descriptor, clockOf(0.05))
      if (way === 'in the event loop') await reader.read(buffer, 0)
      expect(await reader.read(buffer, 4)).toBe(2)
      expect(buffer.toString('latin1', 0, 2)).toBe('ef')
      expect(await reader.read(buffer, 6)).toBe(0)
    },
  )

  it('reports that the file cannot be read, on either path', async () => {
    const closed = new FileReader(-1, clockOf(0.05))
    await expect((async () => closed.read(buffer, 0))()).rejects.toThrow()
    expect(() => closed.read(buffer, 0)).toThrow()
  })
})
