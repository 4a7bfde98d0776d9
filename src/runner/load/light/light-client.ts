/**
 * Sends the requests of a light load test with k6.
 *
 * Rules: common requests are sent directly: URLs of plain characters and ASCII fields. For everything else, and for
 * redirects, the full runtime's message library decides. k6 keeps the cookies of an iteration itself, unless a request
 * has a Cookie field.
 */
import type { K6Http, K6Jar } from '../k6.ts'
import { extras } from './light-parts.ts'
import type { LightAnswer } from './light-response.ts'

type Fields = Record<string, string>

/** A request as the exported script writes it: parameters of k6 with method, URL and body. */
export interface LightRequest {
  /** GET if undefined. */
  readonly method?: string
  readonly url: string
  readonly headers: Fields
  readonly body?: string | ArrayBuffer
  /** Undefined if no check reads the body of the response. */
  readonly responseType?: 'binary'
  /** In milliseconds. */
  readonly timeout?: number
  readonly allowsRedirects?: false
  readonly hasCookieJar?: false
  /** Whether the cookies of k6 have to be merged into a Cookie field. */
  readonly hasCookieField?: boolean
  tags?: object
  jar?: K6Jar
}

/** A host name or IPv4 address without a default port; a path and a query of characters that need no escape. */
const plainUrl =
  /^https?:\/\/(?:(?:[a-z\d-]+\.)*[a-z][a-z\d-]*|(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d))(?::[1-9]\d{2,4})?\/(?:[\w.~!$&'()*+,;=:@/-]|%[\dA-Fa-f]{2})*(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[\dA-Fa-f]{2})*)?$/
const none: readonly never[] = []

/** Undefined if a URL parser has to decide, because the URL has dot segments or a name in Punycode. */
export function plainAddress(target: string): string | undefined {
  return plainUrl.test(target) && !target.includes('/.') && !target.includes('xn--') ? target : undefined
}

/** @throws Error without a response */
export function sent(http: K6Http, request: LightRequest): LightAnswer {
  if (request.hasCookieJar === false) request.jar = new http.CookieJar()
  if (request.hasCookieField) return extras().exchange(http, request)
  const { url } = request
  const response = http.request(request.method ?? 'GET', url, request.body ?? null, request)
  const { status } = response
  if (status === 0) throw new Error(response.error)
  const isFinal = status < 300 || status > 399 || request.allowsRedirects === false
  return isFinal ? { response, url, locations: none, earlierMs: 0 } : extras().exchange(http, request, response)
}
