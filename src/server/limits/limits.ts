/**
 * Limits per client and for the whole server. Every limit is an option of `serveDirectory`; these are the defaults.
 *
 * For comparison: nginx waits 60 s for a head and for progress and 75 s between requests, Node's own server 60 s for a
 * head and 5 s between requests; nginx takes heads of 32 KiB, Apache of 64 KiB, Node of 16 KiB.
 */
export interface ServerLimits {
  /** In milliseconds, from the first byte of a request's head to its last. Then 408. */
  readonly headerTimeoutMs: number
  /** In milliseconds, from the end of a head to the end of a discarded body. Then 408. */
  readonly bodyTimeoutMs: number
  /** In milliseconds. A connection is closed after this idle time. */
  readonly idleTimeoutMs: number
  /** In milliseconds. A response is abandoned if the client reads nothing for this time. */
  readonly writeTimeoutMs: number
  /**
   * In milliseconds. A closing connection still reads for this time, because a reset would destroy its last response.
   */
  readonly lingerTimeoutMs: number
  /** In milliseconds. How long `close()` lets running responses finish. */
  readonly closeGraceMs: number
  /** Maximum header section of a request, in bytes. Beyond it 431. */
  readonly headerBytes: number
  /** In bytes. A request body up to this size is read and discarded; beyond it the connection closes. */
  readonly discardedBodyBytes: number
  /**
   * Open connections; fewer if the process lacks descriptors. Beyond that, waiting connections are closed (places.ts).
   */
  readonly connections: number
  /** In milliseconds, from the connection to the end of its TLS handshake. */
  readonly handshakeTimeoutMs: number
  /** Concurrent requests on one HTTP/2 connection. */
  readonly streams: number
  /** In milliseconds. A backend is abandoned if it does not start or continue its response within this time. */
  readonly backendTimeoutMs: number
  /** Memory for cached contents of small files, in bytes. */
  readonly cacheBytes: number
  /** Memory for the buffers of all large downloads together, in bytes, beyond a small minimum for each. */
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
