/**
 * The time that a client takes for its handshake, by the clock of the pulse: it runs while the server waits for the client,
 * and stops while the client waits for the server.
 */
import type { Pulse, PulseListener } from '../limits/timeouts.ts'

export class HandshakeClock implements PulseListener {
  readonly #pulse: Pulse
  readonly #timeoutMs: number
  readonly #onTimeout: () => void
  #spentMs = 0
  #startedMs: number | undefined

  constructor(pulse: Pulse, timeoutMs: number, onTimeout: () => void) {
    this.#pulse = pulse
    this.#timeoutMs = timeoutMs
    this.#onTimeout = onTimeout
  }

  start(): void {
    this.#startedMs = this.#pulse.nowMs
    this.#pulse.add(this)
  }

  stop(): void {
    if (this.#startedMs === undefined) return
    this.#spentMs += this.#pulse.nowMs - this.#startedMs
    this.#startedMs = undefined
    this.#pulse.delete(this)
  }

  /** @internal */
  onPulse(nowMs: number): void {
    if (this.#startedMs !== undefined && this.#spentMs + nowMs - this.#startedMs > this.#timeoutMs) this.#onTimeout()
  }
}
