/**
 * Tracks the states of both sides during the exchange of a request and its response.
 *
 * Rules: both sides follow the same rules, so the two ends of a connection agree on the states. After a message of
 * either side says that the connection ends, both sides end it after their messages (RFC 9112 section 9.6).
 */
import { type ConnectionEventType, reactions, type Side, type SideState, turns } from './states.ts'

/** What a message says about the connection. */
export interface TurnFacts {
  /** Whether another message of this side may follow. */
  readonly keepAlive?: boolean
  /** Client: whether the request asks for another protocol (CONNECT, Upgrade). */
  readonly isSwitchProposed?: boolean
  /** Server: whether the response accepts that protocol. */
  readonly isSwitchAccepted?: boolean
}

const sides = ['client', 'server'] as const

export class TurnKeeper {
  readonly #states: Record<Side, SideState> = { client: 'idle', server: 'idle' }
  #isReusable = true
  #isSwitchProposed = false
  #isSwitchAccepted = false

  state(side: Side): SideState {
    return this.#states[side]
  }

  /** Whether neither side has announced the end of the connection. */
  get isReusable(): boolean {
    return this.#isReusable
  }

  allows(side: Side, type: ConnectionEventType): boolean {
    return turns[side][this.#states[side]][type] !== undefined
  }

  /** The events that a side may send now, regardless of their content. */
  allowed(side: Side): readonly ConnectionEventType[] {
    return Object.keys(turns[side][this.#states[side]]) as ConnectionEventType[]
  }

  /** Records that a side has sent an event, which must be allowed. */
  take(side: Side, type: ConnectionEventType, facts: TurnFacts = {}): void {
    const next = turns[side][this.#states[side]][type] as SideState
    if (facts.keepAlive === false) this.#isReusable = false
    if (facts.isSwitchProposed === true) this.#isSwitchProposed = true
    if (type === 'response') {
      this.#isSwitchAccepted = facts.isSwitchAccepted === true
      if (!this.#isSwitchAccepted) this.#isSwitchProposed = false
    }
    const isSwitch = side === 'server' && type === 'end' && this.#isSwitchAccepted
    this.#states[side] = isSwitch ? 'switched' : next
    this.#settle()
  }

  /** A side broke the protocol or cannot be reached: the connection is not used again. */
  fail(side: Side): void {
    this.#states[side] = 'failed'
    this.#isReusable = false
    this.#settle()
  }

  /** Puts both sides into their initial state. */
  startNextCycle(): void {
    this.#states.client = 'idle'
    this.#states.server = 'idle'
  }

  /** Repeats until both states are stable: one side's state may change the other's. */
  #settle(): void {
    for (;;) {
      const { client, server } = this.#states
      for (const side of sides) this.#states[side] = this.#settled(side)
      if (this.#states.client === client && this.#states.server === server) return
    }
  }

  #settled(side: Side): SideState {
    const own = this.#states[side]
    // A response to CONNECT or Upgrade comes first: the end of the connection matters only if it refuses.
    if (side === 'client' && own === 'done' && this.#isSwitchProposed) return 'switch-proposed'
    if (own === 'switch-proposed' && !this.#isSwitchProposed) return 'done'
    if (own === 'done' && !this.#isReusable) return 'must-close'
    const other = this.#states[side === 'client' ? 'server' : 'client']
    return reactions[side][own]?.[other] ?? own
  }
}
