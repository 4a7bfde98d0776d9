/**
 * Follows redirects (RFC 9110 section 15.4).
 *
 * Rules: 301 and 302 turn POST into GET, 303 everything but HEAD into GET, 307 and 308 keep method and body. Fields
 * that describe a body are dropped with it; fields meant for one server (Authorization, Cookie, and those whose name
 * indicates a key, a token or the like) are not sent to another. A redirect without Location, or with one on a 300 or
 * 304, is a final response. A Host field written by the user is kept as long as the origin stays the same. A server may
 * answer the same request differently the next time, so a loop ends only at the limit.
 */
import { HttpcliError, type HttpRequest } from '../message/index.ts'
import { urlText } from '../message-node/index.ts'
import { inStep, WireError } from './base/errors.ts'
import type { WireOptions } from './base/options.ts'
import { exchange } from './exchange.ts'
import type { Exchange } from './http1/conversation.ts'

export interface FollowOptions extends WireOptions {
  /** The maximum number of redirects. Default 10. */
  readonly maxRedirects?: number
  /** Called for each followed redirect, before the next request. The rest of the redirect's body is discarded. */
  readonly onRedirect?: (redirected: Exchange, next: HttpRequest) => void | Promise<void>
  /** Sends each request; replaces `exchange`. Fields that it adds to one request are not part of the next. */
  readonly exchange?: (request: HttpRequest, options: WireOptions) => Promise<Exchange>
}

const MAX_REDIRECTS = 10

/** The method of the next request by status. Statuses that are not listed are final. */
const methodRules: Readonly<Record<number, (method: string) => string>> = {
  301: (method) => (method === 'POST' ? 'GET' : method),
  302: (method) => (method === 'POST' ? 'GET' : method),
  303: (method) => (method === 'HEAD' ? 'HEAD' : 'GET'),
  307: (method) => method,
  308: (method) => method,
}

/** RFC 9110 section 15.4, steps 5 and 6: fields that describe a dropped body, … */
const bodyFields = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-type',
  'digest',
  'expect',
  'last-modified',
  'trailer',
  'transfer-encoding',
]
/** … and fields meant for the first server only. */
const originFields: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'cookie2',
  'origin',
  'proxy-authorization',
  'referer',
])

/** A word in the name: `X-Api-Key`, `X-Auth-Token`, `X-Amz-Security-Token`, `X-CSRF-Token`, `Private-Token`. */
const privateField =
  /(?:^|[-_])(?:api[-_]?key|access[-_]?key|apikey|auth|authorization|authentication|credentials?|csrf|xsrf|csrftoken|jwt|key|pass|passwd|password|private|secret|session|sessionid|signature|sid|token)(?:$|[-_])/i

function isForOrigin(name: string): boolean {
  const lower = name.toLowerCase()
  return originFields.has(lower) || (privateField.test(name) && lower !== 'idempotency-key')
}

/**
 * Sends a request and follows redirects. The result is that of the last request.
 * @throws WireError as `exchange` does; `too-many-redirects`, `redirect-loop`, `redirect-invalid`,
 *   `redirect-body-not-replayable`.
 */
export async function follow(request: HttpRequest, options: FollowOptions = {}): Promise<Exchange> {
  const trail = new RedirectTrail(options.maxRedirects)
  let current = request
  for (let isFirst = true; ; isFirst = false) {
    const result = await sendAgain(current, options, !isFirst)
    try {
      const next = trail.next({ ...result, request: current })
      if (next === undefined) return result
      await options.onRedirect?.(result, next)
      current = next
    } catch (error) {
      result.close()
      throw error
    }
    result.close()
  }
}

/** The state of a chain of redirects: turns each response into the next request until one is final. */
export class RedirectTrail {
  readonly #limit: number
  readonly #seen: Set<string> = new Set()
  #count = 0

  /** @param limit the maximum number of redirects */
  constructor(limit: number = MAX_REDIRECTS) {
    this.#limit = limit
  }

  /**
   * The request that a redirect asks for; undefined if the response is final.
   * @throws WireError `too-many-redirects`, `redirect-loop`, `redirect-invalid`.
   */
  next(result: Pick<Exchange, 'request' | 'response'>): HttpRequest | undefined {
    const location = locationOf(result)
    if (location === undefined) return undefined
    const next = nextRequest(result, location)
    this.#seen.add(identity(result.request))
    if (this.#count === this.#limit) throw this.#tooMany(next)
    this.#count++
    return next
  }

  #tooMany(next: HttpRequest): WireError {
    const count = this.#limit === 1 ? '1 redirect' : `${this.#limit} redirects`
    const hint = 'Look at each step'
    return this.#seen.has(identity(next))
      ? new WireError('redirect-loop', `more than ${count}, which form a loop back to ${next.url}`, { hint })
      : new WireError('too-many-redirects', `more than ${count}; the last one leads to ${next.url}`, { hint })
  }
}

async function sendAgain(request: HttpRequest, options: FollowOptions, isRedirected: boolean): Promise<Exchange> {
  try {
    return await (options.exchange ?? exchange)(request, options)
  } catch (cause) {
    if (!isRedirected || !(cause instanceof HttpcliError)) throw cause
    // The user knows only the first URL.
    if (cause instanceof WireError && cause.code !== 'aborted') throw inStep(`redirected to ${request.url}`, cause)
    if (cause.code !== 'body-used') throw cause
    throw new WireError(
      'redirect-body-not-replayable',
      `the redirect to ${request.url} needs the body again, which can be read only once`,
      { hint: 'Send the body from a file', cause },
    )
  }
}

/** Identifies a request that was sent before: a loop leads back to one. */
function identity(request: HttpRequest): string {
  return `${request.method} ${request.url}\n${request.headers}`
}

/** An empty Location is ignored. */
function locationOf({ response }: Pick<Exchange, 'response'>): string | undefined {
  return response.status in methodRules ? response.headers.first('location') || undefined : undefined
}

function nextRequest({ request, response }: Pick<Exchange, 'request' | 'response'>, location: string): HttpRequest {
  const from = request.url as URL
  const to = resolved(location, from)
  const method = (methodRules[response.status] as (method: string) => string)(request.method)
  let next: HttpRequest = request
  if (method !== request.method && request.body !== undefined) next = next.withBody(null)
  if (method !== request.method) next = next.withoutHeaders(...bodyFields)
  if (to.origin !== from.origin)
    next = next.withoutHeaders(...[...next.headers].map(([name]) => name).filter(isForOrigin))
  const moved = next.withRequestLine({ method, url: to })
  const host = request.headers.first('host')
  return to.origin === from.origin && host !== undefined ? moved.withHeader('Host', host) : moved
}

function resolved(location: string, base: URL): URL {
  const text = urlText(location)
  const hint = 'Check the Location of this response'
  let url: URL
  try {
    url = new URL(text, base)
  } catch (cause) {
    throw new WireError('redirect-invalid', `${base} redirects to "${text}", which is not a URL`, { hint, cause })
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const scheme = url.protocol.slice(0, -1)
    const what = `${base} redirects to "${text}", whose scheme is ${scheme}, expected http or https`
    throw new WireError('redirect-invalid', what, { hint })
  }
  url.hash = ''
  // RFC 9110 section 4.2.4: only the user sets the user information.
  url.username = ''
  url.password = ''
  return url
}
