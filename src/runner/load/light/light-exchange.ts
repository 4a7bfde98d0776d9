/** Code that few requests of a light load test need: redirects, and merging the cookies of k6 into a Cookie field. */
import type { K6Http, K6Response } from '../k6.ts'
import { storeCookies, withCookies } from '../platform/load-cookies.ts'
import type { LightRequest } from './light-request.ts'
import type { LightAnswer } from './light-response.ts'
import { wholeRuntime } from './whole-services.ts'

/** @param first the response, if the request has been sent. @throws Error without a response */
export function exchange(http: K6Http, request: LightRequest, first?: K6Response): LightAnswer {
  const { method = 'GET', url: start, headers, body, allowsRedirects = true } = request
  let response = first ?? sent(http, request)
  let url = start
  let earlierMs = 0
  const locations: string[] = []
  const trail = allowsRedirects
    ? wholeRuntime().redirects({ method, url, fields: headers, hasBody: body !== undefined })
    : undefined
  for (;;) {
    const next = response.status < 300 || response.status > 399 ? undefined : trail?.(response)
    if (next === undefined) return { response, url, locations, earlierMs }
    earlierMs += response.timings.blocked + response.timings.duration
    url = next.url
    locations.push(url)
    const content = next.hasBody ? { body: body as string | ArrayBuffer } : {}
    const { body: _, ...others } = request
    response = sent(http, { ...others, ...content, method: next.method, url, headers: { ...next.fields } })
  }
}

/** Merges the cookies of k6 into a Cookie field, because k6 would add a second field. */
function sent(http: K6Http, request: LightRequest): K6Response {
  const { method = 'GET', url, headers, body = null, hasCookieJar = true } = request
  const hasField = headers.Cookie !== undefined
  const jar = hasCookieJar && hasField ? http.cookieJar() : undefined
  const params = jar && { ...request, headers: withCookies(headers, jar, url), jar: new http.CookieJar() }
  const response = http.request(method, url, body, params ?? request)
  if (response.status === 0) throw new Error(response.error)
  if (jar !== undefined) storeCookies(jar, url, response)
  return response
}
