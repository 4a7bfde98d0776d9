/** A report whose requests and jobs are in a store, so that each format can read them again. */
import type { StoredJob } from '../record/job-recorder.ts'
import type { RecordStore, RequestRecord } from '../record/run-record.ts'
import type { JobPlace } from '../record/run-recorder.ts'
import { RunTally } from '../record/run-tally.ts'
import { type ReadJob, type ReportHead, readReport } from './report-reader.ts'

export interface StoredReport {
  /** The file, as the user wrote it. */
  readonly file: string
  readonly head: ReportHead
  /** In the order of their numbers. */
  readonly parts: readonly JobPlace[]
  readonly tally: RunTally
  readonly store: RecordStore
}

/** @throws errors of `readReport` and of the store */
export async function storeReport(
  file: string,
  chunks: AsyncIterable<Buffer>,
  store: RecordStore,
): Promise<StoredReport> {
  const parts: JobPlace[] = []
  const tally = new RunTally()
  let places: number[] = []
  const head = await readReport(chunks, {
    request: (request) => {
      tally.addRequest(request)
      places.push(store.put(JSON.stringify(request)))
    },
    job: (job) => {
      parts.push({ number: job.job.number, place: store.put(JSON.stringify({ ...job, places } satisfies StoredJob)) })
      places = []
    },
  })
  return { file, head, parts: parts.toSorted((a, b) => a.number - b.number), tally, store }
}

/** A job with the places of its requests. */
export function storedJob({ store }: StoredReport, { place }: JobPlace): ReadJob & Pick<StoredJob, 'places'> {
  return JSON.parse(store.get(place)) as StoredJob
}

export function storedRequest({ store }: StoredReport, place: number): RequestRecord {
  return JSON.parse(store.get(place)) as RequestRecord
}
