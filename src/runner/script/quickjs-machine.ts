/**
 * QuickJS, which is a JavaScript engine inside WebAssembly, with the world of scripts in it: the only file that knows it.
 *
 * Rules: no object of the host is inside: one function comes in, and texts and numbers go both ways. The state before
 * any script is kept as an image of the memory and put back for each, which is faster than a new world, and nothing can
 * survive it. The memory limit is the maximum of the WebAssembly memory, since the engine's own limit does not count
 * small objects; it has a reserve, so that a script which grows slowly is stopped where its place can still be told.
 */
import variant from '@jitl/quickjs-wasmfile-release-sync'
import {
  Lifetime,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { TABLE_NAME } from './engine-program.ts'
import type { EngineSurroundings } from './engine-surroundings.ts'
import { type EngineMemory, findStack, MemoryImage, type StackRange } from './memory-image.ts'
import {
  type PromiseLayout,
  promiseLayout,
  type RejectionFlag,
  rejectedPromises,
  setTracker,
  trackerProgram,
} from './rejected-promises.ts'
import type { WorldCalls } from './world-calls.ts'

/** What is used of WebAssembly; Node's types leave it out. */
interface EngineInstance {
  readonly exports: { readonly f?: unknown; readonly n?: unknown; readonly [name: string]: unknown }
}
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => EngineMemory
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => EngineInstance
}

const PAGE_BYTES = 64 * 1024
/** What the engine asks for at its start. */
const INITIAL_PAGES = 256
/** For telling what happened when the limit is met. */
const RESERVE_PAGES = 64
const STACK_BYTES = 256 * 1024

const NEAR_LIMIT = 0.75

/** Below that, the reserve has room in any case. */
const SMALL_TEXT_LENGTH = 64 * 1024

/** Names of files in stack traces; chosen so that no path with colons or brackets can disturb them. */
export const SCRIPT_NAME = 'user-script'
const CORE_NAME = 'runner'

/** What a machine asks of who uses it, while a script runs. */
export interface MachineHost {
  /** The script asks for something. See sandbox/host.ts for the form of the answer. */
  readonly answer: (operation: string, argumentsJson: string) => string
  /** Is asked often; true ends what runs, and nothing in the script can catch that. */
  readonly mustStop: () => boolean
  /** The name by which a module is known from now on, also where there is none: `moduleCode` says so. */
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

/** Where in the table the tracker is, and its flag. */
interface Tracker {
  readonly slot: number
  readonly rejections: RejectionFlag
}

type CallName = keyof WorldCalls

const callNames: readonly CallName[] = [
  ...(['useClock', 'hideResponse', 'end', 'compare', 'bindImports', 'describe', 'load', 'startTest'] as const),
  ...(['endTest', 'finishTest', 'nextTimerMs', 'fireTimer', 'forgetTimers', 'deliver'] as const),
]

/** What is private in the package's types and needed for promises without handler. */
interface PrivateParts {
  readonly rt: { readonly value: number }
  readonly ctx: { readonly value: number }
  readonly cToHostCallbacks: {
    callFunction: (context: number, self: number, count: number, given: number) => number
  }
}
interface PointerCalls {
  QTS_ArgvGetJSValueConstPointer(given: number, index: number): number
  QTS_DupValuePointer(context: number, value: number): number
  QTS_FreeValuePointer(context: number, value: number): void
}

/** What was thrown inside, as JSON of `ErrorDescription`; undefined where there was no memory left to say it. */
export class ThrownInside {
  readonly description: string | undefined

  constructor(description: string | undefined) {
    this.description = description
  }
}

export class QuickJsMachine {
  host: MachineHost = idleHost
  readonly memoryBytes: number
  readonly #module: QuickJSWASMModule
  readonly #memory: EngineMemory
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #stack: StackRange
  readonly #layout: PromiseLayout
  readonly #rejections: RejectionFlag
  /** The promise of the program that was run last. */
  #ending: QuickJSHandle | undefined
  /** Programs that the memory holds compiled, by their text. */
  #programs: ReadonlyMap<string, QuickJSHandle> = new Map()
  readonly #programsOf: WeakMap<MemoryImage, ReadonlyMap<string, QuickJSHandle>> = new WeakMap()
  /** All of them are taken before the first image: later ones would point into memory that is put back. */
  readonly #calls: ReadonlyMap<CallName, QuickJSHandle>

  static async create(memoryBytes: number, { program, core }: EngineSurroundings): Promise<QuickJsMachine> {
    const maximum = Math.ceil(memoryBytes / PAGE_BYTES) + RESERVE_PAGES
    const memory = new WebAssembly.Memory({ initial: Math.min(INITIAL_PAGES, maximum), maximum })
    let trackerSlot = 0
    let rejections: RejectionFlag = { value: 0 }
    // The package's types describe its CommonJS form, whose default export is one level further down.
    const base = variant as unknown as QuickJSSyncVariant
    const opened = withInstance(base, program, (instance) => {
      const tracker = new WebAssembly.Instance(new WebAssembly.Module(trackerProgram), { e: { m: memory } })
      const table = instance.exports[TABLE_NAME] as { grow(count: number, content: unknown): number }
      trackerSlot = table.grow(1, tracker.exports.f)
      rejections = tracker.exports.n as RejectionFlag
    })
    const module = await newQuickJSWASMModuleFromVariant(newVariant(opened, { wasmMemory: memory as never }))
    return new QuickJsMachine(module, memory, memoryBytes, { slot: trackerSlot, rejections }, core)
  }

