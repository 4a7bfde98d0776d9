/**
 * One client of a TLS server: its handshake, then its connection in the negotiated version of HTTP.
 *
 * Rules: the server treats it like any connection. It counts as waiting until its handshake is over, so that a full
 * server makes room by closing clients that do not proceed with their handshakes. Plain HTTP is answered by 400 and not
 * read. RFC 9110 section 15.5.1.
 */
import type { Socket } from 'node:net'
import { Connection } from '../http1/connection.ts'
import { Http2Connection, type Http2Resources } from '../http2/connection.ts'
import { textAnswer } from '../semantics/answer.ts'
import type { Service } from '../service.ts'
import type { TlsAcceptor } from './tls-acceptor.ts'

export class TlsConnection {
  readonly #socket: Socket
  readonly #service: Service
  readonly #acceptor: TlsAcceptor
  readonly #http2: Http2Resources
  readonly #openedAt: number
  #http: Connection | Http2Connection | undefined

  constructor(socket: Socket, service: Service, acceptor: TlsAcceptor, http2: Http2Resources) {
    this.#http2 = http2
    this.#socket = socket
    this.#service = service
    this.#acceptor = acceptor
    this.#openedAt = service.sweep.countRest()
  }

  /**
   * Lower for connections that have waited longer (`TimeoutSweep.countRest`); undefined in the middle of a body or an
   * answer.
   */
  get waitingSince(): number | undefined {
    return this.#http === undefined ? this.#openedAt : this.#http.waitingSince
  }

  /** Answers requests until the connection ends. `isOverflow`: as `Service.answerWhenFull` does. */
  run(isOverflow: boolean): void {
    void this.#acceptor.greet(this.#socket).then((greeting) => {
      if (greeting.type === 'closed' || this.#socket.destroyed) {
        this.#socket.destroy()
      } else if (greeting.type === 'plain') {
        const plain = new Connection(this.#socket, this.#service)
        this.#http = plain
        plain.refuse(textAnswer(400, 'this port speaks HTTPS; use https:// in the URL'))
      } else {
        const { socket } = greeting
        this.#http =
          socket.alpnProtocol === 'h2'
            ? new Http2Connection(socket, this.#service, this.#http2)
            : new Connection(socket, this.#service)
        this.#http.run(isOverflow)
      }
    })
  }

  /** Lets the running request finish and then closes; closes immediately if idle. */
  stop(): void {
    if (this.#http === undefined) this.#socket.destroy()
    else this.#http.stop()
  }

  /** Destroys the connection, even during a request. */
  destroy(): void {
    if (this.#http instanceof Http2Connection) this.#http.destroy()
    else this.#socket.destroy()
  }
}
