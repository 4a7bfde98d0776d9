/**
 * Entity tags computed from the content alone (`--etag content`), so that all machines that serve a copy of it agree.
 *
 * Rules: a small file is hashed when it is read. A large file is hashed once for each state, in the background, in
 * pieces that block no request; one file at a time. Until then it has no entity tag. A file that changes while it is
 * hashed, or may have changed unnoticed, gets no tag. RFC 9110 section 8.8.3.
 */
import { createHash } from 'node:crypto'
import { isFileChanged } from '../semantics/errors.ts'
import { readFile } from './file-transfer.ts'
import { type OpenOutcome, ServedFile } from './served-file.ts'

/** The maximum number of cached tags of large files: about 3 MB. */
const maximumKeptTags = 10_000

/** The maximum number of files waiting to be hashed; others are hashed on a later request. */
const maximumWaiting = 1_000

export class ContentTags {
  readonly #onError: (error: unknown) => void
  readonly #tags = new Map<string, string>()
  /** Functions that open the waiting files, by file state. */
  readonly #waiting = new Map<string, () => OpenOutcome>()
  #isRunning = false

  /** `onError`: called with errors of hashing, other than a change of the file. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** The tag of a large file; undefined if it is not known yet. `open`: opens the same path again. */
  of(file: ServedFile, open: () => OpenOutcome): string | undefined {
    const known = this.#tags.get(file.stateKey)
    if (known !== undefined || !file.isSettled) return known
    if (this.#waiting.size < maximumWaiting) this.#waiting.set(file.stateKey, open)
    if (!this.#isRunning) void this.#run()
    return undefined
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (const [state, open] of this.#waiting) {
      try {
        const outcome = open()
        if (outcome instanceof ServedFile) await this.#hash(outcome, state)
      } catch (error) {
        if (!isFileChanged(error)) this.#onError(error)
      }
      this.#waiting.delete(state)
    }
    this.#isRunning = false
  }

  async #hash(file: ServedFile, state: string): Promise<void> {
    try {
      if (file.stateKey !== state) return
      const hash = createHash('sha256')
      for await (const piece of readFile(file)) hash.update(piece)
      if (file.change() === 'none') this.#keep(state, tagOf(hash.digest()))
    } finally {
      file.close()
    }
  }

  #keep(state: string, tag: string): void {
    this.#tags.set(state, tag)
    // A Map lists its keys in the order of insertion: the first was hashed longest ago.
    for (const oldest of this.#tags.keys()) {
      if (this.#tags.size <= maximumKeptTags) break
      this.#tags.delete(oldest)
    }
  }
}

/** The tag of content that is in memory. */
export function contentTag(content: Uint8Array): string {
  return tagOf(createHash('sha256').update(content).digest())
}

/** 162 bits are enough. */
function tagOf(digest: Buffer): string {
  return `"${digest.toString('base64url').slice(0, 27)}"`
}
