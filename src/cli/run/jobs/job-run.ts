/**
 * Runs the jobs of a run, sequentially or in parallel, with their output in order.
 *
 * Rules: a failing job does not stop the others, unless requested: in that case running jobs continue, and the rest are
 * reported as skipped. However the jobs end, their output is printed, and totals and reports are written.
 */
import type { ReportedJob } from '../../../report/index.ts'
import {
  type RequestChoice,
  RunCounts,
  type RunSummary,
  runHttpFile,
  type ValueSources,
} from '../../../runner/index.ts'
import { systemClock } from '../../../wire/index.ts'
import { type ExitCode, exitCodes } from '../../frame/exit-codes.ts'
import type { JobOutputs } from '../output/job-context.ts'
import type { RunOutput } from '../output/run-output.ts'
import type { JobTurns } from './job-turns.ts'
import { type Job, runJobs } from './jobs.ts'
import { type CommonOptions, variablesOf } from './run-preparation.ts'

export interface JobRunOptions {
  readonly common: CommonOptions
  /** The number of concurrent jobs. */
  readonly parallel: number
  readonly output: RunOutput
  readonly outputs: JobOutputs
  readonly interruption: AbortSignal
  /** Clock and random bytes of a job. */
  readonly sourcesOf: (job: ReportedJob) => ValueSources
  /** `--trace`: generates the `traceparent` of each request of a job. */
  readonly traceparentsOf?: ((jobNumber: number) => () => string) | undefined
}

export interface JobRunResult {
  readonly totals: RunTotals
  /** Errors that ended the run early, or prevented a report from being written. */
  readonly problems: unknown[]
  /** Whether some jobs did not run to their end. */
  readonly isCut: boolean
}

/** Never throws. */
export async function executeJobs(jobs: readonly Job[], options: JobRunOptions): Promise<JobRunResult> {
  const { parallel, output, outputs, interruption } = options
  const turns = parallel > 1 && jobs.length > 1 ? await openTurns(outputs) : undefined
  const totals = new RunTotals(systemClock)
  const isFirst = new Set(jobs.slice(0, parallel))
  const problems: unknown[] = []
  const finish = async (step: Promise<void> | undefined): Promise<void> => {
    await step?.catch((error: unknown) => problems.push(error))
  }
  await finish(
    runJobs(jobs, parallel, interruption, async (job, signal) => {
      const turn = turns?.begin()
      try {
        await executeJob(job, turn ?? outputs, signal, totals, { ...options, delaysFirst: !isFirst.has(job) })
      } finally {
        turn?.end()
      }
    }),
  )
  await finish(turns?.close())
  const [failure] = problems
  const ends = await output.end({ summary: totals.summary, ...(failure === undefined ? {} : { failure }) })
  // An output that has failed fails with the same error again.
  problems.push(...ends.filter((problem) => !problems.includes(problem)))
  return { totals, problems, isCut: failure !== undefined }
}

const everyRequest: RequestChoice = { names: [], lines: [], tags: [] }

async function openTurns(outputs: JobOutputs): Promise<JobTurns> {
  const turns = await import('./job-turns.ts')
  return new turns.JobTurns(outputs)
}

async function executeJob(
  { file, row, sections, reported }: Job,
  outputs: JobOutputs,
  signal: AbortSignal,
  totals: RunTotals,
  {
    common,
    delaysFirst,
    output,
    interruption,
    sourcesOf,
    traceparentsOf,
  }: JobRunOptions & { readonly delaysFirst: boolean },
): Promise<void> {
  const printed = output.job(reported, outputs)
  const summary = await runHttpFile(file.loaded, {
    ...common,
    sources: sourcesOf(reported),
    ...(traceparentsOf === undefined ? {} : { traceparent: traceparentsOf(reported.number) }),
    environment: file.environment,
    variables: variablesOf(common, row),
    wire: { ...common.wire, signal },
    listener: (event) => printed.listen(event),
    isSkipped: common.isFailFast === true && totals.hasFailures,
    delaysFirst,
    ...(sections === undefined ? {} : { choice: { ...(common.choice ?? everyRequest), sections } }),
  }).finally(() => printed.flush())
  // A job stopped because another failed does not count as interrupted.
  totals.add({ ...summary, isInterrupted: summary.isInterrupted && interruption.aborted })
}

/**
 * Adds up the results of all jobs, and decides the exit code.
 *
 * Rules: the time is the duration of the whole run, not the sum of its jobs. An interruption takes precedence, then
 * requests that were not sent or answered, then tests. A run with skipped requests never ends with 0, because something
 * must have failed before they were skipped.
 */
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
