/**
 * Limits the number of connections, and decides which one to close when a new one needs its place.
 *
 * Rules: a waiting connection (idle, with an incomplete head or handshake, or only waiting for events) is closed for a
 * new one: the connection that has waited longest, of the client with the most places. A connection in the middle of a
 * request body or a response is never closed to make room. A single client cannot take the last eighth of the places.
 * Connections beyond the limit are admitted as overflow, to get a short answer; waiting overflow connections are closed
 * in the same way.
 */
import { performance } from 'node:perf_hooks'
import type { Capacity } from './capacity.ts'

export interface PlaceHolder {
  /**
   * Lower for connections that have waited longer (`TimeoutSweep.countRest`); undefined for one that is being served.
   */
  readonly waitingSince: number | undefined
  destroy(): void
}

/** `none`: closed without an answer. */
export type Admission = 'place' | 'overflow' | 'none'

/** The number of connections that one search collects. A search examines all connections. */
const foundAtOnce = 64

/** How long a search stays valid: a flood of clients must not cost one search each. */
const searchValidMs = 20

interface Candidate<Holder> {
  readonly holder: Holder
  readonly since: number
  readonly network: string
}

export class Places<Holder extends PlaceHolder> {
  readonly #maximum: number
  readonly #maximumOfOne: number
  readonly #maximumOverflow: number
  readonly #clock: () => number
  /** The network of the client, by holder. */
  readonly #holders = new Map<Holder, string>()
  readonly #counts = new Map<string, number>()
  readonly #overflow = new Set<Holder>()
  /** The last one is closed next. */
  #candidates: Candidate<Holder>[] = []
  /** Whether the last search found any. */
  #hasFound = false
  #searchedMs = Number.NEGATIVE_INFINITY

  /** `clock`: milliseconds of a clock with any start. */
  constructor({ connections, overflow }: Capacity, clock: () => number = () => performance.now()) {
    this.#maximum = connections
    this.#maximumOfOne = connections - Math.floor(connections / 8)
    this.#maximumOverflow = overflow
    this.#clock = clock
  }

  /** All connections. */
  *[Symbol.iterator](): Iterator<Holder> {
    yield* this.#holders.keys()
    yield* this.#overflow
  }

  /** `network`: the client's (client-network.ts). The caller calls `leave` when the connection has closed. */
  admit(holder: Holder, network: string): Admission {
    if (this.#hasPlace(network)) {
      this.#holders.set(holder, network)
      this.#counts.set(network, (this.#counts.get(network) ?? 0) + 1)
      return 'place'
    }
    if (this.#overflow.size >= this.#maximumOverflow && !this.#shrinkOverflow()) return 'none'
    this.#overflow.add(holder)
    return 'overflow'
  }

  leave(holder: Holder): void {
    this.#overflow.delete(holder)
    const network = this.#holders.get(holder)
    if (network === undefined) return
    this.#holders.delete(holder)
    const count = this.#counts.get(network)! - 1
    if (count > 0) this.#counts.set(network, count)
    else this.#counts.delete(network)
  }

  #hasPlace(network: string): boolean {
    if ((this.#counts.get(network) ?? 0) >= this.#maximumOfOne) return this.#makeRoom(network)
    return this.#holders.size < this.#maximum || this.#makeRoom()
  }

  /** Closes a waiting connection. `network`: only of this client. */
  #makeRoom(network?: string): boolean {
    const candidate = this.#nextCandidate()
    if (candidate === undefined || (network !== undefined && candidate.network !== network)) return false
    this.#candidates.pop()
    this.#close(candidate.holder)
    return true
  }

  #nextCandidate(): Candidate<Holder> | undefined {
    const isValid = this.#clock() - this.#searchedMs < searchValidMs
    if (!isValid) this.#search()
    const candidate = this.#firstThatStillWaits()
    if (candidate !== undefined || !this.#hasFound) return candidate
    // All connections found are closed, but others may be waiting: a burst takes more places than one search finds.
    this.#search()
    return this.#firstThatStillWaits()
  }

  #firstThatStillWaits(): Candidate<Holder> | undefined {
    for (;;) {
      const candidate = this.#candidates.at(-1)
      if (candidate === undefined) return undefined
      if (this.#holders.has(candidate.holder) && candidate.holder.waitingSince === candidate.since) return candidate
      this.#candidates.pop()
    }
  }

  #search(): void {
    this.#searchedMs = this.#clock()
    const waiting = new Map<string, Candidate<Holder>[]>()
    for (const [holder, network] of this.#holders) {
      const since = holder.waitingSince
      if (since === undefined) continue
      const ofNetwork = waiting.get(network)
      if (ofNetwork === undefined) waiting.set(network, [{ holder, since, network }])
      else ofNetwork.push({ holder, since, network })
    }
    // The connection that has waited longest is the last.
    for (const ofNetwork of waiting.values()) ofNetwork.sort((one, other) => other.since - one.since)
    const counts = new Map([...waiting.keys()].map((network) => [network, this.#counts.get(network)!]))
    const found: Candidate<Holder>[] = []
    while (found.length < foundAtOnce && counts.size > 0) {
      const [network, count] = [...counts].reduce((most, next) => (next[1] > most[1] ? next : most))
      const candidate = waiting.get(network)!.pop()
      if (candidate === undefined) counts.delete(network)
      else {
        found.push(candidate)
        counts.set(network, count - 1)
      }
    }
    this.#candidates = found.reverse()
    this.#hasFound = found.length > 0
  }

  #shrinkOverflow(): boolean {
    for (const holder of this.#overflow) {
      if (holder.waitingSince === undefined) continue
      this.#close(holder)
      return true
    }
    return false
  }

  /** Frees the place immediately: when the 'close' event comes, the next client may already have requested one. */
  #close(holder: Holder): void {
    this.leave(holder)
    holder.destroy()
  }
}
