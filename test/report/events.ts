/** For tests of reports: events of a run without a run. */

import { HeaderList, type HttpcliError } from '../../src/message/index.ts'
import type { BodyLimits, MaskBytes, RecordStore, ReportedJob, RunRecord } from '../../src/report/index.ts'
import { RunRecorder } from '../../src/report/record/run-recorder.ts'
import type { BodySample, RequestIdentity, RequestOutcome, RunEvent, RunSummary } from '../../src/runner/index.ts'
import { SomeError } from '../helpers/some-error.ts'

export const summary: RunSummary = {
  requests: 1,
  answered: 1,
  failed: 0,
  blocked: 0,
  badStatuses: 0,
  testsPassed: 0,
  testsFailed: 0,
  scriptsFailed: 0,
  skipped: 0,
  retries: 0,
  isInterrupted: false,
  durationMs: 12.3456,
}

export const statistics = {
  queueMs: 0,
  sendMs: 0.5,
  dnsMs: 1.23456,
  connectMs: 2,
  tlsMs: 3,
  firstByteMs: 4,
  totalMs: 10,
  bytesReceived: 1234,
  bytesSent: 56,
}

export function identity(changes: Partial<RequestIdentity> = {}): RequestIdentity {
  const base = {
    number: 1,
    name: '',
    method: 'GET',
    target: '{{host}}/x',
    file: 'a.http',
    line: 3,
    iteration: 0,
    tags: [],
  }
  return { ...base, ...changes }
}

export const assertionError: HttpcliError = new SomeError('test-failed', 'status 500\nnot 200', {
  where: { file: 'a.http', line: 7, column: 3 },
  excerpt: '  client.assert(x)\n  ^^^^^^^^^^^^^',
})

export const connectError: HttpcliError = new SomeError('connect-refused', 'h port 9: connection refused', {
  hint: 'check that the server is running',
})

/** The events of a request between its start and its end. */
export type Happening =
  | { readonly test: string; readonly error?: HttpcliError; readonly kind?: 'test' | 'assertion' }
  | { readonly error: unknown }
  | { readonly script: HttpcliError }
  | { readonly log: string }
  | { readonly retry: string }
  | { readonly status: number; readonly url?: string }

/** The events of a request that was executed. */
export function requestEvents(
  request: RequestIdentity,
  outcome: RequestOutcome,
  happenings: readonly Happening[] = [],
): readonly RunEvent[] {
  return [
    { type: 'request-started', request },
    ...happenings.flatMap((happening) => eventsOf(request, happening)),
    { type: 'request-finished', request, durationMs: 20.5, outcome },
  ]
}

function eventsOf(request: RequestIdentity, happening: Happening): readonly RunEvent[] {
  if ('test' in happening) {
    const { test: name, error, kind = 'test' } = happening
    return error === undefined
      ? [{ type: 'test-passed', request, kind, name }]
      : [{ type: 'test-failed', request, kind, name, error, expected: '200', actual: '500' }]
  }
  if ('error' in happening) return [{ type: 'error', request, error: happening.error }]
  if ('script' in happening) return [{ type: 'script-failed', request, error: happening.script }]
  if ('log' in happening) return [{ type: 'script-log', request, text: happening.log }]
  if ('retry' in happening) return [{ type: 'request-retried', request, attempt: 1, of: 3, reason: happening.retry }]
  return [...exchangeEvents(request, happening.status, happening.url ?? 'http://h/x')]
}

export function exchangeEvents(request: RequestIdentity, status: number, url: string): readonly RunEvent[] {
  const headers = HeaderList.of([
    ['Content-Length', '0'],
    ['X-A', 'b'],
  ])
  const response = { version: 'HTTP/1.1', status, reason: 'Some Reason', headers, repairs: [], body: undefined }
  const answer = {
    informational: [],
    remote: { host: 'h', address: '127.0.0.1', port: 80 },
    statistics: Promise.resolve(statistics),
    close: () => undefined,
  } as unknown as Extract<RunEvent, { type: 'response' }>['answer']
  return [
    { type: 'request-sent', request, sent: { method: 'GET', url, headers, cause: undefined } },
    { type: 'response', request, response, answer },
    { type: 'response-done', request, statistics, repairs: [], trailers: HeaderList.EMPTY, excessBytes: 0 },
  ]
}

