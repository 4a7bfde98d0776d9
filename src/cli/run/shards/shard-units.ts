/**
 * The units of a run that its shards divide, with their weights.
 *
 * Rules: a unit is a job, or one request of a job whose file can be divided. Its weight is its time in an earlier
 * report, or the median of the report's times if the report does not have it. Without a report, it is the number of
 * requests.
 */
import type { Section } from '../../../http-file/index.ts'
import { labelOf, type RequestBond } from '../../../runner/index.ts'
import type { RunFile } from '../files/run-files.ts'
import type { Job } from '../jobs/jobs.ts'
import type { PreparedRun } from '../jobs/run-preparation.ts'
import type { EarlierTimes } from './earlier-times.ts'

export interface Unit {
  readonly job: Job
  /** The section of its only request; undefined for the whole job. */
  readonly section: Section | undefined
  /** The number of requests that are sent, not counting rounds. */
  readonly requestCount: number
  readonly weight: number
}

/** The reason why a file is not divided, by file; undefined for files that are divided. */
export type Bonds = ReadonlyMap<RunFile, RequestBond | undefined>

/** @param bonds undefined if no file is divided */
export function unitsOf(run: PreparedRun, bonds: Bonds | undefined, times: EarlierTimes | undefined): readonly Unit[] {
  return run.jobs.flatMap((job): readonly Unit[] => {
    const sections = chosenSections(job.file, run)
    const requestCount = run.requestsOf.get(job.file)?.length ?? sections.length
    if (bonds === undefined || bonds.get(job.file) !== undefined || sections.length < 2) {
      const time = times && (times.jobTime(job.reported) ?? times.medianJobTime)
      return [{ job, section: undefined, requestCount, weight: time ?? requestCount }]
    }
    return sections.map((section) => {
      const label = labelOf({ loaded: job.file.loaded, section })
      const time = times && (times.requestTime(job.reported, label) ?? times.medianRequestTime)
      return { job, section, requestCount: 1, weight: time ?? 1 }
    })
  })
}

/** The sections of a file whose requests are sent. */
function chosenSections(file: RunFile, { choice, requestsOf }: PreparedRun): readonly Section[] {
  const sections = file.loaded.file.sections.filter(({ request }) => request !== undefined)
  if (choice === undefined) return sections
  const lines = new Set(requestsOf.get(file)?.map(({ line }) => line))
  return sections.filter(({ request }) => lines.has(request?.line.span.line ?? 0))
}
