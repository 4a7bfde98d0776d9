/**
 * Waits with k6's timer. Scripts get another `setTimeout`, so this one is captured before their globals are created.
 */
const { setTimeout: platformTimeout } = globalThis

export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => platformTimeout(resolve, delayMs))
}
