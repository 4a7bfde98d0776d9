/**
 * Measures how fast the file system answers, and avoids blocking while it is slow.
 *
 * Rules: synchronous calls in the event loop are by far the cheapest, so they are used as long as an answer takes
 * microseconds. If most answers take milliseconds, as on a network or a sleeping disk, each path is first queried in a
 * thread: the system caches the answer, and the synchronous call after it returns quickly. Only the result of that
 * second call is used, so it is just as fresh.
 */

import { stat } from 'node:fs'
import { performance } from 'node:perf_hooks'

/** Calls that block for this long delay other requests noticeably. */
const slowMs = 1

/** While the file system is fast, one call in this many is timed. */
const timedShare = 16

/**
 * A disk counts as slow when slow answers outnumber fast ones by this many, so that a busy processor, which also delays
 * a few calls, is not taken for a slow disk.
 */
const slowSurplus = 8
const maximumSurplus = 16

export class DiskLatency {
  /** Slow answers minus fast answers, within bounds. */
  #surplus = 0
  #questions = 0

  get isSlow(): boolean {
    return this.#surplus >= slowSurplus
  }

  /** Before a call: its start time, or 0 if it is not timed. */
  begin(): number {
    this.#questions += 1
    return this.#questions % timedShare === 0 ? performance.now() : 0
  }

  /** After the call. `startMs`: the result of `begin`. */
  end(startMs: number): void {
    if (startMs !== 0) this.note(performance.now() - startMs)
  }

  note(durationMs: number): void {
    this.#surplus += durationMs > slowMs ? 1 : -1
    this.#surplus = Math.min(maximumSurplus, Math.max(0, this.#surplus))
  }

  /** Queries the file system in a thread. The result is ignored: the caller queries again. */
  askAhead(path: string): Promise<void> {
    const startMs = performance.now()
    return new Promise((resolve) => {
      stat(path, () => {
        this.note(performance.now() - startMs)
        resolve()
      })
    })
  }
}
