/**
 * What one client may take of the server. Every limit is an option of `serveDirectory`; these are the defaults.
 *
 * For comparison: nginx waits 60 s for a head and for progress and 75 s between requests; Node's own server waits 60 s
 * for a head and 5 s between requests. The size limits of a head are the message library's (`server` preset).
 */
export interface ServerLimits {
  /** From the first octet of a request's head to its last: milliseconds. Then 408. */
  readonly headerTimeoutMs: number
  /** From the end of a head to the end of a body that is only read to be thrown away: milliseconds. Then 408. */
  readonly bodyTimeoutMs: number
  /** A connection on which nothing has begun is closed after so many milliseconds. */
  readonly idleTimeoutMs: number
  /** A response of which the client takes nothing for so many milliseconds is given up. */
  readonly writeTimeoutMs: number
  /** How long a closing connection still listens, so that its last response is not reset away: milliseconds. */
  readonly lingerTimeoutMs: number
  /** How long `close()` lets running responses finish: milliseconds. */
  readonly closeGraceMs: number
  /** A request body up to this size is read and thrown away; past it the connection closes: octets. */
  readonly discardedBodyBytes: number
  /** Open connections. Past it the longest idle one is closed; where none is idle, the new one gets a 503. */
  readonly connections: number
}

export const defaultLimits: ServerLimits = Object.freeze({
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  idleTimeoutMs: 60_000,
  writeTimeoutMs: 60_000,
  lingerTimeoutMs: 2_000,
  closeGraceMs: 2_000,
  discardedBodyBytes: 1_048_576,
  connections: 4_096,
})
