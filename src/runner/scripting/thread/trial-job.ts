/**
 * A job that is tried: what its scripts do has no effect outside before all of them have ended.
 *
 * Rules: events are kept until then, and variables are put back where the trial fails. A trial fails where a script
 * waits, reads modules, asks for something that must not happen twice, asks for too much, or meets a limit; what the
 * script still does is forgotten.
 */
import type { ModuleReader, ScriptEvent, ScriptFailure, ScriptJob, ScriptTrial } from '../engine/script-engine.ts'

/** Limit on operations of a script, which no meter counts: some ten milliseconds. */
const MAX_COST = 1_000_000
/** An operation costs this and the characters that it gives. */
const COST = 500
const SLOW_COST = 50_000
const NOT_HERE = 'not possible in a trial'

export class TrialJob {
  /** In place of the job that is tried. */
  readonly job: ScriptJob
  /** What happened, in order. */
  readonly events: ScriptEvent[] = []
  /** Made for a script that waits: making one takes as long as a short script. */
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
      ask: (operation, given) => {
        const effect = trial.effectOf(operation, given)
        if (effect === undefined || cost > MAX_COST) return this.#refuse()
        if (effect === 'writes') this.#undo ??= trial.snapshot()
        const result = job.ask(operation, given)
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
