/** The steps of opening a connection, reported one by one. */
import type { TlsDetails } from '../tls/certificate-chain.ts'

/** One end of a connection: an address and its port, or the path of a Unix domain socket. */
export type EndPoint = { readonly address: string; readonly port: number } | { readonly path: string }

/** The peer that a step connects to. */
export type PeerRole = 'server' | 'proxy'

export type ConnectionEvent =
  /** A name was resolved; addresses are in the order in which they are tried. */
  | {
      readonly type: 'looked-up'
      readonly host: string
      readonly addresses: readonly string[]
      /** 0 if no look-up was needed. */
      readonly dnsMs: number
    }
  /** One of several addresses did not answer or refused. */
  | { readonly type: 'attempt-failed'; readonly address: string; readonly port: number; readonly reason: string }
  | {
      readonly type: 'connected'
      readonly role: PeerRole
      readonly remote: EndPoint
      /** Undefined for a Unix domain socket. */
      readonly local: EndPoint | undefined
      readonly connectMs: number
    }
  /** A proxy answered a CONNECT request. */
  | {
      readonly type: 'tunnel-answered'
      readonly place: string
      readonly authority: string
      readonly status: number
      readonly reason: string
    }
  /** A SOCKS proxy has connected to the server. */
  | { readonly type: 'relayed'; readonly place: string; readonly target: string }
  | {
      readonly type: 'secured'
      readonly role: PeerRole
      readonly place: string
      readonly tls: TlsDetails
      readonly tlsMs: number
    }

/** Called for each step. It must not throw. */
export type ConnectionListener = (event: ConnectionEvent) => void
