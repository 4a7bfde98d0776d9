/**
 * SIGINT and SIGTERM.
 *
 * Rules: the first one asks the sub-command to stop, which cleans up and decides its exit code; the second one ends the
 * process at once, because somebody insists.
 */
import { exitCodes } from './exit-codes.ts'

/** What of `process` is used. */
export interface SignalSource {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  exit(code: number): unknown
}

/** The signal that is aborted by the first SIGINT or SIGTERM. */
export function interruption(source: SignalSource): AbortSignal {
  const controller = new AbortController()
  const listener = (): void => {
    if (controller.signal.aborted) source.exit(exitCodes.interrupted)
    else controller.abort()
  }
  source.on('SIGINT', listener)
  source.on('SIGTERM', listener)
  return controller.signal
}
