/**
 * The socket interface that an exchange needs: a subset of that of a Node.js socket.
 *
 * Rules: as in Node.js. Bytes are emitted as `data` once it has a listener, unless the socket is paused; `end` means
 * that the peer sends nothing more, but this side may still write; an `error` destroys the socket; `close` is the last
 * event.
 */
export interface ExchangeSocket {
  readonly destroyed: boolean
  readonly writable: boolean
  /** The number of bytes that the system has not accepted yet. */
  readonly writableLength: number
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  on(event: 'data', listener: (bytes: Uint8Array) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end' | 'close', listener: () => void): unknown
  once(event: 'connectionAttempt' | 'connect' | 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
  pause(): unknown
  resume(): unknown
  /** @returns false if the caller should wait for `drain` before it writes more. */
  write(bytes: Uint8Array, done?: (error?: Error | null) => void): boolean
  /** Holds writes back until `uncork` passes them to the system together. The executable's own sockets do not. */
  cork?(): void
  uncork?(): void
  /** Ends both directions; emits `error`, if there is one, and `close`. */
  destroy(error?: Error): unknown
}

/** An IP address and port, or the path of a Unix domain socket. */
export type SocketTarget =
  | { readonly host: string; readonly port: number; readonly noDelay: true }
  | { readonly path: string }

/**
 * Opens a socket that emits `connect` when it is connected. The peer may end first.
 * @param isHandedOn whether the socket is also used outside an exchange without TLS: if so, it is a Node.js socket
 */
export type OpenSocket = (target: SocketTarget, isHandedOn: boolean) => ExchangeSocket
