/**
 * Reports changes below a directory. Used only to reload pages: answers never depend on it, since events arrive late
 * and, on some file systems, never.
 *
 * Rules: one watcher for each directory if the platform needs that (Linux), otherwise one for the tree; new directories
 * are watched when they appear, and the root again when it is replaced, as many builds do. Hidden directories and
 * `node_modules` are omitted: they contain thousands of files and no pages. If watching fails, or would need more
 * watchers than the limit or the system allows, the existing watchers stay and the problem is reported once. A burst of
 * events is one change.
 */
import { type FSWatcher, watch } from 'node:fs'
import { lstat, opendir, stat } from 'node:fs/promises'
import { platform } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'

/** The kind of change in a burst of events. */
export interface WatchedChange {
  /** Whether only style sheets changed. */
  readonly isOfStyles: boolean
}

export interface WatchSettings {
  readonly onChange: (change: WatchedChange) => void
  /** Called once with a message if not everything is watched. */
  readonly onWarning: (text: string) => void
  /** Default: far below the usual limits of a system. */
  readonly maximumDirectories?: number
}

const defaultMaximumDirectories = 4_096

/** One save causes several events, a build many. */
const quietMs = 60

/** The longest delay of a report, so that a long build without pauses is reported now and then. */
const longestWaitMs = 1_000

export class DirectoryWatch {
  readonly #root: string
  readonly #settings: WatchSettings
  /** Whether one watcher covers the whole tree. */
  readonly #isRecursive: boolean = platform() !== 'linux'
  readonly #watchers = new Map<string, FSWatcher>()
  /** Notices that the root is replaced: its own watcher belongs to the directory that had the name before. */
  readonly #parentWatcher: FSWatcher | undefined
  /** Settles when every directory that existed at the start is watched. */
  readonly ready: Promise<void>
  #isClosed = false
  #hasWarned = false
  #timer: NodeJS.Timeout | undefined
  #burstBeganMs = 0
  /** Whether all events of the burst concern style sheets. */
  #isOfStyles = true

  constructor(root: string, settings: WatchSettings) {
    this.#root = root
    this.#settings = settings
    this.#parentWatcher = this.#watchParent()
    this.ready = this.#watchTree(root)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#parentWatcher?.close()
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  /** Undefined if the platform watches by name, or if the parent directory may not be read. */
  #watchParent(): FSWatcher | undefined {
    const parent = dirname(this.#root)
    if (this.#isRecursive || parent === this.#root) return undefined
    try {
      const watcher = watch(parent)
      watcher.on('change', (event, name) => {
        if (event !== 'rename' || name !== basename(this.#root)) return
        this.#schedule(false)
        void this.#revisit(this.#root)
      })
      watcher.on('error', () => watcher.close())
      return watcher
    } catch {
      return undefined
    }
  }

  /** Never rejects. */
  async #watchTree(directory: string): Promise<void> {
    try {
      if (!this.#watchOne(directory) || this.#isRecursive) return
      for await (const entry of await opendir(directory)) {
        if (entry.isDirectory() && isWatched(entry.name)) await this.#watchTree(join(directory, entry.name))
        if (this.#isClosed) return
      }
    } catch (error) {
      // A directory that has vanished in the meantime needs no watcher.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#warn(error)
    }
  }

  /** Returns whether the limit allowed it. Throws errors of the system. */
  #watchOne(directory: string): boolean {
    if (this.#isClosed || this.#watchers.has(directory)) return false
    const maximum = this.#settings.maximumDirectories ?? defaultMaximumDirectories
    if (this.#watchers.size >= maximum) {
      this.#warn(new Error(`there are more than ${maximum} directories`))
      return false
    }
    const watcher = watch(directory, { recursive: this.#isRecursive })
    this.#watchers.set(directory, watcher)
    watcher.on('change', (event, name) => this.#notice(event, directory, name === null ? undefined : String(name)))
    watcher.on('error', (error) => {
      this.#forget(directory)
      this.#warn(error)
    })
    return true
  }

  #notice(event: string, directory: string, name: string | undefined): void {
    if (name?.split(sep).some((part) => !isWatched(part))) return
    this.#schedule(name?.endsWith('.css') === true)
    if (event === 'rename' && name !== undefined && !this.#isRecursive) void this.#revisit(join(directory, name))
  }

  /** A name was added, removed or replaced. Never rejects. */
  async #revisit(path: string): Promise<void> {
    // The old watchers belong to the directory that had the name before.
    this.#forget(path)
    try {
      // The root may be a link, unlike the directories below it.
      if (!(await (path === this.#root ? stat : lstat)(path)).isDirectory()) return
      await this.#watchTree(path)
      // Files may have been added before the directory was watched.
      this.#schedule(false)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#warn(error)
    }
  }

  #forget(path: string): void {
    for (const [directory, watcher] of this.#watchers) {
      if (directory !== path && !directory.startsWith(path + sep)) continue
      this.#watchers.delete(directory)
      watcher.close()
    }
  }

  #schedule(isOfStyles: boolean): void {
    if (this.#isClosed) return
    this.#isOfStyles &&= isOfStyles
    const nowMs = performance.now()
    if (this.#timer === undefined) this.#burstBeganMs = nowMs
    clearTimeout(this.#timer)
    const waitMs = Math.max(0, Math.min(quietMs, this.#burstBeganMs + longestWaitMs - nowMs))
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const change = { isOfStyles: this.#isOfStyles }
      this.#isOfStyles = true
      this.#settings.onChange(change)
    }, waitMs)
  }

  #warn(error: unknown): void {
    if (this.#hasWarned || this.#isClosed) return
    this.#hasWarned = true
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'ENOSPC' || code === 'EMFILE' ? 'the system allows no more watchers' : message
    this.#settings.onWarning(`some changes will be missed: ${reason}`)
  }
}

function isWatched(name: string): boolean {
  return !name.startsWith('.') && name !== 'node_modules'
}
