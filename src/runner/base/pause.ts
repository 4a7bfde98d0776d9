/**
 * Waits for a time or an abort.
 *
 * Rules: never rejects; the caller checks the signal.
 */

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
    const timer = setTimeout(end, durationMs)
    signal?.addEventListener('abort', end, { once: true })
  })
}
