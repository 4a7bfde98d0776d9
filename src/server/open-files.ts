/**
 * The files that are open for downloads, all together.
 *
 * Rules: a bounded number is open at a time. Where one more is needed, a download that waits for its client gives up its
 * descriptor: first one that has sent nothing yet, then the one that has waited longest. It opens its file again when the
 * client goes on; only where the file was replaced or changed meanwhile it cannot be finished.
 */
import { HttpcliError } from '../message/index.ts'
import type { ServedFile } from './served-file.ts'

export class OpenFiles {
  readonly #maximumCount: number
  #count = 0
  /** Downloads that wait for their client, in the order in which they began to wait. */
  readonly #waitingUnsent = new Set<ServedFile>()
  readonly #waitingSent = new Set<ServedFile>()

  constructor(maximumCount: number) {
    this.#maximumCount = maximumCount
  }

  /** A download of an open file starts. */
  enter(): void {
    this.#count += 1
    if (this.#count > this.#maximumCount) this.makeRoom()
  }

  /** It ends. The file is closed by its owner. */
  leave(file: ServedFile): void {
    this.goOn(file)
    if (!file.isReleased) this.#count -= 1
  }

  /** From now on the file is not read, until `goOn`. `hasSent`: whether the client took some of the download. */
  wait(file: ServedFile, hasSent: boolean): void {
    if (!file.isReleased) (hasSent ? this.#waitingSent : this.#waitingUnsent).add(file)
  }

  goOn(file: ServedFile): void {
    if (!this.#waitingUnsent.delete(file)) this.#waitingSent.delete(file)
  }

  /** Before the file is read. Throws HttpcliError `file-changed`, and `busy` where no descriptor is left. */
  restore(file: ServedFile): void {
    if (!file.isReleased) return
    if (this.#count >= this.#maximumCount) this.makeRoom()
    while (!file.restore()) {
      if (!this.makeRoom()) throw new HttpcliError('busy', 'no descriptor is left to go on with a download')
    }
    this.#count += 1
  }

  /** Has a download give up its descriptor. False where none waits. */
  makeRoom(): boolean {
    const [file] = this.#waitingUnsent.size > 0 ? this.#waitingUnsent : this.#waitingSent
    if (file === undefined) return false
    this.goOn(file)
    file.release()
    this.#count -= 1
    return true
  }
}
