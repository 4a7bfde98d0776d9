/**
 * Counts the results of the requests of a run from its events.
 *
 * Rules: an event counts once, for the summary and for its request. A request that was not sent or answered is more
 * serious than a failed test. An answer that could not be processed does not count as an answer: each request sent is
 * either answered or failed.
 */
import type { RequestOutcome, RunEvent, RunSummary } from '../base/events.ts'

/** The number of each kind of result. */
export type RequestCounts = Omit<RunSummary, 'isInterrupted' | 'durationMs'>

type Counts = { -readonly [Name in keyof RequestCounts]: RequestCounts[Name] }

const counters: Partial<Record<RunEvent['type'], keyof Counts>> = {
  'request-started': 'requests',
  'response-done': 'answered',
  'test-passed': 'testsPassed',
  'test-failed': 'testsFailed',
  'script-failed': 'scriptsFailed',
  'request-retried': 'retries',
  'request-skipped': 'skipped',
}

/** Whether an event changes a count; that of a response depends on its status. */
export function isCounted({ type }: RunEvent): boolean {
  return type === 'response' || counters[type] !== undefined
}

/** The numbers of failures at a certain point. */
export interface FailureMark {
  readonly answered: number
  readonly errors: number
  readonly failures: number
}

export class RunCounts {
  readonly #counts: Counts = {
    requests: 0,
    answered: 0,
    failed: 0,
    blocked: 0,
    badStatuses: 0,
    testsPassed: 0,
    testsFailed: 0,
    scriptsFailed: 0,
    skipped: 0,
    retries: 0,
  }

  get counts(): RequestCounts {
    return this.#counts
  }

  add(event: RunEvent): void {
    const counter = counters[event.type]
    if (counter !== undefined) this.#counts[counter]++
  }

  /** Adds the counts of another run. */
  include(others: RequestCounts): void {
    for (const name of Object.keys(this.#counts) as (keyof Counts)[]) this.#counts[name] += others[name]
  }

  /** Counts failures that a single event does not report. */
  addFailure(kind: 'failed' | 'blocked' | 'badStatuses'): void {
    this.#counts[kind]++
  }

  get hasFailures(): boolean {
    const { errors, failures } = this.mark()
    return errors + failures > 0
  }

  mark(): FailureMark {
    const { answered, failed, blocked, badStatuses, testsFailed, scriptsFailed } = this.#counts
    return { answered, errors: failed, failures: blocked + badStatuses + testsFailed + scriptsFailed }
  }

  /**
   * The outcome of the request that began at the mark. @param isInterrupted whether the run was ended in the meantime
   */
  endRequest(mark: FailureMark, isInterrupted: boolean): RequestOutcome {
    const { answered, errors, failures } = this.mark()
    if (errors > mark.errors) {
      this.#counts.answered = mark.answered
      this.#counts.failed = mark.errors + 1
      return 'error'
    }
    if (failures > mark.failures) return 'failed'
    // An interruption is not an error, but it leaves a request without an answer.
    return isInterrupted && answered === mark.answered ? 'error' : 'passed'
  }
}
