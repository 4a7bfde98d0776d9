/**
 * A snapshot of the world of scripts in an engine's memory, made when the program is built: an engine that starts with
 * it has nothing to evaluate.
 *
 * Rules: it is a custom section of the engine's program, so that the two always belong together. It is valid only for
 * the world that it was made from, whose text it contains, and for a memory that is large enough. The section consists
 * of the length of a description in JSON (32 bits, little endian), the description, and the contents of the memory.
 */
import { withCustomSection, withoutCustomSection } from './wasm-sections.ts'

export interface PreparedWorld {
  /** The address at which the engine writes the length of a text. */
  readonly lengthAddress: number
  /** Functions of the world, by name. */
  readonly functions: readonly (readonly [name: string, value: EngineValue])[]
  readonly heap: HeapRange
  readonly ranges: readonly KeptRange[]
}

interface Description extends Omit<PreparedWorld, 'ranges'> {
  /** The text of the expression that yields the world. */
  readonly core: string
  readonly ranges: readonly { readonly startByte: number; readonly sizeBytes: number }[]
}

const SECTION = 'httpcli-world'
const LENGTH_BYTES = 4

/** @param core the text of the expression that yielded the world */
export function withPreparedWorld(program: Uint8Array, core: string, { ranges, ...rest }: PreparedWorld): Uint8Array {
  const description: Description = {
    ...rest,
    core,
    ranges: ranges.map(({ startByte, bytes }) => ({ startByte, sizeBytes: bytes.length })),
  }
  const text = Buffer.from(JSON.stringify(description))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(text.length)
  return withCustomSection(program, SECTION, Buffer.concat([length, text, ...ranges.map(({ bytes }) => bytes)]))
}

/** The program without its snapshot, and a function that reads the snapshot: undefined if none is of this world. */
export function withoutPreparedWorld(
  input: Uint8Array,
  core: string,
): { readonly program: Uint8Array; readWorld(): PreparedWorld | undefined } {
  const { program, content } = withoutCustomSection(input, SECTION)
  return { program, readWorld: () => (content === undefined ? undefined : read(content, core)) }
}

function read(content: Uint8Array, core: string): PreparedWorld | undefined {
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.length)
  const contentByte = LENGTH_BYTES + buffer.readUInt32LE()
  const description = JSON.parse(buffer.toString('utf8', LENGTH_BYTES, contentByte)) as Description
  if (description.core !== core) return undefined
  const { lengthAddress, functions, heap } = description
  // All threads read the same memory.
  const memory = new Uint8Array(new SharedArrayBuffer(content.length - contentByte))
  memory.set(content.subarray(contentByte))
  let at = 0
  const ranges = description.ranges.map(({ startByte, sizeBytes }) => {
    at += sizeBytes
    return { startByte, bytes: memory.subarray(at - sizeBytes, at) }
  })
  return { lengthAddress, functions, heap, ranges }
}

/** The range of the heap in a new engine. */
export interface HeapRange {
  readonly startByte: number
  readonly endByte: number
  /** The address of the allocator's pointer to its free memory. */
  readonly freePointer: number
}

export interface KeptRange {
  readonly startByte: number
  readonly bytes: Uint8Array
}

/** Address of a slot in the engine's memory; 0 means no value. */
export type EngineValue = number
