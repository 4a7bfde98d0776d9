/**
 * How long the file system takes to answer, and what to do while it is slow.
 *
 * Rules: asking it in the event loop is by far the cheapest, so that is done as long as an answer takes microseconds.
 * Where most answers take milliseconds, as on a network or a disk that sleeps, each path is asked for in a thread first: the system
 * remembers what it was told, and the question in the event loop that follows waits for nobody. The answer that counts
 * is still the later one, so it is as fresh.
 */

import { stat } from 'node:fs'
import { performance } from 'node:perf_hooks'

/** Waiting that long for each request would be felt by all the others. */
const slowMs = 1

/** One question in so many is timed while the file system is fast. */
const timedShare = 16

/** So many slow answers more than fast ones make a slow disk: a process that had to wait for its turn makes none. */
const slowSurplus = 8
const maximumSurplus = 16

export class DiskLatency {
  /** Slow answers less fast ones, within bounds. */
  #surplus = 0
  #questions = 0

  get isSlow(): boolean {
    return this.#surplus >= slowSurplus
  }

  /** Before a question: when it began, or 0 where it is not timed. */
  begin(): number {
    this.#questions += 1
    return this.#questions % timedShare === 0 ? performance.now() : 0
  }

  /** Behind it. `begun`: from `begin`. */
  end(begun: number): void {
    if (begun !== 0) this.note(performance.now() - begun)
  }

  note(durationMs: number): void {
    this.#surplus += durationMs > slowMs ? 1 : -1
    this.#surplus = Math.min(maximumSurplus, Math.max(0, this.#surplus))
  }

  /** Has the file system asked in a thread. Whatever it answers: the one who asks again will see. */
  askAhead(path: string): Promise<void> {
    const begun = performance.now()
    return new Promise((resolve) => {
      stat(path, () => {
        this.note(performance.now() - begun)
        resolve()
      })
    })
  }
}
