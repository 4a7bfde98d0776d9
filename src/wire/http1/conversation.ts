/**
 * A request and its response over one connection.
 *
 * Rules: the request is written while the response is read; a final answer that is an error stops the upload. The
 * response is read on demand. If both have ended properly, the connection returns to its pool. RFC 9110 sections 10.1.1
 * and 15.2, RFC 9112 section 9.
 */
import {
  type BodyEvent,
  type HttpcliError,
  type HttpEvent,
  type HttpRequest,
  HttpResponse,
  type ResponseHead,
} from '../../message/index.ts'
import { Cancellation } from '../base/abort.ts'
import { endlessInterim, MAX_INTERIM_RESPONSES, notAccepted, WireError } from '../base/errors.ts'
import { defaultTimeouts, type WireOptions } from '../base/options.ts'
import { type Attempt, idempotentMethods } from '../base/repetition.ts'
import { type Statistics, Stopwatch, systemClock } from '../base/timing.ts'
import {
  type Connection,
  type Destination,
  type HandedOnConnection,
  openConnection,
  type RemoteAddress,
} from '../connection/connection.ts'
import { Download } from './download.ts'
import { type Pieces, Upload } from './upload.ts'

/** The properties of a response that are known after its final head. */
export interface Answer {
  /** Earlier interim responses (1xx), in order. */
  readonly informational: readonly ResponseHead[]
  /**
   * The exact bytes of the heads as received: those of interim responses in order, then the final one. For HTTP/2,
   * whose heads are not text, the status and the fields as lines.
   */
  readonly receivedHeads: readonly Uint8Array[]
  readonly remote: RemoteAddress
  /** The number of bytes that followed the response when its end was read. They belong to no message. */
  readonly excessBytes: () => number
  /** Whether the whole request has been written; final once `closed` has resolved. */
  readonly isRequestSent: () => boolean
  /**
   * Why a request was not sent to its end although its response, which is not an error, is complete:
   * `request-not-accepted` if the server wanted no more of it. Final once `closed` has resolved.
   */
  readonly unsentReason: () => HttpcliError | undefined
  /** Resolves with the statistics once the response has ended, was truncated or was closed. Never rejects. */
  readonly statistics: Promise<Statistics>
  /**
   * Resolves when the connection is no longer used: after the response, and after the rest of an upload that the server
   * still accepts after an early 2xx. Never rejects. Await it before ending the process.
   */
  readonly closed: Promise<void>
  /** Ends the connection without reading the rest of the body. No effect after the end. */
  close(): void
}

/** One request and its response. The body of the response stays on the socket until it is consumed or closed. */
export interface Exchange extends Answer {
  /** The request that the caller passed; after redirects, the last one. */
  readonly request: HttpRequest
  /** The protocol of the answer: `HTTP/1.1`, `HTTP/2`, … */
  readonly protocol: string
  readonly response: HttpResponse<'stream'>
}

/** Bytes to send and their properties. */
export interface Outgoing {
  readonly destination: Destination
  readonly proxy: URL | undefined
  /** Decides whether the response has content. */
  readonly method: string
  readonly shouldWaitForContinue: boolean
  /** Whether the request announces that it is the last one on its connection. */
  readonly isLast: boolean
  /** Whether the caller takes over the connection after 101 (Switching Protocols). */
  readonly canSwitchProtocol?: boolean
  /** The first piece is exactly the head. */
  readonly pieces: () => Pieces
}

export interface ReceivedHead extends Answer {
  readonly head: ResponseHead
  /** Undefined: no content. Can be iterated once. */
  readonly body: AsyncIterable<BodyEvent> | undefined
}

/** The exchange that a caller receives for HTTP/1. @internal */
export function exchangeOf(request: HttpRequest, received: ReceivedHead): Exchange {
  const { head, body, ...answer } = received
  return { request, protocol: head.version, response: HttpResponse.fromEvents(head, body), ...answer }
}

/**
 * Gets a connection and starts to write.
 * @param use `fresh`: no connection of the pool; or the connection to use
 */
export async function converse(
  outgoing: Outgoing,
  options: WireOptions,
  use?: 'fresh' | Connection,
): Promise<Conversation> {
  const { pool } = options
  const poolKey = pool?.keyOf(outgoing.destination, outgoing.proxy, options)
  const clock = options.clock ?? systemClock
  const stopwatch = new Stopwatch(clock)
  stopwatch.connecting()
  const cancellation = new Cancellation(options.signal)
  const mayTake = pool !== undefined && poolKey !== undefined && use === undefined
  const isRepeatable = idempotentMethods.has(outgoing.method)
  const kept = mayTake ? (isRepeatable ? pool.take(poolKey) : await pool.takeVerified(poolKey)) : undefined
  const lease: Lease = {
    isKept: kept !== undefined,
    giveBack: pool && poolKey !== undefined ? (connection) => pool.keep(poolKey, connection) : undefined,
  }
  try {
    const { destination, proxy } = outgoing
    const existing = typeof use === 'object' ? use : kept
    const connection = existing ?? (await openConnection(destination, proxy, options, cancellation, clock))
    if (kept === undefined) stopwatch.connected(connection.times)
    return new Conversation(connection, outgoing, options, cancellation, stopwatch, lease)
  } catch (error) {
    cancellation.release()
    throw error
  }
}

