/**
 * Numbers the turns of the event loop, in which requests share answers of the file system.
 *
 * Rules: a stat result is reused for all requests read in the same event-loop turn, because all of them had arrived
 * before it: the operating system reports the sockets of a turn together. Two exceptions get a new number: a request
 * that follows another one in the same bytes, and requests beyond the number of sockets in one report.
 */

/** libuv takes this many sockets per poll, and polls again within the same turn if there are more. */
const socketsOfOneReport = 1_024

export class EventLoopTurn {
  /** Increased in each turn. */
  #number = 1
  #isUnderWay = false
  #arrivals = 0

  get current(): number {
    if (!this.#isUnderWay) {
      this.#isUnderWay = true
      setImmediate(this.#end)
    }
    return this.#number
  }

  /** Call this each time a socket has received bytes. */
  countArrival(): void {
    this.#arrivals += 1
    if (this.#arrivals >= socketsOfOneReport) this.renew()
  }

  /** Invalidates all earlier answers. */
  renew(): void {
    this.#number += 1
    this.#arrivals = 0
  }

  readonly #end = (): void => {
    this.#isUnderWay = false
    this.renew()
  }
}
