/**
 * What runs scripts, as the runner sees it: a job in, an outcome out, only plain data both ways.
 *
 * Rules: an engine never throws for what a script does; that is an outcome. Every job runs in a world of its own: what
 * one script leaves behind, the next does not see, but for the global variables, which travel as data. Places in an
 * outcome are lines and columns of the script's own text, from 1; who knows the file moves them.
 */
import type { JsonValue } from '../http-file/index.ts'

export interface ScriptLimits {
  /** Wall-clock time of one script with its tests. */
  readonly timeoutMs: number
  /** Of the script's whole world, its code and the response body included. */
  readonly memoryBytes: number
}

export const defaultScriptLimits: ScriptLimits = { timeoutMs: 10_000, memoryBytes: 32 * 1024 * 1024 }

/** The response as a handler may see it. */
export interface ScriptResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly mimeType: string
  readonly charset: string
  readonly body: string
}

export interface ScriptJob {
  readonly code: string
  readonly response: ScriptResponse
  readonly globals: readonly (readonly [name: string, value: JsonValue])[]
  readonly limits: ScriptLimits
}

export interface ScriptFailure {
  /** `error`: the script threw. `assertion`: client.assert. The others: the script was stopped at that limit. */
  readonly kind: 'error' | 'assertion' | 'timeout' | 'memory' | 'output' | 'aborted'
  readonly message: string
  /** In the script's own text; undefined where the engine does not know. */
  readonly line: number | undefined
  readonly column: number | undefined
}

/** What a script did, in order. */
export type ScriptEvent =
  | { readonly type: 'log'; readonly text: string }
  | { readonly type: 'test'; readonly name: string; readonly failure: ScriptFailure | undefined }
  | { readonly type: 'global-set'; readonly name: string; readonly value: JsonValue }
  | { readonly type: 'global-clear'; readonly name: string }
  | { readonly type: 'global-clear-all' }

export interface ScriptOutcome {
  readonly events: readonly ScriptEvent[]
  /** Why the script did not come to its end, or an assertion outside a test. Tests have their own. */
  readonly failure: ScriptFailure | undefined
}

export interface ScriptEngine {
  run(job: ScriptJob, signal: AbortSignal | undefined): Promise<ScriptOutcome>
  /** Ends what the engine still holds: threads, memory. */
  close(): Promise<void>
}
