/**
 * A snapshot of the engine's memory that can be restored, so that every script starts in the same world.
 *
 * Rules: a snapshot is taken and restored only while the engine runs nothing. The engine's stack, which is empty then,
 * and the free memory at the end of its heap are omitted: their contents are never read. Everything else is restored,
 * including zeros. The engine's allocator (dlmalloc) records where that free memory begins and how large it is. To
 * search for the last byte that is not zero instead would read memory that was never written: 200 requests with two
 * scripts each then took 1.5 times as much CPU time.
 */
import type { EngineMemory } from './engine-instance.ts'
import { PAGE_BYTES } from './engine-program.ts'
import type { HeapRange, KeptRange } from './prepared-world.ts'

/** Offset of the size of the free memory from the pointer to it, in the allocator's state. */
const SIZE_OFFSET_BYTES = -12
/** The allocator's header of the free memory, which contains its size, and its footer at the end of the heap. */
const FREE_HEAD_BYTES = 8
const FOOT_BYTES = 56

export class MemoryImage {
  readonly ranges: readonly KeptRange[]

  constructor(ranges: readonly KeptRange[]) {
    this.ranges = ranges
  }

  /** @param discarded an image that was discarded; its memory is reused if it is large enough */
  static of(
    { buffer }: EngineMemory,
    { startByte, freePointer }: HeapRange,
    discarded?: MemoryImage | undefined,
  ): MemoryImage {
    const free = freeRange(new DataView(buffer), freePointer)
    const usedBytes = (free === undefined ? buffer.byteLength : free.startByte + FREE_HEAD_BYTES) - startByte
    const room = discarded?.ranges[0]?.bytes.buffer ?? new ArrayBuffer(0)
    const bytes = room.byteLength < usedBytes ? new Uint8Array(usedBytes) : new Uint8Array(room, 0, usedBytes)
    bytes.set(new Uint8Array(buffer, startByte, usedBytes))
    const ranges = [{ startByte, bytes }]
    if (free !== undefined) {
      ranges.push({
        startByte: free.endByte,
        bytes: new Uint8Array(buffer.slice(free.endByte, free.endByte + FOOT_BYTES)),
      })
    }
    return new MemoryImage(ranges)
  }

  get sizeBytes(): number {
    return this.ranges.reduce((sum, { bytes }) => sum + bytes.length, 0)
  }

  restore({ buffer }: EngineMemory): void {
    const target = new Uint8Array(buffer)
    for (const { startByte, bytes } of this.ranges) target.set(bytes, startByte)
  }
}

/**
 * The address of the allocator's pointer to its free memory.
 * @param firstBlock the address of the first block in the free memory
 * @throws Error if the engine has another allocator
 */
export function freePointerOf({ buffer }: EngineMemory, firstBlock: number): number {
  const words = new DataView(buffer)
  for (let address = -SIZE_OFFSET_BYTES; address < firstBlock; address += 4) {
    if (words.getUint32(address, true) !== firstBlock - FREE_HEAD_BYTES) continue
    if (freeRange(words, address) !== undefined) return address
  }
  throw new Error('the script engine has an unknown allocator')
}

/** Undefined if the allocator's state is damaged. */
function freeRange(words: DataView, freePointer: number): { startByte: number; endByte: number } | undefined {
  const startByte = words.getUint32(freePointer, true)
  const endByte = startByte + words.getUint32(freePointer + SIZE_OFFSET_BYTES, true)
  const heapEndByte = endByte + FOOT_BYTES
  return heapEndByte % PAGE_BYTES === 0 && heapEndByte <= words.byteLength ? { startByte, endByte } : undefined
}
