/**
 * A run as one JSON document.
 *
 * Rules: the fields are those of docs/reports.md; fields are only ever added. Numbers are numbers, times are
 * milliseconds with at most three decimals, dates are ISO 8601 in UTC. Unknown values are omitted.
 */
import { moment, withThreeDecimals } from './record/json-number.ts'
import { FORMAT_VERSION, type JobRecord, type RequestRecord, type RunRecord } from './record/run-record.ts'

export function* jsonReport(record: RunRecord): Generator<string> {
  const { generator, hostname, shard, startedAt, durationMs, isInterrupted, crash, counts, jobs } = record
  const head = {
    version: FORMAT_VERSION,
    generator,
    hostname,
    shard,
    startedAt: moment(startedAt),
    durationMs,
    isInterrupted,
    crash,
    counts,
  }
  yield `${opened(head)},\n  "jobs": [`
  let separator = ''
  for (const job of jobs) {
    yield `${separator}\n    `
    yield* jobPieces(job)
    separator = ','
  }
  yield `${separator === '' ? '' : '\n  '}]\n}\n`
}

/** Written request by request: a job may have thousands. */
function* jobPieces({
  job,
  startedAt,
  durationMs,
  isInterrupted,
  requests,
  errors,
  warnings,
}: JobRecord): Generator<string> {
  const { number, path, environment, pass, row } = job
  const head = {
    number,
    file: path,
    environment,
    pass,
    row,
    startedAt: moment(startedAt),
    durationMs,
    isInterrupted,
    errors,
    warnings,
  }
  yield `${indented(opened(head), 4)},\n      "requests": [`
  let separator = ''
  for (const request of requests) {
    const text = JSON.stringify(requestFields(request), withThreeDecimals, 2)
    yield `${separator}\n        ${indented(text, 8)}`
    separator = ','
  }
  yield `${separator === '' ? '' : '\n      '}]\n    }`
}

/** An object without its closing brace, so that another field may follow. */
function opened(fields: object): string {
  return JSON.stringify(fields, withThreeDecimals, 2).replace(/\n\}$/, '')
}

/** Indented for a place inside another value: its first line continues the current one. */
function indented(text: string, columns: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(columns)}`)
}

function requestFields(request: RequestRecord): unknown {
  const { number, name, method, target, file, line, iteration, startedAt, exchanges, messages, ...others } = request
  const identity = { number, name, method, target, file, line, round: iteration + 1 }
  return {
    ...identity,
    startedAt: startedAt === undefined ? undefined : moment(startedAt),
    ...others,
    exchanges: exchanges.map((exchange) => ({ ...exchange, startedAt: moment(exchange.startedAt) })),
    messages:
      messages.length === 0 ? undefined : messages.map(({ time, ...each }) => ({ time: moment(time), ...each })),
  }
}
