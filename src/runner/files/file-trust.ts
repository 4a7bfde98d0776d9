/**
 * Whether a file that was found, and not named, may decide how a request file is run.
 *
 * Rules: it belongs to the owner of the request file, to the user or to root, and not every user may write to it. For a
 * link this holds for the link and for what it leads to. Windows, whose permissions have another form, has no such rule.
 */
import { lstatSync, type Stats, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { pathPlatform } from './path-rules.ts'

const ROOT_USER = 0
const WRITABLE_BY_ALL = 0o002

export interface Owners {
  readonly ids: ReadonlySet<number>
}

/** Those whose files count beside a request file. @param requestFile absolute; need not exist */
export function ownersFor(requestFile: string): Owners {
  const owner = statSync(requestFile, { throwIfNoEntry: false })?.uid
  return { ids: new Set([ROOT_USER, ...(owner === undefined ? [] : [owner]), ...currentUser()]) }
}

/** Why a file does not count; undefined where it does. @throws errors of the file system */
export function distrustOf(path: string, owners: Owners): string | undefined {
  const link = lstatSync(path)
  return distrustOfStats(link, owners) ?? (link.isSymbolicLink() ? distrustOfStats(statSync(path), owners) : undefined)
}

/** The same for a file that is open. */
export function distrustOfStats(stats: Stats, { ids }: Owners): string | undefined {
  if (pathPlatform === 'windows') return undefined
  if (!ids.has(stats.uid)) {
    return `it belongs to another user (${stats.uid}), not to the owner of the request file, to you or to root`
  }
  // The permissions of a link mean nothing.
  const isWritable = !stats.isSymbolicLink() && (stats.mode & WRITABLE_BY_ALL) !== 0
  return isWritable ? 'every user may write to it' : undefined
}

/** Empty where the system does not know the user, as in some containers. */
function currentUser(): readonly number[] {
  try {
    return [userInfo().uid]
  } catch {
    return [statSync('/proc/self', { throwIfNoEntry: false })?.uid ?? []].flat()
  }
}
