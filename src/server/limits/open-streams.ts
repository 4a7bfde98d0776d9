/**
 * Limits the number of open HTTP/2 streams of all connections.
 *
 * Rules: each stream takes memory for as long as its client likes, within the time limits. Beyond the limit, a
 * connection that already has open streams gets no more; the client may retry. RFC 9113 section 8.7.
 */

/** These take about 100 MB on the platform. */
const maximumStreams = 8_192

/** Every connection may have this many streams: enough for a page to continue loading. */
const guaranteedStreams = 4

export class OpenStreams {
  readonly #maximum: number
  #count = 0

  constructor(maximum: number = maximumStreams) {
    this.#maximum = maximum
  }

  /** Whether one more stream may open. `ownCount`: open streams of this connection. Call `leave` when it closes. */
  enter(ownCount: number): boolean {
    if (this.#count >= this.#maximum && ownCount >= guaranteedStreams) return false
    this.#count += 1
    return true
  }

  leave(): void {
    this.#count -= 1
  }
}
