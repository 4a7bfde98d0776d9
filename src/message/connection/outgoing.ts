/**
 * The events that a program passes to a connection for sending.
 *
 * Rules: the events have the shapes of a decoder's events, so a received event can be sent on unchanged.
 */
import type { BodyEvent, HttpEvent } from '../head/events.ts'
import type { HeaderInit } from '../head/headers.ts'

/** The head of a request to send. A received `RequestHead` can be used. */
export interface OutgoingRequestHead {
  readonly method: string
  /** A path, a full URL, `*`, or host:port for CONNECT. */
  readonly target: string
  /** Host is added if the target has one; the target's host overrides this one (RFC 9112 section 3.2.2). */
  readonly headers?: HeaderInit
}

/** The head of a response to send. A received `ResponseHead` can be used. */
export interface OutgoingResponseHead {
  readonly status: number
  /** Default: the registered phrase of the status. */
  readonly reason?: string
  readonly headers?: HeaderInit
}

/**
 * The events to send: for each message its head, any number of `data`, and one `end`. Servers may send `informational`
 * before their response. `close` says that nothing follows, and writes nothing.
 */
export type OutgoingEvent =
  | { readonly type: 'request'; readonly head: OutgoingRequestHead }
  | { readonly type: 'informational' | 'response'; readonly head: OutgoingResponseHead }
  | Extract<BodyEvent, { type: 'data' }>
  | { readonly type: 'end'; readonly trailers?: HeaderInit; readonly lastChunkExtensions?: string }
  | { readonly type: 'close' }

/** The events that a connection reads: those of a decoder, and `close` when the peer has ended. */
export type ConnectionEvent = HttpEvent | { readonly type: 'close' }
