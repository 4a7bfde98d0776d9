/**
 * The bytes that have been pushed and not yet read, and their position in the message.
 *
 * State: the bytes, how far they have been read and searched, where the current message began, whether the input has
 * ended.
 *
 * Rules: bytes that were handed out as views are never moved or overwritten: growing allocates a new buffer. A piece
 * that arrives while nothing is waiting is used without a copy; a piece that follows an incomplete line is appended,
 * amortised O(n). The searches for line ends never visit a byte twice.
 *
 * `number` differs for each piece ever pushed: bytes with the same number have not changed.
 */
import { CR, LF, viewOf } from './octets.ts'

const MIN_CAPACITY = 1024
/** Up to this size a loop is faster than a view. */
const SHORT_SEARCH_BYTES = 64
const NONE = new Uint8Array(0)

let pieceCount = 0

/** A new piece number. Numbers are never reused, since a window may be compared much later. */
export function nextPieceNumber(): number {
  pieceCount += 1
  return pieceCount
}

export class ReceiveBuffer {
  number = 0
  bytes: Uint8Array = NONE
  /** Index of the first byte not yet read. */
  start = 0
  /** Index after the last byte. */
  end = 0
  /** Whether no more bytes will come. */
  isEnded = false
  /** Where the current message begins, counted in all pushed bytes. */
  messageStart = 0
  /** Index at which the current message began; negative if those bytes are gone. */
  #origin = 0
  #isOwned = false
  #searched = 0
  #returnsSearched = 0

  /** Number of bytes not yet read. */
  get length(): number {
    return this.end - this.start
  }

  /** Number of bytes of the current message that have been read. */
  get offset(): number {
    return this.start - this.#origin
  }

  /** Everything not yet read, as a view. */
  get rest(): Uint8Array {
    return this.bytes.subarray(this.start, this.end)
  }

  /** Whether only line endings are left. */
  get hasLineEndsOnly(): boolean {
    return this.rest.every((byte) => byte === CR || byte === LF)
  }

  append(piece: Uint8Array): void {
    this.number = nextPieceNumber()
    if (this.length === 0) {
      this.#origin -= this.start
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

  /** The next byte is the first one of a message. */
  beginMessage(): void {
    this.messageStart += this.offset
    this.#origin = this.start
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

  /** Everything not yet read; counts as read afterwards. */
  takeAll(): Uint8Array {
    const { start } = this
    this.start = this.end
    return viewOf(this.bytes, start, this.end - start)
  }

  /**
   * Index of a CR without LF after it in the next `limit` bytes, or -1. A CR that is the last byte so far may still
   * become part of a line ending.
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
   * Index of a byte between two indices, or -1. Never searches past the second one: otherwise the free space of the
   * buffer and the following lines would be searched again for each piece and each line.
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
    this.#origin -= this.start
    this.end -= this.start
    this.start = 0
    this.bytes = larger
    this.#isOwned = true
  }
}