/** A POST that is redirected, whose response has a body. */
export function redirectedEvents(
  request: RequestIdentity,
  { sentBody, received }: { readonly sentBody: string; readonly received: BodySample & { readonly mediaType: string } },
): readonly RunEvent[] {
  const sent = HeaderList.of([
    ['Content-Type', 'text/plain'],
    ['Content-Length', String(sentBody.length)],
    ['Cookie', 'theme=dark; sid=abc'],
    ['traceparent', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`],
  ])
  const moved = HeaderList.of([
    ['Location', '/y'],
    ['Set-Cookie', 'sid=abc; Path=/; Domain=h; HttpOnly; Expires=Sat, 21 Nov 2026 10:33:10 GMT'],
  ])
  const remote = { address: '127.0.0.1', port: 80, family: 4 } as const
  const [next, response, done] = exchangeEvents(request, 200, 'http://h/y?a=b%20c&d') as [RunEvent, RunEvent, RunEvent]
  const { response: head, answer } = response as Extract<RunEvent, { type: 'response' }>
  const headers = HeaderList.of([['Content-Type', received.mediaType]])
  return [
    { type: 'request-sent', request, sent: { method: 'POST', url: 'http://h/x', headers: sent, cause: undefined } },
    { type: 'request-octets', request, bytes: Buffer.from('POST /x HTTP/1.1\r\n\r\n') },
    { type: 'request-octets', request, bytes: Buffer.from(sentBody) },
    {
      type: 'hop-finished',
      request,
      response: { version: 'HTTP/1.1', status: 303, reason: 'See Other', headers: moved },
      remote,
      statistics,
    },
    {
      ...(next as Extract<RunEvent, { type: 'request-sent' }>),
      sent: { ...(next as Extract<RunEvent, { type: 'request-sent' }>).sent, cause: 'redirect' },
    },
    { type: 'request-octets', request, bytes: Buffer.from('GET /y HTTP/1.1\r\n\r\n') },
    { type: 'response', request, response: { ...head, headers }, answer: { ...answer, sample: received } },
    {
      ...(done as Extract<RunEvent, { type: 'response-done' }>),
      statistics: { ...statistics, dnsMs: 0, connectMs: 0, tlsMs: 0 },
    },
  ]
}

export interface RecordedJob {
  readonly job?: Partial<ReportedJob>
  readonly events: readonly RunEvent[]
  /** Whether it came to its end. Default true. */
  readonly isFinished?: boolean
}

/** 2026-11-21 10:33:10 UTC. */
export const startMs: number = Date.UTC(2026, 10, 21, 10, 33, 10)

/** A run of these jobs, as it is recorded. Each look at the clock finds it a millisecond later. */
export function recordOf(
  jobs: readonly RecordedJob[],
  {
    mask = (text: string) => text,
    isInterrupted = false,
    failure = undefined as unknown,
    store = listStore() as RecordStore,
    bodyLimits = { passedBytes: 1024, failedBytes: 8192 } as BodyLimits,
  } = {},
): RunRecord {
  let nowMs = startMs
  const maskBytes: MaskBytes = (bytes) => Buffer.from(mask(Buffer.from(bytes).toString('latin1')), 'latin1')
  const recorder = new RunRecorder({
    generator: 'httpcli 2.0.0',
    hostname: 'box',
    now: () => nowMs++,
    mask,
    maskBytes,
    bodyLimits,
    store,
  })
  for (const [index, { job, events, isFinished = true }] of jobs.entries()) {
    const listener = recorder.begin({ number: index + 1, path: 'a.http', environment: undefined, ...job })
    for (const event of events) listener(event)
    if (isFinished) listener({ type: 'run-finished', summary })
  }
  return recorder.record({ isInterrupted, failure })
}

/** A store in memory. */
export function listStore(): RecordStore {
  const texts: string[] = []
  return { put: (text) => texts.push(text) - 1, get: (place) => texts[place] as string }
}

/** A record with everything in it read. */
export function readRecordOf(...given: Parameters<typeof recordOf>) {
  const record = recordOf(...given)
  return { ...record, jobs: [...record.jobs].map((job) => ({ ...job, requests: [...job.requests] })) }
}
