/**
 * Reads a JSON report back into the records of the run, request by request.
 *
 * Rules: the opposite of json-report.ts, without loss: fields that this version does not know are kept. A report is
 * read to its end before its version is judged, because jobs and requests of another version may have another shape.
 */
import {
  type FailureRecord,
  FORMAT_VERSION,
  isUnsuccessful,
  type JobRecord,
  type RequestRecord,
  type RunRecord,
} from '../record/run-record.ts'
import { ReportCutter, type ReportPiece } from './report-cutter.ts'
import { jobShape, reportShape, requestShape } from './report-shape.ts'
import type { Shape } from './shape.ts'

/** Why a text is not a usable report, in words that follow its name and a colon. */
export class UnreadableReport extends Error {}

/** The report's fields about the whole run. */
export type ReportHead = Pick<
  RunRecord,
  'generator' | 'hostname' | 'shard' | 'startedAt' | 'durationMs' | 'isInterrupted' | 'crash'
>

export type ReadJob = Omit<JobRecord, 'requests' | 'requestCount'>

export interface ReportListener {
  /** Called before the job that contains it. */
  request(request: RequestRecord): void
  job(job: ReadJob): void
}

/** @throws UnreadableReport; errors of the chunks and of the listener */
export async function readReport(chunks: AsyncIterable<Buffer>, listener: ReportListener): Promise<ReportHead> {
  const reader = new Reader(listener)
  const cutter = new ReportCutter()
  for await (const chunk of chunks) {
    // A device such as /dev/zero has no end.
    if (chunk.includes(0)) throw new UnreadableReport('it is not JSON')
    for (const piece of cutter.cut(chunk)) reader.read(piece)
  }
  return reader.end(cutter.end())
}

type Json = Readonly<Record<string, unknown>>

class Reader {
  readonly #listener: ReportListener
  /** The first problem in a job or a request. */
  #problem: UnreadableReport | undefined
  #jobCount = 0
  #requestCount = 0
  #hasFailures = false

  constructor(listener: ReportListener) {
    this.#listener = listener
  }

  read({ kind, text }: ReportPiece): void {
    if (this.#problem !== undefined) return
    try {
      if (kind === 'request') this.#readRequest(text)
      else this.#readJob(text)
    } catch (error) {
      // From writing it into a store again.
      if (error instanceof RangeError) this.#problem = unfit('it is nested too deeply')
      else if (error instanceof UnreadableReport) this.#problem = error
      else throw error
    }
  }

  /** @param piece undefined if the text ended too early */
  end(piece: ReportPiece | undefined): ReportHead {
    if (piece === undefined) throw new UnreadableReport('it is truncated: its last bracket is missing')
    const head = parsed(piece.text)
    const { version } = (head ?? {}) as Json
    if (Number.isSafeInteger(version) && version !== FORMAT_VERSION) {
      throw new UnreadableReport(`it has version ${version}, and this httpcli reads version ${FORMAT_VERSION}`)
    }
    const { generator, hostname, shard, startedAt, durationMs, isInterrupted, crash, jobs } = checked(
      head,
      reportShape,
      '',
    )
    if (this.#problem !== undefined) throw this.#problem
    checkLength(jobs, this.#jobCount, 'jobs')
    return {
      ...{ generator, hostname, startedAt: Date.parse(startedAt as string), durationMs, isInterrupted },
      ...(shard === undefined ? {} : { shard }),
      ...(crash === undefined ? {} : { crash }),
    } as ReportHead
  }

  #readRequest(text: string): void {
    const at = `jobs[${this.#jobCount}].requests[${this.#requestCount++}]`
    const request = requestRecord(checked(parsed(text), requestShape, at))
    this.#hasFailures ||= isUnsuccessful(request)
    this.#listener.request(request)
  }

  #readJob(text: string): void {
    const at = `jobs[${this.#jobCount++}]`
    const job = checked(parsed(text), jobShape, at)
    const { number, file, environment, pass, row, startedAt, durationMs, isInterrupted, errors, warnings } = job
    checkLength(job.requests, this.#requestCount, `${at}.requests`)
    this.#listener.job({
      job: {
        ...{ number, path: file, environment },
        ...(pass === undefined ? {} : { pass }),
        ...(row === undefined ? {} : { row }),
      } as ReadJob['job'],
      startedAt: Date.parse(startedAt as string),
      durationMs: durationMs as number,
      isInterrupted: isInterrupted as boolean,
      errors: errors as readonly FailureRecord[],
      warnings: warnings as readonly FailureRecord[],
      hasFailures: this.#hasFailures,
    })
    this.#hasFailures = false
    this.#requestCount = 0
  }
}

/** A list may have contained the placeholder of a text that was cut out. */
function checkLength(list: unknown, count: number, at: string): void {
  if ((list as readonly unknown[]).length !== count) throw unfit(`${at} has elements that are not objects`)
}

function unfit(what: string): UnreadableReport {
  return new UnreadableReport(`it is not a JSON report of httpcli run: ${what}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableReport(text.trim() === '' ? 'it is empty' : 'it is not JSON')
  }
}

function checked(value: unknown, shape: Shape, at: string): Json {
  const misfit = shape(value)
  if (misfit === undefined) return value as Json
  const place = `${at}${misfit.path}`.replace(/^\./, '')
  throw unfit(place === '' ? `expected ${misfit.expected}` : `${place} is not ${misfit.expected}`)
}

function requestRecord({ round, startedAt, exchanges, messages, ...others }: Json): RequestRecord {
  return {
    ...others,
    iteration: (round as number) - 1,
    ...(startedAt === undefined ? {} : { startedAt: Date.parse(startedAt as string) }),
    exchanges: (exchanges as readonly Json[]).map((each) => ({
      ...each,
      startedAt: Date.parse(each.startedAt as string),
    })),
    messages: ((messages ?? []) as readonly Json[]).map((each) => ({ ...each, time: Date.parse(each.time as string) })),
  } as unknown as RequestRecord
}
