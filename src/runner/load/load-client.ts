/**
 * Sends a prepared request with k6: default fields, cookies, Digest, redirects, as http-client.ts does.
 *
 * Rules: k6 must not follow redirects itself, because its client adds fields that `run` does not send. Each message
 * counts as a request in k6's metrics, tagged with the name of the request. Cookies are kept in a jar of k6, which
 * sends and stores them itself unless the file has a `Cookie` field: k6 would add its own to that. k6's engine takes
 * milliseconds to create a message, so the message of a prepared request is kept for the next time it is sent.
 */
import { HeaderList, type HttpRequest } from '../../message/index.ts'
import { readableField } from '../../secrets/index.ts'
import { DigestAuthentication, type Exchange, RedirectTrail, WireError } from '../../wire/index.ts'
import type { PreparedRequest } from '../request/request-builder.ts'
import type { K6Http, K6Jar, K6Response } from './k6.ts'
import { randomBytes } from './platform/crypto.ts'
import { ACCEPTED_CODINGS, responseFields } from './platform/k6-fields.ts'
import { type Fields, storeCookies, withCookies } from './platform/load-cookies.ts'

/** Fields that k6 computes. */
const framingFields: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding'])

export interface LoadAnswer {
  readonly response: K6Response
  /** The last request. */
  readonly request: HttpRequest
  /** The URLs that redirects led to, in order. */
  readonly locations: readonly string[]
  /** From the start to the last byte, including redirects. */
  readonly durationMs: number
}

export interface LoadRequest {
  readonly prepared: PreparedRequest
  /** The name in k6's metrics. */
  readonly name: string
  /** Whether checks or scripts read the body of the response. */
  readonly needsBody: boolean
  readonly globalHeaders: readonly (readonly [name: string, value: string])[]
}

export class LoadClient {
  readonly #http: K6Http
  readonly #defaults: HeaderList
  readonly #digests: Map<string, DigestAuthentication> = new Map()
  readonly #ready: WeakMap<PreparedRequest, ReadyRequest> = new WeakMap()
  #jar: K6Jar

