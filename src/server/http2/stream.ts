/**
 * One request over HTTP/2 and its answer.
 *
 * Rules: an answer has the same fields as over HTTP/1.1, with names in lower case and without the fields about the
 * connection. A body in memory that fits into one piece is sent with its head; a larger one is sent piece by piece, as
 * the client reads it. If the client reads no piece in time, or a body cannot be finished, the stream is reset, so that
 * it never looks complete. The body is closed on every path. RFC 9113 sections 8.1, 8.2.2 and 8.3.2.
 */
import { constants, type ServerHttp2Stream } from 'node:http2'
import type { AnsweredRequest } from '../access-log.ts'
import type { BackendFailure } from '../backend/backend-failure.ts'
import type { Sink } from '../files/file-transfer.ts'
import { transferBody } from '../http1/body-transfer.ts'
import { mustQueue, nextTurn } from '../limits/turn-slice.ts'
import type { Answer } from '../semantics/answer.ts'
import { type AnswerBody, closeBody, type FileBody, StreamBody } from '../semantics/answer-body.ts'
import { isFileChanged, ServerError } from '../semantics/errors.ts'
import type { Service } from '../service.ts'
import type { Http2Fields } from './fields.ts'
import type { ForwardedStream } from './forwarded-stream.ts'
import type { KnownHttp2Request } from './request-cache.ts'

/** The objects that the exchanges of one connection share. */
export interface ExchangeContext {
  readonly service: Service
  readonly fields: Http2Fields
  /** Whether the connection is beyond the limit. */
  readonly isOverflow: boolean
  readonly remoteAddress: string
  /** Called when the stream is closed, by either side. */
  readonly onEnd: (exchange: Http2Stream) => void
}

/** Methods whose answers are made of files. */
const fileMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])

const ignore = (): void => undefined

/** The maximum number of bytes that one stream may have waiting. */
const pieceBytes = 131_072

export class Http2Stream implements Sink {
  readonly #stream: ServerHttp2Stream
  readonly #known: KnownHttp2Request
  readonly #service: Service
  readonly #context: ExchangeContext
  readonly #startedMs: number
  #status: number | undefined
  #bodyBytes = 0
  /** Bytes of a body that was sent in one piece: either all of them count as sent, or none. */
  #wholeBytes = 0
  #streaming: FileBody | StreamBody | undefined
  /** When the wait for the client to read began, by the clock of the sweep. */
  #waitingSinceMs: number | undefined
  #progressMs: number
  /** Until when the content of the request has to arrive before the answer, by the same clock. */
  #contentEndMs: number | undefined
  #isCut = false
  #forwarded: ForwardedStream | undefined
  #backend: AnsweredRequest['backend']

  constructor(stream: ServerHttp2Stream, known: KnownHttp2Request, context: ExchangeContext) {
    this.#stream = stream
    this.#known = known
    this.#context = context
    this.#service = context.service
    this.#startedMs = context.service.onAnswer === undefined ? 0 : context.service.clock.now()
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
    // One read of each connection may contain a hundred requests.
    else if (mustQueue()) void nextTurn('start').then(() => this.#respond())
    else this.#respond()
  }

  /** Returns false if the request is not for a backend, or is refused before forwarding. */
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
      onEnd: () => this.#endStream(),
    })
    this.#forwarded = forwarded
    this.#backend = { name: route.backend.name, failure: undefined }
    forwarded.run().catch(async (failure: BackendFailure) => {
      this.#backend = { name: route.backend.name, failure: this.#stream.destroyed ? 'client-gone' : failure.code }
      if (forwarded.isResponded) return this.#reset()
      this.#endEarly()
      this.#send(await this.#service.answerForBackend(failure.answer, plan))
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
    const { refusal, plan } = this.#known
    if (plan === undefined) return refusal!
    return this.#context.isOverflow ? this.#service.answerWhenFull(plan) : this.#service.answer(plan)
  }

  /** Whether it is an event stream with nothing to send at the moment. */
  get isWaiting(): boolean {
    const body = this.#streaming
    return body instanceof StreamBody && body.isEventStream && this.#waitingSinceMs === undefined
  }

  /** When the client last read something, by the clock of the sweep. */
  get progressMs(): number {
    return this.#progressMs
  }

  /** Whether the server reset the stream. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** Whether the client cancelled the stream before its answer was complete. */
  get wasCancelled(): boolean {
    const { rstCode, writableFinished, writableEnded, readableEnded } = this.#stream
    if (this.#isCut) return false
    if (rstCode !== constants.NGHTTP2_NO_ERROR) return true
    // If the request has content, the platform closes the stream before it reports that the answer was sent. This is
    // trusted only for methods without files: their answers are too cheap for a flood to do harm.
    const isReliable = writableEnded && readableEnded && !fileMethods.has(this.#known.request.method)
    return !writableFinished && !isReliable
  }

  /** Whether the client takes too long to send its content or to read the answer. */
  isLate(nowMs: number): boolean {
    const { bodyTimeoutMs, writeTimeoutMs } = this.#service.limits
    if (this.#waitingSinceMs !== undefined && nowMs - this.#waitingSinceMs > writeTimeoutMs) return true
    const contentSinceMs = this.#forwarded?.waitingSinceMs
    if (contentSinceMs !== undefined && nowMs - contentSinceMs > bodyTimeoutMs) return true
    return this.#contentEndMs !== undefined && nowMs > this.#contentEndMs
  }

  /** Resets the stream if the client takes too long. */
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
   * Content of a request has no meaning here. Up to the limit it is discarded before the answer, so that errors in it
   * are found while the stream is open; beyond the limit the answer is sent immediately, and flow control stops the
   * client.
   */
  #discardContent(): void {
    const stream = this.#stream
    const { bodyTimeoutMs, discardedBodyBytes } = this.#service.limits
    this.#contentEndMs = this.#service.sweep.nowMs + bodyTimeoutMs
    let leftBytes = discardedBodyBytes
    let isAnswered = false
    const answer = () => {
      // From now on the time limits of the answer apply.
      this.#contentEndMs = undefined
      if (!isAnswered) this.#respond()
      isAnswered = true
    }
    stream.on('data', (octets: Uint8Array) => {
      leftBytes -= octets.length
      if (leftBytes >= 0) return
      stream.pause()
      answer()
    })
    stream.once('end', answer)
    // A client that waits for 100 (Continue) or for a tunnel gets the final answer instead.
    const { request } = this.#known
    if (request.get('expect') !== undefined || request.method === 'CONNECT') answer()
    this.#endEarly()
  }

  #endEarly(): void {
    this.#stream.once('finish', () => this.#endStream())
  }

  /** RFC 9113 section 8.1: an answer that is complete before its request ends the stream without an error. */
  #endStream(): void {
    const stream = this.#stream
    if (!stream.endAfterHeaders && !stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR)
  }

  /** An answer that the platform refuses affects no other request. */
  #send(answer: Answer): void {
    try {
      this.#sendAnswer(answer)
    } catch (error) {
      closeBody(answer.body)
      this.#service.onError(error)
      this.#reset()
    }
  }

  #sendAnswer(answer: Answer): void {
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
      if (!this.#stream.destroyed && !this.#stream.closed && !isFileChanged(error)) this.#service.onError(error)
      this.#reset()
    } finally {
      this.#streaming = undefined
      closeBody(body)
    }
  }

  /** Resets the stream. Closing it would first signal that the answer is complete. */
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
