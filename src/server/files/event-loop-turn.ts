/**
 * Numbers the turns of the event loop, in which requests share answers of the file system.
 *
 * Rules: a stat result is reused for all requests read in the same event-loop turn, since all of them had arrived
 * before: the operating system reports the sockets of a turn together. There are two exceptions, which start over: a
 * request after another one in the same bytes, and those beyond the number of sockets in one report.
 */

/** libuv takes this many reports at a time and polls again within the same turn. */
const socketsOfOneReport = 1_024

export class EventLoopTurn {
  /** Increased in each turn. */
  #number = 1
  #isUnderWay = false
  #arrivals = 0

  /** The number of the current turn. */
  get current(): number {
    if (!this.#isUnderWay) {
      this.#isUnderWay = true
      setImmediate(this.#end)
    }
    return this.#number
  }

  /** Call this each time that a socket received bytes. */
  countArrival(): void {
    this.#arrivals += 1
    if (this.#arrivals >= socketsOfOneReport) this.renew()
  }

  /** Earlier answers are too old from now on. */
  renew(): void {
    this.#number += 1
    this.#arrivals = 0
  }

  readonly #end = (): void => {
    this.#isUnderWay = false
    this.renew()
  }
}
