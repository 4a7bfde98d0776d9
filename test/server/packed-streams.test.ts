import { closeSync, openSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CompressedFiles } from '../../src/server/files/compressed-files.ts'
import { FileCache } from '../../src/server/files/file-cache.ts'
import { openServedFile, ServedFile } from '../../src/server/files/served-file.ts'
import { HeadWriter } from '../../src/server/http1/head-writer.ts'
import { HttpClock } from '../../src/server/http1/http-clock.ts'
import { contentCodings } from '../../src/server/semantics/coding-negotiation.ts'
import { OpenFile, type Representation } from '../../src/server/semantics/representation.ts'
import { defaultVisibility } from '../../src/server/semantics/url-path.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

it('no more than 32 large files are compressed at a time, and the next ones are sent uncompressed', async () => {
  const root = temporaryDirectory()
  closeSync(openSync(join(root, 'big.txt'), 'w'))
  truncateSync(join(root, 'big.txt'), 4_000_000)
  const packed = new CompressedFiles(new FileCache(1_000_000), new HeadWriter(new HttpClock(Date.now), []))
  const gzip = contentCodings.filter(({ name }) => name === 'gzip')
  const offer = async () => {
    const file = openServedFile({ root, visibility: defaultVisibility }, ['big.txt'], Date.now() + 60_000)
    if (!(file instanceof ServedFile)) throw new Error('the file was not opened')
    const original = new OpenFile(file, file.validators, {
      names: ['big.txt'],
      mediaType: 'text/plain',
      coding: undefined,
      vary: 'Accept-Encoding',
      cacheControl: undefined,
    })
    return (await packed.offer(original, 'key', gzip, 0)) as Representation
  }
  const offered = await Promise.all(Array.from({ length: 33 }, offer))
  expect(offered.filter(({ presentation }) => presentation.coding === 'gzip')).toHaveLength(32)
  for (const representation of offered) representation.close()
  offered[0]!.close()
  const again = await Promise.all(Array.from({ length: 33 }, offer))
  expect(again.filter(({ presentation }) => presentation.coding === 'gzip')).toHaveLength(32)
  for (const representation of again) representation.close()
})
