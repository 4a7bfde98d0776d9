/**
 * The script engine's WebAssembly program, with a limit on its memory, compiled once for all threads.
 *
 * Rules: the engine counts what it allocates, but not its allocator's overhead. So the limit is the maximum of the
 * WebAssembly memory, which is written into the program before it is compiled; nothing else in the program changes.
 * WebAssembly Core 5.5.8.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PreparedWorld, withoutPreparedWorld } from './prepared-world.ts'
import { readNumber, section, sectionsOf, withExports, writeNumber } from './wasm-sections.ts'

const MEMORY_SECTION = 5
/** The flag of a memory that has a maximum. */
const HAS_MAXIMUM = 1

/** Path of the program, relative to the module that it is bundled into; the sources use the path in the package. */
declare const HTTPCLI_ENGINE_PROGRAM: string | undefined

declare const WebAssembly: { compile(bytes: Uint8Array): Promise<EngineProgram> }

/** The compiled program: a WebAssembly.Module, which Node's types omit. */
export type EngineProgram = object

export const PAGE_BYTES: number = 64 * 1024
/** Memory beyond the limit of a script, needed to describe the failure when the limit is reached. */
export const RESERVE_BYTES: number = 4 * 1024 * 1024

/** The program and the memory from which a thread creates an engine. */
export interface CompiledEngine {
  readonly program: EngineProgram
  /** Undefined if the world has to be evaluated. */
  readonly world: PreparedWorld | undefined
}

/**
 * Most of the 450 exports are for C extensions of the engine: an instance takes 1 ms of CPU time without them, and 2 ms
 * with them.
 */
const USED_EXPORTS = /^(?:qjs_\w+|wasm_\w+|_initialize|memory|__stack_pointer)$/

/** By the memory limit of a script. */
const compiledEngines: Map<number, Promise<CompiledEngine>> = new Map()

/**
 * The engine for scripts with this memory limit. Its program is compiled in the background, and can be sent to another
 * thread in a message.
 * @param core the world of scripts, as the text of an expression
 * @throws Error if the program cannot be read, or memory is exhausted
 */
export function compiledEngine(memoryBytes: number, core: string): Promise<CompiledEngine> {
  const known = compiledEngines.get(memoryBytes)
  if (known !== undefined) return known
  const compiling = (async () => {
    const { program, readWorld } = withoutPreparedWorld(await readEngineProgram(), core)
    const maximumPages = Math.ceil((memoryBytes + RESERVE_BYTES) / PAGE_BYTES)
    const compiled = WebAssembly.compile(withMaximum(program, maximumPages))
    // Read while other threads compile.
    const world = readWorld()
    return { program: await compiled, world }
  })()
  compiledEngines.set(memoryBytes, compiling)
  // A failure may be temporary, so the next caller tries again.
  compiling.catch(() => compiledEngines.delete(memoryBytes))
  return compiling
}

/** The program as the build writes it: with the meter and without most of its exports. */
export async function readEngineProgram(): Promise<Uint8Array> {
  if (typeof HTTPCLI_ENGINE_PROGRAM !== 'string') {
    const { metered } = await import('./metered-program.ts')
    const file = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')
    return metered(withExports(readFileSync(file), USED_EXPORTS))
  }
  return readFileSync(resolve(dirname(fileURLToPath(import.meta.url)), HTTPCLI_ENGINE_PROGRAM))
}

/** @throws Error unless the program has exactly one memory, without a maximum */
export function withMaximum(program: Uint8Array, maximumPages: number): Uint8Array {
  for (const { id, startByte, endByte, contentByte } of sectionsOf(program)) {
    if (id !== MEMORY_SECTION) continue
    const [count, flags] = [program[contentByte], program[contentByte + 1] as number]
    if (count !== 1 || (flags & HAS_MAXIMUM) !== 0) break
    const initialPages = readNumber(program, contentByte + 2).value
    const content = [1, flags | HAS_MAXIMUM, ...writeNumber(initialPages), ...writeNumber(maximumPages)]
    const memory = section(MEMORY_SECTION, Uint8Array.from(content))
    return Buffer.concat([program.subarray(0, startByte), memory, program.subarray(endByte)])
  }
  throw new Error('the program of the script engine has no memory that can be limited')
}
