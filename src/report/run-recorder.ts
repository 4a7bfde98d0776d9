/**
 * Collects the events of a run for reports.
 *
 * Rules: bodies are not looked at. Each text is masked before it is shortened, since half a secret is not found any
 * more, and once more when the record is made: what was learned to be a secret later is none of the report either.
 * Jobs may run side by side; each has a listener of its own. What has not ended when the record is made is interrupted.
 */
import type { RequestIdentity, RunEvent } from '../runner/index.ts'
import type { Mask } from './console-text.ts'
import { maskedData } from './data-masking.ts'
import { failureRecord } from './failure-record.ts'
import { shortened, wellFormed } from './printable-text.ts'
import type {
  FailureRecord,
  JobRecord,
  RecordCounts,
  ReportedJob,
  RequestRecord,
  RunRecord,
  TestRecord,
} from './run-record.ts'

export interface RecorderOptions {
  /** What made the report: `httpcli 2.0.0`. */
  readonly generator: string
  readonly hostname: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Puts stars in the place of secrets. */
  readonly mask: Mask
}

/** How a run ended. */
export interface RunEnd {
  readonly isInterrupted: boolean
  /** What ended it before its time. */
  readonly failure?: unknown
}

/** Lines of scripts that are kept of a request: a script in a loop must not fill the memory. */
const MAX_LOGS = 100

type Mutable<Type> = {
  -readonly [Name in keyof Type]: Type[Name] extends readonly (infer Item)[] ? Item[] : Type[Name]
}

export class RunRecorder {
  readonly #options: RecorderOptions
  readonly #startedAt: number
  readonly #jobs: JobRecorder[] = []

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#startedAt = options.now()
  }

  /** Gives the listener for the events of the job, which begins now. */
  begin(job: ReportedJob): (event: RunEvent) => void {
    const recorder = new JobRecorder(job, this.#options)
    this.#jobs.push(recorder)
    return (event) => recorder.add(event)
  }

  record({ isInterrupted, failure }: RunEnd): RunRecord {
    const { generator, hostname, now, mask } = this.#options
    const isCut = isInterrupted || failure !== undefined
    const jobs = this.#jobs.map((recorder) => recorder.record(isCut)).toSorted((a, b) => a.job.number - b.job.number)
    const record: RunRecord = {
      generator,
      hostname,
      startedAt: this.#startedAt,
      durationMs: now() - this.#startedAt,
      isInterrupted: isCut,
      ...(failure === undefined ? {} : { crash: failureRecord(failure, (text) => shortened(mask(text))) }),
      jobs,
      counts: countsOf(jobs),
    }
    return maskedData(record, mask)
  }
}

class JobRecorder {
  readonly #job: ReportedJob
  readonly #options: RecorderOptions
  readonly #startedAt: number
  #durationMs: number | undefined
  readonly #requests: Mutable<RequestRecord>[] = []
  readonly #errors: FailureRecord[] = []
  readonly #warnings: FailureRecord[] = []

  constructor(job: ReportedJob, options: RecorderOptions) {
    this.#job = job
    this.#options = options
    this.#startedAt = options.now()
  }

  add(event: RunEvent): void {
    switch (event.type) {
      case 'request-started':
        this.#requests.push({ ...this.#begun(event.request), startedAt: this.#options.now() })
        return
      case 'request-skipped':
        this.#requests.push({ ...this.#begun(event.request), outcome: 'skipped', skipReason: event.reason })
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

  /** @param isCut whether the run was ended from outside: a request in trouble without an error was not ended. */
  record(isCut: boolean): JobRecord {
    for (const request of this.#requests) {
      if (isCut && request.outcome === 'error' && request.errors.length === 0) request.outcome = 'interrupted'
    }
    return {
      job: this.#job,
      startedAt: this.#startedAt,
      durationMs: this.#durationMs ?? this.#options.now() - this.#startedAt,
      isInterrupted: this.#durationMs === undefined,
      requests: this.#requests,
      errors: this.#errors,
      warnings: this.#warnings,
    }
  }

  #addTo(request: Mutable<RequestRecord>, event: RunEvent): void {
    switch (event.type) {
      case 'request-sent':
        request.url = this.#text(event.sent.url)
        return
      case 'response':
        request.status = event.response.status
        request.reason = this.#text(event.response.reason)
        return
      case 'response-done': {
        const { dnsMs, connectMs, tlsMs, firstByteMs, totalMs, bytesReceived } = event.statistics
        request.timing = { dnsMs, connectMs, tlsMs, firstByteMs, totalMs }
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

  #begun(identity: RequestIdentity): Mutable<RequestRecord> {
    const { number, name, method, target, file, line, iteration, tags } = identity
    return {
      number,
      name: this.#text(name),
      method: this.#text(method),
      target: this.#text(target),
      file: this.#text(file),
      line,
      iteration,
      tags: tags.map((tag) => this.#text(tag)),
      outcome: 'interrupted',
      durationMs: 0,
      retries: [],
      tests: [],
      failures: [],
      errors: [],
      captured: [],
      logs: [],
    }
  }

  /** The one that began last: a job runs its requests one after the other. */
  #current({ number, iteration }: RequestIdentity): Mutable<RequestRecord> {
    const request = this.#requests.findLast((each) => each.number === number && each.iteration === iteration)
    if (request === undefined) throw new Error(`request ${number} was not begun`)
    return request
  }

  #failure(error: unknown): FailureRecord {
    return failureRecord(error, (text) => this.#text(text))
  }

  #text(text: string): string {
    return wellFormed(shortened(this.#options.mask(text)))
  }
}

function isExplained({ tests, failures }: RequestRecord): boolean {
  return failures.length > 0 || tests.some(({ failure }) => failure !== undefined)
}

/** `--fail`: the status itself is what failed. */
function badStatus({ status, reason, file, line }: RequestRecord): FailureRecord {
  const shown = [status, reason].filter((part) => part !== undefined && part !== '').join(' ')
  return { code: 'bad-status', message: `the status is ${shown}, 400 or more`, file, line }
}

function countsOf(jobs: readonly JobRecord[]): RecordCounts {
  const requests = jobs.flatMap((job) => job.requests)
  const withOutcome = (...outcomes: RequestRecord['outcome'][]): number =>
    requests.filter(({ outcome }) => outcomes.includes(outcome)).length
  const tests = requests.flatMap((request) => request.tests)
  return {
    requests: requests.length,
    passed: withOutcome('passed'),
    failed: withOutcome('failed'),
    errors: withOutcome('error', 'interrupted'),
    skipped: withOutcome('skipped'),
    tests: tests.length,
    testsFailed: tests.filter(({ failure }) => failure !== undefined).length,
    retries: requests.reduce((sum, { retries }) => sum + retries.length, 0),
  }
}
