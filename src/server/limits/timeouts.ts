/**
 * A slow beat at which connections look whether their time is over: one timer for all of them instead of one for each.
 *
 * Rules: it beats several times within the shortest limit, so a limit is kept to about a fifth. Its clock stands still
 * while there is nobody to tell, and hardly moves while the process is too busy to beat: what waits in a socket then must
 * not be too late because it was not read. For the same reason the listeners hear of a beat only after the process has read
 * whatever its sockets hold. It does not keep the process alive.
 */
import { performance } from 'node:perf_hooks'
import type { ServerLimits } from './limits.ts'

/** One that wants to know how late it is. */
export interface PulseListener {
  /** `nowMs`: as `Pulse.nowMs`. */
  onPulse(nowMs: number): void
}

const slowestBeatMs = 1_000
const fastestBeatMs = 5

export class Pulse {
  readonly #beatMs: number
  readonly #listeners = new Set<PulseListener>()
  #rests = 0
  #timer: NodeJS.Timeout | undefined
  #beatAtMs = 0
  #nowMs = 0

  constructor(limits: ServerLimits) {
    const { headerTimeoutMs, bodyTimeoutMs, idleTimeoutMs, writeTimeoutMs, lingerTimeoutMs, handshakeTimeoutMs } =
      limits
    const shortestMs = Math.min(
      ...[headerTimeoutMs, bodyTimeoutMs, idleTimeoutMs, writeTimeoutMs, lingerTimeoutMs, handshakeTimeoutMs],
    )
    this.#beatMs = Math.min(slowestBeatMs, Math.max(fastestBeatMs, shortestMs / 5))
  }

  /** Milliseconds of the pulse's own clock, as of the last beat. */
  get nowMs(): number {
    return this.#nowMs
  }

  /** A number that is higher at each call: for whoever comes to rest, to tell who has rested longest. */
  countRest(): number {
    return (this.#rests += 1)
  }

  add(listener: PulseListener): void {
    this.#listeners.add(listener)
    if (this.#timer !== undefined) return
    this.#beatAtMs = performance.now()
    this.#timer = setInterval(this.#beat, this.#beatMs)
    this.#timer.unref()
  }

  delete(listener: PulseListener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  readonly #beat = (): void => {
    const beatAtMs = performance.now()
    this.#nowMs += Math.min(beatAtMs - this.#beatAtMs, 2 * this.#beatMs)
    this.#beatAtMs = beatAtMs
    // Timers run before the event loop reads sockets, immediates after it.
    setImmediate(this.#report)
  }

  readonly #report = (): void => {
    for (const listener of this.#listeners) listener.onPulse(this.#nowMs)
  }
}
