/**
 * An open file that may be served, and the only way to get one.
 *
 * Rules: the real path decides, not the text: it must be inside the real root and be visible, so no symbolic link leads
 * out or to a hidden name, even through a directory (unless links may be followed anywhere). The path of the opened
 * file is checked, so that a link swapped in the meantime is noticed. Only a regular file is opened, and without
 * blocking: a FIFO, socket or device is never touched. The root is resolved for each call, because deployments replace
 * it; a file that was opened below the old root is opened again below the new one. The caller closes a ServedFile on
 * every path.
 */

import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { platform } from 'node:os'
import { join, sep } from 'node:path'
import type { HttpcliError } from '../../message/index.ts'
import { isRacy, type Validators, validatorsOf } from '../semantics/conditional.ts'
import { ServerError } from '../semantics/errors.ts'
import { isRulesFile, isVisiblePath, type Visibility } from '../semantics/url-path.ts'

/** `forbidden`: the process may not read the file. `busy`: no descriptor or memory is available at the moment. */
export type OpenFailure = 'missing' | 'forbidden' | 'busy'

/** The failure for each errno. Any other is a defect or a broken disk and is thrown. */
const failureByErrno: Readonly<Record<string, OpenFailure>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  ELOOP: 'missing',
  ENAMETOOLONG: 'missing',
  EINVAL: 'missing',
  ENXIO: 'missing',
  ENODEV: 'missing',
  EISDIR: 'missing',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
  EMFILE: 'busy',
  ENFILE: 'busy',
  ENOMEM: 'busy',
  EAGAIN: 'busy',
}

/** Windows does not have O_NONBLOCK; zero replaces it. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

const isLinux = platform() === 'linux'

/** How often opening a file that is being replaced is retried. */
const maximumAttempts = 5

/** A file that changed more recently may be growing, and is in the system's page cache. */
const recentMs = 10_000

/** Bytes that are read from such a file before its size is determined. */
const beginningBytes = 512

/** Shared buffer for content that the caller copies immediately. */
let sharedContent: Buffer = Buffer.alloc(0)

/** `grown`: the file is longer; the caller has to check that its earlier content is unchanged. */
export type Change = 'none' | 'grown' | 'other'

export class ServedFile {
  readonly sizeBytes: number
  readonly validators: Validators
  /** The stat of the path right before it was opened: not newer than the content. */
  readonly seen: Stats
  /** Whether any later change will show in its times. */
  readonly isSettled: boolean
  /** The first bytes, read before the size was determined; undefined if the file had not changed recently. */
  readonly beginning: Buffer | undefined
  readonly #state: BigIntStats
  readonly #reopen: () => OpenOutcome
  #descriptor: number | undefined
  #isReleased = false

  /** `reopen`: opens the same path again. */
  constructor(descriptor: number, { state, seen, beginning }: OpenedState, nowMs: number, reopen: () => OpenOutcome) {
    this.#descriptor = descriptor
    this.#reopen = reopen
    this.beginning = beginning
    this.sizeBytes = Number(state.size)
    this.validators = validatorsOf(state, nowMs)
    this.seen = seen
    this.isSettled = !isRacy(state, nowMs)
    this.#state = state
  }