  private constructor(
    module: QuickJSWASMModule,
    memory: EngineMemory,
    memoryBytes: number,
    tracker: Tracker,
    core: string,
  ) {
    this.#module = module
    this.#memory = memory
    this.memoryBytes = memoryBytes
    this.#runtime = module.newRuntime()
    const { value: runtime } = (this.#runtime as unknown as PrivateParts).rt
    this.#rejections = tracker.rejections
    setTracker(memory, runtime, tracker.slot, () => {
      this.#runtime.setInterruptHandler(() => this.host.mustStop())
    })
    this.#runtime.setMaxStackSize(STACK_BYTES)
    this.#runtime.setModuleLoader(
      (name) => attempt(() => this.host.moduleCode(name)),
      (from, specifier) => this.host.resolveModule(specifier, from),
    )
    this.#context = this.#runtime.newContext()
    this.#stack = findStack(memory)
    this.#layout = this.#findPromises(runtime)
    this.#calls = this.#worldCalls(core)
  }

  #findPromises(runtime: number): PromiseLayout {
    const promise = this.#context.unwrapResult(this.#context.evalCode('Promise.reject(1)', CORE_NAME))
    // Never disposed of: the search begins at this object.
    return promiseLayout(this.#memory.buffer, promise.value as unknown as number, runtime)
  }

  #worldCalls(core: string): ReadonlyMap<CallName, QuickJSHandle> {
    const context = this.#context
    const call = context.newFunction('', () => context.undefined)
    this.#answerStraight()
    const create = context.unwrapResult(context.evalCode(core, CORE_NAME))
    const world = context.unwrapResult(context.callFunction(create, context.undefined, call))
    call.dispose()
    create.dispose()
    return new Map(callNames.map((name) => [name, context.getProp(world, name)]))
  }

