/**
 * Writes answers to a socket: several in one packet, with back-pressure and an orderly end.
 *
 * Rules: bytes that the operating system did not accept immediately belong to the socket until `isFlushed`. A client
 * that reads nothing for too long is disconnected. The platform's idle timer notices partial progress of a large write,
 * but is expensive, so it runs only for answers that are pending at a sweep. RFC 9112 section 9.6.
 */

import type { Socket } from 'node:net'
import type { Sink } from '../files/file-transfer.ts'
import type { ServerLimits } from '../limits/limits.ts'
import { ServerError } from '../semantics/errors.ts'

/** A body up to this size is sent in one piece with its head. */
const copiedBodyBytes = 65_536

export class ClientSocket implements Sink {
  readonly #socket: Socket
  readonly #writeTimeoutMs: number
  /** Whether unsent data is a copy of what was written, because it was encrypted immediately. */
  readonly hasCopies: boolean
  #isCorked = false
  #isWatched = false

  constructor(socket: Socket, { writeTimeoutMs }: Pick<ServerLimits, 'writeTimeoutMs'>) {
    this.#socket = socket
    this.#writeTimeoutMs = writeTimeoutMs
    this.hasCopies = 'encrypted' in socket
    // Errors of the client are handled by the 'close' listener and by the writes; nothing more can be done about them.
    socket.on('error', () => undefined)
    socket.on('timeout', () => this.#stalled())
  }

  /** Whether the operating system has all bytes. */
  get isFlushed(): boolean {
    return this.#socket.writableLength === 0
  }

  /** Whether more should be written only after the next 'drain'. */
  get mustWait(): boolean {
    if (this.#socket.writableLength === 0) return false
    if (!this.#socket.writableNeedDrain) return false
    this.uncork()
    return this.#socket.writableLength > 0
  }

  /** Buffers all further writes. */
  cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#socket.cork()
  }

  uncork(): void {
    if (!this.#isCorked) return
    this.#isCorked = false
    this.#socket.uncork()
  }

  write(octets: Uint8Array): void {
    this.#socket.write(octets)
  }

  /** Writes head and body in one packet, if that is worth a copy. */
  writeWhole(head: Buffer, body: Uint8Array): void {
    if (body.length <= copiedBodyBytes) {
      this.#socket.write(Buffer.concat([head, body]))
      return
    }
    this.cork()
    this.#socket.write(head)
    this.#socket.write(body)
    this.uncork()
  }

  /** Settles when the operating system has the bytes. Rejects with HttpcliError `peer-gone`. */
  flush(octets: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(octets, (error) => {
        if (error) reject(new ServerError('peer-gone', 'the connection is closed', { cause: error }))
        else resolve()
      })
    })
  }

  /** From now on the client has to read something within the time limit, until `rest`. */
  watchProgress(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    this.#socket.setTimeout(this.#writeTimeoutMs)
  }

  /** Call this when the answer is finished. */
  rest(): void {
    if (!this.#isWatched) return
    this.#isWatched = false
    this.#socket.setTimeout(0)
  }

  /** Sends the rest and ends this side. `onFlushed`: the operating system has everything. */
  end(onFlushed: () => void): void {
    this.uncork()
    this.watchProgress()
    this.#socket.end(onFlushed)
  }

  /**
   * Drops the connection with a reset, because a normal end may complete an answer. Only TCP has one; TLS ends without
   * its closing message instead.
   */
  reset(): void {
    if (this.hasCopies || this.#socket.remoteFamily === undefined) this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }

  /** A client that has received everything so far is not at fault: the stream has no new data. */
  #stalled(): void {
    if (this.isFlushed && !this.#socket.writableEnded) this.#socket.setTimeout(this.#writeTimeoutMs)
    else this.#socket.destroy()
  }
}
