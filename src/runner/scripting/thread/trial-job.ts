/**
 * A trial run of a job: its scripts have no external effect until all of them have finished.
 *
 * Rules: events are kept until then, and variables are restored if the trial fails. A trial fails if a script waits,
 * reads modules, calls an operation that must not be repeated, calls too many operations, or reaches a limit; later
 * effects of the script are ignored.
 */
import type { ModuleReader, ScriptEvent, ScriptFailure, ScriptJob, ScriptTrial } from '../engine/script-engine.ts'

/** Limits the operations of a script, which the meter does not count: about ten milliseconds. */
const MAX_COST = 1_000_000
/** The cost of an operation, in addition to the number of characters that it returns. */
const COST = 500
const SLOW_COST = 50_000
const NOT_HERE = 'not possible in a trial'

export class TrialJob {
  /** Replaces the job during the trial. */
  readonly job: ScriptJob
  /** The events so far, in order. */
  readonly events: ScriptEvent[] = []
  /** Created only for a script that waits: creating one takes as long as a short script. */
  #ending: AbortController | undefined
  #hasFailed = false
  #undo: (() => void) | undefined

  constructor(job: ScriptJob, trial: ScriptTrial) {
    const ending = (): AbortSignal => {
      this.#ending ??= new AbortController()
      if (this.#hasFailed) this.#ending.abort()
      return this.#ending.signal
    }
    let cost = 0
    const files: ModuleReader = { isFile: () => this.#refuse(), readText: () => this.#refuse() }
    this.job = {
      ...job,
      scripts: job.scripts.map((script) => ({ ...script, files })),
      ask: (operation, args) => {
        const effect = trial.effectOf(operation, args)
        if (effect === undefined || cost > MAX_COST) return this.#refuse()
        if (effect === 'writes') this.#undo ??= trial.snapshot()
        const result = job.ask(operation, args)
        cost += (effect === 'slow' ? SLOW_COST : COST) + (typeof result === 'string' ? result.length : 0)
        return result
      },
      askLater: async () => this.#refuse(),
      get signal() {
        return ending()
      },
      onEvent: (event) => {
        this.events.push(event)
        if (event.type !== 'log' && isLimit(event.failure)) this.fail()
      },
    }
  }

  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Ends all waits of the script. */
  fail(): void {
    this.#hasFailed = true
    this.#ending?.abort()
  }

  /** Restores the state before the trial. */
  undo(): void {
    this.#undo?.()
  }

  #refuse(): never {
    this.fail()
    throw new Error(NOT_HERE)
  }
}

function isLimit(failure: ScriptFailure | undefined): boolean {
  return failure !== undefined && failure.kind !== 'error' && failure.kind !== 'assertion'
}
