/**
 * Reports changes below a directory. Used only to reload pages: answers never depend on it, since events arrive late
 * and, on some file systems, never.
 *
 * Rules: one watcher for each directory if the platform needs that (Linux), otherwise one for the tree; new directories
 * are watched when they appear, and the root again when a build replaces it or a directory above it. Hidden directories
 * and `node_modules` are omitted: they contain thousands of files and no pages. If watching fails, or would need more
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
  /** By directory above the root. They notice when a directory on the path to the root is replaced. */
  readonly #watchersAbove = new Map<string, FSWatcher>()
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
    this.#watchAbove()
    this.ready = this.#watchTree(root)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    forgetBelow(this.#watchersAbove)
    forgetBelow(this.#watchers)
  }

  /** A directory that may not be read is omitted. Nothing is needed if the platform watches by name. */
  #watchAbove(): void {
    if (this.#isRecursive || this.#isClosed) return
    // From the top: a directory that appears in the meantime is reported by the one above it.
    for (const [directory, child] of pathsAbove(this.#root)) {
      if (this.#watchersAbove.has(directory)) continue
      try {
        const watcher = watch(directory)
        this.#watchersAbove.set(directory, watcher)
        watcher.on('change', (event, name) => {
          if (event === 'rename' && name === basename(child)) this.#revisitBelow(child)
        })
        watcher.on('error', () => watcher.close())
      } catch {
        // It does not exist at the moment, or may not be read.
      }
    }
  }

  /** The root, or a directory above it, was added, removed or replaced. */
  #revisitBelow(path: string): void {
    forgetBelow(this.#watchersAbove, path)
    this.#watchAbove()
    this.#schedule(false)
    void this.#revisit(this.#root)
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
      forgetBelow(this.#watchers, directory)
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
    forgetBelow(this.#watchers, path)
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

/** Closes the watchers of this directory and of those below it; without `path`, all. */
function forgetBelow(watchers: Map<string, FSWatcher>, path?: string): void {
  for (const [directory, watcher] of watchers) {
    if (path !== undefined && directory !== path && !directory.startsWith(path + sep)) continue
    watchers.delete(directory)
    watcher.close()
  }
}

/** The directories above the path, from the top, each with the path of the next one. */
function pathsAbove(path: string): readonly (readonly [directory: string, child: string])[] {
  const directory = dirname(path)
  return directory === path ? [] : [...pathsAbove(directory), [directory, path]]
}

function isWatched(name: string): boolean {
  return !name.startsWith('.') && name !== 'node_modules'
}
