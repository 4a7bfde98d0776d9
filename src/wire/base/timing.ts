/**
 * The times and byte counts of one exchange, as printed by `-p stats`.
 *
 * Rules: measured on the socket. `connectMs` is the socket's connect call alone: name look-up, TLS and a proxy tunnel
 * have separate figures. Bytes are counted, and the clock is read, when they come off the socket (after TLS), including
 * the head, interim responses and chunk framing; the time that the caller takes to process them adds nothing unless the
 * socket has to wait for it. If everything arrives in one piece, the clock stops when the end of the message is
 * recognised.
 */

import { hrtime } from 'node:process'

/** Milliseconds of a monotonic clock with any start. */
export type Clock = () => number

/** The system clock. `performance.now()` returns the same, but loads a module at every start of the command. */
export const systemClock: Clock = () => {
  const [seconds, nanoseconds] = hrtime()
  return seconds * 1000 + nanoseconds / 1_000_000
}

/** All times in milliseconds. */
export interface Statistics extends ConnectionTimes {
  /** From the call until connecting began. */
  readonly queueMs: number
  /** From the first piece of the request written to the last one; 0 if it was written in one piece. */
  readonly sendMs: number
  /** From the first byte of the request written to the first byte of the response read. */
  readonly firstByteMs: number
  /** `firstByteMs` plus the time until the last byte of the response. */
  readonly totalMs: number
  /** Bytes read from the server. */
  readonly bytesReceived: number
  /** Bytes of the request written. */
  readonly bytesSent: number
}

/**
 * Bytes per second of the download (`totalMs` less `firstByteMs`), an integer; undefined if the download took no
 * measurable time.
 */
export function throughputBytesPerSecond(statistics: Statistics): number | undefined {
  const seconds = (statistics.totalMs - statistics.firstByteMs) / 1000
  return seconds > 0 ? Math.round(statistics.bytesReceived / seconds) : undefined
}

/** The time that opening the connection took. */
export interface ConnectionTimes {
  /** Name look-up; 0 for an address or a socket in the file system. */
  readonly dnsMs: number
  /** The connect call of the socket that was used, nothing else. */
  readonly connectMs: number
  /** TLS handshake with the server; 0 without TLS. */
  readonly tlsMs: number
}

/** Collects the figures of one exchange while it runs. */
export class Stopwatch {
  readonly #clock: Clock
  readonly #calledAt: number
  #connectingAt: number | undefined
  #connection: ConnectionTimes = { dnsMs: 0, connectMs: 0, tlsMs: 0 }
  #firstSentAt: number | undefined
  #lastSentAt: number | undefined
  #firstReceivedAt: number | undefined
  #lastReceivedAt: number | undefined
  #bytesReceived = 0
  #bytesSent = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#calledAt = clock()
  }

  connecting(): void {
    this.#connectingAt ??= this.#clock()
  }

  connected(times: ConnectionTimes): void {
    this.#connection = times
  }

  sent(byteCount: number): void {
    this.#lastSentAt = this.#clock()
    this.#firstSentAt ??= this.#lastSentAt
    this.#bytesSent += byteCount
  }

  received(byteCount: number): void {
    const now = this.#clock()
    this.#lastReceivedAt = now
    this.#firstReceivedAt ??= now
    this.#bytesReceived += byteCount
  }

  completed(): void {
    if (this.#lastReceivedAt === this.#firstReceivedAt) this.#lastReceivedAt = this.#clock()
  }

  /** The figures so far; 0 for steps that have not happened yet. */
  statistics(): Statistics {
    const sentAt = this.#firstSentAt ?? 0
    const firstByteMs = this.#firstReceivedAt === undefined ? 0 : this.#firstReceivedAt - sentAt
    const totalMs = this.#lastReceivedAt === undefined ? 0 : this.#lastReceivedAt - sentAt
    return {
      queueMs: (this.#connectingAt ?? this.#calledAt) - this.#calledAt,
      ...this.#connection,
      sendMs: (this.#lastSentAt ?? sentAt) - sentAt,
      // A server may answer before it has read the request; a negative time would only be confusing.
      firstByteMs: Math.max(0, firstByteMs),
      totalMs: Math.max(0, totalMs),
      bytesReceived: this.#bytesReceived,
      bytesSent: this.#bytesSent,
    }
  }
}
