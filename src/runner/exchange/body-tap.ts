/**
 * Destinations for the bytes of a response body besides its reader: files, lines for a script.
 *
 * Rules: a tap takes each piece before the next is read, so nothing accumulates. `end` is called once, when the body is
 * complete or was stopped on purpose; if it was truncated, `fail` is called instead.
 */
import { decodeContent } from '../../message/index.ts'
import type { ConfinedFiles } from '../files/confined-files.ts'
import { ConfinedOutput } from '../files/confined-output.ts'

export interface BodyTap {
  write(bytes: Uint8Array): Promise<void>
  end(): Promise<void>
  fail(): Promise<void>
}

/** Decodes content codings before bytes are passed on. @throws HttpcliError `content-coding` from `write` and `end`. */
export function decodingTap(codings: readonly string[], tap: BodyTap): BodyTap {
  if (codings.length === 0) return tap
  const handover = new Handover()
  const work = (async () => {
    await import('../../message-node/index.ts')
    for await (const piece of decodeContent(handover, codings)) await tap.write(piece)
    await tap.end()
  })()
  work.catch((error: unknown) => handover.abandon(error))
  return {
    write: (bytes) => handover.give(bytes),
    end: async () => {
      handover.close()
      await work
    },
    fail: async () => {
      handover.close()
      await work.catch(() => undefined)
      await tap.fail()
    },
  }
}

/** Passes one piece at a time from the writer to the reader. */
class Handover implements AsyncIterable<Uint8Array> {
  #piece: Uint8Array | undefined
  #isClosed = false
  #failure: { readonly error: unknown } | undefined
  #wakeWriter: () => void = () => undefined
  #wakeReader: () => void = () => undefined

  async give(bytes: Uint8Array): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error
    this.#piece = bytes
    this.#wakeReader()
    await new Promise<void>((resolve) => {
      this.#wakeWriter = resolve
    })
    // Only now is it known whether the reader wants another piece or has failed.
    if (this.#failure !== undefined) throw (this.#failure as { readonly error: unknown }).error
  }

  close(): void {
    this.#isClosed = true
    this.#wakeReader()
  }

  /** The reader stops reading. */
  abandon(error: unknown): void {
    this.#failure = { error }
    this.#wakeWriter()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.#piece !== undefined) {
        const piece = this.#piece
        this.#piece = undefined
        yield piece
        this.#wakeWriter()
      } else if (this.#isClosed) return
      else {
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve
        })
      }
    }
  }
}

export interface FileTap extends BodyTap {
  /** Absolute. Final after `end`: a file that must not replace another one gets a free name. */
  readonly path: string
}

/**
 * Writes bytes to a file below the file root, atomically. Its directory is created.
 * @param before bytes at the beginning of the file
 * @throws as `ConfinedOutput.open`
 */
export async function fileTap(
  path: string,
  shouldReplace: boolean,
  files: ConfinedFiles,
  before: readonly Uint8Array[] = [],
): Promise<FileTap> {
  const file = await ConfinedOutput.open(path, shouldReplace, files)
  try {
    for (const bytes of before) await file.write(bytes)
  } catch (error) {
    await file.discard()
    throw error
  }
  return {
    get path() {
      return file.path
    },
    write: (bytes) => file.write(bytes),
    end: () => file.complete(),
    fail: () => file.discard(),
  }
}
