/**
 * The shape of a JSON report, as described by docs/schemas/run-report.schema.json: checks every member that the other
 * formats need.
 */
import {
  anyOf,
  count,
  duration,
  flag,
  list,
  matching,
  moment,
  object,
  oneOf,
  position,
  type Shape,
  text,
} from './shape.ts'

const numberOf = object({ number: position, of: position })

const failureFields = {
  ...{ hint: text, file: text, line: position, column: position, excerpt: text },
}

const failure = object({ code: text, message: text }, failureFields)

const test = object(
  { name: text, kind: oneOf('test', 'assertion') },
  { failure: object({ code: text, message: text }, { ...failureFields, expected: text, actual: text }) },
)

const timing = object({
  ...{ queueMs: duration, dnsMs: duration, connectMs: duration, tlsMs: duration },
  ...{ sendMs: duration, firstByteMs: duration, totalMs: duration },
})

const body = object(
  { mediaType: text, isTruncated: flag },
  {
    ...{ sizeBytes: count, text, base64: text },
  },
)

const cookie = object(
  { name: text, value: text },
  { path: text, domain: text, expires: moment, httpOnly: flag, secure: flag },
)

const fields = list(
  matching('a list of two strings', (value) => {
    return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string')
  }),
)

const response = object(
  { version: text, status: count, reason: text, headers: fields, cookies: list(cookie) },
  {
    body,
    trailers: fields,
    repairs: list(object({ code: text, line: position, message: text }, { rule: text })),
    excessBytes: count,
  },
)

const exchange = object(
  { startedAt: moment, method: text, url: text, headers: fields, cookies: list(cookie) },
  {
    cause: oneOf('redirect', 'challenge'),
    isUnsent: matching('true', (value) => value === true),
    body,
    trace: object({ traceId: text, spanId: text }),
    remote: anyOf(object({ address: text, port: position }), object({ path: text })),
    response,
    timing,
    bytesSent: count,
    bytesReceived: count,
  },
)

export const requestShape: Shape = object(
  {
    ...{ number: position, name: text, method: text, target: text, file: text, line: position, round: position },
    tags: list(text),
    outcome: oneOf('passed', 'failed', 'error', 'skipped', 'interrupted'),
    durationMs: duration,
    retries: list(object({ attempt: position, reason: text })),
    tests: list(test),
    failures: list(failure),
    errors: list(failure),
    captured: list(text),
    logs: list(text),
    exchanges: list(exchange),
  },
  {
    startedAt: moment,
    skipReason: oneOf('bail', 'interrupted'),
    ...{ url: text, status: count, reason: text, timing, bytesReceived: count },
    messages: list(object({ time: moment, direction: oneOf('sent', 'received'), body })),
  },
)

/** The placeholder that report-cutter.ts leaves for a text it cuts out. */
const cutOut = list(matching('an object', (value) => value === 0))

export const jobShape: Shape = object(
  {
    ...{ number: position, file: text, startedAt: moment, durationMs: duration, isInterrupted: flag },
    errors: list(failure),
    warnings: list(failure),
    requests: cutOut,
  },
  { environment: text, pass: numberOf, row: numberOf },
)

export const reportShape: Shape = object(
  {
    ...{ version: position, generator: text, hostname: text, startedAt: moment, durationMs: duration },
    isInterrupted: flag,
    counts: object({
      ...{ requests: count, passed: count, failed: count, errors: count, skipped: count },
      ...{ tests: count, testsFailed: count, retries: count },
    }),
    jobs: cutOut,
  },
  { crash: failure, shard: object({ number: position, of: position, run: text, jobs: count }) },
)
