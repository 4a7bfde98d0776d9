/**
 * The script engine on a separate thread: scripts go in, events come out, and the program stays responsive even if a
 * script never stops computing.
 *
 * Rules: the engine stops a script at its limits, except inside a step that it cannot interrupt, such as a search in an
 * array of 2^53 entries: then the thread is terminated, and the next script gets a new one. Some runtimes cannot
 * terminate such a thread: it computes until the process ends, and nothing waits for it. Interrupting the run does not
 * wait for the script either. An idle thread does not keep the process alive.
 */
import type {
  ScriptEngine,
  ScriptFailure,
  ScriptJob,
  ScriptLimits,
  ScriptOutcome,
  ScriptSource,
} from '../engine/script-engine.ts'
import { EngineThread, type OnEngineLoad } from './engine-thread.ts'
import { ThreadJob } from './thread-job.ts'

/** The thread is started with the first script. It runs one job at a time. */
export class ThreadEngine implements ScriptEngine {
  readonly #onLoad: OnEngineLoad | undefined
  #thread: EngineThread | undefined

  constructor(onLoad?: OnEngineLoad) {
    this.#onLoad = onLoad
  }

  async run(job: ScriptJob): Promise<ScriptOutcome> {
    let start = 0
    while (start < job.scripts.length) {
      const threadJob = new ThreadJob(job, start)
      const result = await this.#onThread((thread) => thread.run(threadJob))
      if (typeof result === 'string') return result === 'done' && start > 0 ? 'failed' : result
      this.close()
      if (result.reason === 'interruption') return 'aborted'
      start = await threadJob.giveUp(result.place)
    }
    return 'failed'
  }

  check(source: ScriptSource, limits: ScriptLimits): Promise<readonly ScriptFailure[]> {
    return this.#onThread((thread) => thread.check(source, limits))
  }

  get hasModules(): boolean {
    return this.#thread?.hasModules ?? false
  }

  endRun(): void {
    this.#thread?.endRun()
  }

  close(): void {
    this.#thread?.end()
    this.#thread = undefined
  }

  /** A thread that failed is not used again. */
  async #onThread<Result>(action: (thread: EngineThread) => Promise<Result>): Promise<Result> {
    try {
      return await action(this.#open())
    } catch (error) {
      this.close()
      throw error
    }
  }

  #open(): EngineThread {
    if (this.#thread?.hasEnded !== false) this.#thread = new EngineThread(this.#onLoad)
    return this.#thread
  }
}
