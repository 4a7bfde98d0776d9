/**
 * One request over HTTP/2 and its answer.
 *
 * Rules: the same fields as over HTTP/1.1, with names in lower case and without those of the connection. A body in memory
 * that fits into one piece goes out with its head; larger ones go piece by piece, as the client takes them, and a client
 * that takes no piece in time loses the stream. A body that cannot be finished resets the stream, so that it never looks
 * whole. The body is closed on every way out. RFC 9113 sections 8.1, 8.2.2 and 8.3.2.
 */

import { constants, type ServerHttp2Stream } from 'node:http2'
import { HttpcliError } from '../../message/index.ts'
import type { AnsweredRequest } from '../access-log.ts'
import type { BackendFailure } from '../backend/backend-failure.ts'
import type { Sink } from '../files/file-transfer.ts'
import { transferBody } from '../http1/body-transfer.ts'
import { mustQueue, nextTurn } from '../limits/turn-slice.ts'
import { type Answer, textAnswer } from '../semantics/answer.ts'
import { type AnswerBody, closeBody, type FileBody, StreamBody } from '../semantics/answer-body.ts'
import { ServerError } from '../semantics/errors.ts'
import type { Service } from '../service.ts'
import type { Http2Fields } from './fields.ts'
import type { ForwardedStream } from './forwarded-stream.ts'
import type { KnownHttp2Request } from './request-cache.ts'

/** The objects that the exchanges of one connection share. */
export interface ExchangeContext {
  readonly service: Service
  readonly fields: Http2Fields
  /** Whether the connection is past the limit. */
  readonly isOverflow: boolean
  readonly remoteAddress: string
  /** The stream is closed, by either side. */
  readonly onEnd: (exchange: Http2Stream) => void
}

/** Methods whose answers are made of files. */
const fileMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])

const ignore = (): void => undefined

/** Limit on the bytes that one stream may have waiting. */
const pieceBytes = 131_072

export class Http2Stream implements Sink {
  readonly #stream: ServerHttp2Stream
  readonly #known: KnownHttp2Request
  readonly #service: Service
  readonly #context: ExchangeContext
  readonly #startedMs: number
  #status: number | undefined
  #bodyBytes = 0
  /** Bytes of a body that went out in one piece: all of them count, or none. */
  #wholeBytes = 0
  #streaming: FileBody | StreamBody | undefined
  /** Since when the client should take something, by the clock of the sweep. */
  #waitingSinceMs: number | undefined
  #progressMs: number
  /** Until when the content of the request must have arrived, by the same clock. */
  #contentEndMs: number | undefined
  #isCut = false
  #forwarded: ForwardedStream | undefined
  #backend: AnsweredRequest['backend']

  constructor(stream: ServerHttp2Stream, known: KnownHttp2Request, context: ExchangeContext) {
    this.#stream = stream
    this.#known = known
    this.#context = context
    this.#service = context.service
    this.#startedMs = context.service.clock.now()
    this.#progressMs = context.service.sweep.nowMs
  }

