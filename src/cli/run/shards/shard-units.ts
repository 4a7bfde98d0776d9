/**
 * The units of a run that its shards divide, with their weights.
 *
 * Rules: a unit is a job, or one request of a job whose file can be divided. A weight is a time of an earlier report, and
 * the median of its times for what it does not have. Without a report, it is the number of requests.
 */
import type { Section } from '../../../http-file/index.ts'
import { labelOf, type RequestBond } from '../../../runner/index.ts'
import type { RunFile } from '../files/run-files.ts'
import type { Job } from '../jobs/jobs.ts'
import type { PreparedRun } from '../jobs/run-preparation.ts'
import type { EarlierTimes } from './earlier-times.ts'

export interface Unit {
  readonly job: Job
  /** The section of its only request; undefined: the whole job. */
  readonly section: Section | undefined
  /** Those that are sent, without rounds. */
  readonly requestCount: number
  readonly weight: number
}

/** By file, why it is not divided; files that are divided have undefined. */
export type Bonds = ReadonlyMap<RunFile, RequestBond | undefined>

/** @param bonds undefined: no file is divided */
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
