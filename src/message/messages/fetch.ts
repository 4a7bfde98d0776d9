/**
 * Conversions to and from the fetch classes.
 *
 * Rules: explicit and lossy. To fetch: version, order and case of fields, trailers, chunk extensions and, of requests,
 * Expect and the fields about the connection are lost, and in browsers also Host and Content-Length. From fetch: Host
 * comes from the URL and the length from Content-Length; without Content-Length the message is chunked.
 */
import { canDecode, contentCodings } from '../body/content-coding.ts'
import { BytesBody, bodyUsed, ChunkedBody, type MessageBody } from '../body/message-body.ts'
import type { ContentReader } from '../body/received-body.ts'
import { hopByHop, withoutHopByHop } from '../head/connection-fields.ts'
import { HeaderList } from '../head/headers.ts'
import { checkType } from '../syntax/checked-input.ts'
import type { HttpRequest, HttpRequestInit } from './request.ts'
import type { HttpResponse, HttpResponseInit } from './response.ts'

const forbiddenMethods = ['CONNECT', 'TRACE', 'TRACK']
const bodylessStatuses = [204, 205, 304]

export function requestToFetch(request: HttpRequest): Request {
  const { method, url, body } = request
  if (forbiddenMethods.includes(method)) throw new TypeError(`fetch does not allow the method ${method}`)
  if (url === undefined) throw new TypeError(`the request has no URL: its target is ${request.target}`)
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw new TypeError(`fetch does not allow a body on ${method}`)
  }
  // fetch() manages the connection itself, and Node.js refuses a request with one of these fields.
  const headers = request.headers.without(...hopByHop, 'expect').toFetch()
  if (body === undefined) return new Request(url, { method, headers })
  // fetch requires `duplex` for streams; not every platform's types have it.
  const init = { method, headers, body: body.stream(), duplex: 'half' }
  return new Request(url, init as RequestInit)
}

/** The platform frames the message itself; a copied Transfer-Encoding would describe content that does not have it. */
function framingless(headers: HeaderList): HeaderList {
  return headers.without('transfer-encoding')
}

export function responseToFetch(response: HttpResponse): Response {
  const { status, reason, body } = response
  if (status < 200 || status > 599) throw new TypeError(`fetch does not allow the status ${status}`)
  const init = { status, statusText: reason, headers: framingless(response.headers).toFetch() }
  if (body === undefined || bodylessStatuses.includes(status)) return new Response(null, init)
  const codings = contentCodings(response.headers)
  if (codings.length === 0 || !codings.every(canDecode)) return new Response(body.stream(), init)
  // As with fetch(), the content is decoded. The headers describe the decoded content, so it can be passed on.
  const headers = framingless(response.headers).without('content-encoding', 'content-length').toFetch()
  return new Response((body as ContentReader).decodedStream(), { ...init, headers })
}

export function requestFromFetch(request: Request): HttpRequestInit {
  const url = new URL(checkType(checkType(request, 'object', 'the request').url, 'string', 'the URL of the request'))
  url.username = ''
  url.password = ''
  return {
    method: request.method,
    url,
    headers: { Host: url.host, ...pairsWithout(request.headers, ['host', 'content-length', 'transfer-encoding']) },
    body: bodyOf(request),
  }
}

export function responseFromFetch(response: Response): HttpResponseInit {
  const given = checkType(
    checkType(response, 'object', 'the response').headers,
    'object',
    'the headers of the response',
  )
  // Only a response of `fetch()` has a URL: its content has been decoded, and it has the fields of that connection.
  const isReceived = response.url !== ''
  const isDecoded = isReceived && response.body !== null && given.has('content-encoding')
  const isLengthKept =
    response.body === null && response.status !== 204 && /^\d{1,15}$/.test(given.get('content-length') ?? '')
  const dropped = [
    'transfer-encoding',
    ...(isLengthKept ? [] : ['content-length']),
    ...(isDecoded ? ['content-encoding'] : []),
  ]
  const headers = HeaderList.of(pairsWithout(given, dropped))
  return {
    status: response.status,
    // A response that came over HTTP/2 or was created here has no phrase: it gets the registered one.
    ...(response.statusText === '' ? {} : { reason: response.statusText }),
    headers: isReceived ? withoutHopByHop(headers) : headers,
    body: bodyOf(response, isDecoded),
  }
}

/** Set-Cookie is the only field that `Headers` keeps in separate lines. */
function pairsWithout(headers: Headers, dropped: readonly string[]): Record<string, string | string[]> {
  // Without a prototype: `__proto__` is a name like any other.
  const pairs: Record<string, string | string[]> = Object.create(null)
  headers.forEach((value, name) => {
    if (!dropped.includes(name)) pairs[name] = name === 'set-cookie' ? headers.getSetCookie() : value
  })
  return pairs
}

/** @throws HttpcliError `body-used`. */
function bodyOf(message: Request | Response, isLengthUnknown = false): MessageBody | null {
  const { body, headers } = message
  if (body === null) return null
  if (message.bodyUsed || body.locked) throw bodyUsed()
  const announced = headers.get('content-length') ?? ''
  const length = isLengthUnknown || !/^\d+$/.test(announced) ? Number.NaN : Number(announced)
  const chunked = new ChunkedBody(body)
  if (!Number.isSafeInteger(length)) return chunked
  if (length === 0) return new BytesBody(new Uint8Array(0))
  return { contentLength: length, open: () => chunked.open(), discard: () => chunked.discard() }
}
