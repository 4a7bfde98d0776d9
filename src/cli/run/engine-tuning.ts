/**
 * Sets V8 flags for programs that are short-lived or mostly idle.
 *
 * Rules: flags are set only for versions of V8 on which they were measured, and for no other engine: without them a run
 * is only slower or larger. A starting thread executes much code that Node.js has compiled in advance for V8 without
 * these flags: if one is set, starting takes twice as long, and cached compiled code of the script engine is compiled
 * again. So no flag is set while a thread or the script engine loads.
 */
import { getBuiltinModule, versions } from 'node:process'
import type { OnEngineLoad } from '../../runner/index.ts'

interface Switch {
  readonly on: string
  /** The default value. */
  readonly off: string
  /** The measured major versions of V8: 11 is Node.js 20, 12 to 14 are 22 to 26. */
  readonly versions: readonly number[]
}

/**
 * The script engine runs only briefly: optimizing it takes longer than it could save. With this flag one script takes
 * 0.45 to 0.8 of the CPU time, 200 scripts 0.7 to 0.9.
 */
const forScripts: readonly Switch[] = [
  { on: '--no-wasm-tier-up', off: '--wasm-tier-up', versions: [11, 12, 13, 14] },
  { on: '--no-wasm-dynamic-tiering', off: '--wasm-dynamic-tiering', versions: [11, 12, 13, 14] },
  // Compiling the engine's program takes 3.5 ms of CPU time with this flag, and 6 ms without.
  { on: '--wasm-lazy-validation', off: '--no-wasm-lazy-validation', versions: [11] },
]

/**
 * A function is optimized after six times as many runs as by default: most of a run is over before optimizing pays.
 * With this flag 200 requests take 0.83 of the CPU time, 2000 requests 0.6, and 10,000 requests 1.35.
 */
const forFewOptimizations: readonly Switch[] = [
  { on: '--interrupt-budget=400000', off: '--interrupt-budget=67584', versions: [11] },
]
/** About 2500 requests with a test, or 7000 without. */
const OPTIMIZED_REQUESTS_BYTES = 300_000

/**
 * Garbage is short-lived, and more memory for it only makes the process larger: 200 requests take 56 MiB with these
 * flags and 61 MiB without, 2000 requests 70 and 104. After 400 edits of a file of 2000 lines an editor's session takes
 * 96 MiB and 150 MiB. That session takes 1.1 times the CPU time; requests take no more than without the flags.
 */
const forLessMemory: readonly Switch[] = [
  { on: '--semi-space-growth-factor=1', off: '--semi-space-growth-factor=2', versions: [11, 12, 13, 14] },
  { on: '--heap-growing-percent=30', off: '--heap-growing-percent=0', versions: [11, 12, 13, 14] },
]
/** A few dozen requests. */
const SEVERAL_REQUESTS_BYTES = 2000

export interface SwitchableEngine {
  /** The major version of V8. */
  readonly version: number
  setFlagsFromString(flag: string): void
}

/** Undefined on another engine. */
export function platformEngine(): SwitchableEngine | undefined {
  if (versions.bun !== undefined) return undefined
  return {
    version: Number.parseInt(versions.v8, 10),
    setFlagsFromString: (flag) => getBuiltinModule('node:v8').setFlagsFromString(flag),
  }
}

function switchesFor(sizeBytes: number): readonly Switch[] {
  if (sizeBytes <= SEVERAL_REQUESTS_BYTES) return []
  return sizeBytes > OPTIMIZED_REQUESTS_BYTES ? forLessMemory : [...forFewOptimizations, ...forLessMemory]
}

/** The flags of one run. */
export class EngineTuning {
  readonly #engine: SwitchableEngine | undefined
  #forProgram: readonly Switch[] = []
  /** Flags that are currently set. */
  #set: readonly Switch[] = []
  #loading = 0
  #isRunningScripts = false

  constructor(engine: SwitchableEngine | undefined) {
    this.#engine = engine
  }

  /** @param sizeBytes size of the request files, each multiplied by its repetitions */
  tuneForRequests(sizeBytes: number): void {
    this.#forProgram = switchesFor(sizeBytes)
    this.#setAll()
  }

  tuneForEditing(): void {
    this.#forProgram = forLessMemory
    this.#setAll()
  }

  /** Call this before the script engine, or a thread for it, loads, which may happen at any time. */
  readonly onEngineLoad: OnEngineLoad = () => {
    this.#isRunningScripts = true
    this.#loading++
    this.#setAll()
    return () => {
      this.#loading--
      this.#setAll()
    }
  }

  /** Resets all flags, because the compiled code of the command is cached for an engine without them. */
  restore(): void {
    this.#setOnly([])
  }

  #setAll(): void {
    this.#setOnly(this.#loading > 0 ? [] : [...this.#forProgram, ...(this.#isRunningScripts ? forScripts : [])])
  }

  #setOnly(wanted: readonly Switch[]): void {
    const engine = this.#engine
    if (engine === undefined) return
    const fitting = wanted.filter((each) => each.versions.includes(engine.version))
    for (const each of this.#set) if (!fitting.includes(each)) engine.setFlagsFromString(each.off)
    for (const each of fitting) if (!this.#set.includes(each)) engine.setFlagsFromString(each.on)
    this.#set = fitting
  }
}