  constructor(http: K6Http, userAgent: string) {
    this.#http = http
    this.#jar = new http.CookieJar()
    this.#defaults = HeaderList.of([
      ['User-Agent', userAgent],
      ['Accept', '*/*'],
      ['Accept-Encoding', ACCEPTED_CODINGS],
    ])
  }

  /** Each run begins without cookies. */
  forgetCookies(): void {
    this.#jar = new this.#http.CookieJar()
  }

  /** Adds the cookies that the jar has for a URL to the fields. */
  withCookies(fields: Fields, address: URL): Fields {
    return withCookies(fields, this.#jar, address.href)
  }

  /** The first message with default fields added. */
  completed({ prepared, globalHeaders }: LoadRequest): HttpRequest {
    const added = HeaderList.of(globalHeaders).withMissing(this.#defaults)
    return prepared.message.withHeaders((headers) => headers.withMissing(added))
  }

  /** @throws WireError without a response */
  async send(loadRequest: LoadRequest): Promise<LoadAnswer> {
    const { prepared } = loadRequest
    let ready = await this.#readyFor(loadRequest)
    const { body } = ready
    const locations: string[] = []
    let durationMs = 0
    let trail: RedirectTrail | undefined
    const { origin } = ready.address
    const once = (next: ReadyRequest): K6Response => {
      const response = this.#once(next, loadRequest)
      durationMs += response.timings.blocked + response.timings.duration
      return response
    }
    for (;;) {
      const { message, address } = ready
      const isDigest = prepared.digest !== undefined && address.origin === origin
      const response = isDigest ? await this.#authenticated(ready, this.#digest(prepared, origin), once) : once(ready)
      const isFinal = !prepared.shouldFollowRedirects || response.status < 300 || response.status > 399
      if (isFinal) return { response, request: message, locations, durationMs }
      trail ??= new RedirectTrail()
      const exchange = { request: message, response: { status: response.status, headers: headersOf(response) } }
      const next = trail.next(exchange as unknown as Exchange)
      if (next === undefined) return { response, request: message, locations, durationMs }
      locations.push(String(next.url))
      ready = readyRequest(next, body)
    }
  }

  async #readyFor(loadRequest: LoadRequest): Promise<ReadyRequest> {
    const { prepared, globalHeaders } = loadRequest
    const known = this.#ready.get(prepared)
    const hasGlobals = globalHeaders.length > 0
    if (known !== undefined && !hasGlobals) return known
    const ready = readyRequest(this.completed(loadRequest), await prepared.message.body?.bytes())
    if (!hasGlobals) this.#ready.set(prepared, ready)
    return ready
  }

  async #authenticated(
    ready: ReadyRequest,
    digest: DigestAuthentication,
    once: (request: ReadyRequest) => K6Response,
  ): Promise<K6Response> {
    let last: K6Response | undefined
    const send = async (request: HttpRequest): Promise<Exchange> => {
      last = once(readyRequest(request, ready.body))
      const { status } = last
      return { request, response: { status, headers: headersOf(last) } } as unknown as Exchange
    }
    await digest.exchange(ready.message, send, async () => undefined)
    return last as unknown as K6Response
  }

  #digest({ digest: credentials }: PreparedRequest, origin: string): DigestAuthentication {
    const { user = '', password = '' } = credentials ?? {}
    const key = JSON.stringify([user, password, origin])
    const known = this.#digests.get(key)
    if (known !== undefined) return known
    const digest = new DigestAuthentication({ user, password }, () => Buffer.from(randomBytes(16)).toString('hex'))
    this.#digests.set(key, digest)
    return digest
  }

  #once({ message, url, address, fields, body }: ReadyRequest, { prepared, name, needsBody }: LoadRequest): K6Response {
    const { hasCookieJar, timeouts } = prepared
    const content = message.body === undefined ? null : (body ?? new ArrayBuffer(0))
    const hasField = hasCookieJar && message.headers.has('cookie')
    const response = this.#http.request(message.method, url, content, {
      headers: hasField ? withCookies(fields, this.#jar, address.href) : fields,
      jar: hasCookieJar && !hasField ? this.#jar : new this.#http.CookieJar(),
      redirects: 0,
      responseType: needsBody ? 'binary' : 'none',
      tags: { name },
      ...(timeouts.firstByteMs === undefined ? {} : { timeout: timeouts.firstByteMs }),
    })
    if (response.status === 0) throw new WireError('connect-failed', response.error)
    if (hasField) storeCookies(this.#jar, address.href, response)
    return response
  }
}

/** A message in the form that k6 accepts. */
export interface ReadyRequest {
  readonly message: HttpRequest
  readonly address: URL
  readonly url: string
  readonly fields: Fields
  readonly body: ArrayBuffer | undefined
}

export function readyRequest(message: HttpRequest, body: Uint8Array | ArrayBuffer | undefined): ReadyRequest {
  const address = message.url as URL
  return { message, address, url: address.origin + pathOf(message), fields: fieldsOf(message), body: bufferOf(body) }
}

function bufferOf(bytes: Uint8Array | ArrayBuffer | undefined): ArrayBuffer | undefined {
  if (bytes === undefined || bytes instanceof ArrayBuffer) return bytes
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
}

function fieldsOf({ headers }: HttpRequest): Fields {
  const fields = new Map<string, readonly [name: string, values: string[]]>()
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (framingFields.has(key)) continue
    const known = fields.get(key)
    if (known === undefined) fields.set(key, [name, [readableField(value)]])
    else known[1].push(readableField(value))
  }
  const joined = [...fields].map(([key, [name, values]]) => [name, values.join(key === 'cookie' ? '; ' : ', ')])
  return Object.fromEntries(joined)
}

export function headersOf(response: K6Response): HeaderList {
  return HeaderList.of([...responseFields(response)])
}

/** The target of a request without scheme and host. */
export function pathOf({ target }: HttpRequest): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}
