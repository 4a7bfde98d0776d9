/**
 * An open file that may be served, and the only way to get one.
 *
 * Rules: the real path decides, not the text: it must lie inside the real root and be visible, so no symbolic link leads
 * out or to a hidden name, also through a directory (unless links may be followed anywhere). It is the path of what was
 * opened, so that a link swapped in meanwhile is noticed. Only a regular file is opened, and without waiting: a FIFO,
 * socket or device is never touched. The root is resolved at each call, because deployments replace it. Whoever gets a
 * ServedFile closes it, on every way out.
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

/** `forbidden`: the process may not read it. `busy`: no descriptor or memory left at the moment. */
export type OpenFailure = 'missing' | 'forbidden' | 'busy'

/** What an errno means for the one who asked. Any other is a defect or a broken disk and is thrown. */
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

/** Windows does not know the second; there the missing flag is zero. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

const isLinux = platform() === 'linux'

/** How often a file that is being replaced is looked for again. */
const maximumAttempts = 5

/** A file that changed so short a time ago may be growing, and is in the memory of the system. */
const recentMs = 10_000

/** Octets that are read of such a file before its size is taken. */
const beginningBytes = 512

/** For contents that are copied at once. */
let sharedContent: Buffer = Buffer.alloc(0)

/** `grown`: it is longer; whether what it held is unchanged has to be looked up. */
export type Change = 'none' | 'grown' | 'other'

export class ServedFile {
  readonly sizeBytes: number
  readonly validators: Validators
  /** What the file system said of the path right before it was opened: no younger than the content. */
  readonly seen: Stats
  /** Whether any later change will show in its times. */
  readonly isSettled: boolean
  /** The first octets as they were before the size was taken; undefined where nothing changed for a while. */
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

