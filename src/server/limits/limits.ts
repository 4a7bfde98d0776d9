/**
 * What one client may take of the server, and all of them together. Every limit is an option of `serveDirectory`; these
 * are the defaults.
 *
 * For comparison: nginx waits 60 s for a head and for progress and 75 s between requests, Node's own server 60 s for a
 * head and 5 s between requests; nginx takes heads of 32 KiB, Apache of 64 KiB, Node of 16 KiB.
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
  /** Header section of a request: octets. Then 431. */
  readonly headerBytes: number
  /** A request body up to this size is read and thrown away; past it the connection closes: octets. */
  readonly discardedBodyBytes: number
  /** Open connections, fewer where the process has not enough descriptors. Past it those that wait give way (places.ts). */
  readonly connections: number
  /** From the connection to the end of its TLS handshake: milliseconds. */
  readonly handshakeTimeoutMs: number
  /** Requests at a time on one connection of HTTP/2. */
  readonly streams: number
  /** A backend that does not begin or go on with its response for this long is given up: milliseconds. */
  readonly backendTimeoutMs: number
  /** Memory for the content of small files that is kept: octets. */
  readonly cacheBytes: number
  /** Memory for the buffers of all large downloads together, beyond a small floor for each: octets. */
  readonly transferBytes: number
}

const MIB = 1_048_576

export const defaultLimits: ServerLimits = Object.freeze({
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  idleTimeoutMs: 60_000,
  writeTimeoutMs: 60_000,
  lingerTimeoutMs: 2_000,
  closeGraceMs: 2_000,
  headerBytes: 32_768,
  discardedBodyBytes: MIB,
  connections: 4_096,
  handshakeTimeoutMs: 10_000,
  streams: 100,
  backendTimeoutMs: 60_000,
  cacheBytes: 40 * MIB,
  transferBytes: 8 * MIB,
})
