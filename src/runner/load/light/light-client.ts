/**
 * Sends the requests of a light load test with k6.
 *
 * Rules: common requests are sent directly: URLs of plain characters and ASCII fields. For everything else, and for
 * redirects, the message library in the full runtime decides. k6 keeps the cookies itself, unless a request has a
 * Cookie field.
 */
import type { K6Http, K6Jar, K6Response } from '../k6.ts'
import { ACCEPTED_CODINGS } from '../platform/k6-fields.ts'
import { storeCookies, withCookies } from '../platform/load-cookies.ts'
import { wholeRuntime } from './light-parts.ts'
import type { LightAnswer } from './light-response.ts'

export interface LightRequest {
  readonly method: string
  /** Variables replaced. */
  readonly target: string
  /** Names and values, alternating. */
  readonly fields: readonly string[]
  readonly body: string | ArrayBuffer | null
  /** The name in k6's metrics. */
  readonly name: string
  readonly needsBody: boolean
  readonly shouldFollowRedirects: boolean
  readonly hasCookieJar: boolean
  readonly shouldEncode: boolean
  readonly timeoutMs: number | undefined
}

type Fields = Record<string, string>

/** A host name or IPv4 address without a default port; a path and a query of characters that need no escape. */
const plainUrl =
  /^https?:\/\/(?:(?:[a-z\d-]+\.)*[a-z][a-z\d-]*|(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d))(?::[1-9]\d{2,4})?(?:\/(?:[\w.~!$&'()*+,;=:@/-]|%[\dA-Fa-f]{2})*(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[\dA-Fa-f]{2})*)?)?$/
/** Parts of a URL that a parser might change: dot segments, and names in Punycode. */
const unusualUrl = /\/\.|xn--/
const none: readonly never[] = []
const plainValue = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/

export class LightClient {
  readonly #http: K6Http
  readonly #userAgent: string
  #jar: K6Jar

  constructor(http: K6Http, userAgent: string) {
    this.#http = http
    this.#userAgent = userAgent
    this.#jar = new http.CookieJar()
  }

  /** Each run begins without cookies. */
  forgetCookies(): void {
    this.#jar = new this.#http.CookieJar()
  }

  /** @throws Error without a response */
  send(request: LightRequest): LightAnswer {
    const { target, shouldEncode } = request
    const isPlain = plainUrl.test(target) && !unusualUrl.test(target)
    const address: Address = isPlain ? { url: withPath(target) } : wholeRuntime().address(target, shouldEncode)
    const fields = this.#fieldsOf(request, address.credentials)
    const { method, body } = request
    const response = this.#once(request, method, address.url, fields, body)
    const { blocked, duration } = response.timings
    const answer = { response, url: address.url, locations: none, durationMs: blocked + duration }
    const { status } = response
    const isFinal = !request.shouldFollowRedirects || status < 300 || status > 399
    return isFinal ? answer : this.#followed(request, fields, answer)
  }

  #fieldsOf({ fields: given }: LightRequest, credentials: string | undefined): Fields {
    const fields: Fields = {}
    let names = ','
    for (let index = 0; index < given.length; index += 2) {
      const name = given[index] as string
      const value = given[index + 1] as string
      fields[name] = plainValue.test(value) ? value : wholeRuntime().fieldValue(name, value)
      names += `${name.toLowerCase()},`
    }
    if (credentials !== undefined && !names.includes(',authorization,')) fields.Authorization = credentials
    if (!names.includes(',user-agent,')) fields['User-Agent'] = this.#userAgent
    if (!names.includes(',accept,')) fields.Accept = '*/*'
    if (!names.includes(',accept-encoding,')) fields['Accept-Encoding'] = ACCEPTED_CODINGS
    return fields
  }

  #followed(request: LightRequest, fields: Fields, first: LightAnswer): LightAnswer {
    const { method, body } = request
    const trail = wholeRuntime().redirects({ method, url: first.url, fields, hasBody: body !== null })
    let { response, url, durationMs } = first
    const locations: string[] = []
    for (;;) {
      const next = trail(response)
      if (next === undefined) return { response, url, locations, durationMs }
      url = next.url
      locations.push(url)
      response = this.#once(request, next.method, url, next.fields, next.hasBody ? body : null)
      durationMs += response.timings.blocked + response.timings.duration
    }
  }

  #once(
    { name, needsBody, hasCookieJar, timeoutMs }: LightRequest,
    method: string,
    url: string,
    fields: Readonly<Fields>,
    body: LightRequest['body'],
  ): K6Response {
    const isWritten = hasCookieJar && (fields.Cookie ?? fields.cookie) !== undefined
    const params: Record<string, unknown> = {
      headers: isWritten ? withCookies(fields, this.#jar, url) : fields,
      jar: hasCookieJar && !isWritten ? this.#jar : new this.#http.CookieJar(),
      redirects: 0,
      responseType: needsBody ? 'binary' : 'none',
      tags: { name },
    }
    if (timeoutMs !== undefined) params.timeout = timeoutMs
    const response = this.#http.request(method, url, body, params)
    if (response.status === 0) throw new Error(response.error)
    if (isWritten) storeCookies(this.#jar, url, response)
    return response
  }
}

interface Address {
  readonly url: string
  /** Authorization, from the credentials in the URL. */
  readonly credentials?: string
}

function withPath(url: string): string {
  return url.indexOf('/', 'https://'.length) === -1 ? `${url}/` : url
}
