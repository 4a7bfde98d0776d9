/** The answer to a command that runs requests: data for programs. `***` replaces secrets in every text. */
import type { RequestIdentity } from '../../runner/index.ts'

/** `cancelled`: by the user. `refused`: nothing was started. `error`: not sent, or not answered completely. */
export type RunOutcome = 'passed' | 'failed' | 'error' | 'cancelled' | 'refused'

export interface RunResult {
  readonly outcome: RunOutcome
  /** One line for the user. */
  readonly message: string
  readonly requests: readonly RequestResult[]
  /** The document with the result as text; absent if nothing was started. */
  readonly uri?: string
}

export interface RequestResult extends Pick<RequestIdentity, 'name' | 'method' | 'target' | 'file'> {
  /** The line of the request line, from 0. */
  readonly line: number
  /** As sent; absent if the request was not sent. */
  readonly url?: string
  /** These four are absent if there was no response. */
  readonly status?: number
  readonly reason?: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly sizeBytes?: number
  readonly durationMs: number
  readonly outcome: 'passed' | 'failed' | 'error' | 'skipped'
  readonly tests: readonly TestResult[]
  /** Each with its position, if it has one. */
  readonly errors: readonly string[]
}

export interface TestResult {
  readonly name: string
  readonly hasPassed: boolean
  /** Why it failed. */
  readonly message?: string
}