  /** Throws where the file is released or closed. */
  get descriptor(): number {
    if (this.#descriptor === undefined) throw new Error('the file is not open')
    return this.#descriptor
  }

  /** One text for each state of a file on this machine. */
  get stateKey(): string {
    const { dev, ino, size, mtimeNs, ctimeNs } = this.#state
    return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
  }

  /** Whether the descriptor was given up until `restore`. */
  get isReleased(): boolean {
    return this.#isReleased
  }

  /**
   * What has become of the content since the file was opened, as far as the file system knows. The time of change tells
   * of writes whose modification time was set back, but moves too when a name of the file goes, as it does when it is
   * replaced.
   */
  change(): Change {
    const now = fstatSync(this.descriptor, { bigint: true })
    const { size, mtimeNs, ctimeNs, nlink } = this.#state
    if (now.size !== size) return now.size > size ? 'grown' : 'other'
    return now.mtimeNs === mtimeNs && (now.ctimeNs === ctimeNs || now.nlink !== nlink) ? 'none' : 'other'
  }

  /**
   * The whole content, to be used before the next call for any file; undefined where the file changed meanwhile. For
   * small files: it waits for the disk, and its memory stays.
   */
  readWhole(): Buffer | undefined {
    if (sharedContent.length < this.sizeBytes) sharedContent = Buffer.allocUnsafeSlow(2 * this.sizeBytes)
    const content = this.#read(sharedContent.subarray(0, this.sizeBytes))
    if (content === undefined) return undefined
    const change = this.change()
    if (change === 'none' && this.isSettled) return content
    // Where the times cannot tell, the content has to: what is read twice alike did not change in between.
    if (change === 'other' || (change === 'grown' && !this.#beginsAsBefore(content))) return undefined
    return this.#readAgain()?.equals(content) && this.change() !== 'other' ? content : undefined
  }

  /** Whether it was not written anew between the moment in which its size was taken and this one. */
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

  /** Gives up the descriptor for a while. */
  release(): void {
    this.close()
    this.#isReleased = true
  }

  /**
   * Opens the file again. False where no descriptor is left. Throws HttpcliError `file-changed` where it is another one or
   * has changed otherwise than by growing.
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

/** What a download ends with whose file is not the same any more. */
export function fileChanged(): HttpcliError {
  return new ServerError('file-changed', 'the file changed while it was being sent')
}

function isSameOrGrown(before: BigIntStats, now: BigIntStats): boolean {
  if (before.dev !== now.dev || before.ino !== now.ino) return false
  return now.size > before.size || (['size', 'mtimeNs', 'ctimeNs'] as const).every((key) => before[key] === now[key])
}

/** What the file system says of a file, in the order in which it was asked. */
interface OpenedState {
  readonly seen: Stats
  readonly beginning: Buffer | undefined
  readonly state: BigIntStats
}

/** A directory that may be shown. */
export interface ServedDirectory {
  /** Absolute and resolved. */
  readonly path: string
}

/** Where and what is served. */
export interface ServedTree {
  /** Absolute path of the served directory. */
  readonly root: string
  readonly visibility: Visibility
}

export type OpenOutcome = ServedFile | ServedDirectory | OpenFailure

/** Opens `names` below the root. Throws on what no table row explains, such as EIO. */
export function openServedFile(tree: ServedTree, names: readonly string[], nowMs: number): OpenOutcome {
  try {
    for (let attempt = 1; attempt <= maximumAttempts; attempt++) {
      const outcome = tryOpen(tree, names, nowMs)
      if (outcome !== 'moved') return outcome
    }
    return 'busy'
  } catch (error) {
    const failure = failureOf(error)
    if (failure === undefined) throw error
    return failure
  }
}

/** What a file-system error means for the one who asked; undefined where it is not his business. */
export function failureOf(error: unknown): OpenFailure | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return code === undefined ? undefined : failureByErrno[code]
}

function tryOpen(tree: ServedTree, names: readonly string[], nowMs: number): OpenOutcome | 'moved' {
  const { root, visibility } = tree
  const path = join(root, ...names)
  const seen = statSync(path, { throwIfNoEntry: false })
  if (seen === undefined) return 'missing'
  if (seen.isDirectory()) {
    const realPath = realpathSync.native(path)
    return isServed(root, realPath, visibility) ? { path: realPath } : 'missing'
  }
  if (!seen.isFile()) return 'missing'
  const descriptor = openSync(path, openFlags)
  let isKept = false
  try {
    const opened = fstatSync(descriptor, { bigint: true })
    const isSeen = opened.isFile() && Number(opened.dev) === seen.dev && Number(opened.ino) === seen.ino
    if (!isSeen || opened.nlink === 0n) return 'moved'
    if (!isServed(root, pathOfDescriptor(descriptor, path), visibility)) return 'missing'
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
  // What a resolved path begins with is resolved too: only a root that is a link itself has to be asked for.
  const names = namesBelowRoot(root, realPath) ?? namesBelowRoot(realpathSync.native(root), realPath)
  if (visibility.followSymlinks) return names?.length !== 1 || !isRulesFile(names[0]!)
  return names !== undefined && isVisiblePath(names, visibility)
}

/**
 * Where an open file lies. Linux knows it of the descriptor itself, whatever is renamed meanwhile; elsewhere the path is
 * resolved once more, which leaves a gap of microseconds to one who may write into the served directory.
 */
function pathOfDescriptor(descriptor: number, openedPath: string): string {
  try {
    if (isLinux) return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch (error) {
    // No /proc, as in some sandboxes.
    if (failureOf(error) === undefined) throw error
  }
  return realpathSync.native(openedPath)
}

/** The names of `path` below `root`, undefined where it lies elsewhere. A sibling `root2` is elsewhere. */
function namesBelowRoot(root: string, path: string): readonly string[] | undefined {
  if (path === root) return []
  const prefix = root.endsWith(sep) ? root : root + sep
  return path.startsWith(prefix) ? path.slice(prefix.length).split(sep) : undefined
}
