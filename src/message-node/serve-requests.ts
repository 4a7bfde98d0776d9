/**
 * Answers the requests of one connection with a function: for mock servers, tests and small tools.
 *
 * Rules: requests are answered one at a time, in order; pipelined ones wait, and nothing is read ahead of the answer.
 * An error of the client is answered with the parser's status, an error of the handler with 500; either ends the
 * connection. Timeouts and a limit on connections are left to `httpcli/server`.
 */
import type { Duplex } from 'node:stream'
import {
  type BodyEvent,
  type ConnectionEvent,
  type HeaderInit,
  HttpConnection,
  type HttpConnectionOptions,
  HttpParseError,
  HttpRequest,
  HttpResponse,
} from '../message/index.ts'
import { SocketPort } from './socket-port.ts'

/** Actions of a handler besides its answer. */
export interface RequestExchange {
  /** The connection, for its addresses and its certificate. */
  readonly socket: Duplex
  /** Sends a 1xx response before the final one; does nothing for an HTTP/1.0 client. */
  sendInformational(status: number, headers?: HeaderInit): Promise<void>
  /**
   * After 101, or 2xx to CONNECT, calls the listener with the socket and the other protocol's bytes read so far.
   */
  onSwitch(listener: SwitchListener): void
}

/** Takes over a connection for another protocol. `rest` precedes all data from the socket. */
export type SwitchListener = (socket: Duplex, rest: Uint8Array) => void

/** Answers a request. The body is read as it arrives; the unread rest is discarded after the response. */
export type RequestHandler = (
  request: HttpRequest<'stream'>,
  exchange: RequestExchange,
) => HttpResponse | Promise<HttpResponse>

/** Options of `serveRequests`. */
export interface ServeRequestsOptions extends Pick<HttpConnectionOptions, 'parser'> {
  /** Called with each failure: an HttpParseError of the client, an error of the handler, a lost connection. */
  readonly onError?: (error: unknown) => void
}

/**
 * Returns a listener for the connections of a `net` or TLS server.
 *
 *   createServer(serveRequests((request) => new HttpResponse({ status: 200, body: `this is ${request.target}` })))
 *
 * Create the server with `allowHalfOpen` if clients close their side before they have received their responses.
 */
export function serveRequests(handler: RequestHandler, options: ServeRequestsOptions = {}): (socket: Duplex) => void {
  return (socket) => void new RequestServer(socket, handler, options).run()
}

/** At most this much of an unread body is drained to make the connection reusable. */
const DRAINED_OCTETS = 256 * 1024

class RequestServer {
  readonly #port: SocketPort
  readonly #connection: HttpConnection
  readonly #handler: RequestHandler
  readonly #onError: (error: unknown) => void
  #isHandedOver = false
  /** Whether the client has no chunks: a response of unknown length ends with the connection. */
  #isOldClient = false

  constructor(socket: Duplex, handler: RequestHandler, { parser, onError }: ServeRequestsOptions) {
    this.#port = new SocketPort(socket)
    this.#connection = new HttpConnection('server', parser === undefined ? {} : { parser })
    this.#handler = handler
    this.#onError = onError ?? (() => undefined)
  }

  async run(): Promise<void> {
    try {
      while (await this.#answerNext()) this.#connection.startNextCycle()
      if (!this.#isHandedOver) this.#port.end()
    } catch (error) {
      this.#onError(error)
      await this.#refuse(error).catch(() => this.#port.cut())
    }
  }

  /** Whether another request may follow. */
  async #answerNext(): Promise<boolean> {
    const event = await this.#nextEvent()
    if (event.type !== 'request') return false
    const request = HttpRequest.fromEvents(event.head, this.#content())
    this.#isOldClient = request.version === 'HTTP/1.0'
    let onSwitch: SwitchListener | undefined
    const response = await this.#handler(request, {
      socket: this.#port.socket,
      sendInformational: async (status, headers = []) => {
        if (request.version === 'HTTP/1.0') return
        await this.#port.write(this.#connection.send({ type: 'informational', head: { status, headers } }))
      },
      onSwitch: (listener) => {
        onSwitch = listener
      },
    })
    if (!(response instanceof HttpResponse)) throw new TypeError('the handler did not return an HttpResponse')
    await this.#send(response)
    if (!(await this.#isRequestRead())) return false
    if (this.#connection.ownState === 'switched') this.#handOver(onSwitch)
    return this.#connection.isReusable
  }

  async #send(response: HttpResponse): Promise<void> {
    // RFC 9110 section 10.1.1: without a 100, the client may or may not send its content, so no request can follow.
    const isLast = this.#connection.isWaitingForContinue && response.status !== 101
    const written = isLast ? response.withHeader('Connection', 'close') : response
    for await (const octets of this.#connection.sendMessage(written)) await this.#port.write(octets)
  }

  /** Reads the rest of the request that the handler did not read, if another message may follow. */
  async #isRequestRead(): Promise<boolean> {
    for (let octets = 0; this.#connection.peerState === 'content'; ) {
      if (this.#connection.ownState === 'must-close' || octets > DRAINED_OCTETS) return false
      const event = await this.#nextEvent()
      if (event.type === 'data') octets += event.bytes.length
    }
    return true
  }

  #handOver(listener: SwitchListener | undefined): void {
    const event = this.#connection.next()
    this.#isHandedOver = true
    if (listener !== undefined && event?.type === 'upgrade') listener(this.#port.socket, event.rest)
    else this.#port.cut()
  }

  async *#content(): AsyncGenerator<BodyEvent> {
    if (this.#connection.isWaitingForContinue && this.#connection.sendable.includes('informational')) {
      await this.#port.write(this.#connection.send({ type: 'informational', head: { status: 100 } }))
    }
    for (;;) {
      const event = await this.#nextEvent()
      if (event.type === 'data' || event.type === 'end') yield event
      if (event.type !== 'data') return
    }
  }

  async #nextEvent(): Promise<ConnectionEvent> {
    for (;;) {
      const event = this.#connection.next()
      if (event !== undefined) return event
      const bytes = await this.#port.read()
      if (bytes === undefined) this.#connection.receiveEnd()
      else this.#connection.receive(bytes)
    }
  }

  async #refuse(error: unknown): Promise<void> {
    const connection = this.#connection
    const { ownState } = connection
    if (ownState === 'done' || ownState === 'must-close') return this.#port.end()
    // A started message cannot be corrected: the connection closes, so the client sees that it is truncated.
    if (!connection.sendable.includes('response')) return this.#isOldClient ? this.#port.reset() : this.#port.cut()
    const isFaultOfPeer = connection.peerState === 'failed' && error instanceof HttpParseError
    const status = isFaultOfPeer ? error.status : 500
    const body = isFaultOfPeer ? `${error.message}\n${error.excerpt}\n` : 'the handler failed\n'
    const headers = { Connection: 'close', 'Content-Type': 'text/plain; charset=utf-8' }
    const response = new HttpResponse({ status, headers, body })
    for await (const octets of connection.sendMessage(response)) await this.#port.write(octets)
    this.#port.end()
  }
}
