/**
 * Writes a file atomically: it appears completely or not at all.
 *
 * Rules: bytes go to a partial file in the same directory (partial-files.ts), which takes the target's name when all
 * bytes are on the disk. Readers never see half a file, and after a crash or a power failure either the old file or the
 * new one exists. A symbolic link is followed; an old file's mode and, if allowed, its owner are kept. A read-only file
 * is not replaced. A target that is not a regular file (a pipe, a device) is written to directly, and so are this
 * process's open files (`/dev/stdout`): replacing them would lose what others write to them.
 */
import { rename, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { HttpcliError } from '../message/index.ts'
import { syncDirectory, takeFreeName, unlessUnsupported } from './file-names.ts'
import { type FileOutputOptions, type OutputTarget, openTarget, type Sink } from './output-target.ts'
import { forgetPartial } from './partial-files.ts'
import { outputFailure } from './system-reasons.ts'

export class FileOutput {
  /** Bytes written so far. */
  writtenBytes = 0
  readonly #sink: Sink
  readonly #partialPath: string | undefined
  readonly #shouldKeepExisting: boolean
  readonly #directory: string
  #path: string
  #isFlushed = false
  #isSettled = false

  private constructor({ sink, path, partialPath, directory }: OutputTarget, shouldKeepExisting: boolean) {
    this.#sink = sink
    this.#path = path
    this.#partialPath = partialPath
    this.#directory = directory
    this.#shouldKeepExisting = shouldKeepExisting
  }

  /** @throws HttpcliError `output-failed`, which names the file. */
  static async open(path: string, options: FileOutputOptions = {}): Promise<FileOutput> {
    try {
      return new FileOutput(await openTarget(path, options), options.shouldKeepExisting === true)
    } catch (error) {
      throw error instanceof HttpcliError ? error : outputFailure(path, error)
    }
  }

  /** The file that is written; with `shouldKeepExisting` its name is known only after `complete`. */
  get path(): string {
    return this.#path
  }

  /** @throws HttpcliError `output-failed` */
  async write(bytes: Uint8Array): Promise<void> {
    try {
      for (let from = 0; from < bytes.length; ) {
        const { bytesWritten } = await this.#sink.write(bytes, from)
        from += bytesWritten
      }
    } catch (error) {
      throw outputFailure(this.#path, error)
    }
    this.writtenBytes += bytes.length
  }

  /** Flushes everything to the disk; nothing more is written. @throws HttpcliError `output-failed` */
  async flush(): Promise<void> {
    if (this.#isFlushed) return
    this.#isFlushed = true
    try {
      if (this.#partialPath !== undefined) await this.#sink.sync().catch(unlessUnsupported)
    } catch (error) {
      await this.#sink.close().catch(() => undefined)
      throw outputFailure(this.#path, error)
    }
    await this.#sink.close().catch((error: unknown) => {
      throw outputFailure(this.#path, error)
    })
  }

  /** Gives the file its name; if that fails, the file is removed. @throws HttpcliError `output-failed` */
  async complete(): Promise<void> {
    try {
      await this.flush()
      if (this.#partialPath === undefined) return
      if (this.#shouldKeepExisting) this.#path = await takeFreeName(this.#partialPath, this.#path, this.#directory)
      else await rename(this.#partialPath, join(this.#directory, basename(this.#path)))
      forgetPartial(this.#partialPath)
      this.#isSettled = true
      await syncDirectory(this.#directory)
    } catch (error) {
      await this.discard()
      throw error instanceof HttpcliError ? error : outputFailure(this.#path, error)
    }
  }

  /** Removes the file. No effect after `complete`. Never throws. */
  async discard(): Promise<void> {
    if (this.#isSettled) return
    this.#isSettled = true
    if (!this.#isFlushed) await this.#sink.close().catch(() => undefined)
    this.#isFlushed = true
    if (this.#partialPath === undefined) return
    // A file that cannot be deleted now is deleted when the process exits.
    await unlink(this.#partialPath).then(
      () => forgetPartial(this.#partialPath as string),
      () => undefined,
    )
  }
}
