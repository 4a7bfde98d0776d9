/**
 * Options for an exchange over a socket.
 *
 * Rules: every option is optional and has one default, which is documented here; times are in milliseconds and 0 means
 * no limit; values of the process (environment, clock) are passed in, never read.
 */
import type { ResponseHead } from '../../message/index.ts'
import type { ConnectionPool } from '../connection/connection-pool.ts'
import type { ProxyRule } from '../connection/proxy.ts'
import type { ProxyDigest } from '../digest.ts'
import type { Exchange } from '../http1/conversation.ts'
import type { ConnectionListener } from './connection-event.ts'
import type { Clock } from './timing.ts'

/** PEM text or bytes. */
export type Pem = string | Uint8Array

export interface TlsOptions {
  /** Whether certificate and host name are verified. Default true. */
  readonly verify?: boolean
  /** Trusted certificates in PEM, instead of those of the runtime. */
  readonly ca?: Pem
  /** Client certificate chain in PEM. Its `key` may be in the same text. */
  readonly cert?: Pem
  /** Private key in PEM. */
  readonly key?: Pem
  /** Client certificate and key in PKCS12, instead of `cert` and `key`. */
  readonly pfx?: Uint8Array
  /** For `key` or `pfx`. */
  readonly passphrase?: string
  /** The name sent as SNI and expected in the certificate, instead of the host of the URL. */
  readonly servername?: string
}

export interface Timeouts {
  /** From the start of the name look-up until the connection is ready (TLS and proxy included). Default 10 000. */
  readonly connectMs: number
  /** From the last byte of the request to the first byte of the response. Default 30 000. */
  readonly firstByteMs: number
  /** Between two reads of a response, or while the peer does not read the request. Default 30 000. */
  readonly idleMs: number
}

export const defaultTimeouts: Timeouts = { connectMs: 10_000, firstByteMs: 30_000, idleMs: 30_000 }

/** `host:port` resolves to `address`, without a DNS query. */
export interface ResolveEntry {
  /** `*` for every host without an entry. */
  readonly host: string
  readonly port: number
  readonly address: string
}

export interface WireOptions {
  readonly tls?: TlsOptions
  /** Chooses the proxy for a URL; none if omitted. See `proxyFromEnvironment` and `fixedProxy`. */
  readonly proxy?: ProxyRule
  /** Answers the challenges of HTTP proxies. Replaces Basic, which is sent without a challenge. */
  readonly proxyDigest?: ProxyDigest
  /** Called for each challenge of a proxy before the request is sent again. Not called for CONNECT. */
  readonly onProxyChallenge?: (result: Exchange) => void | Promise<void>
  readonly resolve?: readonly ResolveEntry[]
  /** Connect to this Unix domain socket instead of host and port. TLS and the request stay the same. */
  readonly unixSocket?: string
  readonly timeouts?: Partial<Timeouts>
  /** The idle limit in milliseconds for a response with this head; undefined for the limit in `timeouts`. */
  readonly idleMsOf?: ((head: ResponseHead) => number | undefined) | undefined
  /**
   * HTTP/2: `negotiated` in the TLS handshake (HTTP/1.1 without TLS), or with prior knowledge (an HTTP proxy then opens
   * a tunnel for http URLs as well). HTTP/1.1 if omitted.
   */
  readonly http2?: 'negotiated' | 'prior-knowledge'
  /** The pool that connections come from and return to. Without a pool each exchange opens its own. */
  readonly pool?: ConnectionPool
  /** Ends the exchange at any time; it then fails with the code `aborted`. */
  readonly signal?: AbortSignal
  /**
   * Receives each piece of the request, exactly as sent, just before it is written; a promise is awaited. A request
   * that is sent again because a pooled connection had ended is reported once.
   */
  readonly onRequestBytes?: (bytes: Uint8Array) => void | Promise<void>
  /** Receives each step of opening a new connection; not called for a reused one. */
  readonly onConnectionEvent?: ConnectionListener
  /** Receives each interim response (1xx), in order, before the final one. */
  readonly onInformational?: (head: ResponseHead) => void
  /** Default: the system clock. */
  readonly clock?: Clock
}
