/**
 * A job on the engine's thread, seen from the program: answers calls of its scripts, forwards their events, and reports
 * the missing events when the thread is terminated.
 *
 * Rules: events are passed on in order, one after another. No event is lost silently: a test that was registered and
 * can no longer run has failed.
 */
import {
  limitText,
  plainFailure,
  SCRIPT_TESTS_NOT_RUN,
  type ScriptEvent,
  type ScriptFailure,
  type ScriptJob,
  TEST_NOT_RUN,
} from '../engine/script-engine.ts'
import { type Answer, type JobData, RESPONSE_HEAD, type ToThread } from './thread-messages.ts'
import type { ModuleReaders } from './thread-modules.ts'

/** The script that was running when the thread was terminated. */
export interface ThreadPlace {
  /** Its index among the scripts that were sent to the thread. */
  readonly script: number
  readonly isInTests: boolean
}

/** The result of a call, or the message of its error. */
export function answerOf(call: () => unknown): Answer {
  try {
    return { value: call() }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

export class ThreadJob {
  readonly #job: ScriptJob
  /** The number of scripts of the job that earlier threads ran. */
  readonly #offset: number
  readonly #registered: Map<number, string[]> = new Map()
  readonly #endedTests: Map<number, number> = new Map()
  readonly #endings: Map<number, AbortController> = new Map()
  #handled: Promise<void> = Promise.resolve()

  constructor(job: ScriptJob, offset: number) {
    this.#job = job
    this.#offset = offset
  }

  dataFor(readers: ModuleReaders): JobData {
    const { phase, untimedOperations, limits, hasOwnClock } = this.#job
    const scripts = this.#job.scripts.slice(this.#offset).map((script) => readers.sourceFor(script))
    const responseHead = phase === 'handler' ? this.answer(RESPONSE_HEAD, []) : undefined
    return { scripts, phase, untimedOperations, limits, hasOwnClock, responseHead }
  }

  get memoryBytes(): number {
    return this.#job.limits.memoryBytes
  }

  get signal(): AbortSignal | undefined {
    return this.#job.signal
  }

  /** Resolves when all events have been passed on. @throws errors of the listener */
  get handled(): Promise<void> {
    return this.#handled
  }

  answer(operation: string, args: readonly unknown[]): Answer {
    return answerOf(() => this.#job.ask(operation, args))
  }

  async answerLater(id: number, operation: string, args: readonly unknown[]): Promise<ToThread> {
    const ending = new AbortController()
    this.#endings.set(id, ending)
    try {
      const value = await this.#job.askLater(operation, args, ending.signal)
      return { type: 'later', id, value, error: undefined }
    } catch (error) {
      return { type: 'later', id, value: undefined, error: error instanceof Error ? error.message : String(error) }
    } finally {
      this.#endings.delete(id)
    }
  }

  endLater(id: number): void {
    this.#endings.get(id)?.abort()
  }

  testRegistered(script: number, name: string): void {
    const names = this.#registered.get(script)
    if (names === undefined) this.#registered.set(script, [name])
    else names.push(name)
  }

  /** Resolves when the event has been handled. @throws errors of the listener */
  hear(event: ScriptEvent): Promise<void> {
    if (event.type === 'test') this.#endedTests.set(event.script, (this.#endedTests.get(event.script) ?? 0) + 1)
    const { onEvent } = this.#job
    this.#handled = this.#handled.then(() => onEvent({ ...event, script: event.script + this.#offset }))
    // Callers that await it get the error.
    this.#handled.catch(() => undefined)
    return this.#handled
  }

  /** Aborts operations of the scripts that are still running. */
  end(): void {
    for (const ending of this.#endings.values()) ending.abort()
  }

  /**
   * Reports the limit that the script reached, and the tests that can no longer run.
   * @returns the index of the next script
   */
  async giveUp({ script, isInTests }: ThreadPlace): Promise<number> {
    const limit = plainFailure('timeout', limitText('timeout', this.#job.limits))
    if (!isInTests) void this.hear({ type: 'failed', script, failure: limit })
    let isLimitReported = !isInTests
    for (const [index, names] of this.#registered) {
      const unfinished = names.slice(this.#endedTests.get(index) ?? 0)
      // A script that did not finish is not expected to have tests.
      if (index === script && !isInTests) continue
      for (const name of unfinished) {
        const isCause: boolean = index === script && !isLimitReported
        if (isCause) isLimitReported = true
        const failure: ScriptFailure = isCause
          ? limit
          : plainFailure('error', index === script ? TEST_NOT_RUN : SCRIPT_TESTS_NOT_RUN)
        void this.hear({ type: 'test', script: index, name, failure })
      }
    }
    if (!isLimitReported) void this.hear({ type: 'failed', script, failure: limit })
    await this.#handled
    return isInTests ? this.#job.scripts.length : this.#offset + script + 1
  }
}
