/**
 * The signals that ask the command to stop: SIGINT, SIGTERM, and SIGHUP, which a closed terminal sends.
 *
 * Rules: the first one asks the sub-command to stop, which cleans up and decides its exit code; where the sub-command
 * has not asked for the signal there is nothing to clean up, and the process ends. So it does at the second one, because
 * somebody insists.
 */
import { exitCodes } from '../frame/exit-codes.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** What of `process` is used. */
export interface SignalSource {
  on(signal: (typeof signals)[number], listener: () => void): unknown
  exit(code: number): unknown
}

export class Interruption {
  // An AbortController costs a short command 2 % of its start: it is made for those who ask.
  #controller: AbortController | undefined

  /** @param beforeExit is called before the process ends at once */
  constructor(source: SignalSource, beforeExit: () => void) {
    const listener = (): void => {
      if (this.#controller !== undefined && !this.hasHappened) {
        this.#controller.abort()
        return
      }
      beforeExit()
      source.exit(exitCodes.interrupted)
    }
    for (const signal of signals) source.on(signal, listener)
  }

  /** Aborted by the first of the signals. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  get hasHappened(): boolean {
    return this.#controller?.signal.aborted === true
  }
}
