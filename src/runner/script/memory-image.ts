/**
 * The memory of the engine as a state that can be come back to: how every script begins in the same world.
 *
 * Rules: taken and put back only while the engine runs nothing. The engine's stack, which is empty then, and the memory
 * behind the last octet that was ever written are left out: what is in them is never read. Everything else is put back,
 * zeros too.
 */

/** What is used of WebAssembly's memory. */
export interface EngineMemory {
  readonly buffer: ArrayBuffer
}

const PAGE_BYTES = 16 * 1024
/** Most of a memory was never written: that is looked through in larger steps. */
const STRIDE_BYTES = 16 * PAGE_BYTES
const zeros = Buffer.alloc(STRIDE_BYTES)

/** The part of the memory that the stack takes: a long stretch of zeros in a new engine. */
export interface StackRange {
  readonly startByte: number
  readonly endByte: number
}

/** @param memory of an engine that has just been made */
export function findStack({ buffer }: EngineMemory): StackRange {
  const octets = new Uint8Array(buffer)
  const end = writtenBytes(octets)
  let best: StackRange = { startByte: 0, endByte: 0 }
  let start = 0
  for (let at = 0; at <= end; at += PAGE_BYTES) {
    if (at < end && isZero(octets, at)) continue
    if (at - start > best.endByte - best.startByte) best = { startByte: start, endByte: at }
    start = at + PAGE_BYTES
  }
  return best
}

export class MemoryImage {
  readonly #low: Uint8Array
  readonly #high: Uint8Array
  readonly #stack: StackRange

  constructor({ buffer }: EngineMemory, stack: StackRange) {
    const octets = new Uint8Array(buffer)
    this.#stack = stack
    this.#low = octets.slice(0, stack.startByte)
    this.#high = octets.slice(stack.endByte, Math.max(stack.endByte, writtenBytes(octets)))
  }

  get sizeBytes(): number {
    return this.#low.length + this.#high.length
  }

  restore({ buffer }: EngineMemory): void {
    const octets = new Uint8Array(buffer)
    octets.set(this.#low)
    octets.set(this.#high, this.#stack.endByte)
  }
}

/** Up to the last page that is not all zeros. */
function writtenBytes(octets: Uint8Array): number {
  let end = octets.length
  while (end >= STRIDE_BYTES && zeros.equals(octets.subarray(end - STRIDE_BYTES, end))) end -= STRIDE_BYTES
  while (end > 0 && isZero(octets, end - PAGE_BYTES)) end -= PAGE_BYTES
  return end
}

function isZero(octets: Uint8Array, from: number): boolean {
  // Not compare() with ranges, which Deno checks against the wrong one of the two.
  return zeros.subarray(0, PAGE_BYTES).equals(octets.subarray(from, from + PAGE_BYTES))
}
