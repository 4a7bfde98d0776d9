/**
 * A sweep at which connections check whether their time is over: one timer for all of them instead of one for each.
 *
 * Rules: it comes several times within the shortest limit, so a limit is kept to about a fifth. Its clock stands still
 * without listeners, and hardly moves while the process is too busy to sweep: what waits in a socket then must not be too
 * late because it was not read. For the same reason listeners are called only after the process has read what its sockets
 * hold. It does not keep the process alive.
 */
import { performance } from 'node:perf_hooks'
import type { ServerLimits } from './limits.ts'

/** One that wants to know how late it is. */
export interface TimeoutListener {
  /** `nowMs`: as `TimeoutSweep.nowMs`. */
  onSweep(nowMs: number): void
}

const longestIntervalMs = 1_000
const shortestIntervalMs = 5

export class TimeoutSweep {
  readonly #intervalMs: number
  readonly #listeners = new Set<TimeoutListener>()
  #rests = 0
  #timer: NodeJS.Timeout | undefined
  #sweptAtMs = 0
  #nowMs = 0

  constructor(limits: ServerLimits) {
    const { headerTimeoutMs, bodyTimeoutMs, idleTimeoutMs, writeTimeoutMs, lingerTimeoutMs, handshakeTimeoutMs } =
      limits
    const shortestMs = Math.min(
      ...[headerTimeoutMs, bodyTimeoutMs, idleTimeoutMs, writeTimeoutMs, lingerTimeoutMs, handshakeTimeoutMs],
    )
    this.#intervalMs = Math.min(longestIntervalMs, Math.max(shortestIntervalMs, shortestMs / 5))
  }

  /** Milliseconds of the sweep's own clock, as of the last sweep. */
  get nowMs(): number {
    return this.#nowMs
  }

  /** A number that is higher at each call: for whoever comes to rest, to tell who has rested longest. */
  countRest(): number {
    return (this.#rests += 1)
  }

  add(listener: TimeoutListener): void {
    this.#listeners.add(listener)
    if (this.#timer !== undefined) return
    this.#sweptAtMs = performance.now()
    this.#timer = setInterval(this.#sweep, this.#intervalMs)
    this.#timer.unref()
  }

  delete(listener: TimeoutListener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  readonly #sweep = (): void => {
    const sweptAtMs = performance.now()
    this.#nowMs += Math.min(sweptAtMs - this.#sweptAtMs, 2 * this.#intervalMs)
    this.#sweptAtMs = sweptAtMs
    // Timers run before the event loop reads sockets, immediates after it.
    setImmediate(this.#report)
  }

  readonly #report = (): void => {
    for (const listener of this.#listeners) listener.onSweep(this.#nowMs)
  }
}
