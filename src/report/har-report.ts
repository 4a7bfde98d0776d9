/**
 * A run as an HTTP archive, version 1.2, in pieces of text.
 *
 * A page is a pass over a file, an entry is an exchange: redirects and answered challenges have separate entries. A
 * body is the recorded one, with a comment if it is truncated. Unknown values are -1 where the format allows it. Custom
 * fields begin with an underscore. HAR 1.2 specification (http://www.softwareishard.com/blog/har-12-spec/).
 */
import type {
  BodyRecord,
  ExchangeRecord,
  FieldPairs,
  MessageRecord,
  ResponseRecord,
  TimingRecord,
} from './record/exchange-record.ts'
import { moment, withThreeDecimals } from './record/json-number.ts'
import { valuesOf } from './record/message-fields.ts'
import { counted } from './record/printable-text.ts'
import { type JobRecord, jobLabel, type RequestRecord, type RunRecord, requestLabel } from './record/run-record.ts'

const UNKNOWN = -1

export function* harReport(record: RunRecord): Generator<string> {
  const [name = '', version = ''] = record.generator.split(' ')
  yield `{"log": {"version": "1.2",\n"creator": ${json({ name, version })},\n"pages": [`
  yield* list(record.jobs, (job) => json(page(job)))
  yield '],\n"entries": ['
  yield* list(entries(record), json)
  yield ']}}\n'
}

function* list<Item>(items: Iterable<Item>, text: (item: Item) => string): Generator<string> {
  let separator = '\n'
  for (const item of items) {
    yield separator + text(item)
    separator = ',\n'
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, withThreeDecimals)
}

function page({ job, startedAt, durationMs }: JobRecord): unknown {
  return {
    startedDateTime: moment(startedAt),
    id: pageId(job.number),
    title: jobLabel(job),
    pageTimings: { onContentLoad: UNKNOWN, onLoad: durationMs },
  }
}

function pageId(jobNumber: number): string {
  return `page_${jobNumber}`
}

function* entries({ jobs }: RunRecord): Generator<unknown> {
  for (const { job, requests } of jobs) {
    for (const request of requests) {
      for (const [index, exchange] of request.exchanges.entries()) {
        const isLast = index === request.exchanges.length - 1
        yield { pageref: pageId(job.number), ...entry(exchange), ...(isLast ? ending(request) : {}) }
      }
    }
  }
}

function entry(exchange: ExchangeRecord): object {
  const { startedAt, response, timing, remote } = exchange
  const timings = harTimings(timing)
  const { blocked, dns, connect, send, wait, receive } = timings
  const address = remote !== undefined && 'address' in remote ? remote : undefined
  return {
    startedDateTime: moment(startedAt),
    // TLS is part of `connect`.
    time: [blocked, dns, connect, send, wait, receive].reduce((sum, ms) => sum + Math.max(0, ms), 0),
    request: harRequest(exchange),
    response: response === undefined ? noResponse : harResponse(response, exchange),
    cache: {},
    timings,
    ...(address === undefined ? {} : { serverIPAddress: address.address, connection: String(address.port) }),
  }
}

/** Fields of the request as a whole. */
function ending(request: RequestRecord): object {
  const { file, line, errors, messages, outcome } = request
  const [error] = errors
  return {
    comment: `${requestLabel(request)} (${file}:${line}): ${outcome}`,
    ...(error === undefined ? {} : { _error: error.message }),
    ...(messages.length === 0 ? {} : messageFields(request)),
  }
}

/** Browsers have a format for WebSocket messages only. */
function messageFields({ method, messages }: RequestRecord): object {
  const shown = messages.map(harMessage)
  return method === 'GRPC'
    ? { _resourceType: 'grpc', _grpcMessages: shown }
    : { _resourceType: 'websocket', _webSocketMessages: shown }
}

