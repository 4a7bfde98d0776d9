/**
 * The data of a finished run, from which reports are generated.
 *
 * Rules: no values of variables, and only the start of bodies; texts are masked, shortened and well-formed Unicode.
 * Times are milliseconds, dates are milliseconds since 1970 (UTC).
 */
import type { RequestIdentity, RequestOutcome, SkipReason } from '../../runner/index.ts'
import type { ExchangeRecord, MessageRecord, TimingRecord } from './exchange-record.ts'

/** The version of the JSON report: increased when the meaning of a field changes. */
export const FORMAT_VERSION = 1

/** One pass over one file. */
export interface ReportedJob {
  /** From 1. */
  readonly number: number
  /** The file as the user wrote it. */
  readonly path: string
  readonly environment: string | undefined
  /** The number of the repetition. */
  readonly pass?: { readonly number: number; readonly of: number }
  /** The row of the data file. */
  readonly row?: { readonly number: number; readonly of: number }
}

/** Codes of a record in addition to the error codes. The set is closed. */
export type ReportErrorCode = 'bad-status' | 'internal' | 'interrupted'

/** A failure, for people and for programs. */
export interface FailureRecord {
  /** The error code: `test-failed`, `connect-refused`, … */
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
  /** The line where it happened, and a line with a caret. */
  readonly excerpt?: string
  /** Set for a test that compares values. */
  readonly expected?: string
  readonly actual?: string
}

/** A test of a script or an assertion. */
export interface TestRecord {
  readonly name: string
  readonly kind: 'test' | 'assertion'
  /** Undefined if passed. */
  readonly failure?: FailureRecord
}

export interface RetryRecord {
  /** The attempt that failed, from 1. */
  readonly attempt: number
  readonly reason: string
}

/** Its number counts within its job. */
export interface RequestRecord extends RequestIdentity {
  /** `interrupted`: started but not finished. */
  readonly outcome: RequestOutcome | 'skipped' | 'interrupted'
  /** Why the request was skipped. */
  readonly skipReason?: SkipReason
  /** The last URL it was sent to. */
  readonly url?: string
  readonly status?: number
  readonly reason?: string
  readonly startedAt?: number
  readonly durationMs: number
  readonly timing?: TimingRecord
  readonly bytesReceived?: number
  /** In order: redirects and answered challenges precede the last one. */
  readonly exchanges: readonly ExchangeRecord[]
  /** Messages of a WebSocket or of a gRPC stream. */
  readonly messages: readonly MessageRecord[]
  readonly retries: readonly RetryRecord[]
  readonly tests: readonly TestRecord[]
  /** Scripts that failed; with `--fail` also a status of 400 or more. */
  readonly failures: readonly FailureRecord[]
  /** Why it was not sent or not answered. */
  readonly errors: readonly FailureRecord[]
  /** Names of the variables that received values from the response. */
  readonly captured: readonly string[]
  readonly logs: readonly string[]
}

export interface JobRecord {
  readonly job: ReportedJob
  readonly startedAt: number
  readonly durationMs: number
  /** Started but not finished. */
  readonly isInterrupted: boolean
  /** In order; read again on each iteration. */
  readonly requests: Iterable<RequestRecord>
  readonly requestCount: number
  /** Whether a request failed or was not answered. */
  readonly hasFailures: boolean
  /** Errors outside a request. */
  readonly errors: readonly FailureRecord[]
  readonly warnings: readonly FailureRecord[]
}

/** The part of a run that one machine executed: `--shard 2/8`. */
export interface ShardRecord {
  /** From 1. */
  readonly number: number
  readonly of: number
  /** Identifies the run: the same for all its shards, and different for other files, options or divisions. */
  readonly run: string
  /** The number of jobs of all shards; 0 if the run did not start. */
  readonly jobs: number
}

export interface RunRecord {
  /** `httpcli 2.0.0`. */
  readonly generator: string
  readonly hostname: string
  /** Undefined for the whole run. */
  readonly shard?: ShardRecord
  readonly startedAt: number
  readonly durationMs: number
  readonly isInterrupted: boolean
  /** The error that ended the run early. */
  readonly crash?: FailureRecord
  /** In order; read again on each iteration. */
  readonly jobs: Iterable<JobRecord>
  readonly jobCount: number
  /** Whether a file occurs more than once on the command line, so that two jobs have the same label. */
  readonly repeatsFiles: boolean
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

/** Whether it needs attention. */
export function isUnsuccessful({ outcome }: RequestRecord): boolean {
  return outcome === 'failed' || outcome === 'error' || outcome === 'interrupted'
}

/** `api.http`, with pass and row if there are several. */
export function jobLabel({ path, pass, row }: ReportedJob): string {
  const details = [
    ...(pass === undefined ? [] : [`pass ${pass.number} of ${pass.of}`]),
    ...(row === undefined ? [] : [`row ${row.number} of ${row.of}`]),
  ]
  return details.length === 0 ? path : `${path} (${details.join(', ')})`
}

/** The name of a request, or its method and target; from the second round on, with the number of the round. */
export function requestLabel(request: Pick<RequestRecord, 'name' | 'method' | 'target' | 'iteration'>): string {
  const { name, method, target, iteration } = request
  return `${name === '' ? `${method} ${target}` : name}${iteration === 0 ? '' : ` (round ${iteration + 1})`}`
}

/** The statuses that count as errors, in words. */
export function errorStatus({ method }: Pick<RequestRecord, 'method'>): string {
  return method === 'GRPC' ? 'not OK' : '400 or more'
}

/** Stores the records of a run until its reports are written. */
export interface RecordStore {
  /** Appends a record. @returns its place. @throws the error of the storage */
  put(text: string): number
  get(place: number): string
}
