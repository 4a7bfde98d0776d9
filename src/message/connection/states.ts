/**
 * The states of the two sides of a connection and their transitions, as tables.
 *
 * Rules: `turns` lists the events that a side may send in each state, and its state afterwards; an event that is not
 * listed is out of turn. `reactions` lists how the other side's state changes it. Changes that depend on fields of the
 * messages (Connection, CONNECT, Upgrade) are in turn-keeper.ts. RFC 9112 section 9, RFC 9110 sections 7.8 and 9.3.6.
 */

/** The two ends of a connection. */
export type Side = 'client' | 'server'

/** The state of one side in the exchange of one request and its response. */
export type SideState =
  /** Nothing of this exchange has been sent. */
  | 'idle'
  /** Server: the request has arrived, the final response has not been sent. */
  | 'responding'
  /** The head has been sent, the content is not complete. */
  | 'content'
  /** The message is complete. */
  | 'done'
  /** The message is complete and was the last one: this side closes. */
  | 'must-close'
  /** Sends nothing more. */
  | 'closed'
  /** Client: CONNECT or Upgrade has been sent but not yet answered. */
  | 'switch-proposed'
  /** No longer sends HTTP. */
  | 'switched'
  /** Broke the protocol, or its bytes could not be delivered. */
  | 'failed'

/** The events of a side. */
export type ConnectionEventType = 'request' | 'informational' | 'response' | 'data' | 'end' | 'close'

type Turns = Readonly<Record<SideState, Readonly<Partial<Record<ConnectionEventType, SideState>>>>>

const closing = { close: 'closed' } as const
const nothing = {}

export const turns: Readonly<Record<Side, Turns>> = {
  client: {
    idle: { request: 'content', ...closing },
    responding: nothing,
    content: { data: 'content', end: 'done' },
    done: closing,
    'must-close': closing,
    closed: closing,
    'switch-proposed': nothing,
    switched: nothing,
    failed: nothing,
  },
  server: {
    // A response without a request is 408, or answers bytes that are not a request.
    idle: { response: 'content', ...closing },
    responding: { informational: 'responding', response: 'content' },
    content: { data: 'content', end: 'done' },
    done: closing,
    'must-close': closing,
    closed: closing,
    'switch-proposed': nothing,
    switched: nothing,
    failed: nothing,
  },
}

type Reactions = Readonly<Partial<Record<SideState, Readonly<Partial<Record<SideState, SideState>>>>>>

/** `reactions[side][own state][state of the other side]`: the new state of that side. */
export const reactions: Readonly<Record<Side, Reactions>> = {
  client: {
    idle: { closed: 'must-close', failed: 'must-close' },
    done: { closed: 'must-close', failed: 'must-close' },
    'switch-proposed': { switched: 'switched' },
  },
  server: {
    // A server can still answer bytes that are not a request: it stays idle.
    idle: { content: 'responding', closed: 'must-close' },
    done: { closed: 'must-close', failed: 'must-close' },
  },
}
