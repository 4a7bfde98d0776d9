/**
 * Reads bytes from a socket, one piece at a time on demand.
 *
 * Rules: the socket is paused while more than HIGH_WATER_OCTETS are queued here, so memory does not grow with the size
 * of a response. Bytes that arrived before an error are returned before the error. Only one read may be pending.
 * Listeners and timers are created once per connection, because creating them for each request takes longer than
 * reading a short answer.
 */
import { platformCode } from '../base/errors.ts'
import type { ExchangeSocket } from '../base/exchange-socket.ts'

// Two reads of the platform (64 KiB each): one to process while the next arrives.
const HIGH_WATER_OCTETS = 128 * 1024

interface Waiter {
  readonly resolve: (bytes: Uint8Array | undefined) => void
  readonly reject: (error: Error) => void
}

export class SocketReader {
  /** Called with the number of bytes as they come off the socket, before they are requested. */
  onReceived: ((byteCount: number) => void) | undefined
  /** Called first, on every event of the socket. */
  onActivity: (() => void) | undefined
  readonly #socket: ExchangeSocket
  readonly #queue: Uint8Array[] = []
  #queuedOctets = 0
  #hasEnded = false
  #error: Error | undefined
  #waiter: Waiter | undefined
  #timer: NodeJS.Timeout | undefined
  #limitMs = 0
  #onOver: (() => void) | undefined

  constructor(socket: ExchangeSocket) {
    this.#socket = socket
    socket.on('data', (bytes: Uint8Array) => this.#take(bytes))
    socket.on('end', () => this.#finish(undefined))
    socket.on('error', (error: Error) => this.#finish(error))
    socket.on('close', () => this.#finish(undefined))
    // A tunnel leaves its socket paused, and adding a listener does not resume it.
    socket.resume()
  }

  /** Whether a read is waiting for bytes. */
  get isAwaited(): boolean {
    return this.#waiter !== undefined
  }

  /** Whether everything that arrived has been read, and more may come. */
  get isQuiet(): boolean {
    return this.#queue.length === 0 && !this.#hasEnded
  }

  /** The next bytes, or undefined at the end of the stream. Rejects with the error of the socket. */
  read(): Promise<Uint8Array | undefined> {
    const bytes = this.#queue.shift()
    if (bytes !== undefined) {
      this.#queuedOctets -= bytes.length
      if (this.#queuedOctets < HIGH_WATER_OCTETS) this.#socket.resume()
      return Promise.resolve(bytes)
    }
    if (this.#error !== undefined) return Promise.reject(this.#error)
    if (this.#hasEnded) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject }
    })
  }

  /** Calls `onOver` unless the awaited bytes arrive in time. A later limit replaces this one. */
  limit(limitMs: number, onOver: () => void): void {
    this.#onOver = onOver
    if (this.#timer !== undefined && this.#limitMs === limitMs) {
      this.#timer.refresh()
      return
    }
    clearTimeout(this.#timer)
    this.#limitMs = limitMs
    this.#timer = setTimeout(() => {
      if (this.isAwaited) this.#onOver?.()
    }, limitMs)
    // An awaited socket keeps the process alive; an outdated timer must not.
    this.#timer.unref()
  }

  #take(bytes: Uint8Array): void {
    this.onActivity?.()
    this.onReceived?.(bytes.length)
    const waiter = this.#waiter
    if (waiter !== undefined) {
      this.#waiter = undefined
      this.#onOver = undefined
      waiter.resolve(bytes)
      return
    }
    this.#queue.push(bytes)
    this.#queuedOctets += bytes.length
    if (this.#queuedOctets >= HIGH_WATER_OCTETS) this.#socket.pause()
  }

  #finish(error: Error | undefined): void {
    this.onActivity?.()
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#timer)
    this.#error = error
    const waiter = this.#waiter
    this.#waiter = undefined
    if (waiter === undefined) return
    if (error === undefined) waiter.resolve(undefined)
    else waiter.reject(error)
  }
}

/** The code of a reset connection. A reset after an orderly end gives EPIPE. */
const RESET_CODE = 'ECONNRESET'

/**
 * Whether a connection that has ended was reset by its peer. Node.js reports a reset that comes with the last bytes as
 * an orderly end; writing zero bytes still meets the error. With TLS the end is part of the protocol.
 */
export function wasReset(socket: ExchangeSocket): Promise<boolean> {
  if (socket.destroyed || socket.writableLength > 0 || !socket.writable || 'encrypted' in socket)
    return Promise.resolve(false)
  return new Promise((resolve) => {
    socket.write(new Uint8Array(0), (error) => resolve(platformCode(error) === RESET_CODE))
  })
}
