/**
 * A snapshot of the engine's memory that can be restored, so that every script starts in the same world.
 *
 * Rules: a snapshot is taken and restored only while the engine runs nothing. The engine's stack, which is empty then,
 * and memory that the allocator has never handed out are omitted: their contents are never read. Everything else is
 * restored, including zeros.
 */
import type { EngineMemory } from './engine-instance.ts'
import type { HeapRange, KeptRange } from './prepared-world.ts'

const PAGE_BYTES = 16 * 1024
/** Most of the memory has never been written, so it is searched in larger steps. */
const STRIDE_BYTES = 16 * PAGE_BYTES
const zeros = Buffer.alloc(STRIDE_BYTES)

export class MemoryImage {
  readonly ranges: readonly KeptRange[]

  constructor(ranges: readonly KeptRange[]) {
    this.ranges = ranges
  }

  static of({ buffer }: EngineMemory, heap: HeapRange): MemoryImage {
    const bytes = new Uint8Array(buffer)
    const tailByte = Math.floor(heap.tailByte / PAGE_BYTES) * PAGE_BYTES
    const keep = (startByte: number, endByte: number): KeptRange => {
      return { startByte, bytes: bytes.slice(startByte, Math.max(startByte, endByte)) }
    }
    return new MemoryImage(
      bytes.length > heap.endByte
        ? [keep(heap.startByte, writtenBytes(bytes))]
        : [keep(heap.startByte, writtenBytes(bytes.subarray(0, tailByte))), keep(tailByte, heap.endByte)],
    )
  }

  restore({ buffer }: EngineMemory): void {
    const target = new Uint8Array(buffer)
    for (const { startByte, bytes } of this.ranges) target.set(bytes, startByte)
  }
}

/** Up to the last page that is not all zeros. */
function writtenBytes(bytes: Uint8Array): number {
  let end = bytes.length
  while (end >= STRIDE_BYTES && zeros.equals(bytes.subarray(end - STRIDE_BYTES, end))) end -= STRIDE_BYTES
  while (end > 0 && isZero(bytes, end - PAGE_BYTES)) end -= PAGE_BYTES
  return end
}

function isZero(bytes: Uint8Array, from: number): boolean {
  // `compare()` with ranges is not used, because Deno checks them against the wrong operand.
  return zeros.subarray(0, PAGE_BYTES).equals(bytes.subarray(from, from + PAGE_BYTES))
}
