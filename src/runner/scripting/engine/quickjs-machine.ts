/**
 * QuickJS, a JavaScript engine inside WebAssembly, with the world of scripts in it. Only this file knows QuickJS.
 *
 * Rules: no object of the host is visible inside: the host passes in one function, and texts and numbers go both ways.
 * The state before any script is kept as an image of the memory and restored for each script, which is faster than
 * creating a new world, and nothing can survive it. The memory limit is the maximum of the WebAssembly memory. It
 * includes a reserve, so that a script whose memory grows slowly is stopped while its place can still be reported.
 */
import { type EngineHost, EngineInstance, type EngineMemory } from './engine-instance.ts'
import { type EngineProgram, RESERVE_BYTES } from './engine-program.ts'
import { freePointerOf, MemoryImage } from './memory-image.ts'
import type { EngineValue, HeapRange, PreparedWorld } from './prepared-world.ts'
import type { WorldCalls } from './world-calls.ts'

/** The memory of a new machine: enough for most scripts; unwritten memory costs nothing. */
const INITIAL_BYTES = 16 * 1024 * 1024
/** Memory that the engine and its world use before any script runs. */
const WORLD_BYTES = 2 * 1024 * 1024
/** The program has 1 MiB; engine functions that do not check this limit need the rest. */
const STACK_BYTES = 256 * 1024

const NEAR_LIMIT = 0.75

/** For shorter texts, the reserve is always sufficient. */
const SMALL_TEXT_LENGTH = 64 * 1024

const TYPE_MODULE = 1
const COMPILE_ONLY = 32
const PENDING = 0

/** File names in stack traces; chosen so that paths with colons or brackets cannot be confused with them. */
export const SCRIPT_NAME = 'user-script'
const CORE_NAME = 'runner'

/** The callbacks of a machine while a script runs. */
export interface MachineHost {
  /** Handles a call of the script. See guest/host.ts for the form of the answer. */
  readonly answer: (operation: string, argumentsJson: string) => string
  /** Called often; true ends the running code, and nothing in the script can catch that. */
  readonly mustStop: () => boolean
  /** Returns the name by which a module is known from now on, even if it is missing: `moduleCode` reports that. */
  readonly resolveModule: (specifier: string, from: string) => string
  /** @throws Error */
  readonly moduleCode: (name: string) => string
}

const idleHost: MachineHost = {
  answer: () => '',
  mustStop: () => false,
  resolveModule: (specifier) => specifier,
  moduleCode: () => '',
}

type CallName = keyof WorldCalls

const callNames: readonly CallName[] = [
  ...(['useClock', 'hideResponse', 'end', 'compare', 'bindImports', 'describe', 'load', 'startTest'] as const),
  ...(['endTest', 'finishTest', 'nextTimerMs', 'fireTimer', 'forgetTimers', 'deliver'] as const),
]

/** An error thrown inside, as JSON of `ErrorDescription`; undefined if memory ran out while it was created. */
export class ThrownInside {
  readonly description: string | undefined

  constructor(description: string | undefined) {
    this.description = description
  }
}

/** A promise that was rejected without a handler. */
interface Rejection {
  readonly promise: EngineValue
  readonly reason: EngineValue
}

export interface MachineParts {
  readonly memoryBytes: number
  /** The program, compiled for this limit. */
  readonly program: EngineProgram
  /** The world of scripts, as the text of an expression. */
  readonly core: string
  /** A snapshot of the same world, if there is one. */
  readonly world?: PreparedWorld | undefined
  readonly sources?: Pick<EngineHost, 'nowMs' | 'fillRandom'>
}

const platformSources: Pick<EngineHost, 'nowMs' | 'fillRandom'> = {
  nowMs: Date.now,
  fillRandom: (bytes) => {
    // `node:crypto` takes longer to load than everything else on this thread.
    crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>)
  },
}

export class QuickJsMachine {
  /** The state before any script. */
  readonly initial: MemoryImage
  host: MachineHost = idleHost
  readonly memoryBytes: number
  readonly #engine: EngineInstance
  readonly #memory: EngineMemory
  readonly #unboundedRounds: bigint
  readonly #heap: HeapRange
  /** Rejected promises that have no handler yet, by the address of the promise. */
  readonly #rejections: Map<number, Rejection> = new Map()
  /** The promise of the program that was run last. */
  #ending: EngineValue | undefined
  /** Compiled programs in the memory, by their text. */
  #programs: ReadonlyMap<string, EngineValue> = new Map()
  readonly #programsOf: WeakMap<MemoryImage, ReadonlyMap<string, EngineValue>> = new WeakMap()
  readonly #discarded: MemoryImage[] = []
  /** All are looked up before the first image: later values would point into memory that is restored. */
  readonly #functions: ReadonlyMap<string, EngineValue>

