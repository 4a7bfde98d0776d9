/**
 * The memory through which files go to clients, shared by all transfers.
 *
 * Rules: buffers are used again and again, never left to the garbage collector, which would let many times as much pile
 * up. Of those that are kept there is a fixed number; a transfer that gets none goes on with a small one of its own, so
 * that thousands of slow clients cost little each. The first piece of a transfer is smaller still: the client may take
 * nothing at all, and of its many streams each holds one. So is every piece once there are very many.
 */

/** It stays in the second cache of common processors from reading to sending; larger ones do not (file-reader.ts). */
export const pieceBytes = 131_072
const smallPieceBytes = 16_384
const tinyPieceBytes = 4_096

export class BufferPool {
  readonly #maximumCount: number
  readonly #spare: Buffer[] = []
  #count = 0
  readonly #maximumSmallCount: number
  #smallCount = 0

  /** `totalBytes`: for all buffers that are kept. */
  constructor(totalBytes: number) {
    this.#maximumCount = Math.floor(totalBytes / pieceBytes)
    this.#maximumSmallCount = Math.floor(totalBytes / smallPieceBytes)
  }

  takeFirst(): Buffer {
    return Buffer.allocUnsafeSlow(tinyPieceBytes)
  }

  take(): Buffer {
    const spare = this.#spare.pop()
    if (spare !== undefined) return spare
    if (this.#count < this.#maximumCount) {
      this.#count += 1
      return Buffer.allocUnsafeSlow(pieceBytes)
    }
    if (this.#smallCount >= this.#maximumSmallCount) return Buffer.allocUnsafeSlow(tinyPieceBytes)
    this.#smallCount += 1
    return Buffer.allocUnsafeSlow(smallPieceBytes)
  }

  /** For a buffer that nobody holds any more. */
  giveBack(buffer: Buffer): void {
    if (buffer.length === pieceBytes) this.#spare.push(buffer)
    else if (buffer.length === smallPieceBytes) this.#smallCount -= 1
  }
}
