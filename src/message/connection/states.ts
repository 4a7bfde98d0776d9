/**
 * The states of the two sides of a connection, and their transitions: as tables.
 *
 * Rules: `turns` says which event a side may send in which state, and its state after that; an event that is not there
 * is out of turn. `reactions` says how the state of the other side changes it. State that depends on fields of the
 * messages (Connection, CONNECT, Upgrade) is in turn-keeper.ts. RFC 9112 section 9, RFC 9110 sections 7.8 and 9.3.6.
 */

/** The two ends of a connection. */
export type Side = 'client' | 'server'

/** The state of one side in the exchange of one request and its response. */
export type SideState =
  /** It has sent nothing of this exchange. */
  | 'idle'
  /** Server: the request has arrived, the final response was not sent. */
  | 'responding'
  /** The head is sent, the content is not complete. */
  | 'content'
  /** Its message is complete. */
  | 'done'
  /** Its message is complete, and no other may follow: it closes. */
  | 'must-close'
  /** It sends nothing any more. */
  | 'closed'
  /** Client: CONNECT or Upgrade is sent and not yet answered. */
  | 'switch-proposed'
  /** It no longer sends HTTP. */
  | 'switched'
  /** It broke the protocol, or what it sent was not delivered. */
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
    // A response without a request is 408, or the answer to bytes that are not a request.
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
