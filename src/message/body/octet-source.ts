/**
 * A source of bytes that several readers use in turn: bytes that one reader does not need go to the next.
 *
 * Rules: a reader that stops early does not close the source. Bytes can be put back and are then read first; a Node.js
 * socket has both properties already. Nothing is read until a reader asks for it.
 */
import { checkType } from '../syntax/checked-input.ts'
import { type ByteSource, iterateBytes } from './message-body.ts'

/** A source that a reader can return bytes to. */
export interface ReturnableSource {
  unshift(octets: Uint8Array): void
}

/**
 * Wraps any source, for reading several messages: `readRequest` and similar functions continue where the previous call
 * ended.
 */
export class OctetSource implements AsyncIterable<Uint8Array>, ReturnableSource {
  readonly #octets: AsyncGenerator<Uint8Array>
  readonly #returned: Uint8Array[] = []

  constructor(source: ByteSource) {
    this.#octets = iterateBytes(source)
  }

  /** Puts bytes back: they are read next. */
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

/** Whether unread bytes can be put back. */
export function isReturnable(source: ByteSource): source is ByteSource & ReturnableSource {
  if (source instanceof OctetSource) return true
  checkType(source, 'object', 'the source')
  // A Node.js stream that is also writable stays open, see `iterateBytes`.
  return 'write' in source && 'unshift' in source && typeof source.unshift === 'function' && 'iterator' in source
}
