/**
 * Collects the events of one job for reports.
 *
 * Rules: only the current request is in memory: it goes to the store when the next one starts. Each text is masked
 * before it is shortened, since half a secret would not be found later. The name of the job's file is kept as it is,
 * because programs open the file by it.
 */
import type { RequestIdentity, RunEvent } from '../../runner/index.ts'
import { ExchangeRecorder, type ExchangeRecorderOptions } from './exchange-recorder.ts'
import { failureRecord } from './failure-record.ts'
import { shortened, wellFormed } from './printable-text.ts'
import {
  errorStatus,
  type FailureRecord,
  isUnsuccessful,
  type JobRecord,
  type ReportErrorCode,
  type ReportedJob,
  type RequestRecord,
  type TestRecord,
} from './run-record.ts'

export interface JobRecorderOptions extends Pick<ExchangeRecorderOptions, 'now' | 'mask' | 'maskBytes'> {
  readonly bodyLimits: BodyLimits
  /** Called with each request when it is complete. @returns its place in the store */
  readonly keep: (request: RequestRecord) => number
}

/** The maximum number of bytes to keep of each body. */
export interface BodyLimits {
  readonly passedBytes: number
  /** For requests that did not pass. */
  readonly failedBytes: number
}

/** A job as it is stored: with the places of its requests. */
export interface StoredJob extends Omit<JobRecord, 'requests' | 'requestCount'> {
  readonly places: readonly number[]
}

/** The maximum number of log lines for a request: a script in a loop must not fill the memory. */
const MAX_LOGS = 100

type Mutable<Type> = {
  -readonly [Name in keyof Type]: Type[Name] extends readonly (infer Item)[] ? Item[] : Type[Name]
}

export class JobRecorder {
  readonly #job: ReportedJob
  readonly #options: JobRecorderOptions
  readonly #startedAt: number
  #durationMs: number | undefined
  readonly #places: number[] = []
  #request: Mutable<RequestRecord> | undefined
  #exchanges: ExchangeRecorder
  #hasFailures = false
  readonly #errors: FailureRecord[] = []
  readonly #warnings: FailureRecord[] = []

  constructor(job: ReportedJob, options: JobRecorderOptions) {
    this.#job = job
    this.#options = options
    this.#startedAt = options.now()
    this.#exchanges = this.#openExchanges()
  }

  add(event: RunEvent): void {
    switch (event.type) {
      case 'request-started':
        this.#endRequest()
        this.#request = { ...this.#started(event.request), startedAt: this.#options.now() }
        return
      case 'request-skipped':
        this.#endRequest()
        this.#request = { ...this.#started(event.request), outcome: 'skipped', skipReason: event.reason }
        return
      case 'warning':
        this.#warnings.push(this.#failure(event.error))
        return
      case 'run-finished':
        this.#durationMs = this.#options.now() - this.#startedAt
        return
      case 'error':
        if (event.request === undefined) this.#errors.push(this.#failure(event.error))
        else this.#current(event.request).errors.push(this.#failure(event.error))
        return
      default:
        if ('request' in event) this.#addTo(this.#current(event.request), event)
    }
  }

  /** Completes the record. A job that has not finished was interrupted. */
  end(): StoredJob {
    this.#endRequest()
    return {
      job: this.#job,
      startedAt: this.#startedAt,
      durationMs: this.#durationMs ?? this.#options.now() - this.#startedAt,
      isInterrupted: this.#durationMs === undefined,
      errors: this.#errors,
      warnings: this.#warnings,
      hasFailures: this.#hasFailures,
      places: this.#places,
    }
  }

