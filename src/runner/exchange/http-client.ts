/**
 * Sends a prepared request: default fields, cookies, authentication, redirects.
 *
 * Rules: a field in the file replaces the default. Cookies are looked up again for each hop; cookies written in the
 * file come after them. The answer to a Digest challenge is sent only to the server that the request names. The rest of
 * an intermediate response is read if it is short, so that its connection can be reused.
 */
import { HeaderList, HttpcliError, type HttpRequest, type ResponseHead } from '../../message/index.ts'
import { collectReceivedSecrets, collectSentSecrets, type SecretSink } from '../../secrets/index.ts'
import {
  type Credentials,
  DigestAuthentication,
  digestObstacle,
  type Exchange,
  exchange,
  openWebSocket,
  RedirectTrail,
  type TlsOptions,
  type WebSocketAnswer,
  type WireOptions,
  webSocketHandshake,
} from '../../wire/index.ts'
import { RunError } from '../base/errors.ts'
import type { SentRequest } from '../base/events.ts'
import type { RunCookies } from '../cookies/cookie-jar.ts'
import { isLineStream, parseMediaType } from '../request/media-type.ts'
import type { PreparedRequest } from '../request/request-builder.ts'

export interface HttpClientOptions {
  /** Including the pool of the run. */
  readonly wire: WireOptions
  readonly cookies: RunCookies
  readonly userAgent: string
  /** TLS settings for https, resolved on first use. */
  readonly tls: () => Promise<TlsOptions | undefined>
  /** Unpredictable bytes. */
  readonly randomBytes: (count: number) => Uint8Array
  /** Called for deviations that are not errors. */
  readonly onWarning?: (warning: HttpcliError) => void | Promise<void>
  /** Creates the field `traceparent` of a message that has none. */
  readonly traceparent?: (() => string) | undefined
  /** Receives the secrets of every message before it is sent or shown. */
  readonly secrets?: SecretSink | undefined
}

export interface RequestWatcher {
  readonly onSent: (sent: SentRequest) => void | Promise<void>
  /** The request could not be sent; the error follows. */
  readonly onUnsent: (sent: SentRequest) => void | Promise<void>
  readonly onOctets: (bytes: Uint8Array) => void | Promise<void>
  /** Another request follows this response; the rest of the response has been read or abandoned. */
  readonly onHop: (result: Exchange) => Promise<void>
  readonly onRedirect: (status: number, next: HttpRequest) => void | Promise<void>
}

/** The client nonce of Digest; RFC 7616 section 3.4 does not define its length. */
const CNONCE_BYTES = 16

/** Codings that the platform can decode. */
const ACCEPTED_CODINGS = 'gzip, deflate, br'

/** Draining more than this costs more than a new connection. */
const MAX_DISCARDED_BYTES = 64 * 1024

/** Without a configured limit, an event stream may be silent for any length of time. */
export function idleMsOfStreams({ headers }: ResponseHead): number | undefined {
  return isLineStream(parseMediaType(headers.first('content-type') ?? '')) ? 0 : undefined
}

export class HttpClient {
  readonly #options: HttpClientOptions
  /** Added to each message that has no such field. */
  readonly #defaults: HeaderList
  /** By user, password and origin. */
  readonly #digests: Map<string, DigestAuthentication> = new Map()
  readonly #warn = (message: string) => this.#options.onWarning?.(new RunError('bad-cookie', message))

