/**
 * The script engine on the program's own thread: most scripts finish there before another thread could start.
 *
 * Rules: a script is tried with a limited amount of work (engine/metered-program.ts), so that the program continues
 * after about ten milliseconds at most. A script that needs more, or that does something that trial-job.ts does not
 * allow, is declined: it has had no effect, and the caller runs it on a separate thread from the start. The same text
 * is not tried again. Trials run one after another. A thread that does nothing costs 25 ms of CPU time in Node.js and
 * 18 ms in the executable: one script takes 101 ms on a thread and 70 ms here, 200 scripts take 362 and 282 ms.
 */
import { compiledEngine } from '../engine/engine-program.ts'
import { QuickJsEngine } from '../engine/quickjs-engine.ts'
import { coreCode, hasLibraries, libraryCode, loadLibraries } from '../engine/sandbox-code.ts'
import type { ScriptEvent, ScriptJob, ScriptOutcome, ScriptTrial } from '../engine/script-engine.ts'
import { engineShortage } from './engine-shortage.ts'
import { TrialJob } from './trial-job.ts'

/** Loop iterations: about ten milliseconds, enough for a short script over a JSON body of 100 KB. */
const TRIAL_ROUNDS = 2_000_000n

interface Tried {
  readonly outcome: ScriptOutcome
  readonly events: readonly ScriptEvent[]
}

export class DirectEngine {
  #trial: TrialJob | undefined
  #needsLibraries = false
  /** Settled when no trial is running. */
  #turn: Promise<unknown> = Promise.resolve()
  /** Scripts that need a thread. */
  readonly #declined: Set<string> = new Set()
  #engine = this.#newEngine()

  /** Prepares an engine for scripts with this limit. @throws Error if the engine's program cannot be loaded */
  async load(memoryBytes: number): Promise<void> {
    this.#engine.load(memoryBytes, await compiledEngine(memoryBytes, coreCode))
  }

  /** @returns undefined if the script is declined. @throws errors of the job's listener */
  async run(job: ScriptJob, trial: ScriptTrial): Promise<ScriptOutcome | undefined> {
    const turn = this.#turn.then(() => this.#try(job, trial))
    this.#turn = turn.catch(() => undefined)
    const tried = await turn
    for (const event of tried?.events ?? []) await job.onEvent(event)
    return tried?.outcome
  }

  async #try(job: ScriptJob, trial: ScriptTrial): Promise<Tried | undefined> {
    if (job.signal?.aborted) return { outcome: 'aborted', events: [] }
    const key = job.scripts.map(({ parts }) => parts.join('\0')).join('\0')
    if (this.#declined.has(key)) return undefined
    try {
      await this.load(job.limits.memoryBytes)
    } catch (error) {
      if (engineShortage(error) === undefined) throw error
      return undefined
    }
    const hadLibraries = hasLibraries()
    const tried =
      (await this.#tryOnce(job, trial)) ?? (hadLibraries ? undefined : await this.#tryWithLibraries(job, trial))
    if (tried === undefined) this.#declined.add(key)
    return tried
  }

  /** Returns undefined also if no library was used. */
  async #tryWithLibraries(job: ScriptJob, trial: ScriptTrial): Promise<Tried | undefined> {
    if (!this.#needsLibraries) return undefined
    await loadLibraries()
    return this.#tryOnce(job, trial)
  }

  async #tryOnce(job: ScriptJob, trial: ScriptTrial): Promise<Tried | undefined> {
    const tried = new TrialJob(job, trial)
    const outcome = await this.#outcomeOf(tried)
    if (outcome !== undefined && !tried.hasFailed) return { outcome, events: tried.events }
    tried.undo()
    this.#engine.endRun()
    return undefined
  }

  /** Undefined if the work limit was reached while the engine described an error. */
  async #outcomeOf(tried: TrialJob): Promise<ScriptOutcome | undefined> {
    this.#trial = tried
    try {
      return await this.#engine.run(tried.job)
    } catch (error) {
      if ((error as Error | undefined)?.name !== 'RuntimeError') throw error
      this.#engine = this.#newEngine()
      return undefined
    } finally {
      this.#trial = undefined
    }
  }

  #library(name: string): string {
    if (hasLibraries()) return libraryCode(name)
    this.#needsLibraries = true
    this.#trial?.fail()
    throw new Error('not loaded')
  }

  #newEngine(): QuickJsEngine {
    return new QuickJsEngine({
      core: coreCode,
      maxRounds: TRIAL_ROUNDS,
      library: (name) => this.#library(name),
      testRegistered: () => undefined,
      sliceStarted: () => undefined,
      sliceEnded: () => undefined,
      waitStarted: () => this.#trial?.fail(),
      machineEnded: () => this.#trial?.fail(),
    })
  }
}
