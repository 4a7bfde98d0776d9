/**
 * Bytes with which something fails, made as few as possible.
 *
 * Rules: parts are taken out, from halves down to single bytes, as long as it goes on failing.
 */

/** The smallest bytes found for which `fails` still says yes. */
export function reduced(octets: Uint8Array, fails: (candidate: Uint8Array) => boolean): Uint8Array {
  let small = octets
  for (let size = Math.ceil(octets.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < small.length; ) {
      const candidate = new Uint8Array(small.length - Math.min(size, small.length - at))
      candidate.set(small.subarray(0, at))
      candidate.set(small.subarray(at + size), at)
      if (fails(candidate)) small = candidate
      else at += size
    }
  }
  return small
}
