/**
 * A directory below the file root that stays open while a file in it is written.
 *
 * Rules: on Linux, names are looked up from the descriptor (`/proc/self/fd/N/name`), so replacing the directory with a
 * link has no effect. Elsewhere the real path is checked again when the file is complete. Missing directories are
 * created one by one, each inside a directory that has been checked.
 */
import { closeSync, constants, mkdirSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants

/** The path that a descriptor was opened for; undefined if the system does not report it. */
export function pathOfDescriptor(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return undefined
  }
}

export class ConfinedDirectory {
  /** A real path. */
  readonly path: string
  #descriptor: number | undefined

  private constructor(path: string, descriptor: number | undefined) {
    this.path = path
    this.#descriptor = descriptor
  }

  /**
   * Opens a directory, creating it if missing.
   * @param path without links, as far as it exists
   * @param check throws if the real path of the opened directory is not allowed
   * @throws errors of `check`; errors of the file system.
   */
  static open(path: string, check: (realPath: string) => void): ConfinedDirectory {
    if (statSync(path, { throwIfNoEntry: false }) !== undefined || dirname(path) === path) {
      return ConfinedDirectory.#opened(path, path, check)
    }
    const parent = ConfinedDirectory.open(dirname(path), check)
    try {
      const place = parent.placeOf(basename(path))
      makeDirectory(place)
      return ConfinedDirectory.#opened(place, join(parent.path, basename(path)), check)
    } finally {
      parent.close()
    }
  }

  static #opened(place: string, path: string, check: (realPath: string) => void): ConfinedDirectory {
    const descriptor = openDirectory(place)
    const directory = new ConfinedDirectory(path, descriptor)
    try {
      directory.verify(check)
      return directory
    } catch (error) {
      directory.close()
      throw error
    }
  }

  /** A path to a name in this directory that follows no link. */
  placeOf(name: string): string {
    return join(this.#descriptor === undefined ? this.path : `/proc/self/fd/${this.#descriptor}`, name)
  }

  /** @throws errors of `check` for the directory as it is now; errors of the file system. */
  verify(check: (realPath: string) => void): void {
    const opened = this.#descriptor === undefined ? undefined : pathOfDescriptor(this.#descriptor)
    check(opened ?? realpathSync.native(this.path))
  }

  /** No effect if it is already closed. */
  close(): void {
    if (this.#descriptor === undefined) return
    closeSync(this.#descriptor)
    this.#descriptor = undefined
  }
}

/** Undefined if names cannot be looked up from a descriptor. */
function openDirectory(path: string): number | undefined {
  if (!hasDescriptorPaths()) return undefined
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    // The directory may be searchable but not readable.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return undefined
    throw error
  }
}

let descriptorPaths: boolean | undefined

function hasDescriptorPaths(): boolean {
  descriptorPaths ??= statSync('/proc/self/fd', { throwIfNoEntry: false })?.isDirectory() === true
  return descriptorPaths
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    // Another program created it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
