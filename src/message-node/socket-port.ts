/**
 * A socket read and written one piece at a time, for a program that does one thing after the other.
 *
 * Rules: nothing is read before it is requested, so a client that sends faster than it is read has to wait; a write
 * waits until the socket wants more. A connection that breaks ends like one that is closed: what is missing is then for
 * the reader of the messages to report.
 */

import type { Duplex } from 'node:stream'
import type { HttpcliError } from '../message/index.ts'
import { PlatformError } from './errors.ts'

/** How long a client may go on sending after its last answer before the connection is cut. */
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
   * Ends our side. Further bytes from the client are discarded for a while, since a connection that is cut with bytes
   * unread is reset, and the client would lose the answer (RFC 9112 section 9.6).
   */
  end(): void {
    const { socket } = this
    if (socket.destroyed) return
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    timer.unref()
    socket.once('close', () => clearTimeout(timer))
    socket.end()
    socket.resume()
  }

  /** Ends the connection at once, so that the client sees that something is missing. */
  cut(): void {
    this.socket.destroy()
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
