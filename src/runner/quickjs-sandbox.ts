/**
 * Scripts in QuickJS, which is a JavaScript engine inside WebAssembly: the only file that knows it.
 *
 * Rules: a fresh runtime for every script. The world inside has no object of the host: one function comes in, taking one
 * string, and strings go both ways. The memory limit is the maximum of the WebAssembly memory, since the engine's own
 * limit does not count small objects. The time limit here is asked between the script's own steps; a step inside
 * the engine that never ends (a search in an array of 2^53 entries) needs the thread to be ended from outside, which
 * script-thread.ts does. After an out-of-memory the whole instance is thrown away.
 */
import variant from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import type { JsonValue } from '../http-file/index.ts'
import type { ScriptEngine, ScriptEvent, ScriptFailure, ScriptJob, ScriptOutcome } from './script-engine.ts'
import { limitText } from './script-limit-text.ts'
import { PRELUDE_NAME, preludeCode, SCRIPT_NAME } from './script-prelude.ts'

/** What is used of WebAssembly; Node's types leave it out. */
interface SandboxMemory {
  readonly buffer: { readonly byteLength: number }
}
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => SandboxMemory
}

const PAGE_BYTES = 64 * 1024
/** What the engine asks for at its start. */
const INITIAL_PAGES = 256
const STACK_BYTES = 256 * 1024
/** Logs, test results and global variables of one script, as JSON. */
const MAX_OUTPUT_CHARACTERS = 8 * 1024 * 1024

interface Instance {
  readonly module: QuickJSWASMModule
  readonly memory: SandboxMemory
  readonly memoryBytes: number
}

/** An engine in this thread. See script-thread.ts for the one that can stop any script. */
export function createQuickJsSandbox(): ScriptEngine {
  let instance: Instance | undefined
  return {
    async run(job) {
      if (instance?.memoryBytes !== job.limits.memoryBytes) instance = await instantiate(job.limits.memoryBytes)
      const run = new ScriptRun(instance, job)
      const outcome = run.run()
      if (run.hasSpentInstance) instance = undefined
      return outcome
    },
    async close() {
      instance = undefined
    },
  }
}

async function instantiate(memoryBytes: number): Promise<Instance> {
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: Math.ceil(memoryBytes / PAGE_BYTES) })
  // The package's types describe its CommonJS form, whose default export is one level further down.
  const base = variant as unknown as QuickJSSyncVariant
  const module = await newQuickJSWASMModuleFromVariant(newVariant(base, { wasmMemory: memory }))
  return { module, memory, memoryBytes }
}

/** The memory grows in steps; within one step of its maximum an allocation has failed or the next one will. */
function isFull({ memory, memoryBytes }: Instance): boolean {
  return memory.buffer.byteLength > memoryBytes * 0.8
}

/** What the prelude sends, before its shape is checked. */
interface PreludeMessage {
  readonly type?: unknown
  readonly name?: unknown
  readonly text?: unknown
  readonly value?: unknown
  readonly error?: unknown
}

/** The limit was met inside a call from the sandbox; ends the run, whatever the script catches. */
class OutputLimitError extends Error {}

class ScriptRun {
  readonly #instance: Instance
  readonly #job: ScriptJob
  readonly #deadline: number
  readonly #events: ScriptEvent[] = []
  /** Of the tests in the order of their registration. It grows while they run: a test may register others. */
  readonly #testNames: string[] = []
  #hasBegunTests = false
  #outputCharacters = 0
  /** Whether the instance must not be used again. */
  hasSpentInstance = false
  /** What the script itself did wrong, outside of its tests. */
  #failure: ScriptFailure | undefined
  /** The limit at which it was stopped; an interruption is noted on its own. */
  #limit: ScriptFailure | undefined
  #wasInterrupted = false

  constructor(instance: Instance, job: ScriptJob) {
    this.#instance = instance
    this.#job = job
    this.#deadline = performance.now() + job.limits.timeoutMs
  }

