/** Creates directories for files that are about to be written. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a directory and its parents. Does not use the platform's `recursive` option, which never returns where the
 * system refuses new directories, as in /proc.
 * @throws errors of the file system, which name the directory that cannot be created.
 */
export function makeDirectory(path: string): void {
  if (isExistingDirectory(path)) return
  if (dirname(path) !== path) makeDirectory(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process created it in the meantime.
    if (!isExistingDirectory(path)) throw error
  }
}

export function isExistingDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
