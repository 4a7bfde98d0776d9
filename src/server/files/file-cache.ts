/**
 * Small files in memory, by the path that leads to them.
 *
 * Rules: the cache does not validate: the caller compares a file with the file system. The total size of contents is
 * bounded; files not used since the last pass are evicted first (second chance), so a hit only sets a flag.
 */
import type { CachedFile } from '../semantics/representation.ts'

/** Memory of a cached file besides its content: objects, heads, the key. */
const overheadBytes = 1_024

export class FileCache {
  readonly #files = new Map<string, CachedFile>()
  readonly #maximumBytes: number
  #bytes = 0

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes
  }

  get(key: string): CachedFile | undefined {
    const file = this.#files.get(key)
    if (file !== undefined) file.isUsed = true
    return file
  }

  set(key: string, file: CachedFile): void {
    this.delete(key)
    const cost = costOf(file)
    if (cost > this.#maximumBytes) return
    this.#bytes += cost
    this.#files.set(key, file)
    if (this.#bytes > this.#maximumBytes) this.#makeRoom(file)
  }

  delete(key: string): void {
    const file = this.#files.get(key)
    if (file === undefined) return
    this.#files.delete(key)
    this.#bytes -= costOf(file)
  }

  /** A Map lists its keys in the order of insertion; used files are inserted again. */
  #makeRoom(newest: CachedFile): void {
    for (const [key, file] of this.#files) {
      if (this.#bytes <= this.#maximumBytes) return
      if (file === newest || !file.isUsed) {
        if (file !== newest) this.delete(key)
        continue
      }
      file.isUsed = false
      this.#files.delete(key)
      this.#files.set(key, file)
    }
  }
}

function costOf(file: CachedFile): number {
  return file.sizeBytes + overheadBytes
}
