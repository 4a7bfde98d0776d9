/** Messages between the script thread and the program that started it: plain data only. */
import type { CompiledEngine } from '../engine/engine-program.ts'
import type { ScriptEvent, ScriptFailure, ScriptJob, ScriptLimits, ScriptOutcome } from '../engine/script-engine.ts'
import type { ModuleQuestion, ThreadSource } from './thread-modules.ts'

export interface ThreadStart {
  /** The world of scripts, as the text of an expression. */
  readonly core: string
  /** Int32 cells, see `cells`. */
  readonly shared: SharedArrayBuffer
}

/** The cells of the shared memory. */
export const cells = {
  /** 1: the answer to the thread's call has arrived. */
  answered: 0,
  /** Odd while the engine computes; incremented at each start and each end. */
  slice: 1,
  /** Milliseconds that the current slice may take. */
  allowedMs: 2,
  /** Index of the script that is running. */
  script: 3,
  /** 1: its tests are running. */
  inTests: 4,
} as const

export const RESPONSE_HEAD = 'response-head'

export const CELL_COUNT = 5

/** A job without the functions that only its owner can provide. */
export type JobData = Pick<ScriptJob, 'phase' | 'untimedOperations' | 'limits' | 'hasOwnClock'> & {
  readonly scripts: readonly ThreadSource[]
  /** The answer to `RESPONSE_HEAD`: most scripts need it, and a call costs a round trip. */
  readonly responseHead: Answer | undefined
}

export type ToThread =
  /** Sent before the first script, and before the first script with another limit. */
  | { readonly type: 'load'; readonly memoryBytes: number; readonly engine: CompiledEngine }
  | { readonly type: 'run'; readonly job: JobData }
  | { readonly type: 'check'; readonly source: ThreadSource; readonly limits: ScriptLimits }
  | { readonly type: 'end-run' }
  | { readonly type: 'abort' }
  /** The answer to a slow call. `error` is undefined if it succeeded. */
  | { readonly type: 'later'; readonly id: number; readonly value: unknown; readonly error: string | undefined }
  /** All events up to the one with this number have been handled. */
  | { readonly type: 'handled'; readonly number: number }

export type FromThread =
  /** A call; the thread blocks until it is answered. */
  | { readonly type: 'ask'; readonly operation: string; readonly args: readonly unknown[] }
  | ModuleQuestion
  | { readonly type: 'library'; readonly name: string }
  | { readonly type: 'later'; readonly id: number; readonly operation: string; readonly args: readonly unknown[] }
  | { readonly type: 'end-later'; readonly id: number }
  /**
   * `isAwaited`: the script continues when the event is handled. Otherwise several events may be acknowledged together.
   */
  | { readonly type: 'event'; readonly event: ScriptEvent; readonly isAwaited: boolean }
  | { readonly type: 'test-registered'; readonly script: number; readonly name: string }
  | { readonly type: 'done'; readonly outcome: ScriptOutcome }
  | { readonly type: 'checked'; readonly failures: readonly ScriptFailure[] }
  /** A defect: the job could not finish. */
  | { readonly type: 'broken'; readonly error: Error }

/** The number of events handled before the thread is notified, unless it awaits one of them. */
export const HANDLED_AT_ONCE = 16

/** The answer to a call for which the thread blocks. */
export type Answer = { readonly value: unknown } | { readonly error: string }
