/**
 * Replaces files/confined-files.ts and confined-body.ts: files that the script has opened, by path.
 *
 * Rules: k6 opens files only while it loads a script, so all of them are in memory.
 */
import type { MessageBody } from '../../../message/index.ts'
import { RunError } from '../../base/errors.ts'
import { Buffer } from './buffer.ts'

export class ConfinedFiles {
  readonly #contents: ReadonlyMap<string, ArrayBuffer>

  /** @param contents by absolute path */
  constructor(contents: ReadonlyMap<string, ArrayBuffer>) {
    this.#contents = contents
  }

  /** @throws HttpcliError `unreadable-file` */
  read(path: string): Buffer {
    const content = this.#contents.get(path)
    if (content !== undefined) return Buffer.from(new Uint8Array(content))
    throw new RunError('unreadable-file', `the file ${path} is not among the files of this script`)
  }

  isFile(path: string): boolean {
    return this.#contents.has(path)
  }
}

export class ConfinedBody implements MessageBody {
  readonly contentLength: number
  readonly #bytes: Uint8Array

  /** @throws as `ConfinedFiles.read` */
  constructor(path: string, files: ConfinedFiles) {
    this.#bytes = files.read(path)
    this.contentLength = this.#bytes.length
  }

  async *open(): AsyncGenerator<Uint8Array> {
    yield this.#bytes
  }
}

/** Errors of these files need no further description. */
export function unreadable(_what: string, cause: unknown): unknown {
  return cause
}
