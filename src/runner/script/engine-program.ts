/**
 * The script engine's WebAssembly program, with a limit on its memory, compiled once for all threads.
 *
 * Rules: the engine counts what it allocates, but not what its allocator needs besides. So the limit is the maximum of
 * the WebAssembly memory, which is written into the program before it is compiled; nothing else of it changes.
 * WebAssembly Core 5.5.8.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const PROGRAM_FILE = 'quickjs.wasm'
const HEADER_BYTES = 8
const MEMORY_SECTION = 5
/** Of a memory: whether it has a maximum. */
const HAS_MAXIMUM = 1

/** Path of the program inside the stand-alone executable; defined by its build only. */
declare const HTTPCLI_ENGINE_PROGRAM: string | undefined

declare const WebAssembly: { compile(bytes: Uint8Array): Promise<EngineProgram> }

/** The program as the platform has compiled it: a WebAssembly.Module, which Node's types leave out. */
export type EngineProgram = object

const PAGE_BYTES = 64 * 1024
/** What the memory has beyond the limit of a script, for describing what happened when the limit is met. */
export const RESERVE_BYTES: number = 4 * 1024 * 1024

/** By the limit of a script. */
const compiledPrograms: Map<number, Promise<EngineProgram>> = new Map()

/**
 * The program for scripts that may take this much memory. It is compiled while this thread goes on, and a message can
 * carry it to another thread.
 * @throws Error where the program cannot be read, or memory is missing
 */
export function compiledProgram(memoryBytes: number): Promise<EngineProgram> {
  const known = compiledPrograms.get(memoryBytes)
  if (known !== undefined) return known
  const maximumPages = Math.ceil((memoryBytes + RESERVE_BYTES) / PAGE_BYTES)
  const compiling = (async () => WebAssembly.compile(withMaximum(readEngineProgram(), maximumPages)))()
  compiledPrograms.set(memoryBytes, compiling)
  // What is missing now may be there later.
  compiling.catch(() => compiledPrograms.delete(memoryBytes))
  return compiling
}

/** Reads the program from the folder of this module, where the build puts it, or from the package. */
export function readEngineProgram(): Uint8Array {
  if (typeof HTTPCLI_ENGINE_PROGRAM === 'string') return readFileSync(HTTPCLI_ENGINE_PROGRAM)
  const beside = fileURLToPath(new URL(PROGRAM_FILE, import.meta.url))
  const { resolve } = createRequire(import.meta.url)
  return readFileSync(existsSync(beside) ? beside : resolve('quickjs-wasi/quickjs.wasm'))
}

/** @throws Error unless the program has one memory without a maximum */
export function withMaximum(program: Uint8Array, maximumPages: number): Uint8Array {
  let at = HEADER_BYTES
  while (at < program.length) {
    const size = readNumber(program, at + 1)
    const end = size.end + size.value
    if (program[at] === MEMORY_SECTION) {
      const [count, flags] = [program[size.end], program[size.end + 1] as number]
      if (count !== 1 || (flags & HAS_MAXIMUM) !== 0) break
      const initialPages = readNumber(program, size.end + 2).value
      const content = [1, flags | HAS_MAXIMUM, ...writeNumber(initialPages), ...writeNumber(maximumPages)]
      const section = [MEMORY_SECTION, ...writeNumber(content.length), ...content]
      return Buffer.concat([program.subarray(0, at), Uint8Array.from(section), program.subarray(end)])
    }
    at = end
  }
  throw new Error('the program of the script engine has no memory that can be limited')
}

/** LEB128, unsigned. */
function readNumber(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0
  let at = start
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] as number
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return { value, end: at }
  }
}

function writeNumber(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...writeNumber(value >>> 7)]
}
