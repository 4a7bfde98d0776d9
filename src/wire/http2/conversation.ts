/**
 * A request and its response on one stream of an HTTP/2 connection.
 *
 * Rules: the body is read on demand; the stream's flow-control window holds the server back. The platform reports a
 * stream that is reset, or whose connection ends, as an ordinary end: the error is looked up at that point, and the
 * length announced in the head is checked (RFC 9113 section 8.1.1). A reset without an error, and a connection that
 * ends after GOAWAY, have no error to look up; only the order of the steps of Node.js shows that the server did not end
 * the stream (section 5.1). The rest of an upload that the server still accepts after its response is sent, unless the
 * response is an error (section 8.1). A log shows the request as text.
 */
import type { ClientHttp2Stream } from 'node:http2'
import {
  type BodyEvent,
  HeaderList,
  HttpcliError,
  type HttpRequest,
  HttpResponse,
  type ResponseHead,
} from '../../message/index.ts'
import type { Cancellation } from '../base/abort.ts'
import {
  arrivedText,
  endlessInterim,
  MAX_INTERIM_RESPONSES,
  notAccepted,
  platformCode,
  platformMessage,
  secondsText,
  WireError,
} from '../base/errors.ts'
import { defaultTimeouts, type Timeouts, type WireOptions } from '../base/options.ts'
import { type Attempt, idempotentMethods } from '../base/repetition.ts'
import type { Statistics, Stopwatch } from '../base/timing.ts'
import type { Exchange } from '../http1/conversation.ts'
import type { Http2Connection } from './connection.ts'
import { fieldList, type RawFields, requestFields, requestText, responseHead, responseText } from './fields.ts'

/** RFC 9113 section 7. */
const NO_ERROR = 0
const REFUSED_STREAM = 7
const CANCEL = 8
const HTTP_1_1_REQUIRED = 13
const resetReasons: Readonly<Record<number, string>> = {
  1: 'PROTOCOL_ERROR',
  2: 'INTERNAL_ERROR',
  3: 'FLOW_CONTROL_ERROR',
  5: 'STREAM_CLOSED',
  6: 'FRAME_SIZE_ERROR',
  [REFUSED_STREAM]: 'REFUSED_STREAM',
  [CANCEL]: 'CANCEL',
  9: 'COMPRESSION_ERROR',
  11: 'ENHANCE_YOUR_CALM',
  12: 'INADEQUATE_SECURITY',
  [HTTP_1_1_REQUIRED]: 'HTTP_1_1_REQUIRED',
}

const resetHints: Readonly<Record<number, string>> = {
  [REFUSED_STREAM]: 'The server did not process the request: try again later',
  [HTTP_1_1_REQUIRED]: 'Send this request over HTTP/1.1',
}

export class Http2Conversation implements Attempt<Exchange> {
  readonly #connection: Http2Connection
  readonly #request: HttpRequest
  readonly #options: WireOptions
  readonly #cancellation: Cancellation
  readonly #stopwatch: Stopwatch
  readonly #timeouts: Timeouts
  readonly #stream: ClientHttp2Stream
  readonly #informational: ResponseHead[] = []
  readonly #receivedHeads: Uint8Array[] = []
  readonly #statistics: Promise<Statistics>
  #resolveStatistics: (statistics: Statistics) => void = () => undefined
  readonly #closed: Promise<void>
  #resolveClosed: () => void = () => undefined
  #timer: NodeJS.Timeout | undefined
  #failure: unknown
  #countedBytes: number
  #bodyBytes = 0
  #trailers: HeaderList = HeaderList.EMPTY
  #isSent = false
  readonly #sending: Promise<void>
  #isComplete = false
  #sendError: HttpcliError | undefined
  #isHeadRead = false
  /** Whether the stream ended without END_STREAM; undefined while it is open. */
  #isCutShort: boolean | undefined
  #idleMs: number
  #isOver = false
  #reportedBytes = 0
  readonly #isConnectionShared: boolean

