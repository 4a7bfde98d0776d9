/**
 * Request, response and statistics as one JSON object, for --json.
 *
 * Rules: fields are only ever added. Header lists are arrays of [name, value] in order, as received; `head` is the head
 * byte for byte, `headBase64` if it is not UTF-8. Text that is not UTF-8 keeps one character for each byte. The body is
 * the decoded content: `body` if it is UTF-8 text, `bodyBase64` otherwise, `bodyFile` with -o; none of them if the
 * response has no body. Numbers of milliseconds have at most three decimals; a throughput that cannot be measured is
 * null.
 *
 *   { "redirects": [{ request, response, connection, tls }],
 *     "request": { method, url, version, headers, head },
 *     "response": { status, reason, version, headers, head, repairs, body | bodyBase64 | bodyFile, trailers },
 *     "connection": { ... }, "tls": { ... },
 *     "statistics": { queueMs, dnsMs, connectMs, tlsMs, firstByteMs, totalMs, bytesReceived, bytesSent,
 *                     throughputBytesPerSecond } }
 *
 * With --offline there is only the request. A response that ended early has the received part of its body, no trailers,
 * and "error": { code, message } beside it.
 */
import type { HttpcliError, HttpRequest, Repair } from '../../../message/index.ts'
import { headerPairs, octetText, repairRecord, utf8Text } from '../../../report/index.ts'
import { type Exchange, type Statistics, throughputBytesPerSecond } from '../../../wire/index.ts'

/** The content of a response: its bytes, or the file that contains them. */
export type ReportedBody = { readonly bytes: Uint8Array } | { readonly file: string } | undefined

type Fields = Readonly<Record<string, unknown>>

/** @param head as sent; undefined if nothing was sent. */
export function requestReport(request: HttpRequest, head?: Uint8Array): Fields {
  return {
    method: request.method,
    url: request.url?.href ?? request.target,
    version: request.version,
    headers: headerPairs(request.headers),
    ...(head === undefined ? {} : headField(head)),
  }
}

/** Status line and fields of a response, both parsed and as received. */
export function responseReport({
  response,
  receivedHeads,
  protocol,
}: Pick<Exchange, 'response' | 'receivedHeads' | 'protocol'>): Fields {
  const { status, reason, headers } = response
  const repairs: readonly Repair[] = response.repairs
  return {
    status,
    reason: octetText(reason),
    version: protocol,
    headers: headerPairs(headers),
    ...headField(receivedHeads.at(-1) as Uint8Array),
    ...(repairs.length === 0 ? {} : { repairs: repairs.map(repairRecord) }),
  }
}

function headField(head: Uint8Array): Fields {
  const text = utf8Text(head)
  return text === undefined ? { headBase64: Buffer.from(head).toString('base64') } : { head: text }
}

/** The content of a report, once the response has been read. */
export interface ReportedExchange {
  readonly exchange: Exchange
  /** As sent. */
  readonly requestHead: Uint8Array | undefined
  readonly body: ReportedBody
  /** Redirects, connection, TLS. */
  readonly way: Fields
  readonly statistics: Statistics
  /** The error that ended the response early. */
  readonly error: HttpcliError | undefined
}

export async function jsonReport(reported: ReportedExchange): Promise<string> {
  const { exchange, requestHead, body, way, statistics, error } = reported
  const { request, response } = exchange
  const { redirects, ...connection } = way
  const trailers = response.body === undefined || error !== undefined ? undefined : await response.body.trailers
  return jsonLine({
    ...(redirects === undefined ? {} : { redirects }),
    request: requestReport(request, requestHead),
    response: {
      ...responseReport(exchange),
      ...bodyFields(body),
      ...(trailers === undefined || trailers.size === 0 ? {} : { trailers: headerPairs(trailers) }),
    },
    ...connection,
    statistics: statisticsReport(statistics),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
  })
}

export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

function statisticsReport(statistics: Statistics): Readonly<Record<string, number | null>> {
  const rounded = Object.entries(statistics).map(([name, value]) => [name, Math.round(Number(value) * 1000) / 1000])
  return { ...Object.fromEntries(rounded), throughputBytesPerSecond: throughputBytesPerSecond(statistics) ?? null }
}

function bodyFields(body: ReportedBody): Readonly<Record<string, string>> {
  if (body === undefined) return {}
  if ('file' in body) return { bodyFile: body.file }
  const content = utf8Text(body.bytes)
  return content === undefined ? { bodyBase64: Buffer.from(body.bytes).toString('base64') } : { body: content }
}