/** The connection and its origin. */
interface Lease {
  /** Whether the connection was used before. */
  readonly isKept: boolean
  /** Undefined if the connection does not return to a pool. */
  readonly giveBack: ((connection: Connection) => void) | undefined
}

/** A request and its response over a connection that nothing else uses in the meantime. */
export class Conversation implements Attempt<ReceivedHead> {
  readonly #connection: Connection
  readonly #options: WireOptions
  readonly #cancellation: Cancellation
  readonly #stopwatch: Stopwatch
  readonly #upload: Upload
  readonly #download: Download
  readonly #informational: ResponseHead[] = []
  readonly #statistics: Promise<Statistics>
  readonly #outgoing: Outgoing
  readonly #lease: Lease
  /** Content that was decoded before it was requested. */
  readonly #waitingEvents: BodyEvent[] = []
  #waitingError: unknown
  #isComplete = false
  #isRefused = false
  #excessBytes = 0
  #isReusable = false
  #resolveStatistics: (statistics: Statistics) => void = () => undefined
  readonly #closed: Promise<void>
  #resolveClosed: () => void = () => undefined

  constructor(
    connection: Connection,
    outgoing: Outgoing,
    options: WireOptions,
    cancellation: Cancellation,
    stopwatch: Stopwatch,
    lease: Lease,
  ) {
    const timeouts = options.timeouts === undefined ? defaultTimeouts : { ...defaultTimeouts, ...options.timeouts }
    this.#connection = connection
    this.#outgoing = outgoing
    this.#lease = lease
    this.#cancellation = cancellation
    this.#options = options
    this.#stopwatch = stopwatch
    this.#statistics = new Promise((resolve) => {
      this.#resolveStatistics = resolve
    })
    this.#closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
    connection.reader.onReceived = (byteCount) => stopwatch.received(byteCount)
    cancellation.onAbort = (error) => connection.socket.destroy(error)
    if (cancellation.error !== undefined) connection.socket.destroy(cancellation.error)
    this.#upload = new Upload(connection.socket, outgoing.pieces(), stopwatch, {
      place: connection.place,
      idleMs: timeouts.idleMs,
      shouldWaitForContinue: outgoing.shouldWaitForContinue,
      onRequestBytes: options.onRequestBytes,
    })
    this.#download = new Download(connection, this.#upload, outgoing.method, timeouts, options.idleMsOf)
  }

  /** Reads up to the final head. */
  async head(): Promise<ReceivedHead> {
    for (;;) {
      const event = this.#download.decoded() ?? (await this.#download.next())
      if (event.type === 'informational') {
        if (this.#informational.length === MAX_INTERIM_RESPONSES) throw endlessInterim(this.#connection.place)
        this.#informational.push(event.head)
        this.#options.onInformational?.(event.head)
        if (event.head.status === 100) this.#upload.continue()
      } else if (event.type === 'response') {
        return this.#received(event.head)
      }
    }
  }

  answer(): Answer {
    return {
      informational: this.#informational,
      receivedHeads: this.#download.receivedHeads,
      remote: this.#connection.remote,
      excessBytes: () => this.#excessBytes,
      isRequestSent: () => this.#upload.isFinished,
      unsentReason: () => this.#unsentReason(),
      statistics: this.#statistics,
      closed: this.#closed,
      close: () => this.close(),
    }
  }

  #unsentReason(): HttpcliError | undefined {
    const wasWanted = !this.#upload.isFinished && !this.#isRefused && this.#isComplete
    return this.#upload.failure ?? (wasWanted ? notAccepted(this.#connection.place) : undefined)
  }

  #received(head: ResponseHead): ReceivedHead {
    // RFC 9112 section 9.5: an error means that the rest of the request is not needed. A 2xx may also come early.
    this.#isRefused = head.status >= 300
    if (this.#isRefused) this.#upload.stop()
    if (head.status === 101 && this.#outgoing.canSwitchProtocol === true) {
      return { head, body: undefined, ...this.answer() }
    }
    const { framing } = head
    // After 101 no HTTP follows, whether the caller requested the switch or not.
    this.#isReusable = head.keepAlive && head.status !== 101 && framing?.type !== 'close' && !this.#outgoing.isLast
    if (framing === undefined) {
      this.#finish()
      return { head, body: undefined, ...this.answer() }
    }
    // The whole response has arrived, so the time that the caller spends on its head does not count as download.
    if (framing.type === 'length' && this.#download.waitingBytes >= framing.length) this.#stopwatch.completed()
    const isEmpty = framing.type === 'length' && framing.length === 0
    if (framing.type === 'chunked') this.#decodeWaiting()
    if (!isEmpty) return { head, body: this.#bodyEvents(), ...this.answer() }
    // The end arrived with the head. The connection and its decoder may serve another request when the body is read.
    const end = this.#download.decoded()
    this.#finish()
    return { head, body: only(end as BodyEvent), ...this.answer() }
  }

  /**
   * Decodes the chunks that have arrived, to find out whether the response is complete. An error in them is thrown only
   * when the reader gets there.
   */
  #decodeWaiting(): void {
    try {
      for (let event = this.#download.decoded(); event !== undefined; event = this.#download.decoded()) {
        if (event.type === 'data' || event.type === 'end') this.#waitingEvents.push(event)
        if (event.type !== 'end') continue
        this.#stopwatch.completed()
        return
      }
    } catch (error) {
      this.#waitingError = error
    }
  }

  get reportedBytes(): number {
    return this.#upload.reportedBytes
  }

  mayBeRepeated(error: unknown): boolean {
    return (
      this.#lease.isKept &&
      !this.#download.hasStarted &&
      error instanceof WireError &&
      (error.code === 'connection-reset' || error.code === 'connection-cut-short') &&
      idempotentMethods.has(this.#outgoing.method)
    )
  }

  /**
   * After 101 (Switching Protocols): the connection, and the bytes after the head. Its destination was tunnelled. The
   * caller ends it with `close`.
   */
  async takeOver(): Promise<{ readonly connection: HandedOnConnection; readonly rest: Uint8Array }> {
    for (;;) {
      const event = await this.#download.next()
      if (event.type === 'upgrade') return { connection: this.#connection as HandedOnConnection, rest: event.rest }
    }
  }

  /** For an answer that is not HTTP: the bytes read so far, then all other bytes until the connection ends. */
  async *undecoded(received: Uint8Array): AsyncGenerator<Uint8Array> {
    try {
      yield received
      for (;;) {
        const bytes = await this.#download.read()
        if (bytes === undefined) return
        yield bytes
      }
    } finally {
      this.close()
    }
  }

  /** Not an async generator: each event of one costs three promises more. */
  #bodyEvents(): AsyncIterableIterator<BodyEvent> {
    const waiting = this.#waitingEvents.values()
    let isEnded = false
    const end = (): IteratorResult<BodyEvent> => {
      isEnded = true
      this.close()
      return { done: true, value: undefined }
    }
    const events: AsyncIterableIterator<BodyEvent> = {
      next: async () => {
        if (isEnded) return end()
        try {
          for (;;) {
            const event = waiting.next().value ?? this.#decodedEvent() ?? (await this.#download.next())
            if (event.type !== 'data' && event.type !== 'end') continue
            if (event.type === 'end') {
              isEnded = true
              this.#finish()
            }
            return { done: false, value: event }
          }
        } catch (error) {
          end()
          throw error
        }
      },
      return: async () => end(),
      [Symbol.asyncIterator]: () => events,
    }
    return events
  }

  #decodedEvent(): HttpEvent | undefined {
    if (this.#waitingError !== undefined) throw this.#waitingError
    return this.#download.decoded()
  }

  /** Call this when the response is complete. The rest of an upload that the server still accepts is sent first. */
  #finish(): void {
    this.#isComplete = true
    this.#excessBytes = this.#download.waitingBytes
    this.#stopwatch.completed()
    this.#resolveStatistics(this.#stopwatch.statistics())
    if (this.#upload.isFinished || this.#upload.isStopped) this.#disconnect()
    else void this.#upload.finished.then(() => this.#disconnect())
  }

  /** Ends the connection immediately, unless the response is complete. */
  close(): void {
    if (!this.#isComplete) this.#disconnect()
  }

  #disconnect(): void {
    this.#upload.stop()
    this.#cancellation.release()
    const { socket, reader } = this.#connection
    reader.onReceived = undefined
    const { giveBack } = this.#lease
    const isClean = this.#isComplete && this.#isReusable && this.#upload.isFinished && this.#download.waitingBytes === 0
    // Destroy on the next tick, so that a finished command can exit first (2 % of its run time).
    if (isClean && giveBack !== undefined) giveBack(this.#connection)
    else if (this.#isComplete) setImmediate(() => socket.destroy())
    else socket.destroy()
    this.#resolveStatistics(this.#stopwatch.statistics())
    this.#resolveClosed()
  }
}

async function* only(event: BodyEvent): AsyncGenerator<BodyEvent> {
  yield event
}