  /**
   * Starts to send.
   * @param isConnectionShared whether the connection was used before
   * @throws WireError if the connection does not accept the request.
   */
  constructor(
    connection: Http2Connection,
    request: HttpRequest,
    options: WireOptions,
    cancellation: Cancellation,
    stopwatch: Stopwatch,
    isConnectionShared: boolean,
  ) {
    this.#isConnectionShared = isConnectionShared
    this.#connection = connection
    this.#request = request
    this.#options = options
    this.#cancellation = cancellation
    this.#stopwatch = stopwatch
    this.#timeouts = { ...defaultTimeouts, ...options.timeouts }
    this.#idleMs = this.#timeouts.idleMs
    this.#countedBytes = connection.bytesRead
    this.#statistics = new Promise((resolve) => {
      this.#resolveStatistics = resolve
    })
    this.#closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
    try {
      this.#stream = connection.begin(requestFields(request), request.body !== undefined)
    } catch (cause) {
      const message = `${connection.place}: the request cannot go over HTTP/2 (${platformMessage(cause)})`
      throw new WireError('connection-reset', message, { cause })
    }
    this.#watchEnd()
    this.#stream.on('error', (error) => this.#fail(error))
    cancellation.onAbort = (error) => this.#fail(error)
    if (cancellation.error !== undefined) this.#fail(cancellation.error)
    this.#sending = this.#send()
  }

  /** For END_STREAM the platform ends the content of an open stream; in all other cases it closes the stream first. */
  #watchEnd(): void {
    const stream = this.#stream
    const { push } = stream
    stream.push = (chunk, encoding) => {
      if (chunk === null) this.#isCutShort ??= stream.closed
      return push.call(stream, chunk, encoding)
    }
  }

  /** @throws WireError */
  async head(): Promise<Exchange> {
    const head = await this.#finalHead()
    this.#isHeadRead = true
    this.#idleMs = this.#options.idleMsOf?.(head) ?? this.#timeouts.idleMs
    this.#count()
    this.#restartTimer()
    const { status } = head
    const isContentless = this.#request.method === 'HEAD' || status === 204 || status === 304
    const isAnnounced = head.framing?.type === 'length' && head.framing.length > 0
    const isEmpty = isContentless || (this.#stream.endAfterHeaders && !isAnnounced)
    if (isEmpty) this.#complete(status)
    return {
      request: this.#request,
      protocol: 'HTTP/2',
      response: HttpResponse.fromEvents(head, isEmpty ? undefined : this.#body(head)),
      informational: this.#informational,
      receivedHeads: this.#receivedHeads,
      excessBytes: () => 0,
      isRequestSent: () => this.#isWritten,
      unsentReason: () => this.#unsentReason(status),
      remote: this.#connection.remote,
      statistics: this.#statistics,
      closed: this.#closed,
      close: () => this.close(),
    }
  }

  get reportedBytes(): number {
    return this.#reportedBytes
  }

  /** RFC 9113 section 8.7. The platform reports a stream after the last one of GOAWAY as refused. */
  mayBeRepeated(error: unknown): boolean {
    if (!(error instanceof WireError) || error.code !== 'connection-reset') return false
    const isLost = this.#isConnectionShared && !this.#connection.isOpen && this.#receivedHeads.length === 0
    return this.#stream.rstCode === REFUSED_STREAM || (isLost && idempotentMethods.has(this.#request.method))
  }

  /** Ends the exchange without reading the rest of the body. No effect after the end. */
  close(): void {
    if (this.#isComplete) return
    this.#stream.close(CANCEL)
    this.#finish()
  }

  #finalHead(): Promise<ResponseHead> {
    return new Promise((resolve, reject) => {
      const read = (raw: RawFields, take: (head: ResponseHead) => void): void => {
        try {
          this.#receivedHeads.push(responseText(raw))
          take(responseHead(raw, this.#connection.place))
        } catch (error) {
          reject(error)
        }
      }
      this.#stream.on('headers', (_fields, _flags, raw?: RawFields) =>
        read(raw ?? [], (head) => {
          if (this.#informational.length === MAX_INTERIM_RESPONSES) throw endlessInterim(this.#connection.place)
          this.#informational.push(head)
          this.#options.onInformational?.(head)
        }),
      )
      this.#stream.once('response', (_fields, _flags, raw?: RawFields) => read(raw ?? [], resolve))
      this.#stream.once('trailers', (_fields, _flags, raw?: RawFields) => {
        this.#trailers = fieldList(raw ?? [])
      })
      this.#stream.once('close', () => reject(this.#error()))
    })
  }

  async #send(): Promise<void> {
    const { body } = this.#request
    try {
      await this.#sendPiece(requestText(this.#request), () => true)
      if (body !== undefined) {
        for await (const piece of body) {
          if (this.#isOver || this.#stream.destroyed) return
          await this.#sendPiece(piece, () => this.#stream.write(piece))
        }
        this.#stream.end()
      }
      this.#isSent = true
      if (!this.#isHeadRead) this.#restartTimer()
    } catch (cause) {
      const message = `reading the body of the request failed (${platformMessage(cause)})`
      this.#failToSend(cause instanceof HttpcliError ? cause : new WireError('request-body-failed', message, { cause }))
    }
  }

  #failToSend(error: HttpcliError): void {
    this.#sendError ??= error
    this.#fail(error)
  }

  /** @param write returns whether more may be written immediately */
  async #sendPiece(bytes: Uint8Array, write: () => boolean): Promise<void> {
    this.#reportedBytes += bytes.length
    await this.#options.onRequestBytes?.(bytes)
    this.#stopwatch.sent(bytes.length)
    if (!write()) await this.#drained()
  }

  /**
   * Whether the whole request was sent: what was passed to the platform last may still wait for the server's window.
   * After both sides have ended, the platform may close the stream without the event 'finish'.
   */
  get #isWritten(): boolean {
    const { writableFinished, destroyed, rstCode } = this.#stream
    const isFlushed = this.#request.body === undefined || writableFinished || (destroyed && rstCode === NO_ERROR)
    return this.#isSent && isFlushed
  }

  async #written(): Promise<void> {
    if (this.#isSent && !this.#isWritten && !this.#stream.destroyed) await this.#drained('finish')
  }

  #drained(event: 'drain' | 'finish' = 'drain'): Promise<void> {
    const { idleMs } = this.#timeouts
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer)
        this.#stream.off(event, settle).off('close', settle)
        resolve()
      }
      const timer = idleMs > 0 ? setTimeout(() => this.#failToSend(this.#stalled()), idleMs) : undefined
      this.#stream.once(event, settle).once('close', settle)
    })
  }

  #stalled(): WireError {
    const { idleMs } = this.#timeouts
    const message = `${this.#connection.place} accepted no data of the request for ${secondsText(idleMs)}`
    return new WireError('idle-timeout', message, { hint: 'Check the server, or allow more time' })
  }

  async *#body({ framing, status }: ResponseHead): AsyncGenerator<BodyEvent> {
    try {
      for await (const bytes of this.#stream as AsyncIterable<Uint8Array>) {
        this.#restartTimer()
        this.#count()
        this.#bodyBytes += bytes.length
        yield { type: 'data', bytes }
      }
      const isShort = framing?.type === 'length' && framing.length !== this.#bodyBytes
      const isEnded = this.#stream.rstCode === NO_ERROR && this.#isCutShort !== true
      if (isShort || this.#failure !== undefined || !isEnded) throw this.#error()
      this.#count()
      this.#complete(status)
      yield { type: 'end', trailers: this.#trailers }
    } catch (error) {
      throw error instanceof HttpcliError ? error : this.#error()
    } finally {
      this.close()
    }
  }

  /** Counts the bytes received over the connection since the last call. */
  #count(): void {
    const { bytesRead } = this.#connection
    this.#stopwatch.received(Math.max(0, bytesRead - this.#countedBytes))
    this.#countedBytes = bytesRead
  }

  #restartTimer(): void {
    clearTimeout(this.#timer)
    const limitMs = this.#isHeadRead ? this.#idleMs : this.#timeouts.firstByteMs
    if (limitMs > 0 && !this.#isOver) this.#timer = setTimeout(() => this.#fail(this.#tooLate(limitMs)), limitMs)
  }

  #tooLate(limitMs: number): WireError {
    const { place } = this.#connection
    const hint = 'Check the server, or allow more time'
    return this.#isHeadRead
      ? new WireError('idle-timeout', `${place} sent nothing for ${secondsText(limitMs)}; ${this.#progress()}`, {
          hint,
        })
      : new WireError('first-byte-timeout', `${place} did not answer within ${secondsText(limitMs)}`, { hint })
  }

  #fail(error: unknown): void {
    this.#failure ??= error
    if (!this.#stream.destroyed) this.#stream.destroy()
  }

  /** The reason why the exchange ended. */
  #error(): HttpcliError {
    const cause = this.#failure ?? this.#connection.error
    if (cause instanceof HttpcliError) return cause
    const { place } = this.#connection
    if (platformCode(cause) === 'ERR_HTTP2_ERROR') {
      const message = `the response of ${place} is not valid HTTP/2 (${platformMessage(cause)})`
      return new WireError('invalid-response', message, {
        hint: 'Check that the server speaks HTTP/2 on this port',
        cause,
      })
    }
    const code = this.#stream.rstCode ?? NO_ERROR
    // The platform cancels the streams of a connection that is lost.
    const isLost = code === CANCEL && !this.#connection.isOpen
    const why = code === NO_ERROR || isLost ? '' : ` (${resetReasons[code] ?? `code ${code}`})`
    if (!this.#isHeadRead) {
      const hint = resetHints[code] ?? 'Check that the server speaks HTTP/2 on this port, and its log'
      const when = this.#isSent ? 'without an answer' : 'while the request was being sent'
      const end = isLost ? 'closed the connection' : 'ended the exchange'
      return new WireError('connection-reset', `${place} ${end} ${when}${why}`, { hint, cause })
    }
    const end = isLost ? 'closed the connection before the response' : 'ended the response before it'
    const hint = 'Check the log of the server; the request may have been processed'
    return new WireError('connection-cut-short', `${place} ${end} was complete${why}; ${this.#progress()}`, {
      hint,
      cause,
    })
  }

  #unsentReason(status: number): HttpcliError | undefined {
    const wasWanted = !this.#isWritten && status < 300 && this.#isComplete
    return this.#sendError ?? (wasWanted ? notAccepted(this.#connection.place) : undefined)
  }

  #progress(): string {
    return arrivedText(this.#bodyBytes)
  }

  /** Call this when the response is complete. */
  #complete(status: number): void {
    this.#isComplete = true
    this.#stopwatch.completed()
    clearTimeout(this.#timer)
    this.#resolveStatistics(this.#stopwatch.statistics())
    if (this.#isWritten || status >= 300) this.#finish()
    else void this.#sending.then(() => this.#written()).then(() => this.#finish())
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    if (this.#isComplete && !this.#isWritten) this.#stream.close(CANCEL)
    this.#cancellation.release()
    this.#resolveStatistics(this.#stopwatch.statistics())
    this.#connection.release()
    this.#resolveClosed()
  }
}
