/**
 * A file that a request file names as a body or as a part of one.
 *
 * Rules: as for FileBody of message-node, the size is read when the body is created, and exactly that many bytes are
 * sent. The file is checked again each time it is opened. A file in /proc reports size 0, so its length is unknown.
 */
import { closeSync, createReadStream, readSync } from 'node:fs'
import type { MessageBody } from '../../message/index.ts'
import type { ConfinedFiles } from './confined-files.ts'

const READ_SIZE_BYTES = 64 * 1024

export class ConfinedBody implements MessageBody {
  readonly contentLength: number | undefined
  readonly #path: string
  readonly #files: ConfinedFiles

  /** @param path absolute. @throws as `ConfinedFiles.open` */
  constructor(path: string, files: ConfinedFiles) {
    this.#path = path
    this.#files = files
    const { descriptor, stats } = files.open(path)
    try {
      const isUnsized = stats.size === 0 && readSync(descriptor, new Uint8Array(1)) > 0
      this.contentLength = isUnsized ? undefined : stats.size
    } finally {
      closeSync(descriptor)
    }
  }

  /** @throws as `ConfinedFiles.open` */
  async *open(): AsyncGenerator<Uint8Array> {
    if (this.contentLength === 0) return
    const { descriptor } = this.#files.open(this.#path)
    const range = this.contentLength === undefined ? {} : { start: 0, end: this.contentLength - 1 }
    yield* createReadStream('', {
      fd: descriptor,
      highWaterMark: READ_SIZE_BYTES,
      ...range,
    }) as AsyncIterable<Uint8Array>
  }
}
