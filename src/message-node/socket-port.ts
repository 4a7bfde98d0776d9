/**
 * Reads and writes a socket one piece at a time, for sequential programs.
 *
 * Rules: nothing is read before it is requested, so a fast client has to wait; a write waits until the socket is ready
 * for more. A broken connection ends like one that is closed: the reader of the messages then reports what is missing.
 */
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { HttpcliError } from '../message/index.ts'
import { PlatformError } from './errors.ts'

/** How long a client may keep sending after its last answer has been sent before the connection is closed. */
const LINGER_MS = 2000

export class SocketPort {
  readonly socket: Duplex

  constructor(socket: Duplex) {
    this.socket = socket
    // An error is followed by 'close'. Code that takes over the socket later need not handle errors.
    socket.on('error', () => undefined)
  }

  /** The next bytes; undefined at the end. */
  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const bytes = this.socket.read() as Uint8Array | null
      if (bytes !== null) return bytes
      if (this.socket.readableEnded || this.socket.destroyed) return undefined
      await this.#anyOf('readable', 'end', 'close')
    }
  }

  /** @throws HttpcliError `connection-lost`. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.socket.destroyed || !this.socket.writable) throw lost()
    if (this.socket.write(bytes)) return
    await this.#anyOf('drain', 'close')
    if (this.socket.destroyed) throw lost()
  }

  /**
   * Ends the writable side. Once the system has the whole answer, further bytes from the client are discarded for a
   * while, since closing a connection with unread bytes resets it, and the client would lose the answer (RFC 9112
   * section 9.6).
   */
  end(): void {
    const { socket } = this
    if (socket.destroyed) return
    socket.end(() => {
      if (socket.destroyed) return
      const timer = setTimeout(() => socket.destroy(), LINGER_MS)
      timer.unref()
      socket.once('close', () => clearTimeout(timer))
    })
    socket.resume()
  }

  /** Closes the connection immediately, so that the client sees a truncated message. */
  cut(): void {
    this.socket.destroy()
  }

  /**
   * The same with a reset, for a message that ends with its connection: a normal end would complete it. Only TCP has
   * one; TLS ends without its closing message instead.
   */
  reset(): void {
    const socket = this.socket as Duplex & Partial<Pick<TLSSocket, 'encrypted' | 'remoteFamily' | 'resetAndDestroy'>>
    if (socket.remoteFamily === undefined || socket.encrypted === true) socket.destroy()
    else socket.resetAndDestroy?.()
  }

  #anyOf(...names: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        for (const name of names) this.socket.off(name, settle)
        resolve()
      }
      for (const name of names) this.socket.once(name, settle)
    })
  }
}

function lost(): HttpcliError {
  return new PlatformError('connection-lost', 'the client closed the connection before it had the whole answer')
}
