/**
 * The recorded parts of an exchange: heads, the beginning of each body, address and timing.
 *
 * Texts are masked. Times are milliseconds, dates are milliseconds since 1970 (UTC), sizes are bytes. Unknown values
 * are omitted.
 */
import type { RunEvent } from '../../runner/index.ts'
import type { RepairRecord } from './repair-record.ts'

export type FieldPairs = readonly (readonly [name: string, value: string])[]

/** A cookie of a message; attributes are those of Set-Cookie (RFC 6265 section 4.1). */
export interface CookieRecord {
  readonly name: string
  /** `***` if the value is secret. */
  readonly value: string
  readonly path?: string
  readonly domain?: string
  /** ISO 8601. */
  readonly expires?: string
  readonly httpOnly?: boolean
  readonly secure?: boolean
}

/** A body with its codings decoded. `text` if it is text, `base64` if it is binary. */
export interface BodyRecord {
  /** The value of Content-Type; may be empty. */
  readonly mediaType: string
  /** The size of the whole body. */
  readonly sizeBytes?: number
  readonly text?: string
  readonly base64?: string
  /** Whether `text` or `base64` is only the beginning. */
  readonly isTruncated: boolean
}

export interface TimingRecord {
  readonly queueMs: number
  readonly dnsMs: number
  readonly connectMs: number
  readonly tlsMs: number
  readonly sendMs: number
  readonly firstByteMs: number
  readonly totalMs: number
}

export interface ResponseRecord {
  /** `HTTP/1.1`, `HTTP/2`, … */
  readonly version: string
  readonly status: number
  readonly reason: string
  readonly headers: FieldPairs
  readonly cookies: readonly CookieRecord[]
  readonly body?: BodyRecord
  readonly trailers?: FieldPairs
  readonly repairs?: readonly RepairRecord[]
  /** The number of bytes after the end of the response that belong to no message. */
  readonly excessBytes?: number
}

/** The remote end of the connection: an IP address and a port, or a Unix domain socket. */
export type RemoteRecord = { readonly address: string; readonly port: number } | { readonly path: string }

/** One request as it was sent, and its response. */
export interface ExchangeRecord {
  /** Why this exchange followed another one of the same request. */
  readonly cause?: 'redirect' | 'challenge'
  /** Whether no connection could be opened for it. */
  readonly isUnsent?: true
  /** When it began to wait for its connection. */
  readonly startedAt: number
  readonly method: string
  readonly url: string
  readonly headers: FieldPairs
  readonly cookies: readonly CookieRecord[]
  readonly body?: BodyRecord
  /** From the field `traceparent`. W3C Trace Context section 3.2. */
  readonly trace?: { readonly traceId: string; readonly spanId: string }
  /** The peer of the connection: the server, or a proxy. */
  readonly remote?: RemoteRecord
  /** Undefined if unanswered. */
  readonly response?: ResponseRecord
  readonly timing?: TimingRecord
  readonly bytesSent?: number
  readonly bytesReceived?: number
}

/** A message over a WebSocket. */
export interface MessageRecord {
  readonly direction: 'sent' | 'received'
  readonly time: number
  readonly body: BodyRecord
}

export function shownRemote(remote: Extract<RunEvent, { readonly type: 'hop-finished' }>['remote']): RemoteRecord {
  return 'path' in remote ? { path: remote.path } : { address: remote.address, port: remote.port }
}
