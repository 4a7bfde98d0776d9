/** Bytes put away in a temporary file. */
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { SpillFile } from '../../../../src/cli/run/output/spill-file.ts'
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a spill file', () => {
  it('returns what was written at any position, in any order', () => {
    const file = new SpillFile('output')
    const texts = ['one', '', 'two'.repeat(50_000), 'three']
    const places = texts.map((text) => file.put(Buffer.from(text)))
    for (const index of [3, 0, 2, 1]) {
      const place = places[index] as (typeof places)[number]
      expect(Buffer.from(file.read(place)).toString()).toBe(texts[index])
      expect(Buffer.concat([...file.pieces(place)]).toString()).toBe(texts[index])
    }
    file.close()
  })

  it('closes without an error if it could not be created: the write reported that', () => {
    const missing = join(temporaryDirectory(), 'none')
    for (const name of ['TMPDIR', 'TEMP']) vi.stubEnv(name, missing)
    const file = new SpillFile('output')
    expect(() => file.put(Buffer.from('one'))).toThrow(
      `output cannot be written to a temporary file in ${missing}: no such file or directory`,
    )
    file.close()
  })
})
