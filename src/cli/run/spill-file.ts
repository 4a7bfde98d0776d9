/**
 * Octets that are too many to wait in memory: put away in a temporary file, and got back in any order.
 *
 * Rules: the file is made with the first octets, readable by its owner alone, and gone when it is closed; where the
 * system allows it, it has no name from the beginning.
 */
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpcliError } from '../../message/index.ts'
import { systemReason } from '../../message-node/index.ts'

export interface SpilledPlace {
  readonly offset: number
  readonly length: number
}

const OWNER_ONLY = 0o600
const PIECE_BYTES = 64 * 1024

export class SpillFile {
  readonly #path: string = join(tmpdir(), `httpcli-${randomUUID()}`)
  #file: Promise<FileHandle> | undefined
  #sizeBytes = 0

  /** @throws HttpcliError `spill-failed` */
  async put(bytes: Uint8Array): Promise<SpilledPlace> {
    const place = { offset: this.#sizeBytes, length: bytes.length }
    this.#sizeBytes += bytes.length
    try {
      this.#file ??= this.#open()
      const file = await this.#file
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, place.offset + done)
        done += bytesWritten
      }
    } catch (cause) {
      throw new HttpcliError('spill-failed', `output cannot wait in a temporary file: ${systemReason(cause)}`, {
        cause,
        hint: 'Run fewer jobs at a time, or set TMPDIR to a directory with more space.',
      })
    }
    return place
  }

  /** The octets that were put there, piece by piece. */
  async *get({ offset, length }: SpilledPlace): AsyncGenerator<Uint8Array> {
    const file = await (this.#file as Promise<FileHandle>)
    for (let done = 0; done < length; ) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, length - done))
      const { bytesRead } = await file.read(piece, 0, piece.length, offset + done)
      if (bytesRead === 0) throw new HttpcliError('spill-failed', `the temporary file ${this.#path} was cut`)
      done += bytesRead
      yield piece.subarray(0, bytesRead)
    }
  }

  async close(): Promise<void> {
    // Where it could not be made, `put` has told why.
    const file = await this.#file?.catch(() => undefined)
    if (file === undefined) return
    await file.close()
    await rm(this.#path, { force: true })
  }

  async #open(): Promise<FileHandle> {
    const file = await open(this.#path, 'wx+', OWNER_ONLY)
    // Where an open file cannot lose its name, closing takes it away.
    await rm(this.#path, { force: true }).catch(() => undefined)
    return file
  }
}
