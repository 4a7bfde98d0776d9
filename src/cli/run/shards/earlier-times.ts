/**
 * The durations of the jobs and requests of a run, from an earlier report.
 *
 * Rules: a job is found by its file, pass and row; otherwise its time is the mean of the jobs of its file. A request is
 * found by its name, or by method and target, so that it may move within its file; its time includes all rounds. Times
 * are whole microseconds.
 */
import { loadReportReading, type ReportedJob } from '../../../report/index.ts'
import type { RequestLabel } from '../../../runner/index.ts'
import { readReportFile } from './report-input.ts'

/** Undefined if the report does not have it. */
export interface EarlierTimes {
  jobTime(job: ReportedJob): number | undefined
  requestTime(job: ReportedJob, request: RequestLabel): number | undefined
  /** The time assumed for jobs that are not in the report. */
  readonly medianJobTime: number
  readonly medianRequestTime: number
}

/** @throws HttpcliError `unreadable-file`, `invalid-report` */
export async function readEarlierTimes(file: string, workingDirectory: string): Promise<EarlierTimes> {
  const { jobLabel, readReport, requestLabel } = await loadReportReading()
  const jobs = new Means()
  const files = new Means()
  const requests = new Means()
  let ofJob: { readonly label: string; readonly line: number; readonly time: number }[] = []
  await readReportFile(file, workingDirectory, (chunks) =>
    readReport(chunks, {
      request: (request) => {
        const label = requestLabel({ ...request, iteration: 0 })
        ofJob.push({ label, line: request.line, time: microseconds(request.durationMs) })
      },
      job: ({ job, durationMs }) => {
        const [label, time] = [jobLabel(job), microseconds(durationMs)]
        jobs.add(label, time)
        files.add(job.path, time)
        const rounds = new Map<string, { readonly key: string; readonly time: number }>()
        for (const request of ofJob) {
          const id = `${request.line} ${request.label}`
          const time = (rounds.get(id)?.time ?? 0) + request.time
          rounds.set(id, { key: `${label}\0${request.label}`, time })
        }
        for (const { key, time: sum } of rounds.values()) requests.add(key, sum)
        ofJob = []
      },
    }),
  )
  return {
    jobTime: (job) => jobs.of(jobLabel(job)) ?? files.of(job.path),
    requestTime: (job, request) => requests.of(`${jobLabel(job)}\0${requestLabel({ ...request, iteration: 0 })}`),
    medianJobTime: jobs.median,
    medianRequestTime: requests.median,
  }
}

function microseconds(durationMs: number): number {
  return Math.round(durationMs * 1000)
}

class Means {
  readonly #sums: Map<string, { total: number; count: number }> = new Map()

  add(key: string, time: number): void {
    const sum = this.#sums.get(key) ?? { total: 0, count: 0 }
    sum.total += time
    sum.count++
    this.#sums.set(key, sum)
  }

  of(key: string): number | undefined {
    const sum = this.#sums.get(key)
    return sum && Math.round(sum.total / sum.count)
  }

  /** The median, or 1 without times, so that all jobs count the same. */
  get median(): number {
    const times = [...this.#sums.keys()].map((key) => this.of(key) as number).sort((a, b) => a - b)
    return times[Math.floor(times.length / 2)] ?? 1
  }
}
