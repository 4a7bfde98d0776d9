import { closeSync, openSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BufferPool } from '../../src/server/files/buffer-pool.ts'
import { transferParts } from '../../src/server/files/file-transfer.ts'
import { openServedFile, ServedFile } from '../../src/server/files/served-file.ts'
import { OpenFiles } from '../../src/server/limits/open-files.ts'
import { FileBody } from '../../src/server/semantics/answer-body.ts'
import { defaultVisibility } from '../../src/server/semantics/url-path.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

it('a hundred transfers at a time leave turns of the event loop to other clients', async () => {
  const root = temporaryDirectory()
  closeSync(openSync(join(root, 'big'), 'w'))
  truncateSync(join(root, 'big'), 4_000_000)
  const file = openServedFile({ root, visibility: defaultVisibility }, ['big'], Date.now() + 60_000)
  if (!(file instanceof ServedFile)) throw new Error('the file was not opened')
  let pieces = 0
  let most = 0
  let isOver = false
  const watch = async () => {
    while (!isOver) {
      pieces = 0
      await new Promise<void>((resolve) => setImmediate(resolve))
      most = Math.max(most, pieces)
    }
  }
  const watching = watch()
  const sink = {
    flush: async () => {
      pieces += 1
      // On a fast machine, too, a piece takes some time.
      const startedMs = performance.now()
      while (performance.now() - startedMs < 0.1);
    },
  }
  const resources = { buffers: new BufferPool(8_388_608), openFiles: new OpenFiles(256) }
  const body = new FileBody(file, [{ start: 0, end: file.sizeBytes }])
  await Promise.all(Array.from({ length: 100 }, () => transferParts(body, sink, resources, () => undefined)))
  isOver = true
  await watching
  file.close()
  // Eight pieces of each at a time would be 800 in one turn.
  expect(most).toBeLessThan(400)
})
