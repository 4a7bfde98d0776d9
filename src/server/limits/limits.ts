/**
 * Limits per client and for the whole server. Every limit is an option of `serveDirectory`; these are the defaults.
 *
 * For comparison: nginx waits 60 s for a head and for progress and 75 s between requests, Node's own server 60 s for a
 * head and 5 s between requests; nginx takes heads of 32 KiB, Apache of 64 KiB, Node of 16 KiB.
 */
export interface ServerLimits {
  /** From the first byte of a request's head to its last: milliseconds. Then 408. */
  readonly headerTimeoutMs: number
  /** From the end of a head to the end of a discarded body: milliseconds. Then 408. */
  readonly bodyTimeoutMs: number
  /** Idle time after which a connection is closed: milliseconds. */
  readonly idleTimeoutMs: number
  /** Time after which a response is abandoned if the client reads nothing of it: milliseconds. */
  readonly writeTimeoutMs: number
  /** How long a closing connection still reads, so that its last response is not lost to a reset: milliseconds. */
  readonly lingerTimeoutMs: number
  /** How long `close()` lets running responses finish: milliseconds. */
  readonly closeGraceMs: number
  /** Header section of a request: bytes. Then 431. */
  readonly headerBytes: number
  /** A request body up to this size is read and discarded; beyond it the connection closes: bytes. */
  readonly discardedBodyBytes: number
  /** Open connections, fewer if the process lacks descriptors. Beyond it waiting connections are closed (places.ts). */
  readonly connections: number
  /** From the connection to the end of its TLS handshake: milliseconds. */
  readonly handshakeTimeoutMs: number
  /** Concurrent requests on one HTTP/2 connection. */
  readonly streams: number
  /** Time after which a backend is abandoned if it does not start or continue its response: milliseconds. */
  readonly backendTimeoutMs: number
  /** Memory for cached contents of small files: bytes. */
  readonly cacheBytes: number
  /** Memory for the buffers of all large downloads together, beyond a small minimum for each: bytes. */
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