function harRequest({ method, url, headers, cookies, body, response }: ExchangeRecord): object {
  return {
    method,
    url,
    httpVersion: response?.version ?? 'HTTP/1.1',
    cookies,
    headers: namedValues(headers),
    queryString: namedValues(queryPairs(url)),
    ...(body === undefined ? {} : { postData: { mimeType: body.mediaType, ...contentFields(body) } }),
    headersSize: UNKNOWN,
    bodySize: body?.sizeBytes ?? announcedBytes(headers),
  }
}

function announcedBytes(headers: FieldPairs): number {
  if (valuesOf(headers, 'transfer-encoding').length > 0) return UNKNOWN
  return Number(valuesOf(headers, 'content-length')[0] ?? 0)
}

const noResponse = {
  status: 0,
  statusText: '',
  httpVersion: '',
  cookies: [],
  headers: [],
  content: { size: 0, mimeType: 'x-unknown' },
  redirectURL: '',
  headersSize: UNKNOWN,
  bodySize: UNKNOWN,
}

function harResponse(
  { version, status, reason, headers, cookies, body }: ResponseRecord,
  exchange: ExchangeRecord,
): object {
  const [mediaType = 'x-unknown'] = valuesOf(headers, 'content-type')
  const isRedirect = status >= 300 && status < 400
  return {
    status,
    statusText: reason,
    httpVersion: version,
    cookies,
    headers: namedValues(headers),
    content: { size: body?.sizeBytes ?? 0, mimeType: mediaType, ...(body === undefined ? {} : contentFields(body)) },
    redirectURL: isRedirect ? (valuesOf(headers, 'location')[0] ?? '') : '',
    headersSize: UNKNOWN,
    bodySize: UNKNOWN,
    ...(exchange.bytesReceived === undefined ? {} : { _transferSize: exchange.bytesReceived }),
  }
}

function contentFields({ text, base64, sizeBytes, isTruncated }: BodyRecord): object {
  const keptBytes = text === undefined ? Buffer.byteLength(base64 ?? '', 'base64') : Buffer.byteLength(text)
  return {
    ...(text === undefined ? {} : { text }),
    ...(base64 === undefined ? {} : { text: base64, encoding: 'base64' }),
    ...(isTruncated
      ? {
          comment: `the first ${keptBytes} of ${sizeBytes === undefined ? 'an unknown number of bytes' : counted(sizeBytes, 'byte')}`,
        }
      : {}),
  }
}

interface HarTimings {
  readonly blocked: number
  readonly dns: number
  readonly connect: number
  readonly ssl: number
  readonly send: number
  readonly wait: number
  readonly receive: number
}

/** `send`, `wait` and `receive` have no value for unknown times. */
const noTimings: HarTimings = {
  blocked: UNKNOWN,
  dns: UNKNOWN,
  connect: UNKNOWN,
  ssl: UNKNOWN,
  send: 0,
  wait: 0,
  receive: 0,
}

function harTimings(timing: TimingRecord | undefined): HarTimings {
  if (timing === undefined) return noTimings
  const { queueMs, dnsMs, connectMs, tlsMs, sendMs, firstByteMs, totalMs } = timing
  return {
    blocked: queueMs,
    dns: known(dnsMs),
    connect: known(connectMs + tlsMs),
    ssl: known(tlsMs),
    send: sendMs,
    wait: Math.max(0, firstByteMs - sendMs),
    receive: Math.max(0, totalMs - firstByteMs),
  }
}

/** -1 for a step that did not occur because the connection was open already. */
function known(durationMs: number): number {
  return durationMs === 0 ? UNKNOWN : durationMs
}

/** As browsers write it: seconds, and the opcodes of RFC 6455 section 5.2. */
function harMessage({ direction, time, body }: MessageRecord): object {
  return {
    type: direction === 'sent' ? 'send' : 'receive',
    time: time / 1000,
    opcode: body.text === undefined ? 2 : 1,
    data: body.text ?? body.base64 ?? '',
  }
}

function queryPairs(url: string): FieldPairs {
  const question = url.indexOf('?')
  return question < 0 ? [] : [...new URLSearchParams(url.slice(question + 1))]
}

function namedValues(pairs: FieldPairs): readonly object[] {
  return pairs.map(([name, value]) => ({ name, value }))
}
