/**
 * One client's connection: its requests in order, each answered before the next is read.
 *
 * Rules: an invalid request is answered by the status of its error, and the connection closes; a client that connects
 * and sends nothing gets no answer. A body is read and discarded before the answer, so that a client that writes first
 * and reads later does not hang; if the body is too large, the answer announces that the connection closes. An
 * unexpected error in one request is answered by 500 or by dropping the connection, and affects no other connection.
 *
 * Most requests start and end within one call of `#receive` and allocate only the answer. If something has to be
 * awaited (the rest of a request, an answer, a slow client), the phase records it, and `#advance` continues from there.
 */
import type { Socket } from 'node:net'
import { isTurnOver, nextTurn } from '../limits/turn-slice.ts'
import { type Answer, textAnswer } from '../semantics/answer.ts'
import { type AnswerBody, closeBody, type FileBody, StreamBody } from '../semantics/answer-body.ts'
import { isFileChanged } from '../semantics/errors.ts'
import type { Service } from '../service.ts'
import { copiedPieceBytes, transferBody } from './body-transfer.ts'
import { ClientSocket } from './client-socket.ts'
import {
  answeredRequest,
  type Exchange,
  isEndless,
  maximumWaitingBytes,
  type Phase,
  statusOfUnreadable,
  timeoutError,
} from './exchange.ts'
import type { ForwardedExchange, ForwardedOutcome } from './forwarded-exchange.ts'
import type { KnownRequest } from './head-cache.ts'
import { RequestReader } from './request-reader.ts'

export class Connection {
  readonly #service: Service
  readonly #socket: Socket
  readonly #client: ClientSocket
  readonly #requests: RequestReader
  readonly #remoteAddress: string
  #phase: Phase = 'idle'
  #phaseSinceMs: number
  #idleSince: number
  /** The request whose content is being discarded, or that is being answered. */
  #current: KnownRequest | undefined
  /** The outcome to report when the last byte of an answer has been sent. */
  #unsent: { readonly exchange: Exchange; readonly status: number; readonly bodyBytes: number } | undefined
  #streaming: FileBody | StreamBody | undefined
  #forwarded: ForwardedExchange | undefined
  #hasEnded = false
  #isStopping = false
  #isOverflow = false

  /** `socket`: half-open, so that a client may end its side after its last request. */
  constructor(socket: Socket, service: Service) {
    this.#service = service
    this.#socket = socket
    this.#client = new ClientSocket(socket, service.limits)
    this.#requests = new RequestReader(service.reading)
    this.#remoteAddress = socket.remoteAddress ?? '-'
    this.#phaseSinceMs = service.sweep.nowMs
    this.#idleSince = service.sweep.countRest()
  }

