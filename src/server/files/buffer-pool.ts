/**
 * The buffers through which files are sent to clients, shared by all transfers.
 *
 * Rules: buffers are reused rather than left to the garbage collector, which would let many times as much memory
 * accumulate. The number of pooled buffers is fixed; a transfer that gets none allocates a small one, so that thousands
 * of slow clients cost little each. The first piece of a transfer is smaller still, because a client may open many
 * streams and read none of them. When there are very many transfers, every piece is that small.
 */

/**
 * A piece of this size stays in the second-level cache of common processors from reading to sending; larger ones do not
 * (file-reader.ts).
 */
export const pieceBytes = 131_072
const smallPieceBytes = 16_384
const tinyPieceBytes = 4_096

export class BufferPool {
  readonly #maximumCount: number
  readonly #spare: Buffer[] = []
  #count = 0
  readonly #maximumSmallCount: number
  #smallCount = 0

  /** `totalBytes`: the size of all pooled buffers. */
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

  /** Returns a buffer that is no longer used. */
  giveBack(buffer: Buffer): void {
    if (buffer.length === pieceBytes) this.#spare.push(buffer)
    else if (buffer.length === smallPieceBytes) this.#smallCount -= 1
  }
}
