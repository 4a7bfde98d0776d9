import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { CompressedFiles } from '../../../src/server/files/compressed-files.ts'
import { FileCache } from '../../../src/server/files/file-cache.ts'
import { HeadWriter } from '../../../src/server/http1/head-writer.ts'
import { HttpClock } from '../../../src/server/http1/http-clock.ts'
import { acceptedCodings } from '../../../src/server/semantics/coding-negotiation.ts'
import { CachedFile } from '../../../src/server/semantics/representation.ts'

const changedMs = 1_700_000_000_000
const heads = new HeadWriter(new HttpClock(() => changedMs), [])
const files = () => new CompressedFiles(new FileCache(1_000_000), heads)

/** A file that was read after one of several changes in the same tick of the file system's clock. */
const fileOf = (content: string): CachedFile =>
  new CachedFile(
    Buffer.from(content.repeat(1_000)),
    {
      validators: { etag: `"${content}"`, modifiedMs: changedMs },
      seen: { dev: 1, ino: 1, size: 1_000, mtimeMs: changedMs, ctimeMs: changedMs },
    },
    { names: ['a.txt'], mediaType: 'text/plain', coding: undefined, vary: 'Accept-Encoding', cacheControl: undefined },
    heads,
    changedMs,
  )

async function offered(store: CompressedFiles, original: CachedFile, nowMs: number): Promise<string> {
  const found = await store.offer(original, 'a.txt', acceptedCodings('gzip'), nowMs)
  return found instanceof CachedFile ? gunzipSync(found.content).toString().slice(0, 1) : String(found)
}

it('a file that changes twice in one tick is compressed each time', async () => {
  const store = files()
  const soonMs = changedMs + 1
  expect(await offered(store, fileOf('a'), soonMs)).toBe('a')
  expect(await offered(store, fileOf('b'), soonMs)).toBe('b')
  expect(await Promise.all([offered(store, fileOf('c'), soonMs), offered(store, fileOf('d'), soonMs)])).toEqual([
    'c',
    'd',
  ])
})

it('a file that changed a moment ago is compressed once for all who ask at the same time', async () => {
  const store = files()
  const offer = () => store.offer(fileOf('a'), 'a.txt', acceptedCodings('gzip'), changedMs + 1)
  const [first, second] = await Promise.all([offer(), offer()])
  expect(second).toBe(first)
  expect(await offer()).not.toBe(first)
})

it('a file at rest is compressed once', async () => {
  const store = files()
  const laterMs = changedMs + 10_000
  const codings = acceptedCodings('gzip')
  const first = await store.offer(fileOf('a'), 'a.txt', codings, laterMs)
  const [second, third] = await Promise.all([
    store.offer(fileOf('a'), 'a.txt', codings, laterMs),
    store.offer(fileOf('a'), 'a.txt', codings, laterMs),
  ])
  expect([second === first, third === first]).toEqual([true, true])
})