  /** Lower for connections that have waited longer (`TimeoutSweep.countRest`); undefined during a body or an answer. */
  get waitingSince(): number | undefined {
    if (this.#phase === 'idle' || this.#phase === 'head') return this.#idleSince
    const body = this.#streaming
    const mayEnd = this.#phase === 'closing' || (body instanceof StreamBody && body.isEventStream)
    return mayEnd && this.#client.isFlushed ? this.#idleSince : undefined
  }

  /** Answers requests until the connection ends. `isOverflow`: as `Service.answerWhenFull` does, and only one. */
  run(isOverflow = false): void {
    this.#isOverflow = isOverflow
    this.#listen()
    this.#socket.on('data', (octets: Buffer) => this.#receive(octets))
    this.#socket.on('end', () => this.#endInput())
  }

  /** Answers without waiting for a request, and closes. */
  refuse(answer: Answer): void {
    this.#listen()
    this.#answerUnread(answer)
  }

  /** Lets the running request finish and then closes; closes immediately if no request has arrived completely. */
  stop(): void {
    this.#isStopping = true
    if (this.#phase === 'idle' || this.#phase === 'head') this.destroy()
    else this.#forwarded?.stop()
  }

  /** Destroys the connection, even during a request. In HTTP/1.0 a normal end could be that of the answer. */
  destroy(): void {
    if (this.#current === undefined || this.#current.version === 'HTTP/1.1') this.#socket.destroy()
    else this.#client.reset()
  }

  /** @internal */
  onSweep(nowMs: number): void {
    const { headerTimeoutMs, bodyTimeoutMs, idleTimeoutMs, lingerTimeoutMs } = this.#service.limits
    const phaseMs = nowMs - this.#phaseSinceMs
    if (this.#phase === 'idle' && phaseMs > idleTimeoutMs) this.#close()
    else if (this.#phase === 'head' && phaseMs > headerTimeoutMs) this.#answerUnreadable(timeoutError('head'))
    else if (this.#phase === 'content' && phaseMs > bodyTimeoutMs) this.#answerUnreadable(timeoutError('body'))
    else if (this.#phase === 'answer') this.#client.watchProgress()
    else if (this.#phase === 'forward') this.#forwarded?.onSweep(nowMs)
    else if (this.#phase === 'closing' && this.#client.isFlushed && phaseMs > lingerTimeoutMs) this.destroy()
  }

  #listen(): void {
    const { sweep } = this.#service
    sweep.add(this)
    this.#phaseSinceMs = sweep.nowMs
    this.#socket.on('drain', () => this.#drained())
    this.#socket.on('close', () => {
      sweep.delete(this)
      this.#streaming?.close()
      this.#forwarded?.abort()
      this.#reportCut()
    })
  }

  #receive(octets: Buffer): void {
    this.#service.turn.countArrival()
    if (this.#phase === 'closing') return
    if (this.#phase === 'forward') {
      this.#forwarded?.receive(octets)
      return
    }
    this.#requests.push(octets)
    if (this.#phase !== 'answer') this.#advance()
    else if (this.#requests.waitingBytes > maximumWaitingBytes) this.#socket.pause()
  }

  #endInput(): void {
    // The runtime of the executable also reports the end of a socket that was destroyed here.
    if (this.#socket.destroyed) return
    this.#hasEnded = true
    if (this.#phase === 'forward') this.#forwarded?.endInput()
    else if (this.#phase !== 'answer' && this.#phase !== 'closing') this.#advance()
  }

  /** Answers what has arrived, until something has to be awaited. `isFollowUp`: the client sent it ahead. */
  #advance(isFollowUp = false): void {
    try {
      for (; ; isFollowUp = true) {
        if (isFollowUp && this.#requests.hasOctets && isTurnOver()) {
          this.#yield()
          break
        }
        const request = this.#phase === 'content' ? this.#current : this.#requests.next()
        if (request === undefined) {
          this.#await(this.#requests.isIdle ? 'idle' : 'head')
          break
        }
        this.#current = request
        if (isFollowUp) this.#service.turn.renew()
        if (this.#phase !== 'content' && this.#forward(request)) return
        const keepAlive = this.#requests.hasContent ? this.#requests.discardContent() : true
        if (keepAlive === undefined) {
          this.#await('content')
          break
        }
        if (this.#requests.hasOctets) this.#client.cork()
        this.#answer(request, keepAlive)
        if (this.#phase === 'answer' || this.#phase === 'closing') break
      }
      this.#client.uncork()
      if (!this.#hasEnded || this.#phase === 'answer' || this.#phase === 'closing') return
      this.#requests.end()
      this.#close()
    } catch (error) {
      this.#answerUnreadable(error)
    }
  }

  /** Lets other clients be answered, which requests that were sent ahead would otherwise delay. */
  #yield(): void {
    this.#phase = 'answer'
    void nextTurn('long').then(() => {
      if (this.#socket.destroyed) return
      this.#phase = 'idle'
      this.#service.turn.renew()
      this.#advance()
    })
  }

  /** Waits for bytes. The time for a head or a body counts from its start. */
  #await(phase: Phase): void {
    if (this.#socket.isPaused()) this.#socket.resume()
    if (this.#phase === phase && phase !== 'idle') return
    this.#phase = phase
    this.#phaseSinceMs = this.#service.sweep.nowMs
    if (phase === 'idle') this.#idleSince = this.#service.sweep.countRest()
  }

  /** Returns false if the request is not for a backend, or is refused before forwarding. */
  #forward(request: KnownRequest): boolean {
    const { forwarding } = this.#service
    const { backend: route } = request.plan
    if (forwarding === undefined || route === undefined || this.#isOverflow) return false
    if (this.#service.answerBeforeFiles(request.plan) !== undefined) return false
    this.#phase = 'forward'
    this.#client.uncork()
    const forwarded = new forwarding.Http1Exchange({
      service: this.#service,
      forwarder: forwarding.forwarder,
      socket: this.#socket,
      client: this.#client,
      head: request.head,
      plan: request.plan,
      route,
      received: this.#requests.detach(),
      isLast: () => this.#isStopping,
    })
    this.#forwarded = forwarded
    const exchange = this.#exchangeOf(request, true)
    const ended = forwarded.run().then((outcome) => this.#endForward(exchange, outcome, route.backend.name))
    this.#service.trackExchange(ended)
    if (this.#hasEnded) forwarded.endInput()
    return true
  }

  #endForward(exchange: Exchange, outcome: ForwardedOutcome, backendName: string): void {
    const { answer, status, bodyBytes, failure, keepAlive, isCut, leftover } = outcome
    this.#forwarded = undefined
    const backend = { name: backendName, failure }
    const forwarded = { ...exchange, keepAlive: exchange.keepAlive && keepAlive, backend }
    this.#requests.push(Buffer.from(leftover))
    if (answer !== undefined) {
      this.#phase = 'answer'
      this.#send(answer, forwarded)
    } else {
      if (isCut) this.destroy()
      this.#finish(forwarded, status, bodyBytes)
    }
    this.#resume()
  }

  #exchangeOf(request: KnownRequest, isReusable: boolean): Exchange {
    const { clock, onAnswer } = this.#service
    const { line, isHead, version } = request
    const keepAlive = isReusable && request.keepAlive && !this.#isStopping && !this.#isOverflow
    return { line, isHead, version, keepAlive, startedMs: onAnswer === undefined ? 0 : clock.now() }
  }

  #answer(request: KnownRequest, isReusable: boolean): void {
    const exchange = this.#exchangeOf(request, isReusable)
    const answer = this.#isOverflow ? this.#service.answerWhenFull(request.plan) : this.#service.answer(request.plan)
    this.#phase = 'answer'
    if (answer instanceof Promise) {
      this.#client.uncork()
      answer
        .then((made) => {
          this.#send(made, exchange)
          this.#resume()
        })
        .catch((error: unknown) => this.#answerUnreadable(error))
      return
    }
    this.#send(answer, exchange)
  }

  /** Continues after an answer that was awaited. */
  #resume(): void {
    if (this.#phase === 'idle') this.#advance(true)
  }

  #send(answer: Answer, requested: Exchange): void {
    const { heads, clock } = this.#service
    const { rendition, body } = answer
    // Only the end of the connection ends a body that has neither length nor chunks.
    const exchange = isEndless(body, requested) ? { ...requested, keepAlive: false } : requested
    if (this.#socket.destroyed) {
      closeBody(body)
      this.#report(exchange, answer.status, 0)
    } else if (
      rendition !== undefined &&
      exchange.keepAlive &&
      exchange.version === 'HTTP/1.1' &&
      (exchange.isHead || !this.#goesInPieces(rendition.bodyBytes))
    ) {
      const date = clock.date()
      this.#client.write(exchange.isHead ? rendition.head(date) : rendition.whole(date))
      if (!this.#client.isFlushed) rendition.share()
      this.#sent(exchange, answer.status, exchange.isHead ? 0 : rendition.bodyBytes)
    } else {
      const head = heads.encode(answer, exchange)
      if (exchange.isHead) closeBody(body)
      if (body === undefined || exchange.isHead) {
        this.#client.write(head)
        this.#sent(exchange, answer.status, 0)
      } else if (body instanceof Uint8Array && !this.#goesInPieces(body.length)) {
        this.#client.writeWhole(head, body)
        this.#sent(exchange, answer.status, body.length)
      } else {
        this.#client.write(head)
        this.#service.trackExchange(this.#stream(body, exchange, answer.status))
      }
    }
  }

  #goesInPieces(bodyBytes: number): boolean {
    return this.#client.hasCopies && bodyBytes > copiedPieceBytes
  }

  async #stream(body: AnswerBody, exchange: Exchange, status: number): Promise<void> {
    this.#client.uncork()
    if (!(body instanceof Uint8Array)) this.#streaming = body
    let bodyBytes = 0
    try {
      await transferBody(body, {
        sink: this.#client,
        resources: this.#service.transfers,
        isChunked: exchange.version === 'HTTP/1.1',
        onSent: (bytes) => {
          bodyBytes += bytes
        },
      })
    } catch (error) {
      if (!this.#socket.destroyed && !isFileChanged(error)) this.#service.onError(error)
      this.destroy()
    }
    this.#streaming = undefined
    closeBody(body)
    this.#finish(exchange, status, bodyBytes)
    this.#resume()
  }

  /** Everything is written; the client may still have to receive it. */
  #sent(exchange: Exchange, status: number, bodyBytes: number): void {
    if (this.#client.mustWait) this.#unsent = { exchange, status, bodyBytes }
    else this.#finish(exchange, status, bodyBytes)
  }

  #drained(): void {
    const unsent = this.#unsent
    if (unsent === undefined) return
    this.#unsent = undefined
    this.#finish(unsent.exchange, unsent.status, unsent.bodyBytes)
    this.#resume()
  }

  #finish(exchange: Exchange, status: number, bodyBytes: number): void {
    this.#report(exchange, status, bodyBytes)
    this.#current = undefined
    this.#client.rest()
    if (exchange.keepAlive && !this.#isStopping) this.#await('idle')
    else this.#close()
  }

  #report(exchange: Exchange, status: number, bodyBytes: number): void {
    const { onAnswer, clock } = this.#service
    onAnswer?.(answeredRequest(exchange, this.#remoteAddress, status, bodyBytes, clock.now()))
  }

  /** The client disconnected before it had received everything. */
  #reportCut(): void {
    const unsent = this.#unsent
    if (unsent === undefined) return
    this.#unsent = undefined
    this.#report(unsent.exchange, unsent.status, Math.max(0, unsent.bodyBytes - this.#socket.writableLength))
  }

  #answerUnreadable(error: unknown): void {
    const status = statusOfUnreadable(error)
    if (status !== undefined) this.#answerUnread(textAnswer(status, (error as Error).message))
    else {
      this.#service.onError(error)
      this.destroy()
    }
  }

  /** Answers a request whose head is unknown, or whose content is invalid. The connection closes after this answer. */
  #answerUnread(answer: Answer): void {
    const request = this.#requests.hasContent ? this.#current : undefined
    const line = request?.line ?? this.#requests.unreadableLine()
    this.#phase = 'answer'
    this.#client.uncork()
    this.#send(answer, {
      line,
      // An answer to HEAD has no content, even if the rest of the line is invalid (RFC 9110 section 9.3.2).
      isHead: request?.isHead ?? line?.startsWith('HEAD ') ?? false,
      version: request?.version,
      keepAlive: false,
      startedMs: this.#service.clock.now(),
    })
  }

  /** Sends the rest, and keeps reading for a moment: closing with unread input would discard the last answer. */
  #close(): void {
    if (this.#phase === 'closing') return
    this.#phase = 'closing'
    this.#phaseSinceMs = this.#service.sweep.nowMs
    this.#socket.resume()
    this.#client.end(() => {
      this.#phaseSinceMs = this.#service.sweep.nowMs
    })
  }
}
