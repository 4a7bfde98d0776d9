/**
 * The requests of one connection: socket octets through the one decoder, under the time limits of a patient server.
 *
 * Rules: the next head is looked for only when it is asked for, so pipelined requests wait in the decoder. Waiting for a
 * request to begin has one limit and ends silently; from the first octet of a head to its last has another, and so has a
 * body that is thrown away. RFC 9112 sections 9.3 to 9.5.
 */
import { HttpcliError, HttpDecoder, type HttpEvent, HttpParseError, type RequestHead } from '../message/index.ts'
import type { ServerLimits } from './limits.ts'
import { isConnectionError, type SocketStream } from './socket-stream.ts'

/** Of a request that could not be read, this much of its first line is kept for the log. */
const keptLineOctets = 2_048

export class RequestReader {
  readonly #stream: SocketStream
  readonly #limits: ServerLimits
  readonly #now: () => number
  readonly #decoder = new HttpDecoder('server')
  #events: Iterator<HttpEvent> = [][Symbol.iterator]()
  #inputHasEnded = false
  #isIdle = true
  #head: RequestHead | undefined
  /** The octets since the last message, as they came, until they are a head. */
  #headPieces: Uint8Array[] = []

  /** `now`: milliseconds since 1970. */
  constructor(stream: SocketStream, limits: ServerLimits, now: () => number) {
    this.#stream = stream
    this.#limits = limits
    this.#now = now
  }

  /** Whether no request has begun. */
  get isIdle(): boolean {
    return this.#isIdle
  }

  /**
   * The next head; undefined where the client ended or left the connection between two requests. Rejects with
   * HttpParseError, with HttpcliError `request-timeout`, and with `peer-gone`.
   */
  async readHead(): Promise<RequestHead | undefined> {
    this.#head = undefined
    this.#keep(this.#decoder.leftover)
    let deadlineMs: number | undefined
    for (;;) {
      const event = this.#pull()
      if (event?.type === 'request') {
        this.#head = event.head
        this.#headPieces = []
        return event.head
      }
      if (this.#inputHasEnded) return undefined
      if (this.#isIdle) {
        if (!(await this.#receive(this.#limits.idleTimeoutMs))) return undefined
      } else {
        deadlineMs ??= this.#now() + this.#limits.headerTimeoutMs
        if (!(await this.#receive(deadlineMs - this.#now()))) throw timeoutError('head')
      }
    }
  }

  /**
   * Reads the rest of the message and throws it away. False where that is not worth it and the connection is to be
   * closed: the body is larger than the limit, the client waits for 100 (Continue) before it sends one, or it is CONNECT.
   */
  async discardBody(head: RequestHead): Promise<boolean> {
    const { discardedBodyBytes, bodyTimeoutMs } = this.#limits
    // What follows CONNECT is no HTTP; it is refused, and so is the rest of its connection.
    if (head.method === 'CONNECT') return false
    if (head.framing === undefined) return this.#pull()?.type === 'end'
    if (head.expectContinue) return false
    if (head.framing.type === 'length' && head.framing.length > discardedBodyBytes) return false
    const deadlineMs = this.#now() + bodyTimeoutMs
    for (let bodyBytes = 0; bodyBytes <= discardedBodyBytes; ) {
      const event = this.#pull()
      if (event?.type === 'end') return true
      if (event?.type === 'data') bodyBytes += event.bytes.length
      if (event === undefined && !(await this.#receive(deadlineMs - this.#now()))) throw timeoutError('body')
    }
    return false
  }

  /** The running request is answered: the next one is waited for. */
  finish(): void {
    this.#isIdle = true
  }

  /** The head of the running request; undefined while it has not been read. */
  get head(): RequestHead | undefined {
    return this.#head
  }

  /** The first line of a head that could not be read, as far as it came; undefined where nothing came. */
  unreadableLine(): string | undefined {
    const text = Buffer.concat(this.#headPieces).toString('latin1')
    return /[^\r\n]+/.exec(text)?.[0].slice(0, keptLineOctets)
  }

  #pull(): HttpEvent | undefined {
    const next = this.#events.next()
    return next.done ? undefined : next.value
  }

  /** Gives the decoder more. False where the time is over. */
  async #receive(timeoutMs: number): Promise<boolean> {
    let bytes: Uint8Array | undefined
    try {
      bytes = await this.#stream.read(Math.max(timeoutMs, 0))
    } catch (error) {
      if (isConnectionError(error) && error.code === 'read-timeout') return false
      throw error
    }
    if (bytes === undefined) {
      this.#inputHasEnded = true
      this.#events = this.#decoder.end()
    } else {
      if (this.#head === undefined) this.#keep(bytes)
      this.#events = this.#decoder.push(bytes)
    }
    return true
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#isIdle = false
    this.#headPieces.push(bytes)
  }
}

function timeoutError(part: 'head' | 'body'): HttpcliError {
  return new HttpcliError('request-timeout', `the ${part} of the request did not arrive in time`)
}

/** The status for a request that could not be read; undefined where the error is not the client's. */
export function statusOfUnreadable(error: unknown): HttpParseError['status'] | undefined {
  if (error instanceof HttpParseError) return error.status
  return error instanceof HttpcliError && error.code === 'request-timeout' ? 408 : undefined
}
