/**
 * A thread that runs scripts, and its watchdog.
 *
 * Rules: the thread blocks while it waits for an answer, so each call is answered immediately. A thread is terminated
 * if a slice exceeds its time, or does not end after an interruption; but only after its messages have been read, so
 * that a program that was busy itself does not blame its own delay on the script.
 */
import { getBuiltinModule } from 'node:process'
import type { MessagePort, Worker } from 'node:worker_threads'
import { compiledEngine } from '../engine/engine-program.ts'
import { coreCode, libraryCode, loadLibraries } from '../engine/sandbox-code.ts'
import type { ScriptFailure, ScriptLimits, ScriptOutcome, ScriptSource } from '../engine/script-engine.ts'
import { threadCode } from './thread-code.generated.ts'
import { answerOf, type ThreadJob, type ThreadPlace } from './thread-job.ts'
import {
  type Answer,
  CELL_COUNT,
  cells,
  type FromThread,
  HANDLED_AT_ONCE,
  type ThreadStart,
  type ToThread,
} from './thread-messages.ts'
import { ModuleReaders } from './thread-modules.ts'

/** How often the current slice is checked. */
const WATCH_MS = 100
/** Time beyond the limit of a slice, and for an interrupted job to end, before the thread is terminated. */
const GRACE_MS = 250

/** A job that did not end in time: it reached its time limit, or the run was interrupted. */
export type GivenUp = { readonly reason: 'time'; readonly place: ThreadPlace } | { readonly reason: 'interruption' }

/**
 * Called when the code of the script engine, or a thread for it, begins to load. The returned function is called when
 * loading has finished or failed. The engine's program is not compiled before this call.
 */
export type OnEngineLoad = () => () => void

const ENDED = 'the thread of the script engine ended'

interface Waiting {
  readonly job: ThreadJob | undefined
  resolve(result: unknown): void
  reject(error: unknown): void
}

export class EngineThread {
  readonly #worker: Worker
  readonly #answers: MessagePort
  readonly #cells: Int32Array
  readonly #readers = new ModuleReaders()
  /** Settled when the engine may be created. */
  readonly #start: Promise<void>
  #waiting: Waiting | undefined
  #lastMessageMs = 0
  #loadedMemoryBytes: number | undefined
  /** Counted since the thread started. */
  #handledEvents = 0
  #hasEnded = false
  #hasModules = false

