/**
 * Replaces node-socket.ts in the stand-alone executable: opens sockets of its runtime, Bun.
 *
 * Rules: a `send` takes 10.9 ms of CPU time with these sockets and 13.4 ms with node:net, which has to load its code
 * and set up its streams first. Only an exchange over TCP without TLS uses them. The runtime sometimes emits `drain`
 * without a cause, and its errors have codes but no addresses. If a write meets a reset, the runtime returns a negative
 * number and then reports an orderly end. An attempt that is abandoned while it connects is closed when it ends.
 */
import { getBuiltinModule } from 'node:process'
import type { ExchangeSocket, OpenSocket } from '../base/exchange-socket.ts'

/** The part of the runtime's interface that is used. */
declare const Bun: {
  connect(options: {
    readonly hostname: string
    readonly port: number
    readonly allowHalfOpen: boolean
    readonly socket: RuntimeHandlers
  }): Promise<RuntimeSocketHandle>
}

interface RuntimeSocketHandle {
  readonly localAddress: string
  readonly localPort: number
  /** Returns the number of bytes that the system accepted; negative if the connection is closed or was reset. */
  write(bytes: Uint8Array): number
  pause(): void
  resume(): void
  /** Ends both directions in an orderly way. */
  close(): void
}

interface RuntimeHandlers {
  open(handle: RuntimeSocketHandle): void
  data(handle: RuntimeSocketHandle, bytes: Uint8Array): void
  end(handle: RuntimeSocketHandle): void
  drain(handle: RuntimeSocketHandle): void
  close(handle: RuntimeSocketHandle, error?: Error): void
  error(handle: RuntimeSocketHandle, error: Error): void
  connectError(handle: RuntimeSocketHandle, error: Error): void
}

export const openSocket: OpenSocket = (target, isHandedOn) =>
  isHandedOn || 'path' in target
    ? getBuiltinModule('node:net').connect({ ...target, allowHalfOpen: true })
    : new RuntimeSocket(target.host, target.port)

interface Listener {
  readonly call: (argument?: never) => void
  readonly isOnce: boolean
}

interface Waiting {
  readonly bytes: Uint8Array
  readonly done: ((error?: Error | null) => void) | undefined
}

class RuntimeSocket implements ExchangeSocket {
  destroyed = false
  readonly #place: string
  readonly #listeners: Map<string, readonly Listener[]> = new Map()
  #handle: RuntimeSocketHandle | undefined
  /** True until `data` has a listener, and while the reader is paused. */
  #isPaused = true
  /** Bytes that the system has not accepted yet. */
  #waiting: readonly Waiting[] = []
  #writeError: Error | undefined

  constructor(address: string, port: number) {
    this.#place = `${address}:${port}`
    const handlers: RuntimeHandlers = {
      open: (handle) => this.#opened(handle),
      data: (_handle, bytes) => this.#emit('data', bytes),
      end: () => (this.#writeError === undefined ? this.#emit('end') : this.destroy(this.#writeError)),
      drain: () => this.#drained(),
      close: (_handle, error) => this.destroy(error ?? this.#writeError),
      error: (_handle, error) => this.destroy(error),
      connectError: (_handle, error) => this.#refused(error),
    }
    Bun.connect({ hostname: address, port, allowHalfOpen: true, socket: handlers }).catch((error: Error) =>
      this.#refused(error),
    )
  }

  get writable(): boolean {
    return !this.destroyed
  }

  get writableLength(): number {
    return this.#waiting.reduce((sum, { bytes }) => sum + bytes.length, 0)
  }

  get localAddress(): string | undefined {
    return this.#handle?.localAddress
  }

  get localPort(): number | undefined {
    return this.#handle?.localPort
  }

  on(event: string, listener: (argument: never) => void): void {
    this.#listen(event, listener as Listener['call'], false)
    if (event === 'data') this.resume()
  }

  once(event: string, listener: () => void): void {
    this.#listen(event, listener, true)
  }

  off(event: string, listener: () => void): void {
    this.#listeners.set(
      event,
      this.#listenersOf(event).filter(({ call }) => call !== listener),
    )
  }

  pause(): void {
    if (this.#isPaused) return
    this.#isPaused = true
    if (!this.destroyed) this.#handle?.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    if (!this.destroyed) this.#handle?.resume()
  }

  write(bytes: Uint8Array, done?: (error?: Error | null) => void): boolean {
    const writtenBytes = this.#waiting.length > 0 ? 0 : this.#writeNow(bytes)
    if (this.destroyed || writtenBytes === bytes.length) {
      // The bytes are lost if the socket is closed: the error is reported as an event.
      if (done !== undefined) queueMicrotask(done)
      return true
    }
    this.#waiting = [...this.#waiting, { bytes: bytes.subarray(writtenBytes), done }]
    return false
  }

  destroy(error?: Error): void {
    if (this.destroyed) return
    this.destroyed = true
    this.#waiting = []
    this.#handle?.close()
    queueMicrotask(() => {
      if (error !== undefined) this.#emit('error', error as never)
      this.#emit('close')
    })
  }

  #opened(handle: RuntimeSocketHandle): void {
    if (this.destroyed) {
      handle.close()
      return
    }
    this.#handle = handle
    if (this.#isPaused) handle.pause()
    this.#emit('connect')
  }

  #refused(cause: Error): void {
    const { code } = cause as NodeJS.ErrnoException
    this.destroy(Object.assign(new Error(`connect ${code} ${this.#place}`, { cause }), { code }))
  }

  #drained(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    for (const { bytes, done } of waiting) this.write(bytes, done)
    if (this.#waiting.length === 0) this.#emit('drain')
  }

  /** Returns the number of bytes that the system accepted. */
  #writeNow(bytes: Uint8Array): number {
    if (bytes.length === 0) return 0
    const writtenBytes = this.#handle?.write(bytes) ?? 0
    if (writtenBytes < 0) this.#writeError ??= Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET' })
    return Math.max(0, writtenBytes)
  }

  #listen(event: string, call: Listener['call'], isOnce: boolean): void {
    this.#listeners.set(event, [...this.#listenersOf(event), { call, isOnce }])
  }

  #listenersOf(event: string): readonly Listener[] {
    return this.#listeners.get(event) ?? []
  }

  #emit(event: string, argument?: unknown): void {
    for (const { call, isOnce } of this.#listenersOf(event)) {
      if (isOnce) this.off(event, call)
      call(argument as never)
    }
  }
}