  constructor(options: HttpClientOptions) {
    this.#options = options
    this.#defaults = HeaderList.of([
      ['User-Agent', options.userAgent],
      ['Accept', '*/*'],
      ['Accept-Encoding', ACCEPTED_CODINGS],
    ])
  }

  /** The first message, without cookies and authentication. */
  completed(
    { message, kind }: Pick<PreparedRequest, 'message' | 'kind'>,
    globalHeaders: Iterable<readonly [name: string, value: string]>,
  ): HttpRequest {
    const added = this.addedFields(globalHeaders, kind)
    return message.withHeaders((headers) => headers.withMissing(added))
  }

  /** The fields that a message gets unless it has them. */
  addedFields(
    globalHeaders: Iterable<readonly [name: string, value: string]>,
    kind: PreparedRequest['kind'] = 'http',
  ): HeaderList {
    const globals = HeaderList.of(globalHeaders)
    // gRPC negotiates types and codings with its own fields.
    const own = kind === 'grpc' ? HeaderList.of([['User-Agent', this.#options.userAgent]]) : this.#defaults
    const defaults = globals.size === 0 ? own : globals.withMissing(own)
    const { traceparent } = this.#options
    return traceparent === undefined ? defaults : defaults.withMissing(HeaderList.of([['traceparent', traceparent()]]))
  }

  /** The first message as `send` would send it. */
  async outgoing(message: HttpRequest, prepared: PreparedRequest): Promise<HttpRequest> {
    const outgoing = prepared.hasCookieJar ? await this.#withCookies(hopOf(message, undefined)) : message
    return prepared.kind === 'websocket' ? webSocketHandshake(outgoing, this.#options.randomBytes) : outgoing
  }

  /**
   * Sends the message and follows redirects and challenges.
   * @throws WireError; errors of the watcher or the body.
   */
  async send(message: HttpRequest, prepared: PreparedRequest, watcher: RequestWatcher): Promise<Exchange> {
    const trail = new RedirectTrail()
    let hop = hopOf(message, undefined)
    const { origin } = hop.url
    for (;;) {
      const digest = prepared.digest && hop.url.origin === origin ? this.#digestFor(prepared.digest, origin) : undefined
      const result = await this.#authenticated(hop, prepared, digest, watcher)
      const stored = prepared.hasCookieJar ? this.#store(hop.url, result) : undefined
      if (stored !== undefined) await stored
      if (!prepared.shouldFollowRedirects) return result
      try {
        const next = trail.next({ ...result, request: hop.message })
        if (next === undefined) return result
        await discard(result)
        await watcher.onHop(result)
        await watcher.onRedirect(result.response.status, next)
        hop = hopOf(next, 'redirect')
      } catch (error) {
        result.close()
        throw error
      }
    }
  }

  async #authenticated(
    hop: Hop,
    prepared: PreparedRequest,
    digest: DigestAuthentication | undefined,
    watcher: RequestWatcher,
  ): Promise<Exchange> {
    if (digest === undefined) return this.#exchange(hop, prepared, watcher)
    const final = await digest.exchange(
      hop.message,
      (message, isRepeated) =>
        this.#exchange({ ...hop, message, ...(isRepeated ? { cause: 'challenge' } : {}) }, prepared, watcher),
      async (result) => {
        if (prepared.hasCookieJar) await this.#store(hop.url, result)
        await discard(result)
        await watcher.onHop(result)
      },
    )
    const obstacle = final.response.status === 401 ? digestObstacle(final.response.headers) : undefined
    if (obstacle === undefined) return final
    const message = `the Digest credentials for ${hop.url.origin} were not sent: ${obstacle}`
    await this.#options.onWarning?.(new RunError('unanswered-challenge', message))
    return final
  }

  #digestFor(credentials: Credentials, origin: string): DigestAuthentication {
    const key = JSON.stringify([credentials.user, credentials.password, origin])
    const known = this.#digests.get(key)
    if (known !== undefined) return known
    const { randomBytes, secrets } = this.#options
    secrets?.add(credentials.password)
    const digest = new DigestAuthentication(credentials, () => Buffer.from(randomBytes(CNONCE_BYTES)).toString('hex'))
    this.#digests.set(key, digest)
    return digest
  }

  async #exchange(hop: Hop, prepared: PreparedRequest, watcher: RequestWatcher): Promise<Exchange> {
    const hasCookies = prepared.hasCookieJar && !this.#options.cookies.isEmpty
    const request = hasCookies ? await this.#withCookies(hop) : hop.message
    const options = await this.wireOptions(hop.url, prepared)
    this.collectSent(request)
    const result = await watched(request, hop, watcher, (onRequestBytes) =>
      exchange(request, { ...options, onRequestBytes }),
    )
    this.#collectReceived(result)
    return result
  }

  /** Opens the WebSocket of a request. @throws as `send` does. */
  async openWebSocket(
    message: HttpRequest,
    prepared: PreparedRequest,
    watcher: RequestWatcher,
  ): Promise<WebSocketAnswer> {
    const hop = hopOf(message, undefined)
    const request = prepared.hasCookieJar ? await this.#withCookies(hop) : message
    this.collectSent(request)
    const options = await this.wireOptions(hop.url, prepared)
    const answer = await watched(request, hop, watcher, (onRequestBytes) =>
      openWebSocket(request, this.#options.randomBytes, { ...options, onRequestBytes }),
    )
    this.#collectReceived(answer.exchange)
    if (prepared.hasCookieJar) await this.#store(hop.url, answer.exchange)
    return answer
  }

  /** The time limit of an answer; undefined if not configured. */
  get answerMs(): number | undefined {
    return this.#options.wire.timeouts?.firstByteMs
  }

  /** Options for a request to this URL; `prepared` if the request comes from the file. */
  async wireOptions(url: URL, prepared?: PreparedRequest): Promise<WireOptions> {
    const { wire } = this.#options
    const { version, timeouts } = prepared ?? {}
    const limitMs = timeouts?.firstByteMs
    const tls = url.protocol === 'https:' ? await this.#options.tls() : undefined
    const isGrpc = prepared?.kind === 'grpc'
    const isPlain =
      !isGrpc && tls === undefined && !version?.startsWith('HTTP/2') && Object.keys(timeouts ?? {}).length === 0
    if (isPlain) return wire
    return {
      ...wire,
      timeouts: { ...wire.timeouts, ...timeouts, ...(limitMs === undefined ? {} : { idleMs: limitMs }) },
      ...(limitMs === undefined ? {} : { idleMsOf: undefined }),
      ...(tls === undefined ? {} : { tls }),
      ...(version === 'HTTP/2' ? { http2: 'negotiated' } : {}),
      ...(version === 'HTTP/2 (Prior Knowledge)' || isGrpc ? { http2: 'prior-knowledge' } : {}),
    }
  }

  /** Reports the secrets of a message before it is sent. */
  collectSent({ headers }: HttpRequest): void {
    const { secrets } = this.#options
    if (secrets !== undefined) collectSentSecrets(headers, secrets)
  }

  #collectReceived({ response }: Exchange): void {
    const { secrets } = this.#options
    if (secrets !== undefined) collectReceivedSecrets(response.headers, secrets)
  }

  #withCookies({ message, url }: Hop): Promise<HttpRequest> {
    return this.#options.cookies.addTo(message, url, this.#warn)
  }

  #store(url: URL, { response: { headers } }: Exchange): Promise<unknown> | undefined {
    return headers.has('set-cookie') ? this.#options.cookies.store(url, headers, this.#warn) : undefined
  }
}

