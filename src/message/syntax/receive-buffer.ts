/**
 * The octets that were pushed and not yet read.
 *
 * Rules: octets that were given out as views are never moved or overwritten: growing allocates anew. A piece that
 * arrives while nothing is waiting is used as it is, without a copy; what arrives behind an incomplete line is
 * appended, amortised O(n). The searches for line ends never look at an octet twice.
 *
 * `number` is another one for each piece that was ever pushed: octets with the same number have not changed.
 */
import { CR, LF, viewOf } from './octets.ts'

const MIN_CAPACITY = 1024
/** Up to here a loop is faster than a view. */
const SHORT_SEARCH_BYTES = 64
const NONE = new Uint8Array(0)

let pieceCount = 0

/** The number of one more piece: never one that was given before, since a window may be looked at again very late. */
export function nextPieceNumber(): number {
  pieceCount += 1
  return pieceCount
}

export class ReceiveBuffer {
  number = 0
  bytes: Uint8Array = NONE
  /** Index of the first octet not yet read. */
  start = 0
  /** Index behind the last octet. */
  end = 0
  #isOwned = false
  #searched = 0
  #returnsSearched = 0

  get length(): number {
    return this.end - this.start
  }

  append(piece: Uint8Array): void {
    this.number = nextPieceNumber()
    if (this.length === 0) {
      this.bytes = piece
      this.#isOwned = false
      this.start = 0
      this.end = piece.length
      this.#searched = 0
      this.#returnsSearched = 0
      return
    }
    const needed = this.length + piece.length
    if (!this.#isOwned || this.end + piece.length > this.bytes.length) this.#grow(needed)
    this.bytes.set(piece, this.end)
    this.end += piece.length
  }

  /** Index of the next LF, or -1. */
  indexOfLineEnd(): number {
    const from = Math.max(this.start, this.#searched)
    const index = this.#indexOf(LF, from, this.end)
    if (index === -1) {
      this.#searched = this.end
      return -1
    }
    return index
  }

  /** The next octets as a view, at most `limit` of them. */
  take(limit: number): Uint8Array {
    const { start } = this
    this.start = Math.min(this.end, start + limit)
    return viewOf(this.bytes, start, this.start - start)
  }

  /**
   * Index of a CR without LF behind it in the next `limit` octets, or -1. A CR that is the last octet so far may still
   * become a line end.
   */
  indexOfBareReturn(limit: number): number {
    let from = Math.max(this.start, this.#returnsSearched)
    const to = Math.min(this.end, this.start + limit)
    while (from < to) {
      const index = this.#indexOf(CR, from, to)
      if (index === -1) break
      this.#returnsSearched = index
      if (index + 1 >= this.end) return -1
      if (this.bytes[index + 1] !== LF) return index
      from = index + 1
    }
    this.#returnsSearched = Math.max(this.#returnsSearched, to)
    return -1
  }

  /**
   * Index of a byte between two indexes, or -1. Never searches past the second one: the room that is still free, and the
   * lines after this one, would be searched again for each piece and each line.
   */
  #indexOf(byte: number, from: number, to: number): number {
    const { bytes } = this
    if (to === bytes.length) return bytes.indexOf(byte, from)
    if (to - from > SHORT_SEARCH_BYTES) {
      const index = viewOf(bytes, from, to - from).indexOf(byte)
      return index === -1 ? -1 : from + index
    }
    for (let index = from; index < to; index++) if (bytes[index] === byte) return index
    return -1
  }

  #grow(needed: number): void {
    const larger = new Uint8Array(Math.max(MIN_CAPACITY, needed * 2))
    larger.set(this.bytes.subarray(this.start, this.end))
    this.#searched -= this.start
    this.#returnsSearched -= this.start
    this.end -= this.start
    this.start = 0
    this.bytes = larger
    this.#isOwned = true
  }
}
