/**
 * Divides zstd content into its frames.
 *
 * Rules: content consists of any number of frames, of which skippable ones have no data (RFC 8878 section 3). Node.js
 * decodes one frame of each piece and drops what follows it in the piece; Node.js 22 and the runtime of the executable
 * report no error for content that ends within a frame. Only the structure is read here: the decoder checks the rest.
 */
const MAGIC = 0xfd2fb528
const SKIPPABLE_MAGIC = 0x184d2a50
/** The last digit of its magic number is free. */
const SKIPPABLE_MASK = 0xfffffff0
const CHECKSUM_BYTES = 4
const RLE_BLOCK = 1

/** By the flags of the frame header descriptor (RFC 8878 section 3.1.1.1). */
const dictionaryIdBytes = [0, 1, 2, 4] as const
const contentSizeBytes = [0, 2, 4, 8] as const

/** What is read next, with its length. */
const lengths = { magic: 4, skippableSize: 4, descriptor: 1, blockHeader: 3 } as const
type Field = keyof typeof lengths

export class ZstdFrames {
  #field: Field = 'magic'
  /** The bytes of the field so far. */
  #read: number[] = []
  /** The bytes before the next field. */
  #skippedBytes = 0
  #hasChecksum = false
  /** Whether bytes came that begin no frame. */
  #isForeign = false

  #completeCount = 0

  /** The number of complete frames so far. */
  get completeCount(): number {
    return this.#completeCount
  }

  /** Whether the content so far ends within a frame. */
  get isInside(): boolean {
    return this.#field !== 'magic' || this.#skippedBytes > 0 || this.#read.length > 0
  }

  /** The parts of the next piece of the content, each of which ends with a frame or with the piece. */
  *divide(piece: Uint8Array): Generator<Uint8Array> {
    let start = 0
    for (let at = 0; at < piece.length && !this.#isForeign; ) {
      if (this.#skippedBytes > 0) {
        const skipped = Math.min(this.#skippedBytes, piece.length - at)
        this.#skippedBytes -= skipped
        at += skipped
      } else {
        this.#read.push(piece[at++] as number)
        if (this.#read.length === lengths[this.#field]) this.#take()
      }
      if (!this.isInside && !this.#isForeign) {
        this.#completeCount++
        yield piece.subarray(start, at)
        start = at
      }
    }
    if (start < piece.length) yield piece.subarray(start)
  }

  #take(): void {
    const value = this.#read.reduce((sum, octet, index) => sum + octet * 256 ** index, 0)
    this.#read = []
    this.#after[this.#field](value)
  }

  readonly #after: Readonly<Record<Field, (value: number) => void>> = {
    magic: (value) => {
      if (value === MAGIC) this.#field = 'descriptor'
      else if ((value & SKIPPABLE_MASK) === SKIPPABLE_MAGIC) this.#field = 'skippableSize'
      else this.#isForeign = true
    },
    skippableSize: (value) => {
      this.#field = 'magic'
      this.#skippedBytes = value
    },
    descriptor: (flags) => {
      const isSingleSegment = (flags & 0x20) !== 0
      const sizeFlag = flags >> 6
      const sizeBytes = sizeFlag === 0 && isSingleSegment ? 1 : (contentSizeBytes[sizeFlag] as number)
      this.#hasChecksum = (flags & 0x04) !== 0
      this.#skippedBytes = (isSingleSegment ? 0 : 1) + (dictionaryIdBytes[flags & 3] as number) + sizeBytes
      this.#field = 'blockHeader'
    },
    blockHeader: (header) => {
      const isLast = (header & 1) === 1
      const contentBytes = ((header >> 1) & 3) === RLE_BLOCK ? 1 : header >> 3
      this.#skippedBytes = contentBytes + (isLast && this.#hasChecksum ? CHECKSUM_BYTES : 0)
      if (isLast) this.#field = 'magic'
    },
  }
}
