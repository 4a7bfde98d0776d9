/**
 * What came of all jobs of a run, and the exit code that follows from it.
 *
 * Rules: counts are added up; the time is that of the whole run, not the sum of its jobs. An interruption is told before
 * anything else, what was not sent or answered before what a test says. What was skipped never ends with 0, because
 * something before it failed.
 */
import { RunCounts, type RunSummary } from '../../../runner/index.ts'
import { type ExitCode, exitCodes } from '../../frame/exit-codes.ts'

export class RunTotals {
  readonly #elapsedMs: () => number
  readonly #startedMs: number
  readonly #counts: RunCounts = new RunCounts()
  #isInterrupted = false

  /** @param elapsedMs milliseconds of a clock that only goes forward */
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

  get hasTrouble(): boolean {
    return this.exitCode !== exitCodes.ok
  }

  get exitCode(): ExitCode {
    if (this.#isInterrupted) return exitCodes.interrupted
    if (this.#counts.counts.failed > 0) return exitCodes.io
    return this.#counts.hasTrouble || this.#counts.counts.skipped > 0 ? exitCodes.failedTest : exitCodes.ok
  }
}
