/**
 * Names for complete files: the requested name, or the first free one if an existing file must be kept.
 *
 * Rules: a name is claimed in one step that fails if it already exists, because another process may write the same file
 * at the same time. A new name is flushed to the disk together with its directory.
 */
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'

/** The last number used for a path, so that thousands of files with one name do not try all of them again. */
const lastNumbers: Map<string, number> = new Map()
const MAX_NUMBERED = 1000

/**
 * Moves the partial file to the path, or if that is taken to the first free name with -1, -2, … before the extension.
 */
export async function takeFreeName(partialPath: string, path: string, directory: string): Promise<string> {
  const take = (name: string): Promise<boolean> => takeName(partialPath, join(directory, basename(name)))
  if (await take(path)) return path
  const extension = extname(path)
  const stem = path.slice(0, path.length - extension.length)
  for (let number = (lastNumbers.get(path) ?? 0) + 1; ; number++) {
    const numbered = `${stem}-${number}${extension}`
    if (!(await take(numbered))) continue
    if (lastNumbers.size >= MAX_NUMBERED) lastNumbers.clear()
    lastNumbers.set(path, number)
    return numbered
  }
}

/** @returns false if the name is taken. A rename would replace a file that another process has put there. */
async function takeName(partialPath: string, path: string): Promise<boolean> {
  try {
    await link(partialPath, path)
    await unlink(partialPath)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (!withoutLinks.has(code)) throw error
  }
  try {
    await (await open(path, 'wx')).close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  await rename(partialPath, path)
  return true
}

/** Errors of file systems without hard links. */
const withoutLinks: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Ensures that the new name survives a power failure. */
export async function syncDirectory(path: string): Promise<void> {
  let directory: FileHandle
  try {
    directory = await open(path, 'r')
  } catch {
    // Windows cannot open directories, and a directory may allow new files but no listing.
    return
  }
  try {
    await directory.sync().catch(unlessUnsupported)
  } finally {
    await directory.close()
  }
}

const unsupported: ReadonlySet<string | undefined> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EPERM'])

/** Some file systems cannot flush on request. */
export function unlessUnsupported(error: NodeJS.ErrnoException): void {
  if (!unsupported.has(error.code)) throw error
}
