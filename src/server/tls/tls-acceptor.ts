/**
 * Performs the TLS handshake on a socket that has just connected.
 *
 * Rules: the first byte is examined before the handshake, so that a client that speaks plain HTTP gets a readable
 * answer. TLS 1.2 and later, without renegotiation, since a client could use it to exhaust the server; sessions are
 * resumed by tickets, even after the certificate was read again; HTTP/2 is offered before HTTP/1. A client that does
 * not proceed with its handshake is disconnected; the time for which the server makes it wait does not count. RFC 8446,
 * RFC 7301.
 */
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { createServer, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls'
import type { TlsIdentity } from '../../keystore/index.ts'
import type { TimeoutSweep } from '../limits/timeouts.ts'
import { mustQueue, nextTurn } from '../limits/turn-slice.ts'
import { type CertificateHandlers, CertificateSource, type TlsSettings } from './certificate-source.ts'
import { HandshakeClock } from './handshake-clock.ts'

/** RFC 8446 section 5.1: the first byte of every client. */
const handshakeRecord = 0x16

/** Mozilla's "intermediate" profile without DHE: forward secrecy and authenticated encryption in TLS 1.2 too. */
const cipherSuites = [
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':')

/**
 * `SSL_OP_NO_RENEGOTIATION` of OpenSSL. The TLS library of the executable does not have this flag, and never
 * renegotiates.
 */
const NO_RENEGOTIATION = 0x4000_0000

/**
 * `plain`: a client that speaks HTTP without TLS; its socket has not been read. `closed`: the client has disconnected.
 */
export type Greeting =
  | { readonly type: 'secure'; readonly socket: TLSSocket }
  | { readonly type: 'plain' }
  | { readonly type: 'closed' }

export class TlsAcceptor {
  readonly #identity: CertificateSource
  readonly #handshakeTimeoutMs: number
  readonly #sweep: TimeoutSweep
  readonly #server: Server
  readonly #ticketKeys: Buffer = randomBytes(48)
  /** The waiting handshakes by client. */
  readonly #waiting = new Map<string | Socket, (socket: TLSSocket) => void>()
  #shown: TlsIdentity

  private constructor(identity: CertificateSource, handshakeTimeoutMs: number, sweep: TimeoutSweep) {
    this.#identity = identity
    this.#sweep = sweep
    this.#handshakeTimeoutMs = handshakeTimeoutMs
    this.#shown = identity.current
    // It never listens: sockets are passed to it, and it treats them like sockets that it accepted.
    this.#server = createServer({
      ...this.#contextOptions(),
      ALPNProtocols: ['h2', 'http/1.1', 'http/1.0'],
    })
    this.#server.on('secureConnection', (socket) => {
      // Errors of the client are handled by the 'close' listener.
      socket.on('error', () => undefined)
      const settle = this.#waiting.get(clientOf(socket))
      if (settle === undefined) socket.destroy()
      else settle(socket)
    })
    // The client learns about its own error only from the platform's alert.
    this.#server.on('tlsClientError', (_error, socket) => socket.destroy())
  }

  /** Rejects with KeystoreError. `handshakeTimeoutMs`: from the connection to the end of the handshake. */
  static async open(
    settings: TlsSettings,
    handshakeTimeoutMs: number,
    sweep: TimeoutSweep,
    handlers: CertificateHandlers,
  ): Promise<TlsAcceptor> {
    return new TlsAcceptor(await CertificateSource.open(settings, handlers), handshakeTimeoutMs, sweep)
  }

  /** Never rejects. To stop waiting, the caller destroys the socket. */
  async greet(socket: Socket): Promise<Greeting> {
    // Errors of the client are handled by the 'close' listener; nothing more can be done about them.
    socket.on('error', () => undefined)
    const clock = new HandshakeClock(this.#sweep, this.#handshakeTimeoutMs, () => socket.destroy())
    clock.start()
    try {
      return await this.#greetInTime(socket, clock)
    } finally {
      clock.stop()
    }
  }

  async #greetInTime(socket: Socket, clock: HandshakeClock): Promise<Greeting> {
    const first = await firstOctet(socket)
    if (first === undefined) return { type: 'closed' }
    if (first !== handshakeRecord) return { type: beginsHttp(first) ? 'plain' : 'closed' }
    clock.stop()
    await this.#identity.refresh()
    if (this.#shown !== this.#identity.current) this.#show(this.#identity.current)
    // A handshake costs about a millisecond, so hundreds of concurrent ones are spread over as many turns.
    if (mustQueue()) await nextTurn('start')
    clock.start()
    return this.#handshake(socket)
  }

  #show(identity: TlsIdentity): void {
    this.#shown = identity
    this.#server.setSecureContext(this.#contextOptions())
  }

  #contextOptions(): SecureContextOptions {
    return {
      ...this.#shown.secureContext,
      // The server verifies no client, and loading the platform's authorities takes longer than everything else.
      ca: [],
      minVersion: 'TLSv1.2',
      ciphers: cipherSuites,
      // The client knows which cipher is fast on its processor.
      honorCipherOrder: false,
      secureOptions: NO_RENEGOTIATION,
      sessionIdContext: 'httpcli serve',
      ticketKeys: this.#ticketKeys,
    }
  }

  #handshake(socket: Socket): Promise<Greeting> {
    const client = clientOf(socket)
    if (socket.destroyed || this.#waiting.has(client)) return Promise.resolve({ type: 'closed' })
    return new Promise((resolve) => {
      const settle = (greeting: Greeting) => {
        socket.off('close', onClose)
        this.#waiting.delete(client)
        resolve(greeting)
      }
      const onClose = () => settle({ type: 'closed' })
      this.#waiting.set(client, (secured) => settle({ type: 'secure', socket: secured }))
      socket.once('close', onClose)
      this.#server.emit('connection', socket)
    })
  }
}

/** Undefined if the client disconnects. The byte is put back. */
function firstOctet(socket: Socket): Promise<number | undefined> {
  return new Promise((resolve) => {
    const settle = (octet: number | undefined) => {
      socket.off('data', onData).off('end', onEnd).off('close', onEnd)
      resolve(octet)
    }
    const onData = (octets: Buffer) => {
      socket.pause()
      socket.unshift(octets)
      settle(octets[0])
    }
    const onEnd = () => settle(undefined)
    socket.on('data', onData).on('end', onEnd).on('close', onEnd)
  })
}

/**
 * Unique among the open connections to one server, and the same for a socket and the TLS socket over it: the address of
 * the client. A Unix domain socket has none, and is its own key; the platform does not document `_parent`.
 */
function clientOf(socket: Socket & { readonly _parent?: Socket | null }): string | Socket {
  const { remoteAddress, remotePort } = socket
  return remoteAddress === undefined ? (socket._parent ?? socket) : `${remoteAddress} ${remotePort}`
}

/** A method, or an empty line before one (RFC 9112 section 2.2). */
function beginsHttp(octet: number): boolean {
  return /[A-Za-z\r\n]/.test(String.fromCharCode(octet))
}
