import { describe, expect, it } from 'vitest'
import { FileCache } from '../../../src/server/files/file-cache.ts'
import { HeadWriter } from '../../../src/server/http1/head-writer.ts'
import { HttpClock } from '../../../src/server/http1/http-clock.ts'
import { CachedFile } from '../../../src/server/semantics/representation.ts'

const heads = new HeadWriter(new HttpClock(() => 0), [])
const fileOf = (sizeBytes: number): CachedFile =>
  new CachedFile(
    Buffer.alloc(sizeBytes),
    { validators: { etag: '"x"', modifiedMs: 0 }, seen: { dev: 1, ino: 1, size: sizeBytes, mtimeMs: 0, ctimeMs: 0 } },
    { names: [], mediaType: 'text/plain', coding: undefined, vary: '', cacheControl: undefined },
    heads,
    0,
  )

describe('FileCache', () => {
  it('returns an entry until it is removed', () => {
    const cache = new FileCache(100_000)
    const file = fileOf(10)
    cache.set('a', file)
    expect(cache.get('a')).toBe(file)
    expect(cache.get('b')).toBeUndefined()
    cache.delete('a')
    expect(cache.get('a')).toBeUndefined()
  })

  it('empties the slot of a file that is replaced, removed or evicted', () => {
    const cache = new FileCache(100_000)
    const [file, other] = [fileOf(10), fileOf(10)]
    cache.set('a', file)
    const slot = cache.slot('a')
    expect(slot).toEqual({ key: 'a', file })
    cache.set('a', other)
    expect(slot?.file).toBeUndefined()
    const replaced = cache.slot('a')
    expect(replaced?.file).toBe(other)
    for (let index = 0; index < 50; index++) cache.set(`file ${index}`, fileOf(10_000))
    expect(replaced?.file).toBeUndefined()
    expect(cache.slot('a')).toBeUndefined()
    const last = cache.slot('file 49')
    cache.delete('file 49')
    expect(last?.file).toBeUndefined()
  })

  it('keeps used entries when it has to make room', () => {
    const cache = new FileCache(100_000)
    cache.set('used', fileOf(10_000))
    for (let index = 0; index < 1_000; index++) {
      cache.set(`file ${index}`, fileOf(10_000))
      expect(cache.get('used')).toBeDefined()
    }
    const kept = Array.from({ length: 1_000 }, (_, index) => cache.get(`file ${index}`)).filter(Boolean)
    expect(kept.length).toBeGreaterThan(3)
    expect(kept.length).toBeLessThan(10)
  })

  it('makes room even if all entries were used', () => {
    const cache = new FileCache(100_000)
    for (let index = 0; index < 50; index++) {
      cache.set(`file ${index}`, fileOf(10_000))
      for (let earlier = 0; earlier <= index; earlier++) cache.get(`file ${earlier}`)
    }
    const kept = Array.from({ length: 50 }, (_, index) => cache.get(`file ${index}`)).filter(Boolean)
    expect(kept.length).toBeLessThan(10)
    expect(cache.get('file 49')).toBeDefined()
  })

  it('does not accept an entry larger than its capacity', () => {
    const cache = new FileCache(100_000)
    cache.set('small', fileOf(10))
    cache.set('large', fileOf(200_000))
    expect(cache.get('large')).toBeUndefined()
    expect(cache.get('small')).toBeDefined()
  })

  it('counts many empty files, too', () => {
    const cache = new FileCache(100_000)
    for (let index = 0; index < 1_000; index++) cache.set(`file ${index}`, fileOf(0))
    const kept = Array.from({ length: 1_000 }, (_, index) => cache.get(`file ${index}`)).filter(Boolean)
    expect(kept.length).toBeLessThan(100)
  })
})
