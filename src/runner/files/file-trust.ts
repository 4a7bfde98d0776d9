/**
 * Decides whether a file that was found, not named by the user, may affect the run of a request file.
 *
 * Rules: it must belong to the owner of the request file, to the user or to root, and must not be writable by every
 * user. For a link this applies to the link and to its target. Permissions on Windows are different, so there every
 * file is trusted.
 */
import { lstatSync, type Stats, statSync } from 'node:fs'
import process from 'node:process'
import { pathPlatform } from './path-rules.ts'

const ROOT_USER = 0
const WRITABLE_BY_ALL = 0o002

export interface Owners {
  readonly ids: ReadonlySet<number>
}

/** The trusted owners of files for a request file. @param requestFile absolute; need not exist */
export function ownersFor(requestFile: string): Owners {
  const owner = statSync(requestFile, { throwIfNoEntry: false })?.uid
  return { ids: new Set([ROOT_USER, ...(owner === undefined ? [] : [owner]), ...currentUser()]) }
}

/** Why a file is not trusted; undefined if it is. @throws errors of the file system */
export function distrustOf(path: string, owners: Owners): string | undefined {
  const link = lstatSync(path)
  return distrustOfStats(link, owners) ?? (link.isSymbolicLink() ? distrustOfStats(statSync(path), owners) : undefined)
}

/** Like `distrustOf`, for an open file. */
export function distrustOfStats(stats: Stats, { ids }: Owners): string | undefined {
  if (pathPlatform === 'windows') return undefined
  if (!ids.has(stats.uid)) {
    return `it belongs to another user (${stats.uid}), not to the owner of the request file, to you or to root`
  }
  // The permissions of a link itself are meaningless.
  const isWritable = !stats.isSymbolicLink() && (stats.mode & WRITABLE_BY_ALL) !== 0
  return isWritable ? 'every user may write to it' : undefined
}

/** Empty on Windows. */
function currentUser(): readonly number[] {
  const { geteuid } = process
  return geteuid === undefined ? [] : [geteuid()]
}
