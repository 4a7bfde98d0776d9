/**
 * A file below the file root that a response is saved to.
 *
 * Rules: the directory stays open from the check until the file has its name, so that both operations see the same
 * directory. If the system cannot look up names from an open directory, its path is checked again before the file gets
 * its name.
 */
import { basename, dirname, join } from 'node:path'
import type { FileOutput } from '../../message-node/index.ts'
import { ConfinedDirectory } from './confined-directory.ts'
import type { ConfinedFiles } from './confined-files.ts'

export class ConfinedOutput {
  readonly #file: FileOutput
  readonly #directory: ConfinedDirectory
  readonly #check: (realDirectory: string) => void

  private constructor(file: FileOutput, directory: ConfinedDirectory, check: (realDirectory: string) => void) {
    this.#file = file
    this.#directory = directory
    this.#check = check
  }

  /**
   * Opens a file, creating its directory if missing.
   * @param path absolute
   * @param shouldReplace whether an existing file is replaced; otherwise the new one gets a free name
   * @throws as `ConfinedFiles.writablePath`; HttpcliError `output-failed`.
   */
  static async open(path: string, shouldReplace: boolean, files: ConfinedFiles): Promise<ConfinedOutput> {
    const { FileOutput: Output } = await import('../../message-node/index.ts')
    const target = files.writablePath(path, shouldReplace)
    const check = (realDirectory: string): void => files.checkWritten(path, join(realDirectory, basename(target)))
    const directory = ConfinedDirectory.open(dirname(target), check)
    try {
      const file = await Output.open(target, { shouldKeepExisting: !shouldReplace, directory: directory.placeOf('') })
      return new ConfinedOutput(file, directory, check)
    } catch (error) {
      directory.close()
      throw error
    }
  }

  /** Until the file is complete, the path may still become a free name. */
  get path(): string {
    return this.#file.path
  }

  /** @throws HttpcliError `output-failed` */
  write(bytes: Uint8Array): Promise<void> {
    return this.#file.write(bytes)
  }

  /** @throws HttpcliError `outside-file-root`, `output-failed`; in both cases the file is removed. */
  async complete(): Promise<void> {
    try {
      this.#directory.verify(this.#check)
      await this.#file.complete()
    } catch (error) {
      await this.#file.discard()
      throw error
    } finally {
      this.#directory.close()
    }
  }

  /** Removes the file. No effect after `complete`. Never throws. */
  async discard(): Promise<void> {
    await this.#file.discard()
    this.#directory.close()
  }
}
