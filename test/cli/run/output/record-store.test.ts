/** The records of a run, in memory and in a temporary file. */
import { readdirSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SpillingRecordStore } from '../../../../src/cli/run/output/record-store.ts'
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts'

let directory = ''

beforeEach(() => {
  directory = temporaryDirectory()
  for (const name of ['TMPDIR', 'TEMP']) vi.stubEnv(name, directory)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a store of records', () => {
  it('returns records from memory and from its file, in any order', () => {
    const store = new SpillingRecordStore()
    // The third is larger than what is held, the fifth fills it to the last byte.
    const sizesBytes = [10, 700_000, 3_000_000, 1, 1024 * 1024 - 1, 0, 300_000, 5]
    const texts = sizesBytes.map((size, index) => String(index).repeat(size))
    const places = texts.map((text) => store.put(text))
    for (const index of [0, 1, 2, 3, 4, 5, 6, 7, 6, 2, 4, 0]) {
      expect(store.get(places[index] as number) === texts[index], `record ${index}`).toBe(true)
    }
    store.close()
  })

  it('can be read while being written', () => {
    const store = new SpillingRecordStore()
    for (let index = 0; index < 5000; index++) {
      const place = store.put(`${index} é ${'x'.repeat(index)}`)
      expect(store.get(place).startsWith(`${index} é `)).toBe(true)
      expect(store.get(Math.floor(place / 2)).startsWith(`${Math.floor(index / 2)} é `)).toBe(true)
    }
    store.close()
  })

  it('creates no file for a small run', () => {
    vi.stubEnv('TMPDIR', `${directory}/none`)
    const store = new SpillingRecordStore()
    expect(store.get(store.put('x'.repeat(1_000_000)))).toHaveLength(1_000_000)
    store.close()
  })

  it('leaves no file in the directory', () => {
    const store = new SpillingRecordStore()
    store.put('x'.repeat(2_000_000))
    store.close()
    expect(readdirSync(directory)).toEqual([])
  })

  it('names the directory that it cannot write to', () => {
    for (const name of ['TMPDIR', 'TEMP']) vi.stubEnv(name, `${directory}/none`)
    const store = new SpillingRecordStore()
    expect(() => store.put('x'.repeat(2_000_000))).toThrow(
      `the record for the reports cannot be written to a temporary file in ${directory}/none: no such file or directory`,
    )
    store.close()
  })
})
