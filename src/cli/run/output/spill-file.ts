/**
 * Holds bytes that exceed the memory limit in a temporary file, readable in any order.
 *
 * Rules: the file is created with the first bytes and readable only by its owner. If the system allows it, its name is
 * deleted immediately, so that nothing remains even if the process is killed; otherwise it is deleted on closing. Reads
 * and writes are synchronous, but fast: the file is new, so it is in the system's page cache.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemReason } from '../../../message-node/index.ts'
import { CliError } from '../../frame/cli-error.ts'

export interface SpilledPlace {
  readonly offset: number
  readonly length: number
}

const OWNER_ONLY = 0o600
const PIECE_BYTES = 64 * 1024

export class SpillFile {
  readonly #what: string
  readonly #path: string = join(tmpdir(), `httpcli-${randomUUID()}`)
  #descriptor: number | undefined
  #sizeBytes = 0

  /** @param what the content of the file, for errors */
  constructor(what: string) {
    this.#what = what
  }

  /** @throws HttpcliError `spill-failed` */
  put(bytes: Uint8Array): SpilledPlace {
    const place = { offset: this.#sizeBytes, length: bytes.length }
    try {
      this.#descriptor ??= openNameless(this.#path)
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.#descriptor, bytes, done, bytes.length - done, place.offset + done)
      }
    } catch (cause) {
      const directory = tmpdir()
      const reason = `${this.#what} cannot be written to a temporary file in ${directory}: ${systemReason(cause)}`
      throw new CliError('spill-failed', reason, {
        cause,
        hint: 'Set TMPDIR to a directory with more space, or run fewer jobs at a time.',
      })
    }
    this.#sizeBytes += bytes.length
    return place
  }

  /** The bytes at this place. @throws HttpcliError `spill-failed` */
  read({ offset, length }: SpilledPlace): Uint8Array {
    const bytes = Buffer.allocUnsafe(length)
    for (let done = 0; done < length; ) {
      const count = this.#readSome(bytes, done, offset + done)
      if (count === 0) throw new CliError('spill-failed', `the temporary file ${this.#path} was truncated`)
      done += count
    }
    return bytes
  }

  /** The bytes at this place, piece by piece. @throws HttpcliError `spill-failed` */
  *pieces({ offset, length }: SpilledPlace): Generator<Uint8Array> {
    for (let done = 0; done < length; done += PIECE_BYTES) {
      yield this.read({ offset: offset + done, length: Math.min(PIECE_BYTES, length - done) })
    }
  }

  close(): void {
    if (this.#descriptor === undefined) return
    closeSync(this.#descriptor)
    this.#descriptor = undefined
    rmSync(this.#path, { force: true })
  }

  #readSome(bytes: Uint8Array, from: number, offset: number): number {
    try {
      return readSync(this.#descriptor as number, bytes, from, bytes.length - from, offset)
    } catch (cause) {
      const reason = `the temporary file ${this.#path} cannot be read: ${systemReason(cause)}`
      throw new CliError('spill-failed', reason, { cause })
    }
  }
}

function openNameless(path: string): number {
  const descriptor = openSync(path, 'wx+', OWNER_ONLY)
  try {
    rmSync(path, { force: true })
  } catch {
    // On this platform an open file keeps its name until it is closed.
  }
  return descriptor
}
