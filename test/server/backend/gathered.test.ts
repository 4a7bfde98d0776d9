/** Pieces of a response that are sent on together. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { gathered } from '../../../src/server/backend/gathered.ts'

/** A turn of the event loop passes at each `undefined`. */
async function* source(...steps: readonly (string | undefined | Error)[]): AsyncGenerator<Uint8Array> {
  for (const step of steps) {
    if (step === undefined) await nextTurn()
    else if (step instanceof Error) throw step
    else yield Buffer.from(step)
  }
}

async function collected(pieces: AsyncIterable<Uint8Array>): Promise<string[]> {
  const found: string[] = []
  try {
    for await (const piece of pieces) found.push(String(piece))
  } catch (error) {
    found.push(String(error))
  }
  return found
}

describe('the pieces of a response from a backend', () => {
  const large = 'x'.repeat(16_384)

  it.each([
    ['that arrive together are one piece', ['a', 'b', 'c'], ['abc']],
    [
      'do not wait for those of a later turn',
      ['a', 'b', undefined, undefined, 'c', undefined, undefined, 'd'],
      ['ab', 'c', 'd'],
    ],
    ['are not joined if they are large', [large, large, 'a', 'b'], [large, large, 'ab']],
    ['are limited in size when they are joined', ['a', large, 'b', 'c'], [`a${large}`, 'bc']],
    ['come before the error after them', ['a', 'b', new Error('reset')], ['ab', 'Error: reset']],
    ['may be none', [], []],
  ])('%s', async (_, steps, expected) => {
    expect(await collected(gathered(source(...steps)))).toEqual(expected)
  })
})