  constructor({ memoryBytes, program, core, world, sources = platformSources }: MachineParts) {
    this.memoryBytes = memoryBytes
    const heapEndByte = Math.min(INITIAL_BYTES, memoryBytes + RESERVE_BYTES)
    const prepared = world?.heap.endByte === heapEndByte ? world : undefined
    const host: EngineHost = {
      ...sources,
      call: (operation, argumentsJson) => this.host.answer(operation, argumentsJson),
      mustStop: () => this.host.mustStop(),
      onRejection: (promise, reason, isHandled) => this.#noteRejection(promise, reason, isHandled),
      resolveModule: (specifier, from) => this.host.resolveModule(specifier, from),
      moduleCode: (name) => this.host.moduleCode(name),
    }
    this.#engine = new EngineInstance(program, host, prepared)
    const { calls } = this.#engine
    this.#memory = calls.memory
    this.#unboundedRounds = calls.rounds.value
    if (prepared !== undefined) {
      this.#heap = prepared.heap
      this.#functions = new Map(prepared.functions)
      this.initial = new MemoryImage(prepared.ranges)
      this.restore(this.initial)
      return
    }
    this.#heap = this.#reserveHeap(heapEndByte)
    calls.qjs_set_max_stack_size(STACK_BYTES)
    calls.qjs_set_interrupt_handler(1)
    calls.qjs_set_promise_rejection_handler(1)
    calls.qjs_set_module_loader(1)
    this.#functions = this.#createWorld(core)
    this.initial = this.capture()
  }

