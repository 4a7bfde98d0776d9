/**
 * Collects the body of a request from the bytes that are sent.
 *
 * The first piece is the head. A chunked body is shown without its framing (RFC 9112 section 7.1).
 */
import type { KnownBody } from './body-record.ts'

export class SentBody {
  readonly #isChunked: boolean
  readonly #limitBytes: number
  readonly #pieces: Uint8Array[] = []
  #keptBytes = 0
  #sentBytes = 0
  #hasHead = false

  /** @param limitBytes the maximum number of bytes to keep; 0 keeps none */
  constructor(isChunked: boolean, limitBytes: number) {
    this.#isChunked = isChunked
    this.#limitBytes = limitBytes
  }

  add(bytes: Uint8Array): void {
    if (!this.#hasHead) {
      this.#hasHead = true
      return
    }
    this.#sentBytes += bytes.length
    const kept = bytes.subarray(0, this.#limitBytes - this.#keptBytes)
    if (kept.length === 0) return
    this.#pieces.push(new Uint8Array(kept))
    this.#keptBytes += kept.length
  }

  /** Whether the bytes of the request are reported. */
  get isLogged(): boolean {
    return this.#hasHead
  }

  /** Undefined if nothing was sent after the head. */
  known(mediaType: string): KnownBody | undefined {
    if (this.#sentBytes === 0) return undefined
    const bytes = Buffer.concat(this.#pieces)
    const isWhole = this.#keptBytes === this.#sentBytes
    if (!this.#isChunked) return { mediaType, bytes, sizeBytes: this.#sentBytes }
    const content = withoutChunks(bytes)
    return { mediaType, bytes: content, sizeBytes: isWhole ? content.length : undefined }
  }
}

function withoutChunks(framed: Buffer): Uint8Array {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < framed.length; ) {
    const lineEnd = framed.indexOf('\r\n', at)
    const sizeBytes = Number.parseInt(framed.subarray(at, lineEnd < 0 ? at : lineEnd).toString('latin1'), 16)
    if (!(sizeBytes > 0)) break
    const start = lineEnd + 2
    chunks.push(framed.subarray(start, start + sizeBytes))
    at = start + sizeBytes + 2
  }
  return Buffer.concat(chunks)
}
