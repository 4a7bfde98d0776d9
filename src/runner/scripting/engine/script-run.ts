/**
 * Runs one script in its world: evaluates it, awaits it, runs its tests, and reports its events.
 *
 * Rules: the engine works in slices. Each slice may use the rest of the script's time limit; timers and answers are
 * delivered between slices. Time in slices and in timers counts, waiting for a server does not. If a test reaches a
 * limit, that test fails, and every later test is reported as not run.
 */
import { MAX_TIMER_MS } from '../../base/duration.ts'
import type { ModuleFiles } from '../source/module-files.ts'
import type { PreparedScript } from '../source/prepared-scripts.ts'
import type { ScriptProgram } from '../source/script-program.ts'
import { failureOf } from './failure-description.ts'
import type { MemoryImage } from './memory-image.ts'
import { PendingAnswers, timeOrAnswer } from './pending-answers.ts'
import { type MachineHost, type QuickJsMachine, ThrownInside } from './quickjs-machine.ts'
import type { EngineSurroundings, Operations, ScriptEvent, ScriptFailure, ScriptJob } from './script-engine.ts'
import { limitText, plainFailure, TEST_NOT_RUN } from './script-engine.ts'

/** The number of promise jobs between two checks of the clock, and how long jobs may run before messages are read. */
const JOBS_AT_ONCE = 256
const SLICE_MS = 50
/** The maximum size, as JSON, of logs and test results in a slice, and of variables of a script. */
const MAX_OUTPUT_CHARACTERS = 8 * 1024 * 1024
/** Overhead of a log or a test in addition to its text, in characters. */
const EVENT_CHARACTERS = 64

interface RunParts {
  readonly machine: QuickJsMachine
  readonly modules: ModuleFiles
  readonly prepared: PreparedScript
  readonly surroundings: EngineSurroundings
}

export class ScriptRun implements MachineHost {
  readonly libraries: Set<string> = new Set()
  /** Whether the machine can no longer be used. */
  hasSpentMachine = false
  wasAborted = false
  hasFailed = false
  /** The machine that ran the script; the tests run in it too. */
  readonly machine: QuickJsMachine
  /** The memory in which the tests run, if another script runs in this machine before them. */
  image: MemoryImage | undefined
  readonly #job: ScriptJob
  readonly #index: number
  readonly #program: ScriptProgram
  readonly #modules: ModuleFiles
  readonly #surroundings: EngineSurroundings
  /** Created for the first slow call. */
  #answers: PendingAnswers | undefined
  #remainingMs: number
  #deadlineMs = 0
  /** The pending listener calls of this slice. */
  #handling: (void | Promise<void>)[] = []
  #outputCharacters = 0
  #variableCharacters = 0
  readonly #testNames: string[] = []
  #endedTests = 0
  #hasStartedTests = false
  #isExiting = false
  #hasTimers = false
  /** The test that has passed, unless a promise or a timer that it did not wait for fails. */
  #passedTest: string | undefined
  #limit: ScriptFailure | undefined
  #isLimitReported = false

  constructor(job: ScriptJob, index: number, { machine, modules, prepared, surroundings }: RunParts) {
    this.machine = machine
    this.#job = job
    this.#index = index
    this.#modules = modules
    this.#remainingMs = job.limits.timeoutMs
    this.#program = prepared.program
    this.#surroundings = surroundings
  }

  get hasModules(): boolean {
    return this.#program.hasImports || this.#hasLoadedModules
  }
  #hasLoadedModules = false

  get hasTests(): boolean {
    return this.#testNames.length > 0
  }

