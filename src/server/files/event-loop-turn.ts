/**
 * The turns of the event loop, by which the answers of the file system are shared.
 *
 * Rules: what was asked of the disk in a turn holds for the requests that were read in it, since all of them had arrived
 * before: the operating system reports the sockets of a turn together. Two cases are not so, and are renewed: a request
 * behind another one in the same octets, and those past the number of sockets that one report holds.
 */

/** libuv takes this many reports at a time and asks again within the same turn. */
const socketsOfOneReport = 1_024

export class EventLoopTurn {
  /** Begins a new number with each turn. */
  #number = 1
  #isUnderWay = false
  #arrivals = 0

  /** The number of the running turn. */
  get current(): number {
    if (!this.#isUnderWay) {
      this.#isUnderWay = true
      setImmediate(this.#end)
    }
    return this.#number
  }

  /** To be told of each time that a socket gave octets. */
  countArrival(): void {
    this.#arrivals += 1
    if (this.#arrivals >= socketsOfOneReport) this.renew()
  }

  /** Whatever was asked so far is too old for what comes now. */
  renew(): void {
    this.#number += 1
    this.#arrivals = 0
  }

  readonly #end = (): void => {
    this.#isUnderWay = false
    this.renew()
  }
}
