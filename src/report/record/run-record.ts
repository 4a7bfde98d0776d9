/**
 * What reports are made of: a run as data, when it is over.
 *
 * Rules: no values of variables, and of bodies the beginning; texts are masked, shortened and well-formed Unicode. Times are
 * milliseconds, moments are milliseconds since 1970 (UTC).
 */
import type { RequestOutcome, SkipReason } from '../../runner/index.ts'
import type { ExchangeRecord, MessageRecord, TimingRecord } from './exchange-record.ts'

/** One pass over one file. */
export interface ReportedJob {
  /** From 1. */
  readonly number: number
  /** The file as the user wrote it. */
  readonly path: string
  readonly environment: string | undefined
  /** Which repetition it is. */
  readonly pass?: { readonly number: number; readonly of: number }
  /** Which row of the data file it uses. */
  readonly row?: { readonly number: number; readonly of: number }
}

/** What a record knows of a run besides its errors. The set is closed. */
export type ReportErrorCode = 'bad-status' | 'internal' | 'interrupted'

/** What went wrong, for people and for programs. */
export interface FailureRecord {
  /** Of the error: `test-failed`, `connect-refused`, … */
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
  /** The line where it happened, and a line with a caret. */
  readonly excerpt?: string
}

/** A test of a script or an assertion. */
export interface TestRecord {
  readonly name: string
  readonly kind: 'test' | 'assertion'
  /** Undefined: passed. */
  readonly failure?: FailureRecord & { readonly expected?: string; readonly actual?: string }
}

export interface RetryRecord {
  /** The attempt that failed, from 1. */
  readonly attempt: number
  readonly reason: string
}

export interface RequestRecord {
  /** Within its job, from 1. */
  readonly number: number
  /** '' where it has none. */
  readonly name: string
  readonly method: string
  /** As written, variables not replaced. */
  readonly target: string
  readonly file: string
  readonly line: number
  /** Which round of a request that uses arrays, from 0. */
  readonly iteration: number
  readonly tags: readonly string[]
  /** `interrupted`: begun and not ended. */
  readonly outcome: RequestOutcome | 'skipped' | 'interrupted'
  /** Of a request that was skipped. */
  readonly skipReason?: SkipReason
  /** Where it was sent at last. */
  readonly url?: string
  readonly status?: number
  readonly reason?: string
  readonly startedAt?: number
  readonly durationMs: number
  readonly timing?: TimingRecord
  readonly bytesReceived?: number
  /** In their order: redirects and challenges that were answered come before the last one. */
  readonly exchanges: readonly ExchangeRecord[]
  /** Over a WebSocket. */
  readonly messages: readonly MessageRecord[]
  readonly retries: readonly RetryRecord[]
  readonly tests: readonly TestRecord[]
  /** Scripts that failed; a status of 400 or more where that was asked for. */
  readonly failures: readonly FailureRecord[]
  /** Why it was not sent or not answered. */
  readonly errors: readonly FailureRecord[]
  /** Names of the variables that got values of the response. */
  readonly captured: readonly string[]
  readonly logs: readonly string[]
}

export interface JobRecord {
  readonly job: ReportedJob
  readonly startedAt: number
  readonly durationMs: number
  /** Begun and not ended. */
  readonly isInterrupted: boolean
  /** In their order; read anew each time. */
  readonly requests: Iterable<RequestRecord>
  readonly requestCount: number
  /** Whether a request failed or was not answered. */
  readonly hasTrouble: boolean
  /** Outside of a request. */
  readonly errors: readonly FailureRecord[]
  readonly warnings: readonly FailureRecord[]
}

export interface RunRecord {
  /** `httpcli 2.0.0`. */
  readonly generator: string
  readonly hostname: string
  readonly startedAt: number
  readonly durationMs: number
  readonly isInterrupted: boolean
  /** What ended the run before its time. */
  readonly crash?: FailureRecord
  /** In their order; read anew each time. */
  readonly jobs: Iterable<JobRecord>
  readonly jobCount: number
  /** Whether a file was given more than once, so that two jobs have the same label. */
  readonly repeatsFiles: boolean
  /** Of the request that took longest. */
  readonly slowestMs: number
  readonly counts: RecordCounts
}

export interface RecordCounts {
  readonly requests: number
  readonly passed: number
  readonly failed: number
  readonly errors: number
  readonly skipped: number
  readonly tests: number
  readonly testsFailed: number
  readonly retries: number
}

/** Whether there is something to be repaired. */
export function isTroubled({ outcome }: RequestRecord): boolean {
  return outcome === 'failed' || outcome === 'error' || outcome === 'interrupted'
}

/** `api.http`, and which pass and row where there are several. */
export function jobLabel({ path, pass, row }: ReportedJob): string {
  const details = [
    ...(pass === undefined ? [] : [`pass ${pass.number} of ${pass.of}`]),
    ...(row === undefined ? [] : [`row ${row.number} of ${row.of}`]),
  ]
  return details.length === 0 ? path : `${path} (${details.join(', ')})`
}

/** Its name, or method and target; which round where there are several. */
export function requestLabel(request: Pick<RequestRecord, 'name' | 'method' | 'target' | 'iteration'>): string {
  const { name, method, target, iteration } = request
  return `${name === '' ? `${method} ${target}` : name}${iteration === 0 ? '' : ` (round ${iteration + 1})`}`
}