  run(): ScriptOutcome {
    const needed = this.#job.code.length + this.#job.response.body.length
    if (needed * 2 > this.#job.limits.memoryBytes - INITIAL_PAGES * PAGE_BYTES) {
      this.#limit = failure('memory', `the response body is too large for a script (${needed} characters)`)
      return this.#outcome()
    }
    const runtime = this.#instance.module.newRuntime()
    runtime.setMaxStackSize(STACK_BYTES)
    runtime.setInterruptHandler(() => this.#isOver())
    const context = runtime.newContext()
    try {
      this.#runIn(context)
    } catch (error) {
      // What the bindings throw when the engine has no memory left even to say so.
      if (!isFull(this.#instance)) throw error
      this.#limit ??= this.#stopped('memory')
    } finally {
      this.hasSpentInstance = isFull(this.#instance) || !canDispose(context) || !canDispose(runtime)
    }
    return this.#outcome()
  }

  #runIn(context: QuickJSContext): void {
    const api = this.#startPrelude(context)
    if (api === undefined) return
    const result = context.evalCode(this.#job.code, SCRIPT_NAME)
    if (result.error !== undefined) this.#fail(context, api, result.error)
    this.#settle(context, api)
    if (result.error === undefined) this.#judgeCompletion(context, api, result.value)
    if (!this.#isStopped()) this.#runTests(context, api)
    api.dispose()
  }

  /** Runs the prelude and gives the functions that it keeps for the host. */
  #startPrelude(context: QuickJSContext): QuickJSHandle | undefined {
    const { response, globals } = this.#job
    const { body, ...head } = response
    const emit = context.newFunction('emit', (json) => {
      this.#receive(context.getString(json))
    })
    const input = context.newString(JSON.stringify({ ...head, globals }))
    const text = context.newString(body)
    const prelude = context.unwrapResult(context.evalCode(preludeCode, PRELUDE_NAME))
    const result = context.callFunction(prelude, context.undefined, emit, input, text)
    for (const handle of [emit, input, text, prelude]) handle.dispose()
    if (result.error === undefined) return result.value
    this.#limit = this.#stopped('memory')
    result.error.dispose()
    return undefined
  }

  /** A script whose last value is a promise, such as one asynchronous function called, ends as the promise does. */
  #judgeCompletion(context: QuickJSContext, api: QuickJSHandle, value: QuickJSHandle): void {
    const state = context.getPromiseState(value)
    if (state.type === 'rejected') this.#fail(context, api, state.error)
    if (state.type === 'pending') this.#failure ??= failure('error', 'its promise is never settled')
    if (state.type === 'fulfilled' && state.notAPromise !== true) state.value.dispose()
    value.dispose()
  }

  #runTests(context: QuickJSContext, api: QuickJSHandle): void {
    this.#hasBegunTests = true
    for (let index = 0; index < this.#testNames.length && !this.#isStopped(); index++) {
      this.#call(context, api, 'start', index)
      this.#settle(context, api)
      if (!this.#isStopped()) this.#call(context, api, 'finish', index)
    }
  }

  /** Runs what promises have waiting. */
  #settle(context: QuickJSContext, api: QuickJSHandle): void {
    if (this.#isStopped()) return
    const result = context.runtime.executePendingJobs()
    if (result.error !== undefined) this.#fail(context, api, result.error)
    result.dispose()
  }

  #call(context: QuickJSContext, api: QuickJSHandle, name: string, index: number): void {
    const call = context.getProp(api, name)
    const number = context.newNumber(index)
    const result = context.callFunction(call, api, number)
    call.dispose()
    number.dispose()
    if (result.error === undefined) result.value.dispose()
    else this.#fail(context, api, result.error)
  }

  /** One message of the prelude. Its shape is checked: a script can reach the engine's own functions, not ours. */
  #receive(json: string): void {
    this.#outputCharacters += json.length
    if (this.#outputCharacters > MAX_OUTPUT_CHARACTERS) {
      this.#limit ??= failure('output', `the script wrote more than ${MAX_OUTPUT_CHARACTERS / 1024 / 1024} MiB`)
      throw new OutputLimitError('output limit')
    }
    const message = JSON.parse(json) as PreludeMessage
    if (message.type === 'test-registered') this.#testNames.push(String(message.name))
    const event = eventOf(message)
    if (event?.type === 'test' && event.failure !== undefined) {
      this.#events.push({ ...event, failure: this.#classified(event.failure) })
    } else if (event !== undefined) {
      this.#events.push(event)
    }
  }

  /** Notes an error value and disposes of it. The first failure counts, and the first limit. */
  #fail(context: QuickJSContext, api: QuickJSHandle, error: QuickJSHandle): void {
    const described = this.#describe(context, api, error)
    // What a script that is being stopped throws says nothing more.
    if (this.#isStopped()) return
    if (described.kind === 'memory') this.#limit = described
    else this.#failure ??= described
  }

  /** An error value of the sandbox as a failure. Disposes of it. */
  #describe(context: QuickJSContext, api: QuickJSHandle, error: QuickJSHandle): ScriptFailure {
    const describe = context.getProp(api, 'describe')
    const result = context.callFunction(describe, api, error)
    describe.dispose()
    error.dispose()
    if (result.error !== undefined) {
      result.error.dispose()
      return this.#stopped('memory')
    }
    const json = context.getString(result.value)
    result.value.dispose()
    return this.#classified(failureOf(JSON.parse(json)))
  }

