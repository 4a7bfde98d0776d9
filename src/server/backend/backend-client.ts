/** The interface of the HTTP client for forwarding. The caller passes a client in, so that this room imports none. */
import type { Socket } from 'node:net'
import type { HttpRequest, HttpResponse, ResponseHead } from '../../message/index.ts'

export interface BackendCall {
  /** Path of the Unix domain socket to connect to; undefined: the host of the request's URL. */
  readonly unixSocket: string | undefined
  /** Ends the exchange when the client leaves. */
  readonly signal: AbortSignal
  /** Called for each interim response (1xx), in order. */
  readonly onInformational: (head: ResponseHead) => void
}

/** A connection that has switched to another protocol. */
export interface BackendTunnel {
  /** The caller writes to it and ends it. */
  readonly socket: Socket
  /** The bytes received after the response's head. */
  readonly rest: Uint8Array
  /** The next bytes; undefined at the end of the stream. Rejects with the error of the socket. */
  read(): Promise<Uint8Array | undefined>
}

export interface BackendExchange {
  readonly response: HttpResponse<'stream'>
  /** After 101, if the request has Upgrade. */
  readonly tunnel: BackendTunnel | undefined
  /** Resolves when the connection is no longer used, including for the rest of an upload after an early response. */
  readonly closed: Promise<void>
  /** Ends the connection, unless the exchange has ended. */
  close(): void
}

export interface BackendClient {
  /** Resolves at the head of the final response. Rejects with an HttpcliError whose code says what failed. */
  send(request: HttpRequest, call: BackendCall): Promise<BackendExchange>
  /** Closes idle connections. */
  close(): void
}
