/**
 * A request going out and the response that comes back, over one connection.
 *
 * Rules: the request is written while the response is read; a final answer that is an error stops the upload. What
 * belongs to the response is read when it is asked for. Where everything has ended as it should, the connection goes
 * back to the pool it came from. RFC 9110 sections 10.1.1 and 15.2, RFC 9112 section 9.
 */
import {
  type BodyEvent,
  type HttpEvent,
  type HttpRequest,
  HttpResponse,
  type ResponseHead,
} from '../../message/index.ts'
import { Cancellation } from '../base/abort.ts'
import { WireError } from '../base/errors.ts'
import { defaultTimeouts, type WireOptions } from '../base/options.ts'
import { type Statistics, Stopwatch, systemClock } from '../base/timing.ts'
import { type Connection, type Destination, openConnection, type RemoteAddress } from '../connection/connection.ts'
import { Download } from './download.ts'
import { type Pieces, Upload } from './upload.ts'

/** A server that never comes to its final answer would fill the memory: nobody sends more than a few. */
const MAX_INTERIM_RESPONSES = 100

/** RFC 9110 section 9.2.2. */
const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY'])

/** What is known of a response once its final head is here. */
export interface Answer {
  /** Interim responses (1xx) that came before, in order. */
  readonly informational: readonly ResponseHead[]
  /**
   * The heads octet by octet as they came: those of interim responses in order, then the final one. Of HTTP/2, where
   * heads are no text, the status and the fields as lines.
   */
  readonly receivedHeads: readonly Uint8Array[]
  readonly remote: RemoteAddress
  /** How many bytes had come after the end of the response when that was read. They belong to no message. */
  readonly excessBytes: () => number
  /** Resolves once the response has ended, was cut short or was closed: with what was measured. Never rejects. */
  readonly statistics: Promise<Statistics>
  /**
   * Resolves when the connection is done with: behind the response, and behind the rest of an upload that the server
   * still takes after an early 2xx. Never rejects. Whoever ends the process waits for it.
   */
  readonly closed: Promise<void>
  /** Ends the connection; what is left of the body is not read. Harmless when everything has ended. */
  close(): void
}

/** One request and its response. The body of the response is still on the socket until it is consumed or closed. */
export interface Exchange extends Answer {
  /** The request as it was given (after redirects: the last one). */
  readonly request: HttpRequest
  /** `HTTP/1.1`, `HTTP/2`, …: how the server answered. */
  readonly protocol: string
  readonly response: HttpResponse<'stream'>
}

/** Octets to send and what is to be known about them. */
export interface Outgoing {
  readonly destination: Destination
  readonly proxy: URL | undefined
  /** Decides whether the response has content. */
  readonly method: string
  readonly waitsForContinue: boolean
  /** Whether the request says that no other one follows on its connection. */
  readonly isLast: boolean
  /** Whether the caller takes the connection over after 101 (Switching Protocols). */
  readonly switchesProtocol?: boolean
  /** The first piece is the head and nothing else. */
  readonly pieces: () => Pieces
}

export interface ReceivedHead extends Answer {
  readonly head: ResponseHead
  /** Undefined: no content. To be iterated once. */
  readonly body: AsyncIterable<BodyEvent> | undefined
}

/** What a caller is given of an answer in HTTP/1. @internal */
export function exchangeOf(request: HttpRequest, received: ReceivedHead): Exchange {
  const { head, body, ...answer } = received
  return { request, protocol: head.version, response: HttpResponse.fromEvents(head, body), ...answer }
}

/**
 * Gets a connection and begins to write.
 * @param use `fresh`: no connection of the pool will do; or the connection to use
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
  const kept = mayTake ? (isRepeatable ? pool.take(poolKey) : await pool.takeSurely(poolKey)) : undefined
  const lease: Lease = {
    isKept: kept !== undefined,
    giveBack: pool && poolKey !== undefined ? (connection) => pool.keep(poolKey, connection) : undefined,
  }
  try {
    const { destination, proxy } = outgoing
    const given = typeof use === 'object' ? use : kept
    const connection = given ?? (await openConnection(destination, proxy, options, cancellation, clock))
    if (kept === undefined) stopwatch.connected(connection.times)
    return new Conversation(connection, outgoing, options, cancellation, stopwatch, lease)
  } catch (error) {
    cancellation.release()
    throw error
  }
}

/** Whose the connection is. */
interface Lease {
  /** Whether it was used before. */
  readonly isKept: boolean
  /** Undefined: nobody wants it back. */
  readonly giveBack: ((connection: Connection) => void) | undefined
}

