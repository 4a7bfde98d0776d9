/**
 * Measures the time that a client takes for its handshake, by the clock of the sweep: it runs while the server waits
 * for the client, and stops while the client waits for the server.
 */
import type { TimeoutListener, TimeoutSweep } from '../limits/timeouts.ts'

export class HandshakeClock implements TimeoutListener {
  readonly #sweep: TimeoutSweep
  readonly #timeoutMs: number
  readonly #onTimeout: () => void
  #spentMs = 0
  #startedMs: number | undefined

  constructor(sweep: TimeoutSweep, timeoutMs: number, onTimeout: () => void) {
    this.#sweep = sweep
    this.#timeoutMs = timeoutMs
    this.#onTimeout = onTimeout
  }

  start(): void {
    this.#startedMs = this.#sweep.nowMs
    this.#sweep.add(this)
  }

  stop(): void {
    if (this.#startedMs === undefined) return
    this.#spentMs += this.#sweep.nowMs - this.#startedMs
    this.#startedMs = undefined
    this.#sweep.delete(this)
  }

  /** @internal */
  onSweep(nowMs: number): void {
    if (this.#startedMs !== undefined && this.#spentMs + nowMs - this.#startedMs > this.#timeoutMs) this.#onTimeout()
  }
}