  /** Throws if the file is released or closed. */
  get descriptor(): number {
    if (this.#descriptor === undefined) throw new Error('the file is not open')
    return this.#descriptor
  }

  /** One text for each state of a file on this machine. */
  get stateKey(): string {
    const { dev, ino, size, mtimeNs, ctimeNs } = this.#state
    return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
  }

  /** Whether the descriptor was released until `restore`. */
  get isReleased(): boolean {
    return this.#isReleased
  }

  /**
   * How the content has changed since the file was opened, as far as the file system knows. The time of change covers
   * writes whose modification time was set back, but also changes when a name of the file is removed, as when it is
   * replaced.
   */
  change(): Change {
    const now = fstatSync(this.descriptor, { bigint: true })
    const { size, mtimeNs, ctimeNs, nlink } = this.#state
    if (now.size !== size) return now.size > size ? 'grown' : 'other'
    return now.mtimeNs === mtimeNs && (now.ctimeNs === ctimeNs || now.nlink !== nlink) ? 'none' : 'other'
  }

  /**
   * Reads the whole content, which is valid until the next call for any file; undefined if the file has changed in the
   * meantime. For small files: it blocks on the disk, and the buffer is never freed.
   */
  readWhole(): Buffer | undefined {
    if (sharedContent.length < this.sizeBytes) sharedContent = Buffer.allocUnsafeSlow(2 * this.sizeBytes)
    const content = this.#read(sharedContent.subarray(0, this.sizeBytes))
    if (content === undefined) return undefined
    const change = this.change()
    if (change === 'none' && this.isSettled) return content
    // If the times are inconclusive, the content decides: it did not change if two reads are equal.
    if (change === 'other' || (change === 'grown' && !this.#beginsAsBefore(content))) return undefined
    return this.#readAgain()?.equals(content) && this.change() !== 'other' ? content : undefined
  }

  /** Whether the content still begins as it did before its size was determined. */
  #beginsAsBefore(content: Buffer): boolean {
    return this.beginning?.equals(content.subarray(0, this.beginning.length)) ?? false
  }

  #readAgain(): Buffer | undefined {
    return this.#read(Buffer.allocUnsafeSlow(this.sizeBytes))
  }

  #read(content: Buffer): Buffer | undefined {
    let position = 0
    while (position < this.sizeBytes) {
      const count = readSync(this.descriptor, content, position, this.sizeBytes - position, position)
      if (count === 0) return undefined
      position += count
    }
    return content
  }

  /** Releases the descriptor for a while. */
  release(): void {
    this.close()
    this.#isReleased = true
  }

