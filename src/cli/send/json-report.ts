/**
 * Request, response and statistics as one JSON object, for --json.
 *
 * Rules: fields are only ever added. Header lists are arrays of [name, value] in their order; text that is not UTF-8
 * keeps one character for each octet. The body is the decoded content: `body` where it is UTF-8 text, `bodyBase64`
 * otherwise, `bodyFile` with -o; none of them where the response has no body. Numbers of milliseconds have at most
 * three decimals.
 *
 *   { "request": { method, url, version, headers },
 *     "response": { status, reason, version, headers, body | bodyBase64 | bodyFile, trailers },
 *     "statistics": { queueMs, dnsMs, connectMs, tlsMs, firstByteMs, totalMs, bytesReceived, bytesSent,
 *                     throughputBytesPerSecond } }
 *
 * With --offline there is the request only. A response that ended early has what arrived of its body, no trailers, and
 * "error": { code, message } beside it.
 */
import type { HttpcliError, HttpRequest, HttpResponse } from '../../message/index.ts'
import { headerPairs, octetText, utf8Text } from '../../report/index.ts'
import { type Statistics, throughputBytesPerSecond } from '../../wire/index.ts'

/** The content of a response: its octets, or the file that has them. */
export type ReportedBody = { readonly bytes: Uint8Array } | { readonly file: string } | undefined

interface RequestReport {
  readonly method: string
  readonly url: string
  readonly version: string
  readonly headers: readonly (readonly [string, string])[]
}

export function requestReport(request: HttpRequest): RequestReport {
  return {
    method: request.method,
    url: request.url?.href ?? request.target,
    version: request.version,
    headers: headerPairs(request.headers),
  }
}

export async function jsonReport(
  request: HttpRequest,
  response: HttpResponse,
  body: ReportedBody,
  statistics: Statistics,
  error: HttpcliError | undefined,
): Promise<string> {
  const trailers = response.body === undefined || error !== undefined ? undefined : await response.body.trailers
  return jsonLine({
    request: requestReport(request),
    response: {
      status: response.status,
      reason: octetText(response.reason),
      version: response.version,
      headers: headerPairs(response.headers),
      ...bodyFields(body),
      ...(trailers === undefined || trailers.size === 0 ? {} : { trailers: headerPairs(trailers) }),
    },
    statistics: statisticsReport(statistics),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
  })
}

export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

function statisticsReport(statistics: Statistics): Readonly<Record<string, number>> {
  const rounded = Object.entries(statistics).map(([name, value]) => [name, Math.round(Number(value) * 1000) / 1000])
  return { ...Object.fromEntries(rounded), throughputBytesPerSecond: throughputBytesPerSecond(statistics) }
}

function bodyFields(body: ReportedBody): Readonly<Record<string, string>> {
  if (body === undefined) return {}
  if ('file' in body) return { bodyFile: body.file }
  const content = utf8Text(body.bytes)
  return content === undefined ? { bodyBase64: Buffer.from(body.bytes).toString('base64') } : { body: content }
}
