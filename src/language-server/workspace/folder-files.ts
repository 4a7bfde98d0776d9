/**
 * The request files in the client's folders.
 *
 * Rules: `node_modules`, directories that begin with a dot, and symbolic links are skipped. The directories are read on
 * each call, because a client need not report new files; the text of a file is cached until the file changes.
 */
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The maximum number of directories and files; a folder with more is not searched further. */
const MAX_ENTRIES = 100_000
const MAX_FILE_BYTES = 4_194_304
/** The maximum size of all cached texts. */
const MAX_KEPT_BYTES = 33_554_432

export interface FolderFiles {
  /** Absolute paths. */
  readonly paths: readonly string[]
  /** Whether all folders were searched completely. */
  readonly isComplete: boolean
}

const requestFile = /\.(?:http|rest)$/i

export function requestFilesIn(folders: readonly string[]): FolderFiles {
  const paths = new Set<string>()
  const open = [...folders]
  let entryCount = 0
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    for (const entry of entriesOf(directory)) {
      if (++entryCount > MAX_ENTRIES) return { paths: [...paths].sort(), isComplete: false }
      const path = join(directory, entry.name)
      if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) open.push(path)
      if (entry.isFile() && requestFile.test(entry.name)) paths.add(path)
    }
  }
  return { paths: [...paths].sort(), isComplete: true }
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    // A directory that was deleted or cannot be read has no files to show.
    return []
  }
}

/** Editors hide a byte order mark, so positions do not count it. */
export function asInEditor(text: string): string {
  return text.replace(/^\ufeff/, '')
}

interface KeptText {
  readonly text: string
  readonly modifiedMs: number
  readonly sizeBytes: number
}

/** Caches texts of files until the files change. */
export class FileTexts {
  readonly #kept: Map<string, KeptText> = new Map()
  #keptBytes = 0

  /** Undefined if the file cannot be read or is too large. */
  text(path: string): string | undefined {
    try {
      const { mtimeMs: modifiedMs, size: sizeBytes } = statSync(path)
      const known = this.#kept.get(path)
      if (known?.modifiedMs === modifiedMs && known.sizeBytes === sizeBytes) return known.text
      if (sizeBytes > MAX_FILE_BYTES) return undefined
      const text = asInEditor(readFileSync(path, 'utf8'))
      this.#keep(path, { text, modifiedMs, sizeBytes })
      return text
    } catch {
      // A file that was deleted or cannot be read has no names to show.
      return undefined
    }
  }

  #keep(path: string, kept: KeptText): void {
    if (this.#keptBytes > MAX_KEPT_BYTES) {
      this.#kept.clear()
      this.#keptBytes = 0
    }
    this.#kept.set(path, kept)
    this.#keptBytes += kept.sizeBytes
  }
}
