import { appendFileSync, readdirSync, readlinkSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { BufferPool } from '../../../src/server/files/buffer-pool.ts'
import { transferParts } from '../../../src/server/files/file-transfer.ts'
import { openServedFile, ServedFile } from '../../../src/server/files/served-file.ts'
import { OpenFiles } from '../../../src/server/limits/open-files.ts'
import { FileBody } from '../../../src/server/semantics/answer-body.ts'
import { defaultVisibility } from '../../../src/server/semantics/url-path.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251))

let root: string
let openFiles: OpenFiles

beforeEach(() => {
  root = temporaryDirectory()
  writeFileSync(join(root, 'big'), content)
  openFiles = new OpenFiles(2)
})

const descriptors = () =>
  readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith(root)
    } catch {
      return false
    }
  }).length

/** A download whose client takes a piece each time it is asked to. */
class Download {
  readonly file: ServedFile
  readonly received: Buffer[] = []
  readonly end: Promise<unknown>
  #take: (() => void) | undefined
  #asked: (() => void) | undefined

  constructor() {
    // Later than the last change by more than a tick of the file system.
    const file = openServedFile({ root, visibility: defaultVisibility }, ['big'], Date.now() + 60_000)
    if (!(file instanceof ServedFile)) throw new Error('the file was not opened')
    this.file = file
    const sink = {
      flush: (bytes: Uint8Array) =>
        new Promise<void>((resolve) => {
          this.#take = () => {
            this.received.push(Buffer.from(bytes))
            this.#take = undefined
            resolve()
          }
          this.#asked?.()
        }),
    }
    const body = new FileBody(file, [{ start: 0, end: file.sizeBytes }])
    const resources = { buffers: new BufferPool(1_000_000), openFiles }
    this.end = transferParts(body, sink, resources, () => undefined).then(
      () => undefined,
      (error: unknown) => error,
    )
    void this.end.then(() => file.close())
  }

  /** Until the server waits for the client, or has ended. */
  async offered(): Promise<void> {
    while (this.#take === undefined) {
      const asked = new Promise<void>((resolve) => {
        this.#asked = resolve
      })
      if ((await Promise.race([this.end.then(() => 'end'), asked])) === 'end') return
    }
  }

  async take(): Promise<void> {
    await this.offered()
    this.#take?.()
  }

  async takeAll(): Promise<unknown> {
    let hasEnded = false
    const end = this.end.then((error) => {
      hasEnded = true
      return error
    })
    while (!hasEnded) await this.take()
    return end
  }
}

async function waitingDownloads(count: number): Promise<Download[]> {
  const downloads: Download[] = []
  for (let index = 0; index < count; index++) {
    const download = new Download()
    downloads.push(download)
    await download.offered()
  }
  return downloads
}

describe('download files', () => {
  it('that wait are closed past the limit, and all downloads come whole', async () => {
    const downloads = await waitingDownloads(20)
    expect(descriptors()).toBe(2)
    for (const download of downloads) {
      expect(await download.takeAll()).toBeUndefined()
      expect(Buffer.concat(download.received).equals(content)).toBe(true)
    }
    expect(descriptors()).toBe(0)
  })

  it('that were partly sent stay open longer than unsent ones', async () => {
    const [started, unstarted] = await waitingDownloads(2)
    await started!.take()
    await started!.offered()
    const [third] = await waitingDownloads(1)
    expect([started, unstarted, third].map((download) => download!.file.isReleased)).toEqual([false, true, false])
    for (const download of [started, unstarted, third]) expect(await download!.takeAll()).toBeUndefined()
  })

  it.each([
    ['was replaced', () => renameSync(join(root, 'new'), join(root, 'big'))],
    ['was written anew', () => writeFileSync(join(root, 'big'), Buffer.alloc(content.length + 1))],
    ['has gone', () => renameSync(join(root, 'big'), join(root, 'old'))],
  ])('cannot be finished if the file %s while it was closed', async (_what, change) => {
    const downloads = await waitingDownloads(3)
    writeFileSync(join(root, 'new'), content)
    change()
    const errors = await Promise.all(downloads.map((download) => download.takeAll()))
    expect(errors[0]).toMatchObject({ code: 'file-changed' })
    expect(descriptors()).toBe(0)
  })

  it('that grew while closed are sent with their original length', async () => {
    const downloads = await waitingDownloads(3)
    appendFileSync(join(root, 'big'), 'more')
    expect(await Promise.all(downloads.map((download) => download.takeAll()))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    for (const { received } of downloads) expect(Buffer.concat(received).equals(content)).toBe(true)
    expect(descriptors()).toBe(0)
  })

  it('that cannot be finished give up their slot', async () => {
    const downloads = await waitingDownloads(3)
    for (const download of downloads) download.file.close()
    await Promise.all(downloads.map((download) => download.takeAll()))
    const [next] = await waitingDownloads(1)
    expect([next!.file.isReleased, descriptors()]).toEqual([false, 1])
    await next!.takeAll()
  })
})
