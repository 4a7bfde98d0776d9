/**
 * Collects the events of a run for reports.
 *
 * Rules: memory does not grow with the number of requests, which go to a store; only counts are kept. Times are stored
 * with the decimals of the JSON report, so that each format can be made from it later. Records are masked again when
 * they are read, so a report does not show values that became secret later either. Jobs may run concurrently; each has
 * its own listener. Jobs that are still running when the record is made count as interrupted. A failing store ends the
 * recording, not the run: making the record then throws.
 */
import type { RunEvent } from '../../runner/index.ts'
import type { Mask } from '../../secrets/index.ts'
import { maskedData } from '../../secrets/index.ts'
import { type MaskBytes, remaskedBody } from './body-record.ts'
import type { BodyRecord } from './exchange-record.ts'
import { failureRecord } from './failure-record.ts'
import { JobRecorder, type JobRecorderOptions, type StoredJob } from './job-recorder.ts'
import { withThreeDecimals } from './json-number.ts'
import { shortened } from './printable-text.ts'
import type { JobRecord, RecordStore, ReportedJob, RequestRecord, RunRecord, ShardRecord } from './run-record.ts'
import { RunTally } from './run-tally.ts'

export interface RecorderOptions extends Omit<JobRecorderOptions, 'keep'> {
  /** The generator of the report: `httpcli 2.0.0`. */
  readonly generator: string
  readonly hostname: string
  readonly store: RecordStore
  /** Undefined for the whole run. */
  readonly shard?: ShardRecord | undefined
}

export interface RunEnd {
  readonly isInterrupted: boolean
  /** The error that ended it early. */
  readonly failure?: unknown
}

/** The number of a job, and the place of its record in the store. */
export interface JobPlace {
  readonly number: number
  readonly place: number
}

export class RunRecorder {
  readonly #options: RecorderOptions
  readonly #startedAt: number
  readonly #tally: RunTally = new RunTally()
  readonly #running: Map<number, JobRecorder> = new Map()
  readonly #ended: JobPlace[] = []
  /** Why recording stopped. */
  #storeFailure: { readonly error: unknown } | undefined

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#startedAt = options.now()
  }

  /** Returns the listener for the events of the job, which starts now. */
  begin(job: ReportedJob): (event: RunEvent) => void {
    const { now, mask, maskBytes, bodyLimits } = this.#options
    this.#tally.addJob(job)
    const keep = (request: RequestRecord): number => this.#keep(request)
    const recorder = new JobRecorder(job, { now, mask, maskBytes, bodyLimits, keep })
    this.#running.set(job.number, recorder)
    return (event) => {
      if (this.#storeFailure !== undefined) return
      try {
        recorder.add(event)
        if (event.type === 'run-finished') this.#end(job.number, recorder)
      } catch (error) {
        if (!(error instanceof StoreFailure)) throw error
        this.#storeFailure = { error: error.cause }
      }
    }
  }

  /** @throws errors of the store */
  record({ isInterrupted, failure }: RunEnd): RunRecord {
    const { generator, hostname, shard, now, mask } = this.#options
    try {
      if (this.#storeFailure === undefined) for (const [number, recorder] of this.#running) this.#end(number, recorder)
    } catch (error) {
      throw error instanceof StoreFailure ? error.cause : error
    }
    if (this.#storeFailure !== undefined) throw this.#storeFailure.error
    const isCut = isInterrupted || failure !== undefined
    const places = this.#ended.toSorted((a, b) => a.number - b.number)
    const { repeatsFiles, slowestMs, counts } = this.#tally
    const head = {
      generator,
      hostname,
      ...(shard === undefined ? {} : { shard }),
      startedAt: this.#startedAt,
      durationMs: now() - this.#startedAt,
      isInterrupted: isCut,
      ...(failure === undefined ? {} : { crash: failureRecord(failure, (text) => shortened(mask(text))) }),
      ...{ jobCount: places.length, repeatsFiles, slowestMs, counts },
    }
    return { ...maskedData(head, mask), jobs: again(places, ({ place }) => this.#jobAt(place, isCut)) }
  }

  #keep(request: RequestRecord): number {
    this.#tally.addRequest(request)
    return this.#put(request)
  }

  #end(number: number, recorder: JobRecorder): void {
    this.#ended.push({ number, place: this.#put(recorder.end()) })
    this.#running.delete(number)
  }

  #put(value: RequestRecord | StoredJob): number {
    try {
      return this.#options.store.put(JSON.stringify(value, withThreeDecimals))
    } catch (error) {
      throw new StoreFailure(error)
    }
  }

  #jobAt(place: number, isCut: boolean): JobRecord {
    const { mask, maskBytes, store } = this.#options
    const { places, ...job } = JSON.parse(store.get(place)) as StoredJob
    const requests = again(places, (each) => {
      const request = JSON.parse(store.get(each)) as RequestRecord
      return maskedRequest(isCut ? withoutGuess(request) : request, job.job.path, mask, maskBytes)
    })
    return {
      ...maskedData(job, mask, job.job.path),
      // As `file` of a request, the name of a file that the user gave.
      job: { ...maskedData(job.job, mask), path: job.job.path },
      requests,
      requestCount: places.length,
    }
  }
}

/** Distinguishes a failing store from a defect of the recorder. */
class StoreFailure extends Error {
  constructor(cause: unknown) {
    super('the store failed', { cause })
  }
}

/** Masks values that became secret after the request was recorded. Base64 that a mask interrupts cannot be decoded. */
function maskedRequest(request: RequestRecord, jobFile: string, mask: Mask, maskBytes: MaskBytes): RequestRecord {
  const remasked = withBodies(request, (body) => remaskedBody(body, maskBytes))
  return withBodies(maskedData(remasked, mask, jobFile), ({ base64, ...body }) => {
    if (base64 === undefined) return body
    return base64.includes('*') ? { ...body, isTruncated: true } : { ...body, base64 }
  })
}

function withBodies(request: RequestRecord, change: (body: BodyRecord) => BodyRecord): RequestRecord {
  const changed = (body: BodyRecord | undefined) => (body === undefined ? {} : { body: change(body) })
  return {
    ...request,
    exchanges: request.exchanges.map(({ body, response, ...exchange }) => ({
      ...exchange,
      ...changed(body),
      ...(response === undefined ? {} : { response: { ...response, ...changed(response.body) } }),
    })),
    messages: request.messages.map((message) => ({ ...message, body: change(message.body) })),
  }
}

/** In an interrupted run, a request whose outcome is `error` but that has no error was also interrupted. */
function withoutGuess(request: RequestRecord): RequestRecord {
  return request.outcome === 'error' && request.errors.length === 0 ? { ...request, outcome: 'interrupted' } : request
}

/** A list whose items are created anew on each iteration. */
function again<Item, Result>(items: readonly Item[], make: (item: Item) => Result): Iterable<Result> {
  return {
    *[Symbol.iterator]() {
      for (const item of items) yield make(item)
    },
  }
}
