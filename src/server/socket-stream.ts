/**
 * A socket as the connection wants it: read on demand with a time limit, write with back-pressure, close politely.
 *
 * Rules: what the client sends ahead is kept up to `maximumQueuedBytes`, then the socket is paused. A write settles when
 * the octets are with the operating system, so their buffer may be used again; a client that takes nothing for too long
 * loses the connection (the platform's idle timer sees partial progress of a large write). Closing half-closes first and
 * listens on for a moment: a close with unread input would reset the connection and take the last response away (RFC 9112
 * section 9.6).
 */
import type { Socket } from 'node:net'
import { HttpcliError } from '../message/index.ts'
import type { ServerLimits } from './limits.ts'

/** Two reads of the platform. */
const maximumQueuedBytes = 131_072

type StreamLimits = Pick<ServerLimits, 'writeTimeoutMs' | 'lingerTimeoutMs'>

/**
 * Codes of the errors that reads and writes reject with: `peer-gone` (the connection is closed, by whatever side) and
 * `read-timeout`. Both end a connection and are nobody's defect.
 */
export function isConnectionError(error: unknown): error is HttpcliError {
  return error instanceof HttpcliError && (error.code === 'peer-gone' || error.code === 'read-timeout')
}

function connectionError(code: 'peer-gone' | 'read-timeout', cause?: unknown): HttpcliError {
  const message = code === 'peer-gone' ? 'the connection is closed' : 'the client sent nothing in time'
  return new HttpcliError(code, message, { cause })
}

export class SocketStream {
  readonly #socket: Socket
  readonly #limits: StreamLimits
  readonly #queue: Uint8Array[] = []
  #queuedBytes = 0
  #hasEnded = false
  #isDiscarding = false
  #wake: () => void = () => undefined

  constructor(socket: Socket, limits: StreamLimits) {
    this.#socket = socket
    this.#limits = limits
    socket.on('data', (bytes: Uint8Array) => this.#receive(bytes))
    socket.on('end', () => {
      this.#hasEnded = true
      this.#wake()
    })
    // What a client does to its connection shows in 'close' and in the writes; there is nothing else to do about it.
    socket.on('error', () => undefined)
    socket.on('close', () => this.#wake())
    socket.on('timeout', () => socket.destroy())
  }

  /** The next octets, undefined after the client's last. Rejects with `peer-gone` or `read-timeout`. */
  async read(timeoutMs: number): Promise<Uint8Array | undefined> {
    if (this.#queue.length === 0 && !this.#hasEnded && !this.#socket.destroyed) await this.#waitForInput(timeoutMs)
    const bytes = this.#queue.shift()
    if (bytes === undefined) {
      if (this.#hasEnded) return undefined
      throw connectionError(this.#socket.destroyed ? 'peer-gone' : 'read-timeout')
    }
    this.#queuedBytes -= bytes.length
    if (this.#socket.isPaused()) this.#socket.resume()
    return bytes
  }

  /** Settles at once while the platform's buffer has room, else when it is empty. Rejects with `peer-gone`. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#socket.destroyed) throw connectionError('peer-gone')
    let hasRoom = false
    const written = new Promise<void>((resolve, reject) => {
      hasRoom = this.#socket.write(bytes, (error) => (error ? reject(connectionError('peer-gone', error)) : resolve()))
    })
    if (hasRoom) {
      // Nobody waits: a failure of this write shows in the next read or write.
      written.catch(() => undefined)
      return
    }
    await this.#withProgress(written)
  }

  /** Settles when the octets are with the operating system and `bytes` may be used again. Rejects with `peer-gone`. */
  async flush(bytes: Uint8Array): Promise<void> {
    if (this.#socket.destroyed) throw connectionError('peer-gone')
    await this.#withProgress(
      new Promise<void>((resolve, reject) => {
        this.#socket.write(bytes, (error) => (error ? reject(connectionError('peer-gone', error)) : resolve()))
      }),
    )
  }

  /** Sends what is left and closes, without cutting the last response off. Never rejects. */
  async close(): Promise<void> {
    if (this.#socket.destroyed) return
    this.#discardInput()
    await this.#withProgress(
      new Promise<void>((resolve) => {
        this.#socket.once('close', resolve)
        this.#socket.end(resolve)
      }),
    )
    if (!this.#hasEnded && !this.#socket.destroyed) await this.#waitForInput(this.#limits.lingerTimeoutMs)
    this.#socket.destroy()
  }

  /** Cuts the connection, so that the client sees that its response is not whole. */
  destroy(): void {
    this.#socket.destroy()
  }

  #receive(bytes: Uint8Array): void {
    if (this.#isDiscarding) return
    this.#queue.push(bytes)
    this.#queuedBytes += bytes.length
    if (this.#queuedBytes >= maximumQueuedBytes) this.#socket.pause()
    this.#wake()
  }

  #discardInput(): void {
    this.#isDiscarding = true
    this.#queue.length = 0
    this.#socket.resume()
  }

  async #withProgress(written: Promise<void>): Promise<void> {
    this.#socket.setTimeout(this.#limits.writeTimeoutMs)
    try {
      await written
    } finally {
      this.#socket.setTimeout(0)
    }
  }

  /** Settles at input, at the end of it, at the close, or when the time is over. */
  async #waitForInput(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs)
      this.#wake = resolve
    })
    clearTimeout(timer)
  }
}
