/**
 * The jobs of a run: each is one pass over one file with its own variables, cookies and scripts.
 *
 * Rules: jobs are ordered by file, then by repetition, then by row. They start in this order, several at a time if
 * requested; the first job that cannot continue stops them all.
 */
import type { Section } from '../../../http-file/index.ts'
import type { ReportedJob } from '../../../report/index.ts'
import type { DataRow } from '../../../runner/index.ts'
import type { RunFile } from '../files/run-files.ts'

export interface Job {
  readonly file: RunFile
  /** Undefined without a data file. */
  readonly row: DataRow | undefined
  /** Defined if the file is divided: the sections whose requests are sent. */
  readonly sections?: ReadonlySet<Section>
  /** Its identity in reports. */
  readonly reported: ReportedJob
}

export function jobsOf(
  files: readonly RunFile[],
  repeat: number,
  rows: readonly DataRow[] | undefined,
): readonly Job[] {
  const jobs: Job[] = []
  for (const file of files) {
    for (let pass = 1; pass <= repeat; pass++) {
      for (const [index, row] of (rows ?? [undefined]).entries()) {
        const reported = {
          number: jobs.length + 1,
          path: file.loaded.source.path,
          environment: file.environment.name,
          ...(repeat === 1 ? {} : { pass: { number: pass, of: repeat } }),
          ...(rows === undefined ? {} : { row: { number: index + 1, of: rows.length } }),
        }
        jobs.push({ file, row, reported })
      }
    }
  }
  return jobs
}

const JOBS_IN_TURN = 100

/**
 * Lets signals be handled once in a while: jobs that never wait, such as those of a dry run, would all run in one turn
 * of the event loop.
 * @param index of the next job
 */
export async function handleSignals(index: number): Promise<void> {
  if (index % JOBS_IN_TURN === JOBS_IN_TURN - 1) await new Promise((resolve) => setImmediate(resolve))
}

/**
 * Runs jobs, `width` at a time.
 * @param interruption does not prevent jobs from starting: each job reports the requests that it skips
 * @param execute receives a signal that is aborted by the interruption, and when another job cannot continue
 * @throws the first error of a job, when all started jobs have ended
 */
export async function runJobs(
  jobs: readonly Job[],
  width: number,
  interruption: AbortSignal,
  execute: (job: Job, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const interrupt = (): void => stop.abort()
  const failures: unknown[] = []
  const waiting = jobs.entries()
  const lane = async (): Promise<void> => {
    for (const [index, job] of waiting) {
      if (failures.length > 0) return
      await handleSignals(index)
      try {
        await execute(job, stop.signal)
      } catch (error) {
        failures.push(error)
        stop.abort()
      }
    }
  }
  if (interruption.aborted) stop.abort()
  interruption.addEventListener('abort', interrupt, { once: true })
  await Promise.all(Array.from({ length: Math.min(width, jobs.length) }, lane))
  interruption.removeEventListener('abort', interrupt)
  if (failures.length > 0) throw failures[0]
}