  /** An out-of-memory shows as an error of that name, or as null where no memory was left; an interruption as any. */
  #classified(described: ScriptFailure): ScriptFailure {
    if (this.#wasInterrupted) return { ...described, kind: 'timeout', message: this.#stopped('timeout').message }
    const isMemory =
      /out of memory$/.test(described.message) || (isFull(this.#instance) && described.line === undefined)
    return isMemory ? { ...described, kind: 'memory', message: this.#stopped('memory').message } : described
  }

  #stopped(kind: 'timeout' | 'memory'): ScriptFailure {
    return failure(kind, limitText(kind, this.#job.limits))
  }

  #isOver(): boolean {
    if (performance.now() > this.#deadline) this.#wasInterrupted = true
    return this.#wasInterrupted || this.#limit?.kind === 'output'
  }

  /** A limit was met: nothing more of this script is run. */
  #isStopped(): boolean {
    return this.#wasInterrupted || this.#limit !== undefined
  }

  /** A limit that was met in a test is that test's failure; every test behind it is told as one that did not run. */
  #outcome(): ScriptOutcome {
    // An interruption shows in many ways, in a promise job in none; but it is always the reason.
    const limit = this.#wasInterrupted ? this.#stopped('timeout') : this.#limit
    if (limit === undefined) return { events: this.#events, failure: this.#failure }
    if (!this.#hasBegunTests) return { events: this.#events, failure: limit }
    const told = this.#events.filter((event) => event.type === 'test')
    const isLimitTold = told.some((event) => event.failure?.kind === limit.kind)
    const untold = this.#testNames.slice(told.length).map((name, index): ScriptEvent => {
      return { type: 'test', name, failure: index === 0 && !isLimitTold ? limit : failure('error', notRun) }
    })
    const isToldByTest = isLimitTold || untold.length > 0
    return { events: [...this.#events, ...untold], failure: this.#failure ?? (isToldByTest ? undefined : limit) }
  }
}

function failure(kind: ScriptFailure['kind'], message: string): ScriptFailure {
  return { kind, message, line: undefined, column: undefined }
}

const notRun = 'not run: the script was stopped in a test before it'

const framePattern = new RegExp(`${SCRIPT_NAME}:(\\d+):(\\d+)`)

/** What the prelude tells about an error. Every field is whatever the script made of it. */
function failureOf(described: unknown): ScriptFailure {
  const { assertion, message, stack } = (described ?? {}) as Record<string, unknown>
  const frame = framePattern.exec(typeof stack === 'string' ? stack : '')
  return {
    kind: assertion === true ? 'assertion' : 'error',
    message: typeof message === 'string' ? message : 'an error that cannot be shown',
    line: frame === null ? undefined : Number(frame[1]),
    column: frame === null ? undefined : Number(frame[2]),
  }
}

function eventOf(message: PreludeMessage): ScriptEvent | undefined {
  const name = String(message.name)
  switch (message.type) {
    case 'log':
      return { type: 'log', text: String(message.text) }
    case 'test':
      return { type: 'test', name, failure: message.error === undefined ? undefined : failureOf(message.error) }
    case 'global-set':
      return { type: 'global-set', name, value: message.value as JsonValue }
    case 'global-clear':
      return { type: 'global-clear', name }
    case 'global-clear-all':
      return { type: 'global-clear-all' }
    default:
      return undefined
  }
}

/** Whether it could be disposed of. After an out-of-memory the engine may abort while it cleans up. */
function canDispose(lifetime: { dispose(): void }): boolean {
  try {
    lifetime.dispose()
    return true
  } catch {
    return false
  }
}
