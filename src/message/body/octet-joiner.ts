/**
 * Joins pieces of bytes, however small and many they are.
 *
 * Rules: small pieces are copied into blocks, because an array takes far more memory than its few bytes.
 */
import { concatBytes, copyOf } from '../syntax/octets.ts'

const MAX_BLOCK_BYTES = 64 * 1024
const SMALL_BYTES = 4096

/** Joins pieces of bytes, however small and many they are, with little memory besides the bytes. */
export class OctetJoiner {
  readonly #blocks: Uint8Array[] = []
  #block = new Uint8Array(0)
  #filledBytes = 0
  #totalBytes = 0

  /** Copies the piece to the end. */
  add(piece: Uint8Array): void {
    if (piece.length > this.#block.length - this.#filledBytes) this.#beginBlock(piece.length)
    this.#block.set(piece, this.#filledBytes)
    this.#filledBytes += piece.length
    this.#totalBytes += piece.length
  }

  /** All pieces, in memory that holds nothing else. */
  joined(): Uint8Array {
    this.#endBlock()
    const whole = concatBytes(this.#blocks)
    return whole.length === whole.buffer.byteLength ? whole : copyOf(whole)
  }

  /** The first block, and a block for a large piece, is exactly as large as its piece. */
  #beginBlock(neededBytes: number): void {
    this.#endBlock()
    const isLarge = neededBytes > SMALL_BYTES
    this.#block = new Uint8Array(
      isLarge ? neededBytes : Math.max(neededBytes, Math.min(MAX_BLOCK_BYTES, this.#totalBytes)),
    )
  }

  #endBlock(): void {
    if (this.#filledBytes > 0) this.#blocks.push(this.#block.subarray(0, this.#filledBytes))
    this.#block = new Uint8Array(0)
    this.#filledBytes = 0
  }
}
