/**
 * One request of an HTTP/1 client that a backend answers.
 *
 * Rules: the message library's connection frames the response to the client, and reads the client's content only when
 * the backend accepts more, so memory does not grow with a body, whichever side is slow. A client that ends its side
 * before it has the response counts as gone, and the exchange with the backend ends. After a truncated response the
 * client's connection is dropped, so that the response never looks complete. A client that sends no content for too
 * long is answered by 408. RFC 9112 sections 6 and 9.
 */

import type { Socket } from 'node:net'
import {
  type BodyEvent,
  forwardedTrailers,
  HeaderList,
  HttpConnection,
  type HttpcliError,
  type HttpParseError,
  HttpRequest,
  type ReceivedBody,
  type RequestHead,
  withoutHopByHop,
} from '../../message/index.ts'
import type { BackendExchange } from '../backend/backend-client.ts'
import type { BackendFailure } from '../backend/backend-failure.ts'
import type { BackendRoute } from '../backend/backend-routes.ts'
import type { Forwarder } from '../backend/forwarder.ts'
import { gathered } from '../backend/gathered.ts'
import { continueHead, type ForwardedHead, forwardedHead, upgradeFields } from '../backend/response-head.ts'
import type { Answer } from '../semantics/answer.ts'
import { ServerError } from '../semantics/errors.ts'
import type { Plan } from '../semantics/plan.ts'
import type { Service } from '../service.ts'
import type { ClientSocket } from './client-socket.ts'
import { maximumWaitingBytes } from './exchange.ts'
import { carryTunnel } from './tunnel.ts'

export interface ForwardedContext {
  readonly service: Service
  readonly forwarder: Forwarder
  readonly socket: Socket
  readonly client: ClientSocket
  /** Head of the request, as parsed. */
  readonly head: RequestHead
  readonly plan: Plan
  readonly route: BackendRoute
  /** The bytes received after the head. */
  readonly received: Uint8Array
  /** Whether the connection closes after this exchange. */
  readonly isLast: () => boolean
}

export interface ForwardedOutcome {
  /** The answer that the client still needs; undefined if a response was passed on, completely or in part. */
  readonly answer: Answer | undefined
  readonly status: number
  readonly bodyBytes: number
  /** Error code; undefined if nothing failed. */
  readonly failure: string | undefined
  /** Whether another request may follow. */
  readonly keepAlive: boolean
  /** Whether the client must notice that the response is incomplete. */
  readonly isCut: boolean
  /** Bytes received for later requests. */
  readonly leftover: Uint8Array
}

/** The status that is logged if the client disconnects before there is a response, as in nginx. */
const clientGoneStatus = 499

export class ForwardedExchange {
  readonly #context: ForwardedContext
  readonly #http: HttpConnection
  readonly #abort = new AbortController()
  #wake: (() => void) | undefined
  #waitingSinceMs: number | undefined
  #waitingBytes: number
  #fault: HttpcliError | undefined
  #hasContentEnded = false
  /** Whether the client has the whole response. */
  #isAnswered = false
  /** Whether the client sends nothing more. */
  #isInputOver = false
  #tunnelInput: { push(bytes: Uint8Array): void; end(): void } | undefined
  #status = clientGoneStatus
  #bodyBytes = 0

  constructor(context: ForwardedContext) {
    const { head, received, service } = context
    this.#context = context
    this.#http = new HttpConnection('server', { parser: service.reading.options })
    this.#http.receive(HttpRequest.fromEvents(head, undefined).encodeHead())
    this.#http.next()
    this.#waitingBytes = received.length
    if (received.length > 0) this.#http.receive(received)
    if (head.framing === undefined) this.#endContent()
  }

  /** Resolves when the client has received the backend's answer, or one of them has disconnected. Never rejects. */
  async run(): Promise<ForwardedOutcome> {
    const { forwarder, route, service, socket, head } = this.#context
    let exchange: BackendExchange | undefined
    try {
      exchange = await forwarder.forward(
        {
          head,
          content: head.framing === undefined ? undefined : this.#content(),
          version: head.version.slice('HTTP/'.length),
          isSecure: 'encrypted' in socket,
          remoteAddress: socket.remoteAddress,
          signal: this.#abort.signal,
          onInformational: (informational) => this.#inform(informational),
        },
        route,
      )
      this.#sendHead(exchange, service.clock.date())
      if (exchange.tunnel === undefined) await this.#sendBody(exchange)
      else await this.#tunnel(exchange.tunnel)
      return this.#outcome(undefined, undefined)
    } catch (error) {
      exchange?.close()
      // A write may fail before the client's disconnection is reported.
      if (socket.destroyed) this.#abort.abort()
      return await this.#failed(forwarder.failure(this.#fault ?? error, route, this.#abort.signal))
    } finally {
      this.#context.client.uncork()
    }
  }

