/** Octets put away in a temporary file. */
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { SpillFile } from '../../../src/cli/run/spill-file.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a spill file', () => {
  it('gives back what was put there at any place, in any order', async () => {
    const file = new SpillFile()
    const texts = ['one', '', 'two'.repeat(50_000), 'three']
    const places = await Promise.all(texts.map((text) => file.put(Buffer.from(text))))
    for (const index of [3, 0, 2, 1]) {
      const pieces: Uint8Array[] = []
      for await (const piece of file.get(places[index] as (typeof places)[number])) pieces.push(piece)
      expect(Buffer.concat(pieces).toString()).toBe(texts[index])
    }
    await file.close()
  })

  it('is no error to close where it could not be made: putting told it', async () => {
    const missing = join(temporaryDirectory(), 'none')
    for (const name of ['TMPDIR', 'TEMP']) vi.stubEnv(name, missing)
    const file = new SpillFile()
    await expect(file.put(Buffer.from('one'))).rejects.toMatchObject({ code: 'spill-failed' })
    await file.close()
  })
})