/** One message of a request. */
interface Hop {
  readonly message: HttpRequest
  /** The message computes its URL on each access. */
  readonly url: URL
  readonly cause: SentRequest['cause']
}

function hopOf(message: HttpRequest, cause: SentRequest['cause']): Hop {
  return { message, url: message.url as URL, cause }
}

/** Sends a request, and reports that its first bytes are about to be written, or that none were. */
async function watched<Result>(
  { method, headers }: HttpRequest,
  { url, cause }: Hop,
  watcher: RequestWatcher,
  send: (onRequestBytes: (bytes: Uint8Array) => void | Promise<void>) => Promise<Result>,
): Promise<Result> {
  const sent = { method, url: url.href, headers, cause }
  let isSent = false
  try {
    return await send((bytes) => {
      if (isSent) return watcher.onOctets(bytes)
      isSent = true
      const reported = watcher.onSent(sent)
      return reported === undefined ? watcher.onOctets(bytes) : reported.then(() => watcher.onOctets(bytes))
    })
  } catch (error) {
    if (!isSent) await watcher.onUnsent(sent)
    throw error
  }
}

/** Reads the rest of a response, if it is short, and closes it. */
async function discard(result: Exchange): Promise<void> {
  const { body } = result.response
  let left = MAX_DISCARDED_BYTES
  try {
    if (body !== undefined && (body.framing.type !== 'length' || body.framing.length <= left)) {
      for await (const piece of body) {
        left -= piece.length
        if (left < 0) break
      }
    }
  } catch (error) {
    // The body is being discarded; ignore read errors.
    if (!(error instanceof HttpcliError) || error.code === 'aborted') throw error
  } finally {
    result.close()
  }
}
