/**
 * Ends waiting early: by the caller's signal or by a time limit.
 *
 * Rules: a signal has one listener, however many exchanges it may end; a waiting step fails once, with one error;
 * timers are cleared when the waiting ends, so that nothing keeps the process alive. Steps run one after another, so
 * they need no AbortController, which costs start-up time to create.
 */
import { WireError } from './errors.ts'

/** The exchanges that each signal ends. One listener per exchange would take longer than a short exchange. */
const waiting: WeakMap<AbortSignal, Set<Cancellation>> = new WeakMap()

function exchangesOf(signal: AbortSignal): Set<Cancellation> {
  const known = waiting.get(signal)
  if (known !== undefined) return known
  const exchanges = new Set<Cancellation>()
  waiting.set(signal, exchanges)
  const abortAll = (): void => {
    for (const each of [...exchanges]) each.abort()
  }
  signal.addEventListener('abort', abortAll, { once: true })
  return exchanges
}

/** The caller's signal, for one exchange. */
export class Cancellation {
  /** Why the exchange ends; undefined while it is running. */
  error: WireError | undefined
  /** Called at most once, when the signal fires. */
  onAbort: (error: WireError) => void = () => undefined
  readonly #signal: AbortSignal | undefined

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal
    if (signal === undefined) return
    if (signal.aborted) this.error = abortedError(signal)
    else exchangesOf(signal).add(this)
  }

  abort(): void {
    this.release()
    this.error = abortedError(this.#signal as AbortSignal)
    this.onAbort(this.error)
  }

  /** Call this when the exchange is over: the signal no longer affects it. */
  release(): void {
    if (this.#signal !== undefined) waiting.get(this.#signal)?.delete(this)
  }
}

function abortedError(signal: AbortSignal): WireError {
  return new WireError('aborted', 'the exchange was aborted', { cause: signal.reason })
}

/** Ends the waiting step when the exchange is cancelled or the time is up. */
export class Deadline {
  #error: WireError | undefined
  #reject: ((error: WireError) => void) | undefined
  readonly #timer: NodeJS.Timeout | undefined

  /** @param limitMs 0 means no limit. */
  constructor(limitMs: number, cancellation: Cancellation, timeoutError: () => WireError) {
    this.#error = cancellation.error
    cancellation.onAbort = (error) => this.#end(error)
    this.#timer = limitMs > 0 ? setTimeout(() => this.#end(timeoutError()), limitMs) : undefined
  }

  /** Call this when all steps are done. */
  clear(): void {
    clearTimeout(this.#timer)
  }

  /**
   * A promise that also rejects at the deadline. `start` receives the two functions that settle it and returns a
   * function that cleans up when the waiting is over, however it ends.
   */
  wait<T>(start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#error !== undefined) {
        reject(this.#error)
        return
      }
      let cleanUp: (() => void) | undefined
      let isSettled = false
      const settle = (act: () => void): void => {
        if (isSettled) return
        isSettled = true
        this.#reject = undefined
        act()
        cleanUp?.()
      }
      this.#reject = (error) => settle(() => reject(error))
      cleanUp = start(
        (value) => settle(() => resolve(value)),
        (error) => settle(() => reject(error)),
      )
      if (isSettled) cleanUp()
    })
  }

  #end(error: WireError): void {
    this.#error ??= error
    this.#reject?.(this.#error)
  }
}
