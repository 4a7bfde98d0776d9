/**
 * One client that speaks HTTP/2: many requests at a time, each answered by the same service as HTTP/1.1 requests.
 *
 * Rules: the platform handles frames, header compression and flow control, and limits pings and settings. This file
 * adds the following limits. Streams beyond the limit are refused. A client that cancels one request after another is
 * disconnected. A connection without an open stream is closed after the idle time, even if frames keep arriving; sooner
 * while its settings or the head of a request are incomplete. A connection whose client reads nothing of any response
 * is closed after the write time. So is a connection whose client is gone, which the platform does not always report.
 * RFC 9113 sections 5.1.2, 6.8, 9.1 and 10.5.
 */
import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { OpenStreams } from '../limits/open-streams.ts'
import type { TimeoutListener } from '../limits/timeouts.ts'
import type { Service } from '../service.ts'
import type { Http2Fields } from './fields.ts'
import type { Http2RequestCache } from './request-cache.ts'
import { type ExchangeContext, Http2Stream } from './stream.ts'

/** More than any browser needs. */
const sessionLimits = {
  maxHeaderListPairs: 128,
  maxOutstandingPings: 10,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  /** In megabytes: every stream may have a piece of its answer waiting. */
  maxSessionMemory: 32,
  maxSettings: 32,
} as const

/**
 * The platform resets a stream whose fields are larger than its settings allow, without a response. The settings allow
 * at least this size, so that a request above a lower limit is answered with 431 (request-cache.ts). A single field
 * beyond it ends the connection in any case.
 */
const leastHeaderListBytes = 65_536

/** The objects that all connections of a server share. */
export interface Http2Resources {
  readonly fields: Http2Fields
  readonly requests: Http2RequestCache
  readonly streams: OpenStreams
}

/**
 * The number of requests that a client may cancel in a burst, and per second after that: far more than a user who
 * leaves pages cancels, and far fewer than a flood of wasted requests (CVE-2023-44487).
 */
const cancelBurst = 1_000
const cancelsPerSecond = 33

export class Http2Connection implements TimeoutListener {
  readonly #service: Service
  readonly #resources: Http2Resources
  readonly #socket: TLSSocket
  readonly #exchanges = new Set<Http2Stream>()
  #session: ServerHttp2Session | undefined
  #phaseSinceMs: number
  #idleSince: number
  #isClosing = false
  #isEnding = false
  /** When the last answer was completed, by the clock of the sweep. */
  #progressMs = Number.NEGATIVE_INFINITY
  #hasSettings = false
  /** The latest stream whose head has arrived completely. */
  #lastStreamId = 0
  /** When the head of the next stream began to arrive. */
  #headSinceMs: number | undefined
  /** Requests that the client may still cancel. */
  #cancelsLeft = cancelBurst
  #cancelsCountedMs: number

  constructor(socket: TLSSocket, service: Service, resources: Http2Resources) {
    this.#service = service
    this.#resources = resources
    this.#socket = socket
    this.#phaseSinceMs = service.sweep.nowMs
    this.#cancelsCountedMs = service.sweep.nowMs
    this.#idleSince = service.sweep.countRest()
  }

  /**
   * Lower for connections that have waited longer (`TimeoutSweep.countRest`); undefined in the middle of a body or an
   * answer.
   */
  get waitingSince(): number | undefined {
    for (const exchange of this.#exchanges) if (!exchange.isWaiting) return undefined
    return this.#idleSince
  }

  /** Answers requests until the connection ends. `isOverflow`: as `Service.answerWhenFull` does. */
  run(isOverflow: boolean): void {
    const { limits, sweep } = this.#service
    const { fields, requests, streams } = this.#resources
    if (this.#socket.destroyed) return
    const context: ExchangeContext = {
      service: this.#service,
      fields,
      isOverflow,
      remoteAddress: this.#socket.remoteAddress ?? '-',
      onEnd: (exchange) => {
        this.#endExchange(exchange)
        if (isOverflow) this.stop()
      },
    }
    const session = performServerHandshake(this.#socket, {
      ...sessionLimits,
      settings: {
        maxConcurrentStreams: limits.streams,
        maxHeaderListSize: Math.max(limits.headerBytes, leastHeaderListBytes),
      },
    })
    this.#session = session
    // A client that ends its side is gone: HTTP/2 has no half-closed connections (RFC 9113 section 5.4.3).
    this.#socket.once('end', () => this.destroy())
    sweep.add(this)
    session.once('close', () => sweep.delete(this))
    // The platform reports a protocol error to the client and closes the connection.
    session.on('error', () => undefined)
    session.once('remoteSettings', () => {
      this.#hasSettings = true
    })
    session.on('stream', (stream: ServerHttp2Stream, head: IncomingHttpHeaders, _flags: number, lines?: string[]) => {
      this.#service.turn.countArrival()
      this.#lastStreamId = stream.id ?? this.#lastStreamId
      this.#headSinceMs = undefined
      // A client knows the limit only after it has received the settings (RFC 9113 section 5.1.2).
      if (this.#exchanges.size >= limits.streams || !streams.enter(this.#exchanges.size)) {
        stream.on('error', () => undefined)
        stream.close(constants.NGHTTP2_REFUSED_STREAM)
        return
      }
      const exchange = new Http2Stream(stream, requests.of(head, lines), context)
      this.#exchanges.add(exchange)
      exchange.run()
    })
  }

  #endExchange(exchange: Http2Stream): void {
    const { sweep } = this.#service
    this.#exchanges.delete(exchange)
    this.#resources.streams.leave()
    this.#phaseSinceMs = sweep.nowMs
    this.#idleSince = sweep.countRest()
    if (exchange.wasCancelled) this.#countCancel()
    else if (!exchange.isCut) this.#progressMs = sweep.nowMs
  }

