/**
 * Waits for a time or an abort.
 *
 * Rules: never rejects; the caller checks the signal. A time longer than the platform's timers support is reduced to
 * their maximum.
 */
import { MAX_TIMER_MS } from './duration.ts'

/** Resolves after the time, or as soon as the signal is aborted. */
export function pause(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve()
      return
    }
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.min(durationMs, MAX_TIMER_MS))
    signal?.addEventListener('abort', end, { once: true })
  })
}
