/**
 * A source of bytes that several readers use one after the other: what one of them does not need, the next one gets.
 *
 * Rules: a reader that stops early does not close it. Bytes can be put back, and are then the next ones; a socket of
 * Node.js can do both by itself. Nothing is read before somebody asks.
 */
import { checkType } from '../syntax/checked-input.ts'
import { type ByteSource, iterateBytes } from './message-body.ts'

/** A source that a reader can return bytes to. */
export interface ReturnableSource {
  unshift(octets: Uint8Array): void
}

/** Any source, for several messages: `readRequest` and similar functions continue where the previous one ended. */
export class OctetSource implements AsyncIterable<Uint8Array>, ReturnableSource {
  readonly #octets: AsyncGenerator<Uint8Array>
  readonly #returned: Uint8Array[] = []

  constructor(source: ByteSource) {
    this.#octets = iterateBytes(source)
  }

  /** Puts bytes back: they come next. */
  unshift(octets: Uint8Array): void {
    this.#returned.unshift(octets)
  }

  /** Releases the source. */
  async close(): Promise<void> {
    await this.#octets.return(undefined)
  }

  /** Continues where the last iteration ended. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async (): Promise<IteratorResult<Uint8Array>> => {
        const octets = this.#returned.shift()
        return octets === undefined ? this.#octets.next() : { done: false, value: octets }
      },
    }
  }
}

/** Whether what a reader did not need can be put back. */
export function isReturnable(source: ByteSource): source is ByteSource & ReturnableSource {
  if (source instanceof OctetSource) return true
  checkType(source, 'object', 'the source')
  // A stream of Node.js that can also be written to stays open, see `iterateBytes`.
  return 'write' in source && 'unshift' in source && typeof source.unshift === 'function' && 'iterator' in source
}