  /** Receives bytes of the client. */
  receive(bytes: Uint8Array): void {
    if (this.#tunnelInput !== undefined) {
      this.#tunnelInput.push(bytes)
      return
    }
    this.#http.receive(bytes)
    this.#waitingBytes += bytes.length
    if (this.#wake !== undefined) this.#wake()
    else if (!this.#hasContentEnded || this.#waitingBytes > maximumWaitingBytes) this.#context.socket.pause()
  }

  /** Call this when the client has ended its side. */
  endInput(): void {
    if (this.#tunnelInput !== undefined) this.#tunnelInput.end()
    else this.abort()
  }

  /** Call this when the client has disconnected. A complete upload still reaches the backend. */
  abort(): void {
    this.#isInputOver = true
    if (!this.#isAnswered) this.#abort.abort()
    this.#wake?.()
  }

  /** Ends a WebSocket, which might stay open forever; a response may finish. */
  stop(): void {
    if (this.#tunnelInput !== undefined) this.#abort.abort()
  }

  /** `nowMs`: by the clock of the sweep. */
  onSweep(nowMs: number): void {
    const { service, client } = this.#context
    client.watchProgress()
    if (this.#waitingSinceMs === undefined || nowMs - this.#waitingSinceMs <= service.limits.bodyTimeoutMs) return
    this.#fault = new ServerError('request-timeout', 'the body of the request did not arrive in time')
    this.#wake?.()
  }

  async *#content(): AsyncGenerator<BodyEvent> {
    const { head } = this.#context
    for (;;) {
      if (this.#fault !== undefined) throw this.#fault
      const event = this.#nextContent()
      const isCutOff = event === undefined && this.#isInputOver
      if (isCutOff || this.#abort.signal.aborted) throw new ServerError('peer-gone', 'the client disconnected')
      const [repair] = head.repairs
      if (repair !== undefined) {
        throw new ServerError('request-unforwardable', `the request cannot be forwarded: ${repair.code}`)
      }
      if (event === undefined) await this.#arrival()
      else if (event.type === 'data') yield { type: 'data', bytes: event.bytes }
      else {
        yield { type: 'end', trailers: forwardedTrailers(event.trailers) }
        return
      }
    }
  }

  #nextContent(): BodyEvent | undefined {
    try {
      const event = this.#http.next()
      if (event?.type === 'end') this.#endContent()
      return event?.type === 'data' || event?.type === 'end' ? event : undefined
    } catch (error) {
      this.#fault = error as HttpParseError
      throw error
    }
  }

  #endContent(): void {
    if (this.#context.head.framing === undefined) this.#http.next()
    this.#hasContentEnded = true
    // Resumes reading to notice the next request, or the end of the connection.
    this.#context.socket.resume()
  }

  async #arrival(): Promise<void> {
    const { service, socket } = this.#context
    if (this.#http.isWaitingForContinue) this.#inform(continueHead)
    this.#waitingSinceMs = service.sweep.nowMs
    this.#waitingBytes = 0
    socket.resume()
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#wake = undefined
    this.#waitingSinceMs = undefined
  }

  /** Passes an interim response on, but not to an HTTP/1.0 client (RFC 9110 section 15.2). */
  #inform({ status, reason, headers }: ForwardedHead): void {
    if (this.#context.head.version === 'HTTP/1.0' || this.#http.ownState !== 'responding') return
    const head = { status, reason, headers: withoutHopByHop(headers) }
    this.#context.client.write(this.#http.send({ type: 'informational', head }))
  }

  #sendHead({ response }: BackendExchange, date: string): void {
    const { client, isLast } = this.#context
    const head = forwardedHead(response, date)
    // RFC 9112 section 9.5: the rest of the content is not read, so no other request can follow.
    const shouldClose = isLast() || (!this.#hasContentEnded && head.status >= 300)
    const ending = shouldClose && head.status !== 101 ? [['Connection', 'close'] as const] : []
    const headers = HeaderList.of([...head.headers, ...upgradeFields(response), ...ending])
    const bytes = this.#http.send({ type: 'response', head: { ...head, headers } })
    this.#status = head.status
    // Head and first bytes of the body are sent together if both have arrived.
    client.cork()
    client.write(bytes)
    setImmediate(() => client.uncork())
  }

  async #sendBody({ response, closed }: BackendExchange): Promise<void> {
    const { body } = response
    if (body === undefined) this.#http.send({ type: 'end' })
    else await this.#sendContent(body)
    this.#isAnswered = true
    // A backend may answer early and still accept the rest of the content.
    if (!this.#hasContentEnded && response.status < 300) await closed
  }

  async #sendContent(body: ReceivedBody): Promise<void> {
    const { client } = this.#context
    for await (const bytes of gathered(body)) {
      if (bytes.length === 0) continue
      await client.flush(this.#http.send({ type: 'data', bytes }))
      this.#bodyBytes += bytes.length
    }
    const end = this.#http.send({ type: 'end', trailers: await body.trailers })
    if (end.length > 0) await client.flush(end)
  }

  async #tunnel(tunnel: NonNullable<BackendExchange['tunnel']>): Promise<void> {
    const { socket, client } = this.#context
    this.#http.send({ type: 'end' })
    client.uncork()
    this.#bodyBytes = await carryTunnel(tunnel, socket, {
      first: this.#http.leftover,
      signal: this.#abort.signal,
      onInput: (input) => {
        this.#tunnelInput = input
      },
    })
  }

  async #failed({ answer, code }: BackendFailure): Promise<ForwardedOutcome> {
    const { service, plan } = this.#context
    if (this.#isAnswerable) {
      const shown = await service.answerForBackend(answer, plan)
      if (this.#isAnswerable) return this.#outcome(shown, code)
    }
    return this.#outcome(undefined, this.#abort.signal.aborted ? 'client-gone' : code)
  }

  get #isAnswerable(): boolean {
    return this.#http.ownState === 'responding' && !this.#abort.signal.aborted
  }

  #outcome(answer: Answer | undefined, failure: string | undefined): ForwardedOutcome {
    const isSwitched = this.#tunnelInput !== undefined
    return {
      answer,
      status: answer?.status ?? this.#status,
      bodyBytes: this.#bodyBytes,
      failure,
      keepAlive: answer === undefined ? this.#http.isReusable : this.#hasContentEnded,
      isCut: isSwitched || (answer === undefined && failure !== undefined),
      leftover: isSwitched ? new Uint8Array(0) : this.#http.leftover,
    }
  }
}
