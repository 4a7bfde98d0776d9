/**
 * An open file that may be served, and the only way to get one.
 *
 * Rules: the real path decides, not the text: it must lie inside the real root and be visible, so no symbolic link leads
 * out or to a hidden name, also through a directory. Once it is open, the file must be the one that was judged and lie
 * where it was judged, so that a link swapped in between is noticed. Only a regular file is opened, and without
 * waiting: a FIFO, socket or device is never touched. The root is resolved at each call, because deployments replace it.
 * Whoever gets a ServedFile closes it, on every way out.
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
  statSync,
} from 'node:fs'
import { platform } from 'node:os'
import { join, sep } from 'node:path'
import { type Validators, validatorsOf } from './conditional.ts'
import { isVisiblePath } from './url-path.ts'

/** `forbidden`: the process may not read it. `busy`: no descriptor or memory left at the moment. */
export type OpenFailure = 'directory' | 'missing' | 'forbidden' | 'busy'

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

/** Windows has neither; there the missing flags are zero. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** How often a file that is being replaced is looked for again. */
const maximumAttempts = 5

export class ServedFile {
  readonly descriptor: number
  readonly sizeBytes: number
  readonly validators: Validators
  readonly #state: BigIntStats
  #isOpen = true

  constructor(descriptor: number, state: BigIntStats, nowMs: number) {
    this.descriptor = descriptor
    this.sizeBytes = Number(state.size)
    this.validators = validatorsOf(state, nowMs)
    this.#state = state
  }

  /**
   * Whether the content still is what it was when the file was opened. The time of change tells of writes whose
   * modification time was set back, but moves too when a name of the file goes, as it does when it is replaced.
   */
  isUnchanged(): boolean {
    const now = fstatSync(this.descriptor, { bigint: true })
    const { size, mtimeNs, ctimeNs, nlink } = this.#state
    return now.size === size && now.mtimeNs === mtimeNs && (now.ctimeNs === ctimeNs || now.nlink !== nlink)
  }

  /** Reads the whole content into `target` from `start` on. False where the file changed meanwhile. For small files. */
  readInto(target: Uint8Array, start: number): boolean {
    let position = 0
    while (position < this.sizeBytes) {
      const count = readSync(this.descriptor, target, start + position, this.sizeBytes - position, position)
      if (count === 0) return false
      position += count
    }
    return this.isUnchanged()
  }

  /** May be called more than once. */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    closeSync(this.descriptor)
  }
}

/** Opens `names` below `root` (an absolute path). Throws on what no table row explains, such as EIO. */
export function openServedFile(root: string, names: readonly string[], nowMs: number): ServedFile | OpenFailure {
  try {
    for (let attempt = 1; attempt <= maximumAttempts; attempt++) {
      const outcome = tryOpen(root, names, nowMs)
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

function tryOpen(root: string, names: readonly string[], nowMs: number): ServedFile | OpenFailure | 'moved' {
  const realRoot = realpathSync.native(root)
  const realPath = realpathSync.native(join(realRoot, ...names))
  const namesBelow = namesBelowRoot(realRoot, realPath)
  if (namesBelow === undefined || !isVisiblePath(namesBelow)) return 'missing'
  const judged = statSync(realPath, { bigint: true })
  if (judged.isDirectory()) return 'directory'
  if (!judged.isFile()) return 'missing'
  const descriptor = openSync(realPath, openFlags)
  let isKept = false
  try {
    const opened = fstatSync(descriptor, { bigint: true })
    const isJudged = opened.isFile() && opened.dev === judged.dev && opened.ino === judged.ino
    if (!isJudged || pathOfDescriptor(descriptor, realPath) !== realPath) return 'moved'
    isKept = true
    return new ServedFile(descriptor, opened, nowMs)
  } finally {
    if (!isKept) closeSync(descriptor)
  }
}

/**
 * Where an open file lies. Linux knows it of the descriptor itself, whatever is renamed meanwhile; elsewhere the path is
 * resolved once more, which leaves a gap of microseconds to one who may write into the served directory.
 */
function pathOfDescriptor(descriptor: number, openedPath: string): string {
  try {
    if (platform() === 'linux') return readlinkSync(`/proc/self/fd/${descriptor}`)
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
