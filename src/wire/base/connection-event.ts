/** What happens on the way to a connection, told step by step, for those who want to see it. */
import type { TlsDetails } from '../tls/certificate-chain.ts'

/** An end of a connection: an address and its port, or the path of a socket in the file system. */
export type EndPoint = { readonly address: string; readonly port: number } | { readonly path: string }

/** Whom a step leads to. */
export type PeerRole = 'server' | 'proxy'

export type ConnectionEvent =
  /** A name has its addresses, in the order in which they are tried. */
  | {
      readonly type: 'looked-up'
      readonly host: string
      readonly addresses: readonly string[]
      /** 0 where nobody had to be asked. */
      readonly dnsMs: number
    }
  /** One of several addresses did not answer, or refused. */
  | { readonly type: 'attempt-failed'; readonly address: string; readonly port: number; readonly reason: string }
  | {
      readonly type: 'connected'
      readonly role: PeerRole
      readonly remote: EndPoint
      /** Undefined for a socket in the file system. */
      readonly local: EndPoint | undefined
      readonly connectMs: number
    }
  /** A proxy answered the request for a tunnel. */
  | {
      readonly type: 'tunnel-answered'
      readonly place: string
      readonly authority: string
      readonly status: number
      readonly reason: string
    }
  | {
      readonly type: 'secured'
      readonly role: PeerRole
      readonly place: string
      readonly tls: TlsDetails
      readonly tlsMs: number
    }

/** Told of each step. It must not throw. */
export type ConnectionListener = (event: ConnectionEvent) => void
