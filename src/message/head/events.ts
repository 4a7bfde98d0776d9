/**
 * The events of a decoder.
 *
 * Rules: the set is closed. Each message is one `request` or `response` (a client may get `informational` before it),
 * then `data` in the order of the content, then one `end`; `upgrade` may follow and is the last event. The joined
 * `data` does not depend on how the bytes were split. RFC 9112 sections 6 and 7, RFC 9110 section 15.2 for
 * `informational`.
 */
import { viewOf } from '../syntax/octets.ts'
import type { RequestHead, ResponseHead } from './head.ts'
import type { HeaderList } from './headers.ts'

/** All events of an `HttpDecoder`. A server gets `request`, a client `informational` and `response`. */
export type HttpEvent =
  | { readonly type: 'request'; readonly head: RequestHead }
  | { readonly type: 'informational' | 'response'; readonly head: ResponseHead }
  | BodyEvent
  /** The rest of the connection is another protocol: after CONNECT, 101 or a 2xx answer to CONNECT. */
  | { readonly type: 'upgrade'; readonly rest: Uint8Array }

/** The content of one message: any number of `data`, then one `end`. */
export type BodyEvent =
  /**
   * A view of the pushed bytes: copy it to keep it. `chunk` is set with the first bytes of each chunk, and never if the
   * message is not chunked.
   */
  | { readonly type: 'data'; readonly bytes: Uint8Array; readonly chunk?: ChunkStart | undefined }
  /** `trailers` may be empty; `lastChunkExtensions` is set if the message was chunked. */
  | { readonly type: 'end'; readonly trailers: HeaderList; readonly lastChunkExtensions?: string }

/** The line before a chunk (RFC 9112 section 7.1). */
export interface ChunkStart {
  /** Size of the whole chunk; the event may contain fewer bytes. */
  readonly sizeBytes: number
  /** As written after the first ";", without surrounding white space; may be empty. */
  readonly extensions: string
}

/** Bytes of content. The view is made on demand, so a server that skips an unwanted body makes none. */
export class DataEvent {
  readonly type: 'data'
  readonly #piece: Uint8Array
  readonly #start: number
  readonly #sizeBytes: number
  readonly #chunkBytes: number
  readonly #extensions: string
  #bytes: Uint8Array | undefined

  /**
   * `sizeBytes` bytes of the piece from index `start` on; `chunkBytes` is the size of the chunk that begins here, or 0.
   */
  constructor(piece: Uint8Array, start: number, sizeBytes: number, chunkBytes: number, extensions: string) {
    this.type = 'data'
    this.#piece = piece
    this.#start = start
    this.#sizeBytes = sizeBytes
    this.#chunkBytes = chunkBytes
    this.#extensions = extensions
    this.#bytes = undefined
  }

  get bytes(): Uint8Array {
    this.#bytes ??= viewOf(this.#piece, this.#start, this.#sizeBytes)
    return this.#bytes
  }

  get chunk(): ChunkStart | undefined {
    return this.#chunkBytes === 0 ? undefined : { sizeBytes: this.#chunkBytes, extensions: this.#extensions }
  }
}