  run(): void {
    // 'close' follows every error, so it is handled there.
    this.#stream.on('error', ignore)
    this.#stream.on('close', () => {
      this.#streaming?.close()
      this.#report()
      this.#context.onEnd(this)
    })
    if (this.#forward()) return
    if (!this.#stream.endAfterHeaders) this.#discardContent()
    // One read may bring a hundred requests of each connection.
    else if (mustQueue()) void nextTurn('start').then(() => this.#respond())
    else this.#respond()
  }

  /** False if the request is not for a backend, or is refused before. */
  #forward(): boolean {
    const { forwarding } = this.#service
    const { plan } = this.#known
    if (forwarding?.Http2Exchange === undefined || this.#context.isOverflow || plan === undefined) return false
    const { backend: route } = plan
    if (route === undefined || this.#service.answerBeforeFiles(plan) !== undefined) return false
    const forwarded = new forwarding.Http2Exchange({
      service: this.#service,
      forwarder: forwarding.forwarder,
      stream: this.#stream,
      request: this.#known.request,
      route,
      remoteAddress: this.#context.remoteAddress,
      flush: (octets) => this.flush(octets),
      onHead: (status) => {
        this.#status = status
      },
      onSent: (bytes) => {
        this.#bodyBytes += bytes
      },
    })
    this.#endEarly()
    this.#forwarded = forwarded
    this.#backend = { name: route.backend.name, failure: undefined }
    forwarded.run().catch(async (failure: BackendFailure) => {
      this.#backend = { name: route.backend.name, failure: this.#stream.destroyed ? 'client-gone' : failure.code }
      if (forwarded.isResponded) this.#reset()
      else this.#send(await this.#service.answerForBackend(failure.answer, plan))
    })
    return true
  }

  #respond(): void {
    if (this.#stream.destroyed || this.#stream.closed) return
    const answer = this.#answer()
    if (answer instanceof Promise) void answer.then((made) => this.#send(made))
    else this.#send(answer)
  }

  #answer(): Answer | Promise<Answer> {
    const { fault, plan } = this.#known
    if (plan === undefined) return textAnswer(400, fault)
    return this.#context.isOverflow ? this.#service.answerWhenFull(plan) : this.#service.answer(plan)
  }

  /** Whether it has nothing to send but events that may come. */
  get isWaiting(): boolean {
    const body = this.#streaming
    return body instanceof StreamBody && body.isEventStream && this.#waitingSinceMs === undefined
  }

  /** When the client took something last, by the clock of the sweep. */
  get progressMs(): number {
    return this.#progressMs
  }

  /** Whether the server gave the stream up. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** Whether the client gave the stream up before its answer was complete. */
  get wasCancelled(): boolean {
    const { rstCode, writableFinished, writableEnded, readableEnded } = this.#stream
    if (this.#isCut) return false
    if (rstCode !== constants.NGHTTP2_NO_ERROR) return true
    // Where the request has content, the platform closes the stream before it reports that the answer has gone out. Only
    // methods without files are believed: their answers cost the server nothing that a flood could be made of.
    const isBelieved = writableEnded && readableEnded && !fileMethods.has(this.#known.request.method)
    return !writableFinished && !isBelieved
  }

  /** Whether the client takes too long, to send its content or to take the answer. */
  isLate(nowMs: number): boolean {
    const { bodyTimeoutMs, writeTimeoutMs } = this.#service.limits
    if (this.#waitingSinceMs !== undefined && nowMs - this.#waitingSinceMs > writeTimeoutMs) return true
    const contentSinceMs = this.#forwarded?.waitingSinceMs
    if (contentSinceMs !== undefined && nowMs - contentSinceMs > bodyTimeoutMs) return true
    return this.#contentEndMs !== undefined && nowMs > this.#contentEndMs
  }

  /** Cuts the stream where the client takes too long. */
  onSweep(nowMs: number): void {
    if (this.isLate(nowMs)) this.#reset()
  }

  /** Settles when the operating system has the bytes. Rejects with HttpcliError `peer-gone`. */
  async flush(octets: Uint8Array): Promise<void> {
    for (let start = 0; start < octets.length; start += pieceBytes) {
      await this.#flushPiece(octets.subarray(start, start + pieceBytes))
    }
  }

  #flushPiece(piece: Uint8Array): Promise<void> {
    const stream = this.#stream
    return new Promise((resolve, reject) => {
      const settle = (error?: Error | null) => {
        this.#waitingSinceMs = undefined
        this.#progressMs = this.#service.sweep.nowMs
        stream.off('close', onClose)
        if (error) reject(error)
        else resolve()
      }
      const onClose = () => settle(new ServerError('peer-gone', 'the stream is closed'))
      if (stream.destroyed || stream.closed) return onClose()
      this.#waitingSinceMs = this.#service.sweep.nowMs
      stream.once('close', onClose)
      stream.write(piece, settle)
    })
  }

  /**
   * Content of a request has no meaning here. Up to the limit it is thrown away before the answer, so that what is wrong
   * with it is found while the stream is open; past it the answer comes at once, and flow control stops the client.
   */
  #discardContent(): void {
    const stream = this.#stream
    const { bodyTimeoutMs, discardedBodyBytes } = this.#service.limits
    this.#contentEndMs = this.#service.sweep.nowMs + bodyTimeoutMs
    let leftBytes = discardedBodyBytes
    let isAnswered = false
    const answer = () => {
      if (!isAnswered) this.#respond()
      isAnswered = true
    }
    stream.on('data', (octets: Uint8Array) => {
      leftBytes -= octets.length
      if (leftBytes >= 0) return
      stream.pause()
      answer()
    })
    stream.once('end', () => {
      this.#contentEndMs = undefined
      answer()
    })
    // A client that waits for 100 (Continue) gets its answer in the place of it.
    if (this.#known.request.get('expect') !== undefined) answer()
    this.#endEarly()
  }

  /** RFC 9113 section 8.1: an answer that is whole before its request ends it without an error. */
  #endEarly(): void {
    const stream = this.#stream
    stream.once('finish', () => {
      if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR)
    })
  }

  #send(answer: Answer): void {
    const stream = this.#stream
    const { body } = answer
    if (stream.destroyed || stream.closed) {
      closeBody(body)
      return
    }
    this.#status = answer.status
    const fields = this.#context.fields.of(answer, this.#service.clock.date())
    this.#waitingSinceMs = this.#service.sweep.nowMs
    if (body === undefined || this.#known.request.method === 'HEAD') {
      closeBody(body)
      stream.respond(fields, { endStream: true })
    } else if (body instanceof Uint8Array && body.length <= pieceBytes) {
      stream.respond(fields)
      this.#wholeBytes = body.length
      stream.end(body)
    } else {
      stream.respond(fields)
      void this.#transfer(body)
    }
  }

  async #transfer(body: AnswerBody): Promise<void> {
    const onSent = (bytes: number) => {
      this.#bodyBytes += bytes
    }
    try {
      if (!(body instanceof Uint8Array)) this.#streaming = body
      await transferBody(body, { sink: this, resources: this.#service.transfers, isChunked: false, onSent })
      this.#waitingSinceMs = this.#service.sweep.nowMs
      this.#stream.end()
    } catch (error) {
      const isExpected = error instanceof HttpcliError && error.code === 'file-changed'
      if (!this.#stream.destroyed && !this.#stream.closed && !isExpected) this.#service.onError(error)
      this.#reset()
    } finally {
      this.#streaming = undefined
      closeBody(body)
    }
  }

  /** Cuts the stream. Closing it would say before the reset that all of the answer was there. */
  #reset(): void {
    this.#isCut = true
    this.#stream.destroy(new ServerError('incomplete', 'the answer cannot be finished'))
  }

  #report(): void {
    const { onAnswer, clock } = this.#service
    if (onAnswer === undefined || this.#status === undefined) return
    const answeredMs = clock.now()
    onAnswer({
      remoteAddress: this.#context.remoteAddress,
      answeredMs,
      requestLine: this.#known.request.line,
      status: this.#status,
      bodyBytes:
        this.#stream.rstCode === constants.NGHTTP2_NO_ERROR ? this.#bodyBytes + this.#wholeBytes : this.#bodyBytes,
      durationMs: answeredMs - this.#startedMs,
      ...(this.#backend && { backend: this.#backend }),
    })
  }
}
