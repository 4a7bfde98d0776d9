/**
 * The script engine on the thread of the program: most scripts have ended there before another thread could start.
 *
 * Rules: a script is tried with a bounded amount of work (engine/metered-program.ts), so that the program continues
 * after some ten milliseconds at the latest. A script that needs more, or anything that trial-job.ts does not allow, is
 * declined: nothing has happened, and the caller runs it on a separate thread from its beginning. The same text is not
 * tried again. Trials come one after the other. A thread that does nothing costs 25 ms of the processor in Node.js and
 * 18 ms in the executable: one script takes 101 ms there and 70 ms here, 200 scripts 362 and 282 ms.
 */
import { compiledEngine } from '../engine/engine-program.ts'
import { QuickJsEngine } from '../engine/quickjs-engine.ts'
import { coreCode, hasLibraries, libraryCode, loadLibraries } from '../engine/sandbox-code.ts'
import type { ScriptEvent, ScriptJob, ScriptOutcome, ScriptTrial } from '../engine/script-engine.ts'
import { engineShortage } from './engine-shortage.ts'
import { TrialJob } from './trial-job.ts'

/** Rounds of loops: some ten milliseconds, enough for a short script over a JSON body of 100 KB. */
const TRIAL_ROUNDS = 2_000_000n

interface Tried {
  readonly outcome: ScriptOutcome
  readonly events: readonly ScriptEvent[]
}

export class DirectEngine {
  #trial: TrialJob | undefined
  #needsLibraries = false
  /** Settled when no trial is going on. */
  #turn: Promise<unknown> = Promise.resolve()
  /** Scripts that need a thread. */
  readonly #declined: Set<string> = new Set()
  #engine = this.#newEngine()

  /** Makes what scripts with this limit need. @throws Error if the program of the engine cannot be had */
  async load(memoryBytes: number): Promise<void> {
    this.#engine.load(memoryBytes, await compiledEngine(memoryBytes, coreCode))
  }

  /** @returns undefined if it is declined. @throws what the listener of the job throws */
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

  /** Also undefined if no library was used. */
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

  /** Undefined if the work was over while the engine described what had happened. */
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
