/**
 * The chunks of content in memory.
 *
 * Rules: only their sizes and extensions are kept; the views of the data are made on demand. A client may send each
 * byte in its own chunk, and a view takes a hundred times the memory of a byte.
 */
import { viewOf } from '../syntax/octets.ts'

/** A chunk as it was received; `extensions` as written, after the first ";". */
export interface Chunk {
  readonly data: Uint8Array
  readonly extensions: string
}

/** The size and the extensions of each chunk, in order. */
export class ChunkSizes {
  readonly #sizes: number[] = []
  readonly #extensions = new Map<number, string>()

  get count(): number {
    return this.#sizes.length
  }

  /** A chunk begins; `grow` adds its bytes. */
  begin(extensions: string): void {
    if (extensions !== '') this.#extensions.set(this.#sizes.length, extensions)
    this.#sizes.push(0)
  }

  /** More bytes of the current chunk. */
  grow(sizeBytes: number): void {
    const last = this.#sizes.length - 1
    if (last >= 0) this.#sizes[last] = (this.#sizes[last] as number) + sizeBytes
  }

  /** The chunks of this data. */
  *of(data: Uint8Array): Generator<Chunk> {
    let at = 0
    for (const [index, sizeBytes] of this.#sizes.entries()) {
      yield { data: viewOf(data, at, sizeBytes), extensions: this.#extensions.get(index) ?? '' }
      at += sizeBytes
    }
  }
}
