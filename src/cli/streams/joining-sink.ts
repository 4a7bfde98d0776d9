/**
 * Joins short pieces of a body into one write.
 *
 * Rules: only pieces that arrive in the same turn of the event loop are joined, so a slow stream is shown as it
 * arrives. A server may send chunks of one byte (RFC 9112 section 7.1); with a write for each, 100 KB of them cost the
 * executable 0.1 s of CPU time on a pipe. A failure of a delayed write is thrown by the next call. A file joins its
 * writes itself.
 */
import { concatBytes } from '../../message/index.ts'

/** Longer pieces are written at once. */
const SHORT_BYTES = 1024
const MAX_WAITING_BYTES = 16_384

/** A destination of bytes. */
export interface ByteSink {
  write(bytes: Uint8Array): void | Promise<void>
}

export class JoiningSink implements ByteSink {
  readonly #sink: ByteSink
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  /** The delayed write, until its end is known to the caller. */
  #writing: Promise<void> | undefined

  constructor(sink: ByteSink) {
    this.#sink = sink
  }

  async write(bytes: Uint8Array): Promise<void> {
    // A slow output slows down the work, and one that is closed ends it.
    if (this.#writing !== undefined) await this.#whenWritten()
    if (this.#waitingBytes === 0 && bytes.length < SHORT_BYTES) setImmediate(this.#writeWaiting)
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (bytes.length >= SHORT_BYTES || this.#waitingBytes >= MAX_WAITING_BYTES) await this.flush()
  }

  /** Writes everything that was passed to `write`. */
  async flush(): Promise<void> {
    await this.#whenWritten()
    this.#writeWaiting()
    await this.#whenWritten()
  }

  async #whenWritten(): Promise<void> {
    await this.#writing
    this.#writing = undefined
  }

  readonly #writeWaiting = (): void => {
    if (this.#waitingBytes === 0 || this.#writing !== undefined) return
    const bytes = concatBytes(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    this.#writing = this.#sink.write(bytes) ?? undefined
    this.#writing?.catch(() => undefined)
  }
}
