/**
 * A file that is there completely or not at all.
 *
 * Rules: octets go to a file beside the target and take its name when all of them are there, so that nobody ever sees
 * half a file and an old one stays until the new one is complete. A link is followed, the mode of an old file is kept.
 * What is no regular file (a pipe, a device) is written to directly: it must not be replaced.
 */
import { constants, type FileHandle, open, readlink, realpath, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { HttpcliError } from '../message/index.ts'

export class FileOutput {
  /** Octets written so far. */
  writtenBytes = 0
  readonly #file: FileHandle
  readonly #path: string
  /** Undefined where the target is written to directly. */
  readonly #partialPath: string | undefined
  #isOpen = true
  #isSettled = false

  private constructor(file: FileHandle, path: string, partialPath: string | undefined) {
    this.#file = file
    this.#path = path
    this.#partialPath = partialPath
  }

  /**
   * @param mode of a file that is new, before the mask of the process
   * @throws errors of the file system, which name the file.
   */
  static async open(path: string, mode: number = 0o666): Promise<FileOutput> {
    const old = await stat(path).catch(() => undefined)
    if (old !== undefined && !old.isFile()) return new FileOutput(await open(path, 'w'), path, undefined)
    const target = old === undefined ? await endOfLinks(path) : await realpath(path)
    const partialPath = join(dirname(target), `.${basename(target)}.${Math.random().toString(36).slice(2, 10)}.part`)
    try {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
      const file = await open(partialPath, flags, old?.mode ?? mode)
      if (old !== undefined) await copyMode(old.mode, file)
      return new FileOutput(file, target, partialPath)
    } catch (error) {
      // The person knows the target, not the name beside it.
      throw Object.assign(error as Error, { path })
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      for (let from = 0; from < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, from)
        from += bytesWritten
      }
    } catch (cause) {
      const reason = (cause as NodeJS.ErrnoException).code === 'ENOSPC' ? 'no space left on the device' : String(cause)
      throw new HttpcliError('output-failed', `cannot write to "${this.#path}": ${reason}`, { cause })
    }
    this.writtenBytes += bytes.length
  }

  /** The file takes its name. */
  async complete(): Promise<void> {
    await this.#close()
    if (this.#partialPath !== undefined) await rename(this.#partialPath, this.#path)
    this.#isSettled = true
  }

  /** Nothing is left of it. Harmless after `complete`. */
  async discard(): Promise<void> {
    if (this.#isSettled) return
    this.#isSettled = true
    try {
      await this.#close()
    } finally {
      if (this.#partialPath !== undefined) await unlink(this.#partialPath)
    }
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#file.close()
  }
}

const PERMISSIONS = 0o777

/** The mask of the process, which a file was opened under, is for new files. */
async function copyMode(mode: number, file: FileHandle): Promise<void> {
  const wanted = mode & PERMISSIONS
  if (((await file.stat()).mode & PERMISSIONS) !== wanted) await file.chmod(wanted)
}

/** As many as Linux follows. */
const MAX_LINKS = 40

/** Where a link leads that leads to nothing yet; the path itself where it is no link. */
async function endOfLinks(path: string): Promise<string> {
  let end = path
  for (let count = 0; count < MAX_LINKS; count++) {
    let link: string
    try {
      link = await readlink(end)
    } catch {
      return end
    }
    end = resolve(dirname(end), link)
  }
  throw Object.assign(new Error('ELOOP'), { code: 'ELOOP', syscall: 'open', path })
}
