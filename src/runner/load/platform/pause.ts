/** Waits by the timer of k6: scripts get another `setTimeout`, so this one is taken before their world is made. */
const { setTimeout: platformTimeout } = globalThis

export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => platformTimeout(resolve, delayMs))
}