  #endRequest(): void {
    if (this.#request === undefined) return
    const isBad = isUnsuccessful(this.#request)
    const { passedBytes, failedBytes } = this.#options.bodyLimits
    const limitBytes = isBad ? failedBytes : passedBytes
    const exchanges = this.#exchanges.exchanges(limitBytes)
    const messages = this.#exchanges.messages(limitBytes)
    this.#hasFailures ||= isBad
    this.#places.push(this.#options.keep({ ...this.#request, exchanges, messages }))
    this.#request = undefined
    this.#exchanges = this.#openExchanges()
  }

  #openExchanges(): ExchangeRecorder {
    const { now, mask, maskBytes, bodyLimits } = this.#options
    const maxBodyBytes = Math.max(bodyLimits.passedBytes, bodyLimits.failedBytes)
    return new ExchangeRecorder({ now, mask, maskBytes, maxBodyBytes, text: (text) => this.#text(text) })
  }

  #addTo(request: Mutable<RequestRecord>, event: RunEvent): void {
    this.#exchanges.add(event)
    switch (event.type) {
      case 'request-sent':
      case 'request-unsent':
        request.url = this.#text(event.sent.url)
        return
      case 'response':
        request.status = event.response.status
        request.reason = this.#text(event.response.reason)
        return
      case 'response-done': {
        const { bytesReceived, bytesSent: _, ...timing } = event.statistics
        request.timing = timing
        request.bytesReceived = bytesReceived
        return
      }
      case 'script-log':
        if (request.logs.length < MAX_LOGS) request.logs.push(this.#text(event.text))
        else if (request.logs.length === MAX_LOGS) request.logs.push('more lines are left out')
        return
      case 'test-passed':
        request.tests.push({ name: this.#text(event.name), kind: event.kind })
        return
      case 'test-failed':
        request.tests.push(this.#failedTest(event))
        return
      case 'script-failed':
        request.failures.push(this.#failure(event.error))
        return
      case 'captured':
        request.captured.push(this.#text(event.name))
        return
      case 'request-retried':
        request.retries.push({ attempt: event.attempt, reason: this.#text(event.reason) })
        return
      case 'request-finished':
        request.durationMs = event.durationMs
        request.outcome = event.outcome
        if (event.outcome === 'failed' && !isExplained(request)) request.failures.push(badStatus(request))
        return
    }
  }

  #failedTest(event: Extract<RunEvent, { readonly type: 'test-failed' }>): TestRecord {
    const { name, kind, error, expected, actual } = event
    return {
      name: this.#text(name),
      kind,
      failure: {
        ...this.#failure(error),
        ...(expected === undefined ? {} : { expected: this.#text(expected) }),
        ...(actual === undefined ? {} : { actual: this.#text(actual) }),
      },
    }
  }

  #started(identity: RequestIdentity): Mutable<RequestRecord> {
    const { number, name, method, target, file, line, iteration, tags } = identity
    return {
      number,
      name: this.#text(name),
      method: this.#text(method),
      target: this.#text(target),
      file: file === this.#job.path ? wellFormed(file) : this.#text(file),
      line,
      iteration,
      tags: tags.map((tag) => this.#text(tag)),
      outcome: 'interrupted',
      durationMs: 0,
      exchanges: [],
      messages: [],
      retries: [],
      tests: [],
      failures: [],
      errors: [],
      captured: [],
      logs: [],
    }
  }

  /** Jobs run their requests one after another. */
  #current({ number, iteration }: RequestIdentity): Mutable<RequestRecord> {
    const request = this.#request
    if (request?.number !== number || request.iteration !== iteration) {
      throw new Error(`request ${number} is not in progress`)
    }
    return request
  }

  #failure(error: unknown): FailureRecord {
    return failureRecord(error, (text) => this.#text(text), this.#job.path)
  }

  #text(text: string): string {
    return wellFormed(shortened(this.#options.mask(text)))
  }
}

function isExplained({ tests, failures }: RequestRecord): boolean {
  return failures.length > 0 || tests.some(({ failure }) => failure !== undefined)
}

/** `--fail`: the status itself is the failure. */
function badStatus({ method, status, reason, file, line }: RequestRecord): FailureRecord {
  const shown = [status, reason].filter((part) => part !== undefined && part !== '').join(' ')
  const message = `the status is ${shown}, ${errorStatus({ method })}`
  return { code: 'bad-status' satisfies ReportErrorCode, message, file, line }
}
