/**
 * One request and its response over a connection of its own.
 *
 * Rules: the request is written while the response is read, so an early final answer (413, 401) is seen at once: it
 * stops the upload and is the result. The promise resolves at the final head; the body stays on the socket until it is
 * consumed. The connection is closed at the end of the response. RFC 9110 sections 10.1.1 and 15.2, RFC 9112 section 9.
 */
import { type BodyEvent, type HttpRequest, HttpResponse, type ResponseHead } from '../message/index.ts'
import { Cancellation } from './abort.ts'
import { bareHost } from './address.ts'
import { type Connection, type Destination, openConnection, type RemoteAddress } from './connection.ts'
import { Download } from './download.ts'
import { WireError } from './errors.ts'
import { defaultTimeouts, type WireOptions } from './options.ts'
import { portOfUrl, proxyAuthorization } from './proxy.ts'
import { type Statistics, Stopwatch, systemClock } from './timing.ts'
import { Upload } from './upload.ts'

/** A server that never comes to its final answer would fill the memory: nobody sends more than a few. */
const MAX_INTERIM_RESPONSES = 100

/** What is known of a response once its final head is here. */
export interface Answer {
  /** Interim responses (1xx) that came before, in order. */
  readonly informational: readonly ResponseHead[]
  readonly remote: RemoteAddress
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
  readonly response: HttpResponse<'stream'>
}

/**
 * Sends a request and waits for the head of its final response. Errors of the body come from reading the body.
 * @throws WireError; what the body of the request threw.
 */
export async function exchange(request: HttpRequest, options: WireOptions = {}): Promise<Exchange> {
  const url = urlOf(request)
  const destination: Destination = {
    host: bareHost(url.hostname),
    port: portOfUrl(url),
    secure: url.protocol === 'https:',
  }
  const proxy = options.unixSocket === undefined ? options.proxy?.(url) : undefined
  const isForwarded = proxy !== undefined && !destination.secure
  const sent = isForwarded ? withProxyAuthorization(request, proxy) : request
  const conversation = await converse(
    {
      destination,
      proxy,
      method: request.method,
      waitsForContinue: request.expectContinue,
      pieces: sent.encode({ absoluteForm: isForwarded }),
    },
    options,
  )
  try {
    const { head, body, ...answer } = await conversation.head()
    return { request, response: HttpResponse.fromEvents(head, body), ...answer }
  } catch (error) {
    conversation.close()
    throw error
  }
}

function urlOf(request: HttpRequest): URL {
  const { url } = request
  if (url === undefined || url.hostname === '') {
    throw new WireError('no-host', `the request names no host to send it to`, {
      hint: 'write the full URL in the start line, or add a Host header',
    })
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new WireError(
      'unsupported-scheme',
      `the URL has the scheme ${url.protocol.slice(0, -1)}, expected http or https`,
    )
  }
  return url
}

function withProxyAuthorization(request: HttpRequest, proxy: URL): HttpRequest {
  const authorization = proxyAuthorization(proxy)
  if (authorization === undefined || request.headers.has('proxy-authorization')) return request
  return request.withHeader('Proxy-Authorization', authorization)
}

/** Octets to send and what is to be known about them. */
export interface Outgoing {
  readonly destination: Destination
  readonly proxy: URL | undefined
  /** Decides whether the response has content. */
  readonly method: string
  readonly waitsForContinue: boolean
  /** The first piece is the head and nothing else. */
  readonly pieces: AsyncIterable<Uint8Array>
}

export interface ReceivedHead extends Answer {
  readonly head: ResponseHead
  /** Undefined: no content. To be iterated once. */
  readonly body: AsyncIterable<BodyEvent> | undefined
}

/** Opens a connection and begins to write. */
export async function converse(outgoing: Outgoing, options: WireOptions): Promise<Conversation> {
  const clock = options.clock ?? systemClock
  const stopwatch = new Stopwatch(clock)
  stopwatch.connecting()
  const cancellation = new Cancellation(options.signal)
  try {
    const connection = await openConnection(outgoing.destination, outgoing.proxy, options, cancellation, clock)
    stopwatch.connected(connection.times)
    return new Conversation(connection, outgoing, options, cancellation, stopwatch)
  } catch (error) {
    cancellation.release()
    throw error
  }
}

/** A request going out and its response coming in, over a connection of their own. */
export class Conversation {
  readonly #connection: Connection
  readonly #options: WireOptions
  readonly #cancellation: Cancellation
  readonly #stopwatch: Stopwatch
  readonly #upload: Upload
  readonly #download: Download
  readonly #informational: ResponseHead[] = []
  readonly #statistics: Promise<Statistics>
  #isComplete = false
  #resolveStatistics: (statistics: Statistics) => void = () => undefined
  readonly #closed: Promise<void>
  #resolveClosed: () => void = () => undefined

  constructor(
    connection: Connection,
    outgoing: Outgoing,
    options: WireOptions,
    cancellation: Cancellation,
    stopwatch: Stopwatch,
  ) {
    const timeouts = { ...defaultTimeouts, ...options.timeouts }
    this.#connection = connection
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
    this.#upload = new Upload(connection.socket, outgoing.pieces, stopwatch, {
      place: connection.place,
      idleMs: timeouts.idleMs,
      waitsForContinue: outgoing.waitsForContinue,
      onRequestBytes: options.onRequestBytes,
    })
    this.#download = new Download(connection, this.#upload, outgoing.method, timeouts)
  }

  /** Reads up to the final head. */
  async head(): Promise<ReceivedHead> {
    for (;;) {
      const event = await this.#download.next()
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
      remote: this.#connection.remote,
      statistics: this.#statistics,
      closed: this.#closed,
      close: () => this.close(),
    }
  }

  #received(head: ResponseHead): ReceivedHead {
    // RFC 9112 section 9.5: an error means that the rest of the request is not wanted. A 2xx may come early, too.
    if (head.status >= 300) this.#upload.stop()
    const { framing } = head
    const hasBody = framing !== undefined
    if (!hasBody || (framing.type === 'length' && framing.length === 0)) this.#finish()
    return { head, body: hasBody ? this.#bodyEvents() : undefined, ...this.answer() }
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
    try {
      for (;;) {
        const event = await this.#download.next()
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

  /** The response is complete. What is left of an upload that the server still takes goes out first. */
  #finish(): void {
    this.#isComplete = true
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
    const { socket } = this.#connection
    // In a turn of its own: a command that has all it wants ends before it, and saves its start 2 %.
    if (this.#isComplete) setImmediate(() => socket.destroy())
    else socket.destroy()
    this.#resolveStatistics(this.#stopwatch.statistics())
    this.#resolveClosed()
  }
}
