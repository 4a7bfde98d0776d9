/**
 * One client that speaks HTTP/2: many requests at a time, each answered by what answers those of HTTP/1.1.
 *
 * Rules: frames, header compression and flow control are the platform's, and so are its limits on resets, pings and
 * settings. What is left to us: streams beyond the limit are refused, and a connection on which no stream is open is
 * closed after the idle time, whatever frames keep coming. So is one whose client is gone, which the platform does not
 * always tell. RFC 9113 sections 5.1.2, 6.8, 9.1 and 10.5.
 */
import { constants, performServerHandshake, type ServerHttp2Session } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { type ExchangeContext, Http2Exchange } from './http2-exchange.ts'
import type { Http2Fields } from './http2-fields.ts'
import { Http2Request } from './http2-request.ts'
import type { PulseListener } from './pulse.ts'
import type { Service } from './service.ts'

/** Beyond what a browser ever does to a server. */
const sessionLimits = {
  maxHeaderListPairs: 128,
  maxOutstandingPings: 10,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  /** Megabytes: all streams may have a piece of their answers waiting. */
  maxSessionMemory: 32,
  maxSettings: 32,
} as const

export class Http2Connection implements PulseListener {
  readonly #service: Service
  readonly #fields: Http2Fields
  readonly #socket: TLSSocket
  readonly #exchanges = new Set<Http2Exchange>()
  #session: ServerHttp2Session | undefined
  #phaseSinceMs: number
  #idleSince: number
  #isClosing = false

  constructor(socket: TLSSocket, service: Service, fields: Http2Fields) {
    this.#service = service
    this.#fields = fields
    this.#socket = socket
    this.#phaseSinceMs = service.pulse.nowMs
    this.#idleSince = service.pulse.countRest()
  }

  /** Higher for connections that came to rest later (`Pulse.countRest`); undefined while a stream is open. */
  get idleSince(): number | undefined {
    return this.#exchanges.size === 0 ? this.#idleSince : undefined
  }

  /** Answers requests until the connection ends. */
  run(): void {
    const { limits, pulse } = this.#service
    if (this.#socket.destroyed) return
    const context: ExchangeContext = {
      service: this.#service,
      fields: this.#fields,
      remoteAddress: this.#socket.remoteAddress ?? '-',
    }
    const session = performServerHandshake(this.#socket, {
      ...sessionLimits,
      settings: { maxConcurrentStreams: limits.streams, maxHeaderListSize: limits.headerBytes },
    })
    this.#session = session
    // A client that ends its side has gone: there is no use for half a connection (RFC 9113 section 5.4.3).
    this.#socket.once('end', () => this.destroy())
    pulse.add(this)
    session.once('close', () => pulse.delete(this))
    // A client that breaks the protocol is told so by the platform, which closes the connection.
    session.on('error', () => undefined)
    session.on('stream', (stream, fields) => {
      this.#service.turn.countArrival()
      // The limit holds for a client from when it has heard of it (RFC 9113 section 5.1.2).
      if (this.#exchanges.size >= limits.streams) {
        stream.on('error', () => undefined)
        stream.close(constants.NGHTTP2_REFUSED_STREAM)
        return
      }
      const exchange = new Http2Exchange(stream, new Http2Request(fields), context)
      this.#exchanges.add(exchange)
      exchange.run(() => {
        this.#exchanges.delete(exchange)
        this.#phaseSinceMs = pulse.nowMs
        this.#idleSince = pulse.countRest()
      })
    })
  }

  /** Takes no new streams, lets open ones finish, and closes. */
  stop(): void {
    if (this.#session === undefined) {
      this.destroy()
      return
    }
    this.#isClosing = true
    this.#session.close()
  }

  /** Cuts whatever goes on. */
  destroy(): void {
    this.#session?.destroy()
    this.#socket.destroy()
  }

  /** @internal */
  onPulse(nowMs: number): void {
    if (isPeerGone(this.#socket)) {
      this.destroy()
      return
    }
    for (const exchange of this.#exchanges) exchange.onPulse(nowMs)
    if (this.#exchanges.size > 0) return
    const { idleTimeoutMs, lingerTimeoutMs } = this.#service.limits
    const phaseMs = nowMs - this.#phaseSinceMs
    if (this.#isClosing) {
      // The client may leave its side open for ever.
      if (phaseMs > lingerTimeoutMs) this.destroy()
    } else if (phaseMs > idleTimeoutMs) {
      this.#phaseSinceMs = nowMs
      this.stop()
    }
  }
}

/**
 * Whether the connection was reset. While a write is under way the platform reads nothing, and a write that a reset ends
 * it forgets (Node.js 20 to 24): nobody tells a session of it, so the system has to be asked. False where it cannot be.
 */
function isPeerGone(socket: TLSSocket): boolean {
  const { _handle: handle } = socket as { readonly _handle?: { getpeername?(found: object): number } | null }
  return typeof handle?.getpeername === 'function' && handle.getpeername({}) !== 0
}