  constructor(onStart: OnEngineLoad | undefined) {
    const onStarted = onStart?.()
    const shared = new SharedArrayBuffer(CELL_COUNT * Int32Array.BYTES_PER_ELEMENT)
    this.#cells = new Int32Array(shared)
    // Most scripts need no thread, and loading the module takes 6 ms of CPU time in the executable.
    const threads = getBuiltinModule('node:worker_threads')
    const { port1, port2 } = new threads.MessageChannel()
    this.#answers = port1
    const start: ThreadStart = { core: coreCode, shared }
    this.#worker = new threads.Worker(threadCode, {
      eval: true,
      workerData: { ...start, answers: port2 },
      transferList: [port2],
      // The thread inherits none of the program's command-line options.
      execArgv: [],
      env: threads.SHARE_ENV,
    })
    this.#worker.on('message', (message: FromThread) => this.#hear(message))
    this.#worker.on('error', (error) => this.#break(error))
    this.#worker.on('exit', () => this.#break(new Error(ENDED)))
    this.#start = onStarted === undefined ? Promise.resolve() : this.#whenStarted().finally(onStarted)
    // The caller that creates the engine gets the error. The thread keeps the process alive until it has started.
    this.#start.catch(() => undefined).finally(() => this.#worker.unref())
  }

  #whenStarted(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.once('online', resolve)
      this.#worker.once('error', reject)
      this.#worker.once('exit', () => reject(new Error(ENDED)))
    })
  }

  /** Whether the thread can no longer be used. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Whether modules were resolved since the last run ended. */
  get hasModules(): boolean {
    return this.#hasModules
  }

  /** Prepares an engine for scripts with this limit. @throws Error if the engine's program cannot be loaded */
  async #load(memoryBytes: number): Promise<void> {
    if (this.#loadedMemoryBytes === memoryBytes) return
    await this.#start
    const [engine] = await Promise.all([compiledEngine(memoryBytes, coreCode), loadLibraries()])
    if (this.#loadedMemoryBytes === memoryBytes) return
    this.#loadedMemoryBytes = memoryBytes
    this.#send({ type: 'load', memoryBytes, engine })
  }

  /** @throws errors of the job's listener; Error if the engine failed */
  async run(job: ThreadJob): Promise<ScriptOutcome | GivenUp> {
    await this.#load(job.memoryBytes)
    if (job.signal?.aborted) return 'aborted'
    const stopWatching = this.#watch(job)
    try {
      const result = (await this.#request({ type: 'run', job: job.dataFor(this.#readers) }, job)) as
        | ScriptOutcome
        | GivenUp
      await job.handled
      return result
    } finally {
      stopWatching()
      job.end()
    }
  }

  async check(source: ScriptSource, limits: ScriptLimits): Promise<readonly ScriptFailure[]> {
    await this.#load(limits.memoryBytes)
    return (await this.#request({
      type: 'check',
      source: this.#readers.sourceFor(source),
      limits,
    })) as readonly ScriptFailure[]
  }

  /** Ends the run: modules lose their state. */
  endRun(): void {
    this.#hasModules = false
    this.#readers.clear()
    this.#send({ type: 'end-run' })
  }

  /** Terminates the thread, if the runtime can; otherwise nothing waits for it from now on. */
  end(): void {
    this.#hasEnded = true
    this.#answers.close()
    this.#worker.unref()
    this.#worker.terminate().catch(() => undefined)
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  async #request(message: ToThread, job?: ThreadJob): Promise<unknown> {
    this.#worker.ref()
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting = { job, resolve, reject }
        this.#send(message)
      })
    } finally {
      this.#waiting = undefined
      this.#worker.unref()
    }
  }

  #break(error: unknown): void {
    this.#hasEnded = true
    this.#waiting?.reject(error)
  }

  /** @returns a function that ends the watch */
  #watch(job: ThreadJob): () => void {
    let slice = 0
    let startedMs = 0
    const giveUp = (result: GivenUp): void => this.#waiting?.resolve(result)
    const look = (): void => {
      const now = performance.now()
      const current = Atomics.load(this.#cells, cells.slice)
      if (current !== slice) {
        slice = current
        startedMs = now
      } else if (
        current % 2 === 1 &&
        now - Math.max(startedMs + this.#cell('allowedMs'), this.#lastMessageMs) > GRACE_MS
      ) {
        giveUp({ reason: 'time', place: { script: this.#cell('script'), isInTests: this.#cell('inTests') === 1 } })
      }
    }
    const timer = setInterval(look, WATCH_MS)
    let grace: NodeJS.Timeout | undefined
    const abort = (): void => {
      this.#send({ type: 'abort' })
      grace = setTimeout(() => giveUp({ reason: 'interruption' }), GRACE_MS)
    }
    job.signal?.addEventListener('abort', abort, { once: true })
    return () => {
      clearInterval(timer)
      clearTimeout(grace)
      job.signal?.removeEventListener('abort', abort)
    }
  }

  #cell(name: keyof typeof cells): number {
    return Atomics.load(this.#cells, cells[name])
  }

  #hear(message: FromThread): void {
    const { job } = this.#waiting ?? {}
    this.#lastMessageMs = performance.now()
    switch (message.type) {
      case 'ask':
        this.#answer(job?.answer(message.operation, message.args) ?? { error: 'the script has ended' })
        break
      case 'is-file':
      case 'read-file':
        this.#hasModules = true
        this.#answer(answerOf(() => this.#readers.answer(message)))
        break
      case 'library':
        this.#answer({ value: libraryCode(message.name) })
        break
      case 'later':
        void job?.answerLater(message.id, message.operation, message.args).then((answer) => this.#send(answer))
        break
      case 'end-later':
        job?.endLater(message.id)
        break
      case 'event':
        job?.hear(message.event).then(
          () => this.#noteHandled(message.isAwaited),
          (error: unknown) => this.#break(error),
        )
        break
      case 'test-registered':
        job?.testRegistered(message.script, message.name)
        break
      case 'done':
        this.#waiting?.resolve(message.outcome)
        break
      case 'checked':
        this.#waiting?.resolve(message.failures)
        break
      case 'broken':
        this.#break(message.error)
        break
    }
  }

  #noteHandled(isAwaited: boolean): void {
    this.#handledEvents++
    if (isAwaited || this.#handledEvents % HANDLED_AT_ONCE === 0) {
      this.#send({ type: 'handled', number: this.#handledEvents })
    }
  }

  #answer(answer: Answer): void {
    this.#answers.postMessage(answer)
    Atomics.store(this.#cells, cells.answered, 1)
    Atomics.notify(this.#cells, cells.answered)
  }
}
