/** The interface of the HTTP client for forwarding. The caller supplies the client, so this room imports none. */
import type { Socket } from 'node:net'
import type { HttpRequest, HttpResponse, ResponseHead } from '../../message/index.ts'

export interface BackendCall {
  /** Path of the Unix domain socket to connect to; undefined: the host of the request's URL. */
  readonly unixSocket: string | undefined
  /** Aborted when the client disconnects; this ends the exchange. */
  readonly signal: AbortSignal
  /** Called for each interim response (1xx), in order. */
  readonly onInformational: (head: ResponseHead) => void
}

/** A connection that has switched to another protocol. */
export interface BackendTunnel {
  /** The caller writes to it and ends it. */
  readonly socket: Socket
  /** The bytes received after the head of the response. */
  readonly rest: Uint8Array
  /** The next bytes; undefined at the end of the stream. Rejects with the error of the socket. */
  read(): Promise<Uint8Array | undefined>
}

export interface BackendExchange {
  readonly response: HttpResponse<'stream'>
  /** Present after a 101 response to a request with Upgrade. */
  readonly tunnel: BackendTunnel | undefined
  /** Resolves when the connection is no longer used, including for the rest of an upload after an early response. */
  readonly closed: Promise<void>
  /** Ends the connection, unless the exchange has ended. */
  close(): void
}

export interface BackendClient {
  /**
   * Resolves when the head of the final response has arrived. Rejects with an HttpcliError whose code says what failed.
   */
  send(request: HttpRequest, call: BackendCall): Promise<BackendExchange>
  /** Closes idle connections. */
  close(): void
}