  /**
   * Opens the file again. Returns false if no descriptor is left. Throws HttpcliError `file-changed` if it is another
   * file or has changed in any way other than growing.
   */
  restore(): boolean {
    const outcome = this.#reopen()
    if (outcome === 'busy') return false
    if (!(outcome instanceof ServedFile)) throw fileChanged()
    if (!isSameOrGrown(this.#state, outcome.#state)) {
      outcome.close()
      throw fileChanged()
    }
    this.#descriptor = outcome.#descriptor
    this.#isReleased = false
    return true
  }

  /** May be called more than once. */
  close(): void {
    if (this.#descriptor === undefined) return
    closeSync(this.#descriptor)
    this.#descriptor = undefined
  }
}

/** The error of a download whose file has changed. */
export function fileChanged(): HttpcliError {
  return new ServerError('file-changed', 'the file changed while it was being sent')
}

function isSameOrGrown(before: BigIntStats, now: BigIntStats): boolean {
  if (before.dev !== now.dev || before.ino !== now.ino) return false
  return now.size > before.size || (['size', 'mtimeNs', 'ctimeNs'] as const).every((key) => before[key] === now[key])
}

/** The results of the file system for a file, in the order of the calls. */
interface OpenedState {
  readonly seen: Stats
  readonly beginning: Buffer | undefined
  readonly state: BigIntStats
}

/** A directory that may be listed. */
export interface ServedDirectory {
  /** Absolute and resolved. */
  readonly path: string
  /** The resolved root that it is below: a root that is a link may be replaced at any time. */
  readonly root: string
}

/** The served directory and its visible files. */
export interface ServedTree {
  /** Absolute path of the served directory. */
  readonly root: string
  readonly visibility: Visibility
}

export type OpenOutcome = ServedFile | ServedDirectory | OpenFailure

/** Opens `names` below the root. Throws errors that the table does not contain, such as EIO. */
export function openServedFile(tree: ServedTree, names: readonly string[], nowMs: number): OpenOutcome {
  let current = tree
  try {
    for (let attempt = 1; attempt <= maximumAttempts; attempt++) {
      const outcome = tryOpen(current, names, nowMs)
      if (outcome !== 'moved' && outcome !== 'outside') return outcome
      if (outcome === 'moved') continue
      // A root that is a link may have been replaced while the file was opened: its target may not.
      const root = realpathSync.native(tree.root)
      if (root === current.root) return 'missing'
      current = { ...tree, root }
    }
    return 'busy'
  } catch (error) {
    const failure = failureOf(error)
    if (failure === undefined) throw error
    return failure
  }
}

/** The failure that a file-system error means for the client; undefined for any other error. */
export function failureOf(error: unknown): OpenFailure | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return code === undefined ? undefined : failureByErrno[code]
}

/** `moved`: the file was replaced in the meantime. `outside`: the real path may not be served. */
function tryOpen(tree: ServedTree, names: readonly string[], nowMs: number): OpenOutcome | 'moved' | 'outside' {
  const { root, visibility } = tree
  const path = join(root, ...names)
  const seen = statSync(path, { throwIfNoEntry: false })
  if (seen === undefined) return 'missing'
  if (seen.isDirectory()) {
    const realPath = realpathSync.native(path)
    const realRoot = namesBelowRoot(root, realPath) === undefined ? realpathSync.native(root) : root
    return isServed(realRoot, realPath, visibility) ? { path: realPath, root: realRoot } : 'outside'
  }
  if (!seen.isFile()) return 'missing'
  const descriptor = openSync(path, openFlags)
  let isKept = false
  try {
    const opened = fstatSync(descriptor, { bigint: true })
    const isSeen = opened.isFile() && Number(opened.dev) === seen.dev && Number(opened.ino) === seen.ino
    if (!isSeen || opened.nlink === 0n) return 'moved'
    if (!isServed(root, pathOfDescriptor(descriptor, path), visibility)) return 'outside'
    const isRecent = nowMs - seen.ctimeMs < recentMs
    const beginning = isRecent ? readBeginning(descriptor) : undefined
    const state = isRecent ? fstatSync(descriptor, { bigint: true }) : opened
    isKept = true
    return new ServedFile(descriptor, { seen, beginning, state }, nowMs, () => openServedFile(tree, names, nowMs))
  } finally {
    if (!isKept) closeSync(descriptor)
  }
}

function readBeginning(descriptor: number): Buffer {
  const beginning = Buffer.alloc(beginningBytes)
  return beginning.subarray(0, readSync(descriptor, beginning, 0, beginningBytes, 0))
}

export function isServed(root: string, realPath: string, visibility: Visibility): boolean {
  // The beginning of a resolved path is resolved too: the root is resolved only if it is a link itself.
  const names = namesBelowRoot(root, realPath) ?? namesBelowRoot(realpathSync.native(root), realPath)
  if (visibility.allowsOutsideSymlinks) return names?.length !== 1 || !isRulesFile(names[0]!)
  return names !== undefined && isVisiblePath(names, visibility)
}

/**
 * The path of an open file. Linux knows it from the descriptor itself, regardless of renames; elsewhere the path is
 * resolved again, which leaves a gap of microseconds to a writer of the served directory.
 */
function pathOfDescriptor(descriptor: number, openedPath: string): string {
  try {
    if (isLinux) return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch (error) {
    // Some sandboxes have no /proc.
    if (failureOf(error) === undefined) throw error
  }
  return realpathSync.native(openedPath)
}

/** The names of `path` below `root`, undefined if it is elsewhere. A sibling `root2` is elsewhere. */
function namesBelowRoot(root: string, path: string): readonly string[] | undefined {
  if (path === root) return []
  const prefix = root.endsWith(sep) ? root : root + sep
  return path.startsWith(prefix) ? path.slice(prefix.length).split(sep) : undefined
}