  /** The state before any script, for engines that are created later from the same program. */
  get prepared(): PreparedWorld {
    const { ranges } = this.initial
    return { lengthAddress: this.#engine.lengthAddress, functions: [...this.#functions], heap: this.#heap, ranges }
  }

  /** Makes the allocator take its memory in one piece, so that every image describes the same heap. */
  #reserveHeap(endByte: number): HeapRange {
    const { calls } = this.#engine
    const address = calls.wasm_malloc(endByte - this.#memory.buffer.byteLength)
    calls.wasm_free(address)
    return {
      startByte: calls.__stack_pointer.value,
      endByte: this.#memory.buffer.byteLength,
      freePointer: freePointerOf(this.#memory, address),
    }
  }

  #createWorld(core: string): ReadonlyMap<string, EngineValue> {
    const engine = this.#engine
    const create = this.#checked(engine.evaluate(core, CORE_NAME))
    const hostFunction = engine.newHostFunction()
    const world = this.#checked(engine.call(create, [hostFunction]))
    for (const value of [create, hostFunction]) this.#free(value)
    return new Map(callNames.map((name) => [name, engine.property(world, name)]))
  }

  /** Limits the number of loop iterations from now on; at the limit the engine traps. Undefined: no limit. */
  limitRounds(count: bigint | undefined): void {
    this.#engine.calls.rounds.value = count ?? this.#unboundedRounds
  }

  get isPastLimit(): boolean {
    return this.#memory.buffer.byteLength > Math.max(this.memoryBytes, this.#heap.endByte)
  }

  /** Whether the memory has grown, which cannot be undone. */
  get hasGrown(): boolean {
    return this.#memory.buffer.byteLength > this.#heap.endByte
  }

  /** Whether too little memory is left for a larger script. */
  get isNearLimit(): boolean {
    return this.#memory.buffer.byteLength > Math.max(this.memoryBytes * NEAR_LIMIT, this.#heap.endByte)
  }

  hasRoomFor(text: string): boolean {
    if (text.length < SMALL_TEXT_LENGTH) return true
    const usedBytes = this.hasGrown ? this.#memory.buffer.byteLength : WORLD_BYTES
    // Once as UTF-8, once as a string of the engine, and once more without the character that marks its kind.
    const neededBytes = Buffer.byteLength(text) * 3
    return usedBytes + neededBytes < this.memoryBytes + RESERVE_BYTES
  }

  capture(): MemoryImage {
    const image = MemoryImage.of(this.#memory, this.#heap, this.#discarded.pop())
    this.#programsOf.set(image, this.#programs)
    return image
  }

  /** Call this after the last use of an image: the next one reuses its memory, unless it is large. */
  discard(image: MemoryImage): void {
    if (image.sizeBytes <= WORLD_BYTES) this.#discarded.push(image)
  }

  restore(image: MemoryImage): void {
    // It pointed into the memory that has been replaced.
    this.#ending = undefined
    this.#programs = this.#programsOf.get(image) ?? new Map()
    this.#rejections.clear()
    image.restore(this.#memory)
  }

  /** Calls a function of the world. @throws ThrownInside */
  call(name: CallName, ...args: readonly (string | number)[]): void {
    this.#free(this.#call(name, args))
  }

  /** @throws ThrownInside */
  callForNumber(name: CallName): number {
    return this.#take(this.#call(name, []), (value) => this.#engine.calls.qjs_get_float64(value))
  }

  /**
   * Evaluates a program and calls the resulting function with the parts of the world that it needs.
   * @throws ThrownInside
   */
  runProgram(code: string): void {
    const kept = this.#programs.get(code)
    const program = kept ?? this.#compile(code)
    const args = [this.#function('compare'), this.#function('bindImports')]
    this.#ending = this.#checked(this.#engine.call(program, args))
    if (kept === undefined) this.#free(program)
  }

  /** Compiles a program once for all scripts that start from images captured from now on. @throws ThrownInside */
  keepProgram(code: string): void {
    this.#programs = new Map([...this.#programs, [code, this.#compile(code)]])
  }

  /** Parses a program, or a module if it has a name, without running it. @throws ThrownInside */
  check(code: string, moduleName?: string): void {
    this.#free(
      moduleName === undefined
        ? this.#compile(code)
        : this.#checked(this.#engine.evaluate(code, moduleName, TYPE_MODULE | COMPILE_ONLY)),
    )
  }

  /** Does not run it: the program is a function. @throws ThrownInside */
  #compile(code: string): EngineValue {
    return this.#checked(this.#engine.evaluate(code, SCRIPT_NAME))
  }

  /** Whether the last program is still waiting for something. */
  get isWaiting(): boolean {
    return this.#ending !== undefined && this.#engine.calls.qjs_promise_state(this.#ending) === PENDING
  }

  /** Runs at most `count` promise jobs. @returns whether any are left. @throws ThrownInside */
  runJobs(count: number): boolean {
    const { calls } = this.#engine
    for (let run = 0; run < count && this.hasJobs; run++) {
      if (calls.qjs_execute_pending_job() < 0) throw this.#thrown(calls.qjs_get_exception())
    }
    return this.hasJobs
  }

  get hasJobs(): boolean {
    return this.#engine.calls.qjs_is_job_pending() !== 0
  }

  /** The errors of rejected promises without a handler; each is reported once. */
  takeRejections(): readonly ThrownInside[] {
    const rejections = [...this.#rejections.values()]
    this.#rejections.clear()
    return rejections.map(({ promise, reason }) => {
      this.#free(promise)
      return this.#thrown(reason)
    })
  }

  /** A promise is kept alive until it has a handler or is reported, so its address is its identity. */
  #noteRejection(promise: EngineValue, reason: EngineValue, isHandled: boolean): void {
    const address = this.#engine.calls.qjs_get_value_ptr(promise)
    const known = this.#rejections.get(address)
    if (!isHandled && known === undefined) {
      this.#rejections.set(address, { promise, reason })
      return
    }
    if (isHandled) this.#rejections.delete(address)
    for (const value of [promise, reason]) this.#free(value)
    if (isHandled && known !== undefined) for (const value of [known.promise, known.reason]) this.#free(value)
  }

  #function(name: CallName): EngineValue {
    return this.#functions.get(name) as EngineValue
  }

  #call(name: CallName, args: readonly (string | number)[]): EngineValue {
    const engine = this.#engine
    const values = args.map((each) => {
      return typeof each === 'number' ? engine.calls.qjs_new_number(each) : engine.newText(each)
    })
    const result = engine.call(this.#function(name), values)
    for (const value of values) this.#free(value)
    return this.#checked(result)
  }

  #take<Result>(value: EngineValue, read: (value: EngineValue) => Result): Result {
    const result = read(value)
    this.#free(value)
    return result
  }

  /** @throws ThrownInside */
  #checked(result: EngineValue): EngineValue {
    const { calls } = this.#engine
    if (calls.qjs_is_exception(result) === 0) return result
    this.#free(result)
    throw this.#thrown(calls.qjs_get_exception())
  }

  /** Describes an error value and frees it. */
  #thrown(error: EngineValue): ThrownInside {
    const { calls } = this.#engine
    const result = this.#engine.call(this.#function('describe'), [error])
    this.#free(error)
    if (calls.qjs_is_exception(result) === 0) {
      return new ThrownInside(this.#take(result, (value) => this.#engine.textOf(value)))
    }
    for (const value of [result, calls.qjs_get_exception()]) this.#free(value)
    return new ThrownInside(undefined)
  }

  #free(value: EngineValue): void {
    this.#engine.calls.qjs_free_value(value)
  }
}
