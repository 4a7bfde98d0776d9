/**
 * An HTTP/2 connection for any number of concurrent exchanges.
 *
 * Rules: a connection that the server is closing (GOAWAY), or that has failed, accepts no further exchange. A
 * connection outside a pool closes after its only exchange.
 */
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'
import type { Destination, HandedOnConnection, RemoteAddress } from '../connection/connection.ts'
import type { SharedConnection } from '../connection/connection-pool.ts'

/** Above the limit of the message library, whose error names it. */
const MAX_FIELD_COUNT = 1000
/** The server limits the head of a request, as in HTTP/1.1; the platform would refuse 64 KiB itself. */
const MAX_HEAD_BYTES = 16 * 1024 * 1024

export class Http2Connection implements SharedConnection {
  readonly place: string
  readonly remote: RemoteAddress
  readonly #session: ClientHttp2Session
  readonly #connection: HandedOnConnection
  readonly #isForOne: boolean
  #error: unknown

  private constructor(session: ClientHttp2Session, connection: HandedOnConnection, isForOne: boolean) {
    this.#session = session
    this.#connection = connection
    this.#isForOne = isForOne
    this.place = connection.place
    this.remote = connection.remote
    session.on('error', (error) => {
      this.#error ??= error
    })
  }

  /** @param isForOne whether the connection closes after its first exchange */
  static async over(
    connection: HandedOnConnection,
    destination: Destination,
    isForOne: boolean,
  ): Promise<Http2Connection> {
    const { connect } = await import('node:http2')
    const host = destination.host.includes(':') ? `[${destination.host}]` : destination.host
    const session = connect(`${destination.secure ? 'https' : 'http'}://${host}:${destination.port}`, {
      createConnection: () => connection.socket,
      settings: { enablePush: false },
      maxHeaderListPairs: MAX_FIELD_COUNT,
      maxSendHeaderBlockLength: MAX_HEAD_BYTES,
    })
    // HTTP/2 has no half-closed connections: if the server has ended it, it is over.
    connection.socket.allowHalfOpen = false
    return new Http2Connection(session, connection, isForOne)
  }

  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed
  }

  /** The error of the connection as a whole. */
  get error(): unknown {
    return this.#error
  }

  /** The number of bytes received over the connection so far. */
  get bytesRead(): number {
    return this.#connection.socket.bytesRead
  }

  begin(headers: OutgoingHttpHeaders, hasBody: boolean): ClientHttp2Stream {
    return this.#session.request(headers, { endStream: !hasBody })
  }

  /** Call this when an exchange is over. */
  release(): void {
    if (this.#isForOne) this.close()
  }

  close(): void {
    this.#session.destroy()
    this.#connection.socket.destroy()
  }
}