  /** Runs the script itself until it waits for nothing more. */
  async runScript(): Promise<void> {
    this.machine.host = this
    this.#enter(() => {
      if (this.#job.hasOwnClock) this.machine.call('useClock')
      if (this.#job.phase === 'pre-request') this.machine.call('hideResponse')
      this.machine.runProgram(this.#program.text)
    })
    await this.#settle()
    this.#judgePromises()
    if (!this.#isStopped && !this.#isExiting && this.machine.isWaiting) {
      this.#fail(plainFailure('error', 'its promise is never settled'))
    }
    await this.#flush()
  }

  /** Runs the tests that the script has registered, including those that tests register. */
  async runTests(): Promise<void> {
    this.machine.host = this
    this.#hasStartedTests = true
    // The script's exit does not apply to its tests.
    this.#isExiting = false
    for (let index = 0; index < this.#testNames.length && !this.#isStopped; index++) {
      this.#enter(() => this.machine.call('startTest', index))
      await this.#settle()
      if (this.#isStopped) break
      if (this.#isExiting) this.#enter(() => this.machine.call('endTest', index))
      else if (this.#endedTests <= index) this.#enter(() => this.machine.call('finishTest', index))
      this.#isExiting = false
      this.#judgePromises()
      await this.#flush()
    }
    this.#judgePromises()
  }

  /** Reports the limit that stopped the script. Call this once, after the tests. */
  async finish(): Promise<void> {
    this.#answers?.close()
    if (this.#limit?.kind === 'timeout') await this.#readMessages()
    const limit = this.#limit
    if (limit !== undefined && !this.wasAborted) {
      if (this.#hasStartedTests) this.failUnfinishedTests(limit)
      if (!this.#isLimitReported) this.#report({ type: 'failed', script: this.#index, failure: limit })
    }
    await this.#flush()
  }

  /** Fails the remaining tests, which cannot run: the first of them with the reason. */
  failUnfinishedTests(reason: ScriptFailure): void {
    for (const name of this.#testNames.slice(this.#endedTests)) {
      const failure = this.#isLimitReported ? plainFailure('error', TEST_NOT_RUN) : reason
      this.#isLimitReported = true
      this.#report({ type: 'test', script: this.#index, name, failure })
    }
  }

  // Callbacks of the machine.

  answer(operation: string, argumentsJson: string): string {
    try {
      const args = JSON.parse(argumentsJson) as never[]
      const own = Object.hasOwn(ScriptRun.#operations, operation) ? ScriptRun.#operations[operation] : undefined
      const result = own === undefined ? this.#ask(operation, args, argumentsJson.length) : own(this, ...args)
      if (result === undefined) return ''
      // The engine reads plain text only up to a NUL.
      const isPlain = typeof result === 'string' && !result.includes('\0')
      const text = isPlain ? `t${result}` : `v${JSON.stringify(result)}`
      if (this.machine.hasRoomFor(text)) return text
      this.#limit ??= this.#limitFailure('memory')
      throw new Error(this.#limit.message)
    } catch (error) {
      return `e${error instanceof Error ? error.message : String(error)}`
    }
  }

  mustStop(): boolean {
    if (performance.now() > this.#deadlineMs) this.#limit ??= this.#limitFailure('timeout')
    if (this.machine.isPastLimit) this.#limit ??= this.#limitFailure('memory')
    return this.#isExiting || this.#limit !== undefined
  }

  resolveModule(specifier: string, from: string): string {
    this.#hasLoadedModules = true
    return this.#modules.resolve(specifier, from, this.#job.scripts[this.#index] as ScriptJob['scripts'][number])
  }

  moduleCode(name: string): string {
    return this.#modules.codeOf(name)
  }

  /** Operations available to every script. */
  static readonly #operations: Operations<ScriptRun> = {
    log: (run, text: string) => run.#output({ type: 'log', script: run.#index, text: String(text) }, text),
    'test-registered': (run, name: string) => {
      run.#count(name)
      run.#testNames.push(String(name))
      run.#surroundings.testRegistered(run.#index, String(name))
    },
    'test-ended': (run, name: string, error: string | undefined) => {
      run.#endedTests++
      if (error === undefined) run.#passedTest = String(name)
      else run.#reportTest(String(name), run.#classified(error))
    },
    exit: (run) => {
      run.#isExiting = true
    },
    timer: (run) => {
      run.#hasTimers = true
    },
    library: (run, name: string) => {
      const code = run.#surroundings.library(String(name))
      run.libraries.add(String(name))
      return code
    },
    later: (run, operation: string, args: readonly unknown[]) => run.#startLater(String(operation), args),
  }

  #ask(operation: string, args: readonly unknown[], characters: number): unknown {
    if (operation.startsWith('variable-') || operation.startsWith('global-header')) {
      this.#variableCharacters += characters
      if (this.#variableCharacters > MAX_OUTPUT_CHARACTERS) this.#stopAtOutput()
    }
    return this.#job.ask(operation, args)
  }

  #startLater(operation: string, args: readonly unknown[]): number {
    this.#answers ??= new PendingAnswers()
    const isTimed = !this.#job.untimedOperations.has(operation)
    return this.#answers.start((ending) => this.#job.askLater(operation, args, ending), isTimed)
  }

  #output(event: ScriptEvent, text: string): undefined {
    this.#count(text)
    this.#handling.push(this.#job.onEvent(event))
  }

  #count(text: string): void {
    this.#outputCharacters += String(text).length + EVENT_CHARACTERS
    if (this.#outputCharacters > MAX_OUTPUT_CHARACTERS) this.#stopAtOutput()
  }

  #stopAtOutput(): never {
    const message = `the script wrote more than ${MAX_OUTPUT_CHARACTERS / 1024 / 1024} MiB`
    this.#limit ??= plainFailure('output', message)
    throw new Error(message)
  }

  get #isStopped(): boolean {
    return this.#limit !== undefined || this.wasAborted
  }

  #enter(action: () => void): void {
    if (this.#isStopped) return
    const startedMs = performance.now()
    this.#deadlineMs = startedMs + this.#remainingMs
    this.#surroundings.sliceStarted(this.#index, this.#hasStartedTests, Math.max(0, Math.ceil(this.#remainingMs)))
    try {
      action()
    } catch (error) {
      this.#noteEnd(error)
    } finally {
      this.#surroundings.sliceEnded()
      this.#remainingMs -= performance.now() - startedMs
    }
  }

  #noteEnd(error: unknown): void {
    this.hasSpentMachine = !(error instanceof ThrownInside)
    if (error instanceof ThrownInside) {
      this.#noteThrown(error)
    } else if (this.machine.hasGrown) {
      // The engine throws this if it has no memory left for an error message.
      this.#limit ??= this.#limitFailure('memory')
    } else if (error instanceof RangeError) {
      this.#limit ??= plainFailure('error', 'RangeError: Maximum call stack size exceeded')
    } else if ((error as Error | undefined)?.name === 'RuntimeError') {
      // A WebAssembly trap: the script triggered a defect of the engine, which has no access to the host.
      this.#limit ??= plainFailure('error', `the script engine failed: ${(error as Error).message}`)
    } else throw error
  }

  #noteThrown({ description }: ThrownInside): void {
    if (this.#isExiting) return
    const failure = this.#classified(description)
    if (failure.kind !== 'error' && failure.kind !== 'assertion') this.#limit = failure
    else if (this.#passedTest !== undefined) this.#reportTest(this.#passedTest, failure)
    else this.#fail(failure)
  }

  #fail(failure: ScriptFailure): void {
    this.hasFailed = true
    this.#report({ type: 'failed', script: this.#index, failure })
  }

  /** A script that is being stopped may fail in many ways, but the limit is always the reason. */
  #classified(description: string | undefined): ScriptFailure {
    const failure = failureOf(description, this.#program, this.#modules)
    const kind =
      this.#limit?.kind ??
      (description === undefined || /^(?:InternalError: )?out of memory$/.test(failure.message) ? 'memory' : undefined)
    if (kind === undefined) return failure
    const known = this.#limit ?? this.#limitFailure('memory')
    this.#limit = { ...known, place: known.place ?? failure.place }
    return this.#limit
  }

  #limitFailure(kind: 'timeout' | 'memory'): ScriptFailure {
    return plainFailure(kind, limitText(kind, this.#job.limits))
  }

  #judgePromises(): void {
    if (!this.#isStopped) {
      // One error may reject several promises, such as those of a module and of its importer.
      const rejections = new Map(this.machine.takeRejections().map((each) => [each.description, each]))
      for (const rejection of rejections.values()) this.#noteThrown(rejection)
    }
    if (this.#passedTest !== undefined) this.#reportTest(this.#passedTest, undefined)
  }

  #reportTest(name: string, failure: ScriptFailure | undefined): void {
    this.#passedTest = undefined
    if (failure !== undefined && failure === this.#limit) this.#isLimitReported = true
    this.#report({ type: 'test', script: this.#index, name, failure })
  }

  /** Runs until no promise job, timer or answer is pending. */
  async #settle(): Promise<void> {
    while (!this.#isStopped && !this.#isExiting) {
      this.#runJobs()
      if (this.#handling.length > 0) await this.#flush()
      if (this.#isStopped || this.#isExiting) break
      if (this.machine.hasJobs) {
        await this.#readMessages()
        continue
      }
      const answer = this.#answers?.take()
      if (answer !== undefined) {
        this.#enter(() => this.machine.call('deliver', answer.id, answer.json, answer.error))
        continue
      }
      const timerMs = this.#timerMs()
      if (timerMs === 0) this.#enter(() => this.machine.call('fireTimer'))
      else if (timerMs > 0 || this.#answers?.isEmpty === false) await this.#wait(timerMs)
      else break
    }
    if (this.#isExiting) {
      this.#hasTimers = false
      this.#isExiting = false
      this.#enter(() => this.machine.call('forgetTimers'))
      this.machine.takeRejections()
      this.#isExiting = true
    }
  }

  /** Lets messages and timers run for a whole turn of the event loop. */
  async #readMessages(): Promise<void> {
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    if (this.#job.signal?.aborted) this.wasAborted = true
  }

  #runJobs(): void {
    if (!this.machine.hasJobs) return
    this.#enter(() => {
      const endMs = performance.now() + SLICE_MS
      while (this.machine.runJobs(JOBS_AT_ONCE) && performance.now() < endMs && !this.mustStop());
    })
  }

  /** -1 if no timer is set. */
  #timerMs(): number {
    if (!this.#hasTimers) return -1
    let waitMs = -1
    this.#enter(() => {
      waitMs = this.machine.callForNumber('nextTimerMs')
    })
    if (waitMs === -1) this.#hasTimers = false
    return waitMs
  }

  /** Waits for the next timer or answer. */
  async #wait(timerMs: number): Promise<void> {
    this.#surroundings.waitStarted()
    const isTimed = timerMs > 0 || this.#answers?.isTimed === true
    const { signal } = this.#job
    const startedMs = performance.now()
    const limitMs = isTimed ? Math.max(0, this.#remainingMs) : MAX_TIMER_MS
    const waitMs = Math.min(timerMs > 0 ? Math.ceil(timerMs) : MAX_TIMER_MS, Math.ceil(limitMs), MAX_TIMER_MS)
    await timeOrAnswer(waitMs, this.#answers, signal)
    if (signal?.aborted) this.wasAborted = true
    if (!isTimed) return
    this.#remainingMs -= performance.now() - startedMs
    if (this.#remainingMs <= 0) this.#limit ??= this.#limitFailure('timeout')
  }

  #report(event: ScriptEvent): void {
    if (event.type === 'failed' || (event.type === 'test' && event.failure !== undefined)) this.hasFailed = true
    this.#handling.push(this.#job.onEvent(event))
  }

  /** A slow listener slows the script. */
  async #flush(): Promise<void> {
    if (this.#handling.length === 0) return
    const handling = this.#handling
    this.#handling = []
    this.#outputCharacters = 0
    await Promise.all(handling)
  }
}
