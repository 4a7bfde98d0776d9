/** Replaces assertions/watchdog.ts: k6 cannot end a check that takes too long. */
export class TimeOverError extends Error {}

export function guarded(action: () => void): void {
  action()
}
