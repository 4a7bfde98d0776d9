import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SentSamples } from '../../../src/server/files/sent-samples.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

const pieceBytes = 2_000

/** A file of the given number of pieces, open for reading and writing, and the samples of all of them. */
function sent(pieces: number): { readonly descriptor: number; readonly samples: SentSamples } {
  const file = join(temporaryDirectory(), 'file')
  writeFileSync(file, Buffer.alloc(pieces * pieceBytes, 'abc'))
  const descriptor = openSync(file, 'r+')
  onTestFinished(() => closeSync(descriptor))
  const samples = new SentSamples()
  const content = Buffer.alloc(pieces * pieceBytes, 'abc')
  for (let start = 0; start < content.length; start += pieceBytes) {
    const piece = Buffer.from(content.subarray(start, start + pieceBytes))
    samples.add(start, piece)
    if (start === content.length - pieceBytes) samples.addEnd(start, piece)
    // The buffer of a piece is used again.
    piece.fill(0)
  }
  return { descriptor, samples }
}

describe('samples of the sent bytes', () => {
  it.each([1, 2, 95, 96, 97, 1_000])('of %i pieces match a file that did not change', async (pieces) => {
    const { descriptor, samples } = sent(pieces)
    expect(await samples.areUnchanged(descriptor)).toBe(true)
  })

  it.each([
    ['its first byte', 1_000, 0],
    ['its last byte', 1_000, 1_000 * pieceBytes - 1],
    ['the middle of a piece', 10, 5 * pieceBytes + pieceBytes / 2],
    ['the middle of a piece that is sampled still', 1_000, 32 * pieceBytes + pieceBytes / 2],
  ])('do not match a file in which %s differs', async (_what, pieces, position) => {
    const { descriptor, samples } = sent(pieces)
    writeSync(descriptor, 'X', position)
    expect(await samples.areUnchanged(descriptor)).toBe(false)
  })

  it('are spread: no hundredth of the file can change entirely unnoticed', async () => {
    const { descriptor, samples } = sent(1_000)
    for (let start = 0; start < 1_000; start += 20) {
      const before = Buffer.alloc(20 * pieceBytes, 'abc')
      writeSync(descriptor, Buffer.alloc(before.length, 'X'), 0, before.length, start * pieceBytes)
      expect([start, await samples.areUnchanged(descriptor)]).toEqual([start, false])
      writeFileSync(descriptor, '')
      writeSync(descriptor, Buffer.alloc(1_000 * pieceBytes, 'abc'), 0, 1_000 * pieceBytes, 0)
    }
  })

  it('do not match a file that has shrunk', async () => {
    const { samples } = sent(3)
    expect(await samples.areUnchanged(sent(2).descriptor)).toBe(false)
  })
})
