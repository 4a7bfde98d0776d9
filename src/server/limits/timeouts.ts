/**
 * A periodic sweep at which connections check their deadlines: one timer for all of them instead of one for each.
 *
 * Rules: the sweep runs several times within the shortest limit, so limits are accurate to about a fifth. Its clock
 * stops without listeners, and hardly moves while the process is too busy to sweep: data that waits in a socket must
 * not count as late because the process did not read it. For the same reason listeners are called only after the
 * process has read its sockets. The timer does not keep the process alive.
 */
import { performance } from 'node:perf_hooks'
import type { ServerLimits } from './limits.ts'

/** Something with deadlines. */
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

  /** Milliseconds of the sweep's clock at the last sweep. */
  get nowMs(): number {
    return this.#nowMs
  }

  /** Returns a higher number at each call, to order connections by the start of their wait. */
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