/** A request going out and its response coming in, over a connection that nobody else uses meanwhile. */
export class Conversation {
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
  /** Of the content, decoded before anybody asked. */
  readonly #waitingEvents: BodyEvent[] = []
  #waitingError: unknown
  #isComplete = false
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
      waitsForContinue: outgoing.waitsForContinue,
      onRequestBytes: options.onRequestBytes,
    })
    this.#download = new Download(connection, this.#upload, outgoing.method, timeouts, options.idleMsOf)
  }

  /** Reads up to the final head. */
  async head(): Promise<ReceivedHead> {
    for (;;) {
      const event = this.#download.decoded() ?? (await this.#download.next())
      if (event.type === 'informational') {
        if (this.#informational.length === MAX_INTERIM_RESPONSES) throw this.#endlessInterim()
        this.#informational.push(event.head)
        this.#options.onInformational?.(event.head)
        if (event.head.status === 100) this.#upload.continue()
      } else if (event.type === 'response') {
        return this.#received(event.head)
      }
    }
  }

  #endlessInterim(): WireError {
    const what = `sent more than ${MAX_INTERIM_RESPONSES} interim responses and no final one`
    return new WireError('invalid-response', `${this.#connection.place} ${what}`, { hint: 'check the server' })
  }

  answer(): Answer {
    return {
      informational: this.#informational,
      receivedHeads: this.#download.receivedHeads,
      remote: this.#connection.remote,
      excessBytes: () => this.#excessBytes,
      statistics: this.#statistics,
      closed: this.#closed,
      close: () => this.close(),
    }
  }

  #received(head: ResponseHead): ReceivedHead {
    // RFC 9112 section 9.5: an error means that the rest of the request is not wanted. A 2xx may come early, too.
    if (head.status >= 300) this.#upload.stop()
    if (head.status === 101 && this.#outgoing.switchesProtocol === true) {
      return { head, body: undefined, ...this.answer() }
    }
    const { framing } = head
    // After 101 no HTTP follows, asked for or not.
    this.#isReusable = head.keepAlive && head.status !== 101 && framing?.type !== 'close' && !this.#outgoing.isLast
    if (framing === undefined) {
      this.#finish()
      return { head, body: undefined, ...this.answer() }
    }
    // Whoever takes its time with the head of a response that is all here makes the download no longer.
    if (framing.type === 'length' && this.#download.waitingBytes >= framing.length) this.#stopwatch.completed()
    const isEmpty = framing.type === 'length' && framing.length === 0
    if (framing.type === 'chunked') this.#decodeWaiting()
    if (!isEmpty) return { head, body: this.#bodyEvents(), ...this.answer() }
    // Its end is here with its head. The connection and its decoder may belong to another request when the body is read.
    const end = this.#download.decoded()
    this.#finish()
    return { head, body: only(end as BodyEvent), ...this.answer() }
  }

  /** The chunks that are here: only they tell whether the whole response is. What is wrong in them is told in its turn. */
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

  /** How many octets of the request were told to `onRequestBytes`. */
  get toldBytes(): number {
    return this.#upload.toldBytes
  }

  /** Whether the request may be sent once more over another connection, after `head` failed with this error. */
  mayBeRepeated(error: unknown): boolean {
    return (
      this.#lease.isKept &&
      !this.#download.hasBegun &&
      error instanceof WireError &&
      (error.code === 'connection-reset' || error.code === 'connection-cut-short') &&
      idempotentMethods.has(this.#outgoing.method)
    )
  }

  /** After 101 (Switching Protocols): the connection, and what came behind the head. Its end is told by `close`. */
  async takeOver(): Promise<{ readonly connection: Connection; readonly rest: Uint8Array }> {
    for (;;) {
      const event = await this.#download.next()
      if (event.type === 'upgrade') return { connection: this.#connection, rest: event.rest }
    }
  }

  /** For an answer that is not HTTP: what was read of it already, then all that comes until the connection ends. */
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

  async *#bodyEvents(): AsyncGenerator<BodyEvent> {
    const waiting = this.#waitingEvents.values()
    try {
      for (;;) {
        const event = waiting.next().value ?? (await this.#nextEvent())
        if (event.type !== 'data' && event.type !== 'end') continue
        if (event.type !== 'end') {
          yield event
          continue
        }
        this.#finish()
        yield event
        return
      }
    } finally {
      this.close()
    }
  }

  #nextEvent(): HttpEvent | Promise<HttpEvent> {
    if (this.#waitingError !== undefined) throw this.#waitingError
    return this.#download.decoded() ?? this.#download.next()
  }

  /** The response is complete. What is left of an upload that the server still takes goes out first. */
  #finish(): void {
    this.#isComplete = true
    this.#excessBytes = this.#download.waitingBytes
    this.#stopwatch.completed()
    this.#resolveStatistics(this.#stopwatch.statistics())
    if (this.#upload.isFinished || this.#upload.isStopped) this.#disconnect()
    else void this.#upload.finished.then(() => this.#disconnect())
  }

  /** Ends the connection at once, unless the response is complete. */
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
    // In a turn of its own: a command that has all it wants ends before it, and saves its start 2 %.
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
