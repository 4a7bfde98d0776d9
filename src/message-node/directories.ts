/** Directories for files that are about to be written. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a directory, with those above it. Not by `recursive` of the platform: where the system refuses new directories,
 * as in /proc, it tries for ever.
 * @throws errors of the file system, which name the directory that cannot be made.
 */
export function makeDirectory(path: string): void {
  if (isDirectory(path)) return
  if (dirname(path) !== path) makeDirectory(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Somebody else made it meanwhile.
    if (!isDirectory(path)) throw error
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