  /** Accepts no new streams, lets open ones finish, and closes. */
  stop(): void {
    if (this.#session === undefined) {
      this.destroy()
      return
    }
    this.#isClosing = true
    this.#session.close()
  }

  /**
   * Ends the connection with all its streams. GOAWAY names the last request that was received: later requests are safe
   * to send again.
   */
  destroy(): void {
    this.#endWith(constants.NGHTTP2_NO_ERROR)
  }

  #endWith(code: number): void {
    if (this.#isEnding) return
    this.#isEnding = true
    if (this.#session?.destroyed === false) this.#session.goaway(code)
    // The platform sends GOAWAY in an earlier immediate. Session and socket must be destroyed together: a session that
    // is destroyed while its socket still receives frames crashes the process (an assertion in Node.js 20).
    setImmediate(() => {
      this.#session?.destroy()
      this.#socket.destroy()
    })
  }

  #countCancel(): void {
    const { nowMs } = this.#service.sweep
    const refill = ((nowMs - this.#cancelsCountedMs) / 1000) * cancelsPerSecond
    this.#cancelsLeft = Math.min(cancelBurst, this.#cancelsLeft + refill) - 1
    this.#cancelsCountedMs = nowMs
    if (this.#cancelsLeft < 0) this.#endWith(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }

  /** The platform counts a stream from the first bytes of its head, and reports it when the head is complete. */
  #watchHead(nowMs: number): void {
    const { lastProcStreamID = 0 } = this.#session?.state ?? {}
    if (lastProcStreamID > this.#lastStreamId) this.#headSinceMs ??= nowMs
  }

  /** @internal */
  onSweep(nowMs: number): void {
    if (isPeerGone(this.#socket)) {
      this.destroy()
      return
    }
    this.#watchHead(nowMs)
    const { headerTimeoutMs, idleTimeoutMs, lingerTimeoutMs, writeTimeoutMs } = this.#service.limits
    let progressMs = this.#progressMs
    let isLate = false
    for (const exchange of this.#exchanges) {
      isLate = exchange.isLate(nowMs) || isLate
      progressMs = Math.max(progressMs, exchange.progressMs)
    }
    if (isLate) for (const exchange of this.#exchanges) exchange.onSweep(nowMs)
    // Nothing was sent on any stream: do not grant the client the idle time as well.
    if (isLate && nowMs - progressMs > writeTimeoutMs) this.stop()
    if (this.#exchanges.size > 0) return
    const phaseMs = nowMs - this.#phaseSinceMs
    if (isOver(this.#headSinceMs, nowMs, headerTimeoutMs) || (!this.#hasSettings && phaseMs > headerTimeoutMs)) {
      this.destroy()
    } else if (this.#isClosing) {
      // The client may leave its side open forever.
      if (phaseMs > lingerTimeoutMs) this.destroy()
    } else if (phaseMs > idleTimeoutMs) {
      this.#phaseSinceMs = nowMs
      this.stop()
    }
  }
}

function isOver(sinceMs: number | undefined, nowMs: number, limitMs: number): boolean {
  return sinceMs !== undefined && nowMs - sinceMs > limitMs
}

/**
 * Whether the connection was reset. During a write the platform does not read, and it drops the error of a write that a
 * reset ends (Node.js 20 to 24), so the session never learns of it. This asks the operating system instead, and returns
 * false if that is impossible, as for a Unix domain socket.
 */
function isPeerGone(socket: TLSSocket): boolean {
  const { _handle: handle } = socket as {
    readonly _handle?: { getpeername?(found: object): number | undefined } | null
  }
  // Undefined if the socket below has no such function.
  const failure = typeof handle?.getpeername === 'function' ? handle.getpeername({}) : undefined
  return failure !== undefined && failure !== 0
}
