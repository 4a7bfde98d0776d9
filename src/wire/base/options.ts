/**
 * What a caller may set for an exchange over a socket.
 *
 * Rules: every option is optional and has one default, named here; times are milliseconds and 0 means no limit; values
 * that come from the process (environment, clock) are handed in, never read.
 */
import type { ResponseHead } from '../../message/index.ts'
import type { ConnectionPool } from '../connection/connection-pool.ts'
import type { ProxyRule } from '../connection/proxy.ts'
import type { ProxyDigest } from '../digest.ts'
import type { Exchange } from '../http1/conversation.ts'
import type { ConnectionListener } from './connection-event.ts'
import type { Clock } from './timing.ts'

/** PEM text or octets. */
export type Pem = string | Uint8Array

export interface TlsOptions {
  /** Whether certificate and host name must be right. Default true. */
  readonly verify?: boolean
  /** Trusted certificates in PEM, instead of the ones that the runtime brings. */
  readonly ca?: Pem
  /** Client certificate chain in PEM; `key` belongs to it and may be in the same text. */
  readonly cert?: Pem
  /** Private key in PEM. */
  readonly key?: Pem
  /** Client certificate and key in PKCS12, instead of `cert` and `key`. */
  readonly pfx?: Uint8Array
  /** Of `key` or `pfx`. */
  readonly passphrase?: string
  /** Name asked for by SNI and expected in the certificate, instead of the host of the URL. */
  readonly servername?: string
}

export interface Timeouts {
  /** From the start of the name look-up until the connection is ready (TLS and proxy included). Default 10 000. */
  readonly connectMs: number
  /** From the last octet of the request until the first one of the response. Default 30 000. */
  readonly firstByteMs: number
  /** Between two reads of a response, or while the peer takes none of the request. Default 30 000. */
  readonly idleMs: number
}

export const defaultTimeouts: Timeouts = { connectMs: 10_000, firstByteMs: 30_000, idleMs: 30_000 }

/** `host:port` is looked up as `address`, with no question to DNS. */
export interface ResolveEntry {
  /** `*` for every host that no other entry names. */
  readonly host: string
  readonly port: number
  readonly address: string
}

export interface WireOptions {
  readonly tls?: TlsOptions
  /** Which proxy to take for a URL; none when left out. See `proxyFromEnvironment` and `fixedProxy`. */
  readonly proxy?: ProxyRule
  /** Answers the challenges of HTTP proxies, in place of Basic, which is sent without being asked for. */
  readonly proxyDigest?: ProxyDigest
  /** Each response of a proxy that asks for an answer, before the request goes out once more. Not that to a CONNECT. */
  readonly onProxyChallenge?: (result: Exchange) => void | Promise<void>
  readonly resolve?: readonly ResolveEntry[]
  /** Connect to this socket in the file system instead of host and port. TLS and the request stay the same. */
  readonly unixSocket?: string
  readonly timeouts?: Partial<Timeouts>
  /** The idle limit of a response by its head, in milliseconds; undefined for the one of `timeouts`. */
  readonly idleMsOf?: ((head: ResponseHead) => number | undefined) | undefined
  /**
   * HTTP/2: where the server agrees to it in the TLS handshake (without TLS, and by way of a proxy that forwards, it is
   * HTTP/1.1 then), or without asking. HTTP/1.1 where it is left out.
   */
  readonly http2?: 'negotiated' | 'prior-knowledge'
  /** Connections are taken from here and given back. Without it each exchange has one of its own. */
  readonly pool?: ConnectionPool
  /** Ends the exchange at any time; it then fails with the code `aborted`. */
  readonly signal?: AbortSignal
  /**
   * Each piece of the request, exactly as it goes to the server, just before it is written; a promise is waited for. A
   * request that goes out once more, because a kept connection had ended, is told once.
   */
  readonly onRequestBytes?: (bytes: Uint8Array) => void | Promise<void>
  /** Each step to a new connection; one that is used again has none. */
  readonly onConnectionEvent?: ConnectionListener
  /** Each interim response (1xx), in order, before the final one. */
  readonly onInformational?: (head: ResponseHead) => void
  /** Default: the clock of the system. */
  readonly clock?: Clock
}
