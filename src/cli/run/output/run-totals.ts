/**
 * Adds up the results of all jobs of a run, and decides the exit code.
 *
 * Rules: counts are added up; the time is the duration of the whole run, not the sum of its jobs. An interruption takes
 * precedence, then requests that were not sent or answered, then tests. A run with skipped requests never ends with 0,
 * because something must have failed before they were skipped.
 */
import { RunCounts, type RunSummary } from '../../../runner/index.ts'
import { type ExitCode, exitCodes } from '../../frame/exit-codes.ts'

export class RunTotals {
  readonly #elapsedMs: () => number
  readonly #startedMs: number
  readonly #counts: RunCounts = new RunCounts()
  #isInterrupted = false

  /** @param elapsedMs milliseconds of a monotonic clock */
  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs
    this.#startedMs = elapsedMs()
  }

  add(summary: RunSummary): void {
    this.#counts.include(summary)
    this.#isInterrupted ||= summary.isInterrupted
  }

  get summary(): RunSummary {
    const durationMs = this.#elapsedMs() - this.#startedMs
    return { ...this.#counts.counts, isInterrupted: this.#isInterrupted, durationMs }
  }

  get hasFailures(): boolean {
    return this.exitCode !== exitCodes.ok
  }

  get exitCode(): ExitCode {
    if (this.#isInterrupted) return exitCodes.interrupted
    if (this.#counts.counts.failed > 0) return exitCodes.io
    return this.#counts.hasFailures || this.#counts.counts.skipped > 0 ? exitCodes.failedTest : exitCodes.ok
  }
}
