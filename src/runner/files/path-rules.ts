/**
 * Decides by its text alone whether a request file may name a path.
 *
 * Rules: names are compared as the most lenient file system would read them, on every platform: ignoring case, the dots
 * and spaces that Windows drops at the end of a name, a stream after a colon, and the characters that macOS ignores.
 * Network shares, streams, drive-relative paths and device names are refused on Windows, where opening one has an
 * effect outside the file system.
 */
import { basename, extname, sep } from 'node:path'

export type PathPlatform = 'posix' | 'windows'

export const pathPlatform: PathPlatform = sep === '\\' ? 'windows' : 'posix'

const windowsDevice = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\s*(?:[.:]|$)/i

/** Why a path can never name a file for a request file; undefined if it can. */
export function pathProblem(path: string, platform: PathPlatform): string | undefined {
  if (path.includes('\0')) return 'contains a NUL character'
  if (platform === 'posix') return undefined
  if (/^[\\/]{2}/.test(path)) return 'names a network share or a device'
  const names = path.replace(/^[A-Za-z]:(?=[\\/])/, '').split(/[\\/]/)
  if (names.some((name) => name.includes(':'))) return 'contains a colon, which names a drive or a stream'
  return names.some((name) => windowsDevice.test(name)) ? 'names a device' : undefined
}

/** Whether a path is the directory itself or below it. Both are real paths. */
export function isInside(path: string, directory: string, platform: PathPlatform = pathPlatform): boolean {
  const separator = platform === 'windows' ? '\\' : '/'
  const fold = (text: string): string => (platform === 'windows' ? text.toLowerCase() : text)
  const root = directory.endsWith(separator) ? directory : directory + separator
  return fold(path) === fold(directory) || fold(path).startsWith(fold(root))
}

const ignoredCharacters = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** A name as the most lenient file system reads it. */
function plainName(name: string): string {
  return name
    .replace(ignoredCharacters, '')
    .replace(/:.*$/s, '')
    .replace(/(?<![. ])[. ]+$/, '')
    .toLowerCase()
}

/** By kind: the first one that exists in a directory is used. */
export const environmentFileNames = {
  public: ['http-client.env.json', 'rest-client.env.json'],
  private: ['http-client.private.env.json', 'rest-client.private.env.json'],
} as const

const allEnvironmentFiles: ReadonlySet<string> = new Set(Object.values(environmentFileNames).flat())

/** The kind of file that responses must not be written to; undefined for any other file. @param path a real path */
export function protectedKind(path: string): string | undefined {
  const names = path.split(/[\\/]/).map(plainName)
  // `git~1` is the short name of `.git` on Windows.
  if (names.some((name) => name === '.git' || /^git~\d+$/.test(name))) return 'a file of a Git repository'
  const name = plainName(basename(path))
  if (allEnvironmentFiles.has(name)) return 'an environment file'
  return /^\.(?:http|rest)$/.test(extname(name)) || name === '.http' || name === '.rest' ? 'a request file' : undefined
}
