/**
 * Reads a directory for its listing: the names that can be requested, with kind, size and date.
 *
 * Rules: only files that a request would get are listed: no hidden names, no names that the URL rules refuse
 * (url-path.ts), no FIFOs or devices, no links that are dangling or lead out of the tree, nothing that this process may
 * not read. The disk is read in slices (turn-slice.ts), so that tens of thousands of entries block no other client.
 * Requests for a directory that arrive while it is being read share the next reading: an answer is never older than its
 * request, and any number of concurrent requests costs two readings. Equal readings are stored once, so that many slow
 * clients share one copy. The number of entries is limited; the listing says if entries are missing.
 */
import { accessSync, constants, type Dir, type Dirent, realpathSync, type Stats, statSync } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { sep } from 'node:path'
import { failureOf, isServed, type ServedDirectory, type ServedTree } from '../files/served-file.ts'
import { isTurnOver, nextTurn } from '../limits/turn-slice.ts'
import { isVisibleName, type Visibility } from '../semantics/url-path.ts'

export interface ListedEntry {
  readonly name: string
  readonly type: 'directory' | 'file'
  /** The size of a file; 0 for a directory. */
  readonly sizeBytes: number
  /** Milliseconds since 1970. */
  readonly modifiedMs: number
}

export interface ListedDirectory {
  /** In any order. */
  readonly entries: readonly ListedEntry[]
  /** False if there are more entries than the limit. */
  readonly isComplete: boolean
}

/** About 20 MB in memory; more than any user reads. */
const defaultMaximumEntries = 100_000

/** The number of directories whose last reading is remembered. */
const maximumLatest = 256

/** Entries that the platform reads from a directory at a time. */
const readAheadEntries = 512

/** Windows allows names that no URL can represent. */
const loneSurrogate = /\p{Surrogate}/u

/** World-readable: the common case, which needs no check. */
const readableByAll = 0o444

interface Reading {
  readonly running: Promise<ListedDirectory>
  /** Starts when the running one has ended; shared by all requests that arrived in the meantime. */
  next: Promise<ListedDirectory> | undefined
}

/** Where entries are read. `parent`: the directory, with a separator at its end. */
interface Place {
  readonly root: string
  readonly depth: number
  readonly parent: string
}

export class DirectoryLister {
  readonly #visibility: Visibility
  readonly #maximumEntries: number
  readonly #readings = new Map<string, Reading>()
  readonly #latest = new Map<string, WeakRef<ListedDirectory>>()

  constructor({ visibility }: Pick<ServedTree, 'visibility'>, maximumEntries: number = defaultMaximumEntries) {
    this.#visibility = visibility
    this.#maximumEntries = maximumEntries
  }

  /**
   * Reads a directory that may be listed. `depth`: how many names it has below the root. Rejects with errors of the
   * file system (ENOENT, EACCES, EMFILE).
   */
  list(served: ServedDirectory, depth: number): Promise<ListedDirectory> {
    const reading = this.#readings.get(served.path)
    if (reading === undefined) return this.#begin(served, depth)
    reading.next ??= reading.running.then(
      () => this.#begin(served, depth),
      () => this.#begin(served, depth),
    )
    return reading.next
  }

  #begin(served: ServedDirectory, depth: number): Promise<ListedDirectory> {
    const { path } = served
    const reading: Reading = { running: this.#read(served, depth), next: undefined }
    this.#readings.set(path, reading)
    const forget = (): void => {
      if (this.#readings.get(path) === reading && reading.next === undefined) this.#readings.delete(path)
    }
    reading.running.then(forget, forget)
    return reading.running
  }

  async #read(served: ServedDirectory, depth: number): Promise<ListedDirectory> {
    const directory = await opendir(served.path, { bufferSize: readAheadEntries })
    try {
      return this.#shared(served.path, await this.#readEntries(directory, served, depth))
    } finally {
      await directory.close()
    }
  }

  /** The last reading if nothing changed, as long as it is still being sent. */
  #shared(path: string, current: ListedDirectory): ListedDirectory {
    const latest = this.#latest.get(path)?.deref()
    if (latest !== undefined && isSame(latest, current)) return latest
    // A Map lists its keys in the order of insertion: the first was read longest ago.
    this.#latest.delete(path)
    this.#latest.set(path, new WeakRef(current))
    for (const oldest of this.#latest.keys()) {
      if (this.#latest.size <= maximumLatest) break
      this.#latest.delete(oldest)
    }
    return current
  }

  async #readEntries(directory: Dir, { path, root }: ServedDirectory, depth: number): Promise<ListedDirectory> {
    const entries: ListedEntry[] = []
    const place = { root, depth, parent: path.endsWith(sep) ? path : `${path}${sep}` }
    for (let dirent = directory.readSync(); dirent !== null; dirent = directory.readSync()) {
      if (entries.length >= this.#maximumEntries) return { entries, isComplete: false }
      const entry = this.#entryOf(dirent, place)
      if (entry !== undefined) entries.push(entry)
      if (isTurnOver()) await nextTurn('long')
    }
    return { entries, isComplete: true }
  }

  /** Undefined if the entry cannot be requested, or no longer exists. */
  #entryOf(dirent: Dirent, { root, parent, depth }: Place): ListedEntry | undefined {
    const { name } = dirent
    if (!isVisibleName(name, depth, this.#visibility) || loneSurrogate.test(name)) return undefined
    const target = `${parent}${name}`
    try {
      if (dirent.isSymbolicLink() && !isServed(root, realpathSync.native(target), this.#visibility)) return undefined
      const stats = statSync(target)
      if (!isReadable(target, stats)) return undefined
      const modifiedMs = stats.mtimeMs
      if (stats.isDirectory()) return { name, type: 'directory', sizeBytes: 0, modifiedMs }
      return stats.isFile() ? { name, type: 'file', sizeBytes: stats.size, modifiedMs } : undefined
    } catch (error) {
      // A request for it would be refused for the same reason.
      if (failureOf(error) === undefined) throw error
      return undefined
    }
  }
}

function isSame(one: ListedDirectory, other: ListedDirectory): boolean {
  if (one.isComplete !== other.isComplete || one.entries.length !== other.entries.length) return false
  return one.entries.every((entry, index) => {
    const { name, type, sizeBytes, modifiedMs } = other.entries[index]!
    return (
      entry.name === name &&
      entry.type === type &&
      entry.sizeBytes === sizeBytes &&
      Object.is(entry.modifiedMs, modifiedMs)
    )
  })
}

/** For most files the mode is sufficient; only a file that is not world-readable needs a system call. */
function isReadable(path: string, { mode }: Stats): boolean {
  if ((mode & readableByAll) === readableByAll) return true
  accessSync(path, constants.R_OK)
  return true
}
