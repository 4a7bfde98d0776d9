/**
 * Finds the files of a directory that have a name with any extension, without reading the directory for each request.
 *
 * Rules: a directory is read once and cached by its state in the file system; each query checks that state again (one
 * stat), so an answer is never older than the query. A directory that changed a moment ago is not cached, since a
 * second change within the same clock tick would go unnoticed. The number of cached names is bounded; the least
 * recently used directory is evicted first. A directory that exceeds the bound by itself is read each time.
 */
import { readdirSync, statSync } from 'node:fs'

interface KeptDirectory {
  /** Device, inode, and times of modification and change, as one text to compare. */
  readonly stamp: string
  /** Maps `report` and `report.final` to `report.final.pdf`. */
  readonly namesByStem: ReadonlyMap<string, readonly string[]>
  readonly nameCount: number
}

/** About 20 MB. */
const defaultKeptNames = 200_000

/** Longer than a clock tick of the coarsest common file system (FAT: 2 s). */
const settledAfterMs = 2_000

export class DirectoryIndex {
  readonly #directories = new Map<string, KeptDirectory>()
  readonly #maximumKeptNames: number
  #keptNames = 0

  constructor(maximumKeptNames: number = defaultKeptNames) {
    this.#maximumKeptNames = maximumKeptNames
  }

  /**
   * All names in `directory` that are `stem`, a dot and more, in any order; empty if it is not a directory. Throws
   * other errors of the file system (EACCES, EMFILE).
   */
  namesWithStem(directory: string, stem: string, nowMs: number): readonly string[] {
    const stats = statSync(directory, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined || !stats.isDirectory()) return []
    const stamp = `${stats.dev} ${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs}`
    const kept = this.#directories.get(directory)
    this.#forget(directory)
    const current = kept?.stamp === stamp ? kept : readDirectory(directory, stamp)
    const isSettled = nowMs - Number(stats.ctimeNs / 1_000_000n) > settledAfterMs
    if (isSettled) this.#keep(directory, current)
    return current.namesByStem.get(stem) ?? []
  }

  #keep(directory: string, entry: KeptDirectory): void {
    if (entry.nameCount > this.#maximumKeptNames) return
    this.#directories.set(directory, entry)
    this.#keptNames += entry.nameCount
    // A Map lists its keys in the order of insertion, and each use inserts again: the first is the least recently used.
    for (const oldest of this.#directories.keys()) {
      if (this.#keptNames <= this.#maximumKeptNames) return
      this.#forget(oldest)
    }
  }

  #forget(directory: string): void {
    const entry = this.#directories.get(directory)
    if (entry === undefined) return
    this.#directories.delete(directory)
    this.#keptNames -= entry.nameCount
  }
}

function readDirectory(directory: string, stamp: string): KeptDirectory {
  const namesByStem = new Map<string, string[]>()
  // At least one, so that empty directories are counted too.
  let nameCount = 1
  for (const name of readdirSync(directory)) {
    for (let dot = name.indexOf('.', 1); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      const names = namesByStem.get(name.slice(0, dot))
      if (names === undefined) namesByStem.set(name.slice(0, dot), [name])
      else names.push(name)
      nameCount += 1
    }
  }
  return { stamp, namesByStem, nameCount }
}
