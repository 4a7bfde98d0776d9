/**
 * Merges the reports of all shards into one run, as if one machine had executed it.
 *
 * Rules: jobs have the numbers and the order of the whole run. The requests of a file that was divided are in the order
 * of its lines, and renumbered. A warning that a run reports once is also reported once here. Shards that could not
 * start report the same errors, which come after all jobs, each once. Only the places of the jobs are in memory.
 */
import type { RunErrorCode } from '../../runner/index.ts'
import type { FailureRecord, JobRecord, RecordCounts, RequestRecord, RunRecord } from '../record/run-record.ts'
import type { JobPlace } from '../record/run-recorder.ts'
import { RunTally } from '../record/run-tally.ts'
import type { ReadJob } from './report-reader.ts'
import { type StoredReport, storedJob, storedRequest } from './stored-report.ts'

/** A part of a job, in one of the reports. */
interface PlacedPart {
  readonly report: StoredReport
  readonly part: JobPlace
}

/** The parts of one job. */
type Parts = readonly [PlacedPart, ...PlacedPart[]]

/** Codes of warnings that a run reports once, however many of its files they concern. */
const reportedOnce: ReadonlySet<string> = new Set<RunErrorCode>(['untrusted-file', 'unverified'])

/** @param reports at least one: all shards of one run, or one report of a whole run */
export function mergedRun(reports: readonly StoredReport[]): RunRecord {
  const jobs = [...startedJobs(reports), ...failedStarts(reports)]
  const heads = reports.map(({ head }) => head)
  const startedAt = Math.min(...heads.map((head) => head.startedAt))
  const crash = heads.find((head) => head.crash !== undefined)?.crash
  return {
    generator: heads[0]?.generator ?? '',
    hostname: [...new Set(heads.map(({ hostname }) => hostname))].join(', '),
    startedAt,
    durationMs: Math.max(...heads.map((head) => head.startedAt + head.durationMs)) - startedAt,
    isInterrupted: heads.some(({ isInterrupted }) => isInterrupted),
    ...(crash === undefined ? {} : { crash }),
    jobs: {
      *[Symbol.iterator]() {
        const ids = new Set<string>()
        for (const [index, parts] of jobs.entries()) yield mergedJob(parts, index + 1, ids)
      },
    },
    jobCount: jobs.length,
    repeatsFiles: repeatsFiles(jobs),
    slowestMs: Math.max(...reports.map(({ tally }) => tally.slowestMs)),
    counts: reports.map(({ tally }) => tally.counts).reduce(sumOf),
  }
}

/** In the order of their numbers. */
function startedJobs(reports: readonly StoredReport[]): readonly Parts[] {
  const jobs = new Map<number, [PlacedPart, ...PlacedPart[]]>()
  for (const report of reports.filter(hasStarted)) {
    for (const part of report.parts) {
      const placed = { report, part }
      const known = jobs.get(part.number)
      if (known === undefined) jobs.set(part.number, [placed])
      else known.push(placed)
    }
  }
  return [...jobs].sort(([a], [b]) => a - b).map(([, parts]) => parts)
}

function failedStarts(reports: readonly StoredReport[]): readonly Parts[] {
  const seen = new Set<string>()
  return reports
    .filter((report) => !hasStarted(report))
    .flatMap((report) => report.parts.map((part): Parts => [{ report, part }]))
    .filter(([{ report, part }]) => {
      const { job, errors } = storedJob(report, part)
      const key = JSON.stringify([job.path, errors])
      return seen.size < seen.add(key).size
    })
}

/** If files have errors, nothing is sent, and the jobs of the report are the files with errors. */
function hasStarted({ head }: StoredReport): boolean {
  return head.shard?.jobs !== 0
}

function repeatsFiles(jobs: readonly Parts[]): boolean {
  const tally = new RunTally()
  for (const [{ report, part }] of jobs) tally.addJob(storedJob(report, part).job)
  return tally.repeatsFiles
}

function sumOf(one: RecordCounts, other: RecordCounts): RecordCounts {
  const names = Object.keys(one) as (keyof RecordCounts)[]
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as RecordCounts
}

/** @param ids warnings of earlier jobs that a run reports once; receives those of this job */
function mergedJob(parts: Parts, number: number, ids: Set<string>): JobRecord {
  const stored = parts.map(({ report, part }) => storedJob(report, part))
  const warnings = eachOnce(stored, 'warnings').filter(({ code, message }) => {
    return !reportedOnce.has(code) || ids.size < ids.add(`${code} ${message}`).size
  })
  return {
    job: { ...(stored[0] as ReadJob).job, number },
    startedAt: Math.min(...stored.map(({ startedAt }) => startedAt)),
    durationMs: stored.reduce((sum, { durationMs }) => sum + durationMs, 0),
    isInterrupted: stored.some(({ isInterrupted }) => isInterrupted),
    hasFailures: stored.some(({ hasFailures }) => hasFailures),
    errors: eachOnce(stored, 'errors'),
    warnings,
    requests: { [Symbol.iterator]: () => mergedRequests(parts) },
    requestCount: stored.reduce((sum, { places }) => sum + places.length, 0),
  }
}

/**
 * The failures of all parts in the order of their lines. Failures of the whole file occur in several parts, and come
 * first.
 */
function eachOnce(jobs: readonly ReadJob[], name: 'errors' | 'warnings'): readonly FailureRecord[] {
  const [first] = jobs
  if (first !== undefined && jobs.length === 1) return first[name]
  const texts = jobs.flatMap((job) => job[name].map((failure) => JSON.stringify(failure)))
  const failures = [...new Set(texts)].map((text) => JSON.parse(text) as FailureRecord)
  return failures.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

function* mergedRequests(parts: Parts): Generator<RequestRecord> {
  const lists = parts.map(({ report, part }) => requestsOf(report, part))
  if (lists.length === 1) return yield* lists[0] as Generator<RequestRecord>
  const next = lists.map((list) => list.next().value)
  for (let number = 1; ; number++) {
    const index = firstOf(next)
    if (index === -1) return
    yield { ...(next[index] as RequestRecord), number }
    next[index] = lists[index]?.next().value
  }
}

function* requestsOf(report: StoredReport, part: JobPlace): Generator<RequestRecord, undefined> {
  for (const place of storedJob(report, part).places) yield storedRequest(report, place)
}

/** The index of the part whose next request is first in the file; -1 if none is left. */
function firstOf(requests: readonly (RequestRecord | undefined)[]): number {
  return requests.reduce((first, request, index) => {
    if (request === undefined) return first
    const best = requests[first]
    if (best === undefined) return index
    const isBefore = request.line < best.line || (request.line === best.line && request.iteration < best.iteration)
    return isBefore ? index : first
  }, -1)
}
