/**
 * Limits the number of files that are open for downloads.
 *
 * Rules: if one more is needed, a download that waits for its client releases its descriptor: first a download that has
 * sent nothing yet, then the one that has waited longest. It reopens its file when the client continues; if the file
 * was replaced or changed in the meantime, the download cannot be finished. While all files are being read, the next
 * download waits.
 */

import type { ServedFile } from '../files/served-file.ts'
import { ServerError } from '../semantics/errors.ts'

export class OpenFiles {
  readonly #maximumCount: number
  #count = 0
  /** Downloads that wait for their client, in the order in which they started to wait. */
  readonly #waitingUnsent = new Set<ServedFile>()
  readonly #waitingSent = new Set<ServedFile>()
  /** Downloads that wait for a descriptor. */
  readonly #queue: (() => void)[] = []

  constructor(maximumCount: number) {
    this.#maximumCount = maximumCount
  }

  /** Starts a download of an open file. It may have to call `restore` before it reads. */
  enter(file: ServedFile): void {
    if (this.#count < this.#maximumCount || this.makeRoom()) this.#count += 1
    else file.release()
  }

  /** Ends the download. The owner closes the file. */
  leave(file: ServedFile): void {
    this.resume(file)
    if (!file.isReleased) this.#count -= 1
    this.#queue.shift()?.()
  }

  /** Call this when the file will not be read until `resume`. `hasSent`: whether the client received part of it. */
  wait(file: ServedFile, hasSent: boolean): void {
    if (file.isReleased) return
    const waiting = hasSent ? this.#waitingSent : this.#waitingUnsent
    waiting.add(file)
    this.#queue.shift()?.()
  }

  resume(file: ServedFile): void {
    if (!this.#waitingUnsent.delete(file)) this.#waitingSent.delete(file)
  }

  /**
   * Reopens a file that was released. Rejects with HttpcliError `file-changed`, and `busy` if no descriptor is left.
   */
  async restore(file: ServedFile): Promise<void> {
    while (this.#count >= this.#maximumCount && !this.makeRoom()) {
      await new Promise<void>((resolve) => this.#queue.push(resolve))
    }
    while (!file.restore()) {
      if (!this.makeRoom()) throw new ServerError('busy', 'no descriptor is left to continue a download')
    }
    this.#count += 1
  }

  /** Makes a download release its descriptor. False if none waits. */
  makeRoom(): boolean {
    const [file] = this.#waitingUnsent.size > 0 ? this.#waitingUnsent : this.#waitingSent
    if (file === undefined) return false
    this.resume(file)
    file.release()
    this.#count -= 1
    return true
  }
}
