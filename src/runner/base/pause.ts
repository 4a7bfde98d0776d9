/**
 * Waiting that an abort cuts short.
 *
 * Rules: never rejects; who waited asks the signal how it ended.
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