  /**
   * Takes calls of the world's only function without the generators and handles that the package puts around each:
   * they take longer than the answer.
   */
  #answerStraight(): void {
    const context = this.#context
    const calls = this.#module.getFFI() as unknown as PointerCalls
    const textAt = (given: number, index: number): string => {
      return context.getString({
        value: calls.QTS_ArgvGetJSValueConstPointer(given, index),
      } as unknown as QuickJSHandle)
    }
    const parts = context as unknown as PrivateParts
    parts.cToHostCallbacks.callFunction = (_context, _self, _count, given) => {
      // The engine takes the text over, so nobody disposes of it here.
      return context.newString(this.host.answer(textAt(given, 0), textAt(given, 1))).value as unknown as number
    }
  }

  /** The memory is beyond the limit. */
  get isPastLimit(): boolean {
    return this.#memory.buffer.byteLength > Math.max(this.memoryBytes, INITIAL_PAGES * PAGE_BYTES)
  }

  /** The memory has grown, and cannot shrink. */
  get hasGrown(): boolean {
    return this.#memory.buffer.byteLength > INITIAL_PAGES * PAGE_BYTES
  }

  /** There is not enough left for a script of some size. */
  get isNearLimit(): boolean {
    return this.#memory.buffer.byteLength > this.memoryBytes * NEAR_LIMIT
  }

  /** Whether a text can be taken in: the engine's bindings would write somewhere else if it could not. */
  hasRoomFor(text: string): boolean {
    if (text.length < SMALL_TEXT_LENGTH) return true
    const usedBytes = this.hasGrown ? this.#memory.buffer.byteLength : this.#stack.endByte
    // Once as UTF-8, once as a text of the engine, once more without the character that says what it is.
    const neededBytes = Buffer.byteLength(text) * 3
    return usedBytes + neededBytes < this.memoryBytes + RESERVE_PAGES * PAGE_BYTES
  }

  capture(): MemoryImage {
    const image = new MemoryImage(this.#memory, this.#stack)
    this.#programsOf.set(image, this.#programs)
    return image
  }

  restore(image: MemoryImage): void {
    // It points into the memory that goes.
    this.#ending = undefined
    this.#programs = this.#programsOf.get(image) ?? new Map()
    this.#rejections.value = 0
    image.restore(this.#memory)
  }

  /** Calls a function of the world. @throws ThrownInside */
  call(name: CallName, ...given: readonly (string | number)[]): void {
    this.#call(name, given).dispose()
  }

  /** @throws ThrownInside */
  callForNumber(name: CallName): number {
    return this.#take(this.#call(name, []), (handle) => this.#context.getNumber(handle))
  }

  /** Evaluates a program and calls the function that it gives with what it needs of the world. @throws ThrownInside */
  runProgram(code: string): void {
    const context = this.#context
    const kept = this.#programs.get(code)
    const program = kept ?? this.#compile(code)
    const given = [this.#function('compare'), this.#function('bindImports')]
    this.#ending = this.#unwrap(context.callFunction(program, context.undefined, ...given))
    if (kept === undefined) program.dispose()
  }

  /** Compiles a program once for all scripts that begin in what is captured from now on. @throws ThrownInside */
  keepProgram(code: string): void {
    this.#programs = new Map([...this.#programs, [code, this.#compile(code)]])
  }

  /** Reads a program, or a module where it has a name, and runs nothing. @throws ThrownInside */
  check(code: string, moduleName?: string): void {
    const options = { type: 'module', compileOnly: true } as const
    const read =
      moduleName === undefined ? this.#compile(code) : this.#unwrap(this.#context.evalCode(code, moduleName, options))
    read.dispose()
  }

  /** Runs nothing of it: it is a function. @throws ThrownInside */
  #compile(code: string): QuickJSHandle {
    return this.#unwrap(this.#context.evalCode(code, SCRIPT_NAME))
  }

  /** Whether the program that was run last is still waiting for something. */
  get isWaiting(): boolean {
    if (this.#ending === undefined) return false
    const state = this.#context.getPromiseState(this.#ending)
    if (state.type === 'fulfilled') state.value.dispose()
    if (state.type === 'rejected') state.error.dispose()
    return state.type === 'pending'
  }

  /** Runs what promises have waiting, at most so many of them. @returns whether any are left. @throws ThrownInside */
  runJobs(count: number): boolean {
    const result = this.#runtime.executePendingJobs(count)
    if (result.error !== undefined) throw this.#thrown(result.error)
    return this.#runtime.hasPendingJob()
  }

  get hasJobs(): boolean {
    return this.#runtime.hasPendingJob()
  }

  /** Of promises that were rejected and that nobody handles; each is told once. */
  takeRejections(): readonly ThrownInside[] {
    if (this.#rejections.value === 0) return []
    this.#rejections.value = 0
    const context = (this.#context as unknown as PrivateParts).ctx.value
    const calls = this.#module.getFFI() as unknown as PointerCalls
    return rejectedPromises(this.#memory.buffer, this.#layout).map((address) => {
      const pointer = calls.QTS_DupValuePointer(context, address)
      const free = (value: number): void => calls.QTS_FreeValuePointer(context, value)
      const reason = new Lifetime(pointer, undefined, free, this.#runtime)
      return this.#thrown(reason as unknown as QuickJSHandle)
    })
  }

  #function(name: CallName): QuickJSHandle {
    return this.#calls.get(name) as QuickJSHandle
  }

  #call(name: CallName, given: readonly (string | number)[]): QuickJSHandle {
    const context = this.#context
    const values = given.map((each) => (typeof each === 'number' ? context.newNumber(each) : context.newString(each)))
    const result = context.callFunction(this.#function(name), context.undefined, ...values)
    for (const value of values) value.dispose()
    return this.#unwrap(result)
  }

  #take<Value>(handle: QuickJSHandle, read: (handle: QuickJSHandle) => Value): Value {
    const value = read(handle)
    handle.dispose()
    return value
  }

  #unwrap(result: ReturnType<QuickJSContext['callFunction']>): QuickJSHandle {
    if (result.error !== undefined) throw this.#thrown(result.error)
    return result.value
  }

  /** Describes an error value and disposes of it. */
  #thrown(error: QuickJSHandle): ThrownInside {
    const result = this.#context.callFunction(this.#function('describe'), this.#context.undefined, error)
    error.dispose()
    if (result.error !== undefined) {
      result.error.dispose()
      return new ThrownInside(undefined)
    }
    return new ThrownInside(this.#take(result.value, (handle) => this.#context.getString(handle)))
  }
}

/** The engine takes an error as a result. */
function attempt<Value>(action: () => Value): Value | { readonly error: Error } {
  try {
    return action()
  } catch (error) {
    return { error: error as Error }
  }
}

type EngineLoader = Awaited<ReturnType<QuickJSSyncVariant['importModuleLoader']>>

/** The variant with this program, and somebody who is shown its instance. */
function withInstance(
  base: QuickJSSyncVariant,
  program: Uint8Array,
  onInstance: (instance: EngineInstance) => void,
): QuickJSSyncVariant {
  const importModuleLoader = async (): Promise<EngineLoader> => {
    const load = (await base.importModuleLoader()) as unknown as (options: object) => unknown
    const instantiateWasm = (imports: object, done: (instance: EngineInstance) => void): object => {
      const instance = new WebAssembly.Instance(new WebAssembly.Module(program), imports)
      onInstance(instance)
      done(instance)
      return instance.exports
    }
    return ((options: object) => load({ ...options, instantiateWasm })) as unknown as EngineLoader
  }
  return { ...base, importModuleLoader }
}
