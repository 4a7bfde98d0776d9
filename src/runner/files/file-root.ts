/**
 * The file root of a run: the directory that contains all files that a request file may use.
 *
 * Rules: the file root is the directory that the user names. Otherwise it is the nearest directory from the request
 * file upwards that has a `.git` with a trusted owner; otherwise the working directory, if the request file is below
 * it; otherwise the directory of the request file. A home directory, or a directory that contains one, is never the
 * root: if no other directory is left, no file can be used.
 */
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { getBuiltinModule } from 'node:process'
import type { HttpcliError } from '../../message/index.ts'
import { unreadableFile } from '../../message-node/index.ts'
import { RunError } from '../base/errors.ts'
import { optionHints } from '../base/option-hints.ts'
import { distrustOf, ownersFor } from './file-trust.ts'
import { isInside } from './path-rules.ts'

export interface FileRoot {
  /** A real path; undefined if no file can be used. */
  readonly directory: string | undefined
  /** Whether the user named it. */
  readonly isExplicit: boolean
  /** Files that would have defined the root, but are not trusted. */
  readonly warnings: readonly HttpcliError[]
}

export interface FileRootOptions {
  /** Given by the user. Absolute. */
  readonly fileRoot?: string | undefined
  readonly workingDirectory?: string | undefined
  /** Variables of the process, for the home directory. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
}

/**
 * The file root for a request file.
 * @param requestFile absolute path
 * @throws HttpcliError `invalid-file-root` if the given directory cannot be used.
 */
export function findFileRoot(requestFile: string, options: FileRootOptions = {}): FileRoot {
  if (options.fileRoot !== undefined)
    return { directory: explicitDirectory(options.fileRoot), isExplicit: true, warnings: [] }
  const own = realPathOf(dirname(requestFile))
  const { directory: repository, warnings } = repositoryOf(own, requestFile)
  const working = options.workingDirectory === undefined ? undefined : realPathOf(options.workingDirectory)
  const candidates = [repository, working !== undefined && isInside(own, working) ? working : undefined, own]
  let found: { readonly directory: string | undefined } | undefined
  return {
    // Resolved on first use: a run that uses no file need not read the system's list of users.
    get directory() {
      found ??= { directory: firstAllowed(candidates, homeDirectories(options.environment ?? {})) }
      return found.directory
    },
    isExplicit: false,
    warnings,
  }
}

function firstAllowed(candidates: readonly (string | undefined)[], homes: readonly string[]): string | undefined {
  return candidates.find((each) => each !== undefined && !homes.some((home) => isInside(home, each)))
}

function explicitDirectory(path: string): string {
  let real: string | undefined
  try {
    real = realpathSync.native(path)
  } catch (cause) {
    throw new RunError('invalid-file-root', ...unreadableFile(`the file root ${path}`, cause))
  }
  if (statSync(real).isDirectory()) return real
  throw new RunError('invalid-file-root', `the file root ${path} is not a directory`)
}

type Repository = Omit<FileRoot, 'isExplicit'>

/** The nearest directory with a `.git`: a directory, or the file of a worktree or a submodule. */
function repositoryOf(start: string, requestFile: string): Repository {
  const warnings: HttpcliError[] = []
  for (let directory = start; ; directory = dirname(directory)) {
    const path = join(directory, '.git')
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
      const reason = distrust(path, requestFile)
      if (reason === undefined) return { directory, warnings }
      const message = `${path} is ignored and does not define the file root: ${reason}`
      warnings.push(new RunError('untrusted-file', message, { hint: optionHints.untrustedRepository }))
    }
    if (dirname(directory) === directory) return { directory: undefined, warnings }
  }
}

function distrust(path: string, requestFile: string): string | undefined {
  try {
    return distrustOf(path, ownersFor(requestFile))
  } catch (error) {
    return `it cannot be read (${(error as NodeJS.ErrnoException).code})`
  }
}

/** The root directory of the system contains every home directory. */
function homeDirectories(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const named = [environment.HOME, environment.USERPROFILE, homeOfUser()]
  return [resolve('/'), ...named.flatMap((home) => (home ? [realPathOf(resolve(home))] : []))]
}

function homeOfUser(): string | undefined {
  try {
    return getBuiltinModule('node:os').userInfo().homedir
  } catch {
    // In some containers the user has no passwd entry.
    return undefined
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
