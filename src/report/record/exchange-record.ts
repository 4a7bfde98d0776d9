/**
 * What reports keep of an exchange: heads, the beginning of each body, address and timing.
 *
 * Texts are masked. Times are milliseconds, moments are milliseconds since 1970 (UTC), sizes are bytes. What is not known
 * is left out.
 */
import type { RunEvent } from '../../runner/index.ts'
import type { RepairRecord } from './repair-record.ts'

export type FieldPairs = readonly (readonly [name: string, value: string])[]

/** A cookie that a message carries; attributes are those of Set-Cookie (RFC 6265 section 4.1). */
export interface CookieRecord {
  readonly name: string
  /** `***` where the name alone does not hide it. */
  readonly value: string
  readonly path?: string
  readonly domain?: string
  /** ISO 8601. */
  readonly expires?: string
  readonly httpOnly?: boolean
  readonly secure?: boolean
}

/** A body with its codings decoded. `text` where it is text, `base64` where it is binary. */
export interface BodyRecord {
  /** Value of Content-Type; '' where there is none. */
  readonly mediaType: string
  /** Of the whole body. */
  readonly sizeBytes?: number
  readonly text?: string
  readonly base64?: string
  /** Whether `text` or `base64` is the beginning only. */
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
}

/** Of the connection: an IP address and a port, or a socket in the file system. */
export type RemoteRecord = { readonly address: string; readonly port: number } | { readonly path: string }

/** One request as it was sent, and its response. */
export interface ExchangeRecord {
  /** Why it is not the first of its request. */
  readonly cause?: 'redirect' | 'challenge'
  /** No connection was there to send it over. */
  readonly isUnsent?: true
  /** When it began to wait for its connection. */
  readonly startedAt: number
  readonly method: string
  readonly url: string
  readonly headers: FieldPairs
  readonly cookies: readonly CookieRecord[]
  readonly body?: BodyRecord
  /** From its field `traceparent`. W3C Trace Context section 3.2. */
  readonly trace?: { readonly traceId: string; readonly spanId: string }
  /** The peer of the connection: the server, or a proxy. */
  readonly remote?: RemoteRecord
  /** Undefined: not answered. */
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
