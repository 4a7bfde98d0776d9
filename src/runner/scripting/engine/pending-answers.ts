/**
 * Asynchronous answers to a script's calls: pending ones, and those that have arrived.
 *
 * Rules: answers are delivered in the order of arrival. Pending calls end with the script.
 */

/** An answer in the form that the world expects: JSON, '' for undefined; or the text of an error. */
export interface Answer {
  readonly id: number
  readonly json: string
  readonly error: string
}

export class PendingAnswers {
  /** Calls in progress, and whether waiting for each one counts as the script's time. */
  readonly #pending: Map<number, boolean> = new Map()
  readonly #arrived: Answer[] = []
  readonly #ending = new AbortController()
  #lastId = 0
  /** Called when an answer arrives. */
  onArrival: () => void = () => undefined

  /** @param action receives the signal that ends it */
  start(action: (ending: AbortSignal) => Promise<unknown>, isTimed: boolean): number {
    const id = ++this.#lastId
    const settle = (json: string, error: string): void => {
      this.#pending.delete(id)
      this.#arrived.push({ id, json, error })
      this.onArrival()
    }
    this.#pending.set(id, isTimed)
    action(this.#ending.signal).then(
      (value) => settle(value === undefined ? '' : JSON.stringify(value), ''),
      (error: unknown) => settle('', error instanceof Error ? error.message : String(error)),
    )
    return id
  }

  take(): Answer | undefined {
    return this.#arrived.shift()
  }

  get isEmpty(): boolean {
    return this.#pending.size === 0 && this.#arrived.length === 0
  }

  get isTimed(): boolean {
    return [...this.#pending.values()].includes(true)
  }

  close(): void {
    this.#ending.abort()
  }
}

/** Waits until the time has passed, an answer has arrived, or the signal has aborted. */
export async function timeOrAnswer(
  waitMs: number,
  answers: PendingAnswers | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, waitMs)
    function done(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    if (answers !== undefined) answers.onArrival = done
    signal?.addEventListener('abort', done, { once: true })
    if (signal?.aborted) done()
  })
}
