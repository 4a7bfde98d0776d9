/**
 * The events of a run as JSON Lines, for `--json`.
 *
 * Rules: the fields are those of docs/reports.md; fields are only ever added. Every line has `type` and `time` (ISO
 * 8601, UTC); events of a job have `job`, events of a request have `request`, its number in the job. Times are
 * milliseconds. Texts are masked before they are escaped, so that each line stays JSON. A body is reported in pieces;
 * joined in order, they are the body.
 */
import type { RequestIdentity, RunEvent, RunResponseHead, RunSummary } from '../runner/index.ts'
import type { Mask } from '../secrets/index.ts'
import { maskedData } from '../secrets/index.ts'
import { shownRemote } from './record/exchange-record.ts'
import { failureRecord } from './record/failure-record.ts'
import { withThreeDecimals } from './record/json-number.ts'
import { traceOf } from './record/message-fields.ts'
import { headerPairs, type OctetFields, octetFields, octetText } from './record/octet-text.ts'
import { repairRecord } from './record/repair-record.ts'
import type { ReportedJob } from './record/run-record.ts'

export { OctetPieces } from './record/octet-text.ts'

export interface JsonEventOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly mask: Mask
}

type Fields = Readonly<Record<string, unknown>>

/** Creates the lines of a run. */
export class JsonEvents {
  readonly #options: JsonEventOptions

  constructor(options: JsonEventOptions) {
    this.#options = options
  }

  runStarted(generator: string, jobs: number): string {
    return this.#line({ type: 'run-started', generator, jobs })
  }

  /** @param failure the error that ended the run early */
  runFinished(summary: RunSummary, failure: unknown): string {
    const error = failure === undefined ? {} : { error: this.#failure(failure) }
    return this.#line({ type: 'run-finished', summary, ...error })
  }

  /** Empty for events that are reported in another form, such as bodies in pieces. */
  line(job: ReportedJob, event: RunEvent): string {
    const own = this.#fields(job, event)
    if (own === undefined) return ''
    const request = 'request' in event && event.request !== undefined ? { request: event.request.number } : {}
    return this.#line({ type: event.type, job: job.number, ...request, ...own }, job.path)
  }

  /** A piece of the body of a response, or of a request as it is sent. */
  piece(
    type: 'response-body' | 'request-octets',
    job: ReportedJob,
    request: RequestIdentity,
    piece: OctetFields,
  ): string {
    return this.#line({ type, job: job.number, request: request.number, ...piece })
  }

  /** The fields of an event other than its type, job and request; undefined if the event is not reported. */
  #fields(job: ReportedJob, event: RunEvent): Fields | undefined {
    switch (event.type) {
      case 'run-started': {
        const { path: file, environment, pass, row } = job
        return { type: 'job-started', file, environment, pass, row, requests: event.requests }
      }
      case 'run-finished':
        return { type: 'job-finished', summary: event.summary }
      case 'request-started':
        return identityFields(event.request)
      case 'request-skipped':
        return { ...identityFields(event.request), reason: event.reason }
      case 'request-sent':
      case 'request-unsent': {
        const { method, url, headers, cause } = event.sent
        const pairs = headerPairs(headers)
        return { method, url, headers: pairs, cause, ...traceOf(pairs) }
      }
      case 'request-octets':
        return undefined
      case 'response':
        return { ...headFields(event.response), remote: shownRemote(event.answer.remote) }
      case 'hop-finished': {
        const { response, remote, statistics } = event
        return { ...headFields(response), remote: shownRemote(remote), statistics }
      }
      case 'message': {
        const { direction, data } = event
        return { direction, ...(typeof data === 'string' ? { text: data } : octetFields(data)) }
      }
      case 'response-done': {
        const { statistics, repairs, trailers, excessBytes } = event
        return {
          statistics,
          ...(repairs.length === 0 ? {} : { repairs: repairs.map(repairRecord) }),
          ...(trailers.size === 0 ? {} : { trailers: headerPairs(trailers) }),
          ...(excessBytes === 0 ? {} : { excessBytes }),
        }
      }
      case 'test-failed': {
        const { kind, name, error, expected, actual } = event
        return { kind, name, error: this.#failure(error), expected, actual }
      }
      case 'warning':
      case 'script-failed':
      case 'error':
        return { error: this.#failure(event.error) }
      case 'request-retried': {
        const { attempt, of, reason, error } = event
        return { attempt, of, reason, ...(error === undefined ? {} : { error: this.#failure(error) }) }
      }
      default: {
        const { type: _, ...others } = event
        return { ...others, ...('request' in event ? { request: event.request.number } : {}) }
      }
    }
  }

  #failure(error: unknown): Fields {
    return { ...failureRecord(error, (text) => text) }
  }

  #line(fields: Fields, ownFile?: string): string {
    const { type, ...others } = fields
    const time = new Date(this.#options.now()).toISOString()
    return `${JSON.stringify({ type, time, ...maskedData(others, this.#options.mask, ownFile) }, withThreeDecimals)}\n`
  }
}

function headFields({ version, status, reason, headers }: RunResponseHead): Fields {
  return { version, status, reason: octetText(reason), headers: headerPairs(headers) }
}

function identityFields({ name, method, target, file, line, iteration, tags }: RequestIdentity): Fields {
  return { name, method, target, file, line, round: iteration + 1, tags }
}
