/**
 * The signals that stop the command: SIGINT, SIGTERM, and SIGHUP, which a closed terminal sends.
 *
 * Rules: on the first signal the sub-command stops, cleans up and decides its exit code; if the sub-command has not
 * used the AbortSignal, there is nothing to clean up, and the process ends. The second signal always ends the process,
 * because the user insists.
 */
import { exitCodes } from '../frame/exit-codes.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The members of `process` that are used. */
export interface SignalSource {
  on(signal: (typeof signals)[number], listener: () => void): unknown
  exit(code: number): unknown
}

export class Interruption {
  // Created on demand: an AbortController costs a short command 2 % of its start-up time.
  #controller: AbortController | undefined

  /** @param beforeExit called before the process ends immediately */
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
