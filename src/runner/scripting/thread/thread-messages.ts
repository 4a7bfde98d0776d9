/** Messages between the script thread and the program that started it: plain data only. */
import type { CompiledEngine } from '../engine/engine-program.ts'
import type { ScriptEvent, ScriptFailure, ScriptJob, ScriptLimits, ScriptOutcome } from '../engine/script-engine.ts'
import type { ModuleQuestion, ThreadSource } from './thread-modules.ts'

/** Start data of a thread. */
export interface ThreadStart {
  /** The world of scripts, as the text of an expression. */
  readonly core: string
  /** Int32 cells, see `cells`. */
  readonly shared: SharedArrayBuffer
}

/** The cells of the memory that both sides see. */
export const cells = {
  /** 1: the answer to the question of the thread has arrived. */
  answered: 0,
  /** Odd while the engine computes; counts up at each start and each end. */
  slice: 1,
  /** Milliseconds that the present slice is allowed to take. */
  allowedMs: 2,
  /** Index of the script that the engine computes for. */
  script: 3,
  /** 1: its tests. */
  inTests: 4,
} as const

export const RESPONSE_HEAD = 'response-head'

export const CELL_COUNT = 5

/** A job without what only its owner can do. */
export type JobData = Pick<ScriptJob, 'phase' | 'untimedOperations' | 'limits' | 'hasOwnClock'> & {
  readonly scripts: readonly ThreadSource[]
  /** The answer to `RESPONSE_HEAD`: most scripts need it, and a question costs a round trip. */
  readonly responseHead: Answer | undefined
}

export type ToThread =
  /** Comes before the first script, and before the first with another limit. */
  | { readonly type: 'load'; readonly memoryBytes: number; readonly engine: CompiledEngine }
  | { readonly type: 'run'; readonly job: JobData }
  | { readonly type: 'check'; readonly source: ThreadSource; readonly limits: ScriptLimits }
  | { readonly type: 'end-run' }
  | { readonly type: 'abort' }
  /** Of a question that takes a while. `error` is undefined if it was answered. */
  | { readonly type: 'later'; readonly id: number; readonly value: unknown; readonly error: string | undefined }
  /** All events up to the one with this number are handled. */
  | { readonly type: 'handled'; readonly number: number }

export type FromThread =
  /** The thread waits until it is answered. */
  | { readonly type: 'ask'; readonly operation: string; readonly given: readonly unknown[] }
  | ModuleQuestion
  | { readonly type: 'library'; readonly name: string }
  | { readonly type: 'later'; readonly id: number; readonly operation: string; readonly given: readonly unknown[] }
  | { readonly type: 'end-later'; readonly id: number }
  /** `isAwaited`: the script continues when it is handled. Otherwise that may be said of several events together. */
  | { readonly type: 'event'; readonly event: ScriptEvent; readonly isAwaited: boolean }
  | { readonly type: 'test-registered'; readonly script: number; readonly name: string }
  | { readonly type: 'done'; readonly outcome: ScriptOutcome }
  | { readonly type: 'checked'; readonly failures: readonly ScriptFailure[] }
  /** A defect: the job did not end. */
  | { readonly type: 'broken'; readonly error: Error }

/** How many events may be handled before the thread is informed, unless it waits for one of them. */
export const HANDLED_AT_ONCE = 16

/** To a question for which the thread waits. */
export type Answer = { readonly value: unknown } | { readonly error: string }
