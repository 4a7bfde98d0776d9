/**
 * Files that a request file can name.
 *
 * Rules: only files below the file root of a run, with links resolved, so that an editor never shows a directory that a
 * run could not read.
 */
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { findFileRoot, isInside } from '../../runner/index.ts'
import type { Analysis } from '../workspace/analysis.ts'
import type { Workspace } from '../workspace/workspace.ts'

export interface Entry {
  readonly name: string
  readonly isDirectory: boolean
}

const MAX_ENTRIES = 500

/** The absolute real path of a file or directory; undefined if it does not exist or is outside the file root. */
export function confinedPath(written: string, { path }: Analysis, workspace: Workspace): string | undefined {
  try {
    const real = realpathSync.native(resolve(dirname(path), written))
    const { directory } = findFileRoot(path, {
      workingDirectory: workspace.workingDirectoryOf(path),
      environment: workspace.processEnvironment,
    })
    return directory !== undefined && isInside(real, directory) ? real : undefined
  } catch {
    return undefined
  }
}

/** The entries of a directory, directories first; none if it cannot be read. @param written relative or absolute */
export function entriesOf(written: string, analysis: Analysis, workspace: Workspace): readonly Entry[] {
  const directory = confinedPath(written === '' ? '.' : written, analysis, workspace)
  if (directory === undefined) return []
  try {
    const entries = readdirSync(directory, { withFileTypes: true })
      .slice(0, MAX_ENTRIES)
      .map((entry): Entry => {
        const isLink = entry.isSymbolicLink()
        const stats = isLink ? statSync(resolve(directory, entry.name), { throwIfNoEntry: false }) : entry
        return { name: entry.name, isDirectory: stats?.isDirectory() === true }
      })
    const rank = ({ isDirectory }: Entry): number => (isDirectory ? 0 : 1)
    return entries.toSorted((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1))
  } catch {
    return []
  }
}
