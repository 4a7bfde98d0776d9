/**
 * Limits the number of open HTTP/2 streams of all connections.
 *
 * Rules: each stream costs memory for as long as its client likes, within the time limits. Beyond the limit, a
 * connection that has some already gets no more; the client may retry. RFC 9113 section 8.7.
 */

/** Some 100 MB on the platform. */
const maximumStreams = 8_192

/** Streams that every connection may have: enough for a page to continue loading. */
const guaranteedStreams = 4

export class OpenStreams {
  readonly #maximum: number
  #count = 0

  constructor(maximum: number = maximumStreams) {
    this.#maximum = maximum
  }

  /** Whether one more may be opened. `ownCount`: of this connection. The caller calls `leave` when it is closed. */
  enter(ownCount: number): boolean {
    if (this.#count >= this.#maximum && ownCount >= guaranteedStreams) return false
    this.#count += 1
    return true
  }

  leave(): void {
    this.#count -= 1
  }
}
