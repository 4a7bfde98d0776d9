/**
 * The script engines that runs share: their number, and which run uses which.
 *
 * Rules: an engine runs one job at a time. While all shared engines are busy, jobs wait, and get the next free engine
 * in the order in which they arrived. State that a run leaves in an engine is removed before another run gets the
 * engine. A run whose scripts import modules keeps its engine until it ends, because modules keep their state. Such an
 * engine no longer counts as shared, and neither does one whose script runs for a long time, perhaps because it is
 * waiting: other jobs need not wait for either.
 */
import type { ScriptEngine } from '../engine/script-engine.ts'
import type { DirectEngine } from './direct-engine.ts'
import type { OnEngineLoad } from './engine-thread.ts'

/**
 * 50 jobs with short scripts take about as long with one engine as with four; eight engines cost more than they save.
 */
const SHARED_ENGINES = 4
const LONG_JOB_MS = 1000

export interface EnginePoolOptions {
  /** The maximum number of engines that runs share. */
  readonly limit?: number
  /** The time after which the engine of a job no longer counts as shared. */
  readonly longJobMs?: number
  readonly onLoad?: OnEngineLoad | undefined
}

export class EnginePool {
  readonly idle: ScriptEngine[] = []
  /** Used by the code that creates engines. */
  readonly onLoad: OnEngineLoad | undefined
  #direct: DirectEngine | undefined
  readonly #limit: number
  readonly #longJobMs: number
  readonly #shared: Set<ScriptEngine> = new Set()
  /** Engines, by the run that keeps them. */
  readonly #kept: Map<object, ScriptEngine> = new Map()
  /** The run that last used each engine. */
  readonly #users: WeakMap<ScriptEngine, object> = new WeakMap()
  readonly #waiting: Set<(engine: ScriptEngine) => void> = new Set()

  constructor({ limit = SHARED_ENGINES, longJobMs = LONG_JOB_MS, onLoad }: EnginePoolOptions) {
    this.onLoad = onLoad
    this.#limit = limit
    this.#longJobMs = longJobMs
  }

  /** The engine on the program's own thread. */
  direct(create: () => DirectEngine): DirectEngine {
    this.#direct ??= create()
    return this.#direct
  }

  /**
   * Runs a job in an engine.
   * @param run one object for each run; its jobs run one after another
   * @returns undefined if the signal was aborted while the job waited for an engine
   * @throws errors of the action
   */
  async use<Result>(
    run: object,
    create: () => ScriptEngine,
    signal: AbortSignal | undefined,
    action: (engine: ScriptEngine) => Promise<Result>,
  ): Promise<Result | undefined> {
    const engine = this.#kept.get(run) ?? (await this.#take(create, signal))
    if (engine === undefined) return undefined
    const user = this.#users.get(engine)
    if (user !== undefined && user !== run) engine.endRun()
    this.#users.set(engine, run)
    const timer = setTimeout(() => this.#stopSharing(engine, create), this.#longJobMs)
    try {
      return await action(engine)
    } finally {
      clearTimeout(timer)
      if (engine.hasModules) this.#keep(run, engine, create)
      else if (!this.#kept.has(run)) this.#giveBack(engine)
    }
  }

  /** Call this when the run has ended. */
  endRun(run: object): void {
    const engine = this.#kept.get(run)
    if (engine === undefined) return
    this.#kept.delete(run)
    engine.endRun()
    this.#giveBack(engine)
  }

  close(): void {
    for (const engine of this.idle.splice(0)) {
      this.#shared.delete(engine)
      engine.close()
    }
  }

  async #take(create: () => ScriptEngine, signal: AbortSignal | undefined): Promise<ScriptEngine | undefined> {
    if (signal?.aborted) return undefined
    const idle = this.idle.pop()
    if (idle !== undefined) return idle
    if (this.#shared.size < this.#limit) return this.#add(create())
    return new Promise((resolve) => {
      const take = (engine: ScriptEngine): void => {
        signal?.removeEventListener('abort', leave)
        resolve(engine)
      }
      const leave = (): void => {
        this.#waiting.delete(take)
        resolve(undefined)
      }
      this.#waiting.add(take)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  #keep(run: object, engine: ScriptEngine, create: () => ScriptEngine): void {
    this.#kept.set(run, engine)
    this.#stopSharing(engine, create)
  }

  /** The engine is no longer shared; the job that has waited longest gets a new engine. */
  #stopSharing(engine: ScriptEngine, create: () => ScriptEngine): void {
    if (this.#shared.delete(engine) && this.#waiting.size > 0) this.#giveBack(this.#add(create()))
  }

  #giveBack(engine: ScriptEngine): void {
    if (!this.#shared.has(engine) && this.#shared.size === this.#limit) {
      engine.close()
      return
    }
    this.#add(engine)
    const [next] = this.#waiting
    if (next === undefined) {
      this.idle.push(engine)
      return
    }
    this.#waiting.delete(next)
    next(engine)
  }

  #add(engine: ScriptEngine): ScriptEngine {
    this.#shared.add(engine)
    return engine
  }
}
