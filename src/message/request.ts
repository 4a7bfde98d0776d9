/**
 * A request: immutable; each change gives a new one.
 *
 * Rules: `target` is what was received or given; what is written is the normalised form: origin-form with Host (unless
 * absolute-form is asked for, as a proxy wants it), `*` and authority-form as they are (RFC 9112 section 3.2). Headers
 * and body always agree (message-framing.ts).
 */
import { upgradeProtocols, waitsForContinue, wantsKeepAlive } from './connection-fields.ts'
import { type Content, contentOf, encodeContent, encodeMemory, receivedContent, withOwnMemory } from './content.ts'
import type { Repair } from './errors.ts'
import type { BodyEvent } from './events.ts'
import { visible } from './excerpt.ts'
import { requestFromFetch, requestToFetch } from './fetch.ts'
import type { Framing } from './framing.ts'
import { isToken } from './grammar.ts'
import type { RequestHead } from './head.ts'
import { type HeaderInit, HeaderList } from './headers.ts'
import { inputError } from './input-error.ts'
import type { BytesBody, MessageBody, StringBody } from './message-body.ts'
import { type BodyInit, framingOf, headersForBody, headersWithoutBody, toBody } from './message-framing.ts'
import { concatBytes, octetsOf, readableText } from './octets.ts'
import { ContentReader, charsetOf, decodeText, type EagerBody, eagerBody, type ReceivedBody } from './received-body.ts'
import type { HttpVersion } from './start-line.ts'
import { hostProblem, parseTarget, type Target, type TargetForm } from './target.ts'

/** `memory`: every octet is here, `eagerly()` answers at once. `stream`: it gives a promise. `await` works for both. */
export type Origin = 'memory' | 'stream'

/** What `new HttpRequest` is made of. */
export interface HttpRequestInit {
  /** A token, written as it is: methods are case-sensitive (RFC 9110 section 9.1). */
  readonly method: string
  /** A full URL, a path (then `headers` has Host), `*`, or host:port for CONNECT. Written as it is, not normalised. */
  readonly url: string | URL
  /** Default HTTP/1.1. */
  readonly version?: HttpVersion
  /** Host is put first where the URL has one and these have none. */
  readonly headers?: HeaderInit
  /** Brings its Content-Type and framing fields along. Null is none. */
  readonly body?: BodyInit | null
}

/** The parts of a request line that are to change; the others stay. */
export interface RequestLineChange {
  readonly method?: string
  readonly url?: string | URL
  readonly version?: HttpVersion
}

/** How a request is written. */
export interface EncodeRequestOptions {
  /** Writes the full URL as the target: for a request to a proxy. */
  readonly absoluteForm?: boolean
}

/** What a request is made of inside this room. @internal */
export class RequestParts {
  readonly method: string
  readonly target: Target
  readonly version: HttpVersion
  readonly headers: HeaderList
  readonly content: Content | undefined
  readonly framing: Framing | undefined
  readonly repairs: readonly Repair[]

  constructor(parts: Omit<RequestParts, 'with'>) {
    this.method = parts.method
    this.target = parts.target
    this.version = parts.version
    this.headers = parts.headers
    this.content = parts.content
    this.framing = parts.framing
    this.repairs = parts.repairs
  }

  static ofHead(head: RequestHead, content: Content | undefined): RequestParts {
    const { method, targetParts: target, version, headers, framing, repairs } = head
    return new RequestParts({ method, target, version, headers, content, framing, repairs })
  }

  with(change: Partial<RequestParts>): RequestParts {
    return new RequestParts({ ...this, ...change })
  }
}

/**
 * A request. `O` says whether its body is in memory or still on its source.
 *
 *   const request = new HttpRequest({ method: 'POST', url: 'http://localhost/users', body: new StringBody('{}') })
 *   for await (const octets of request.withHeader('Accept', 'text/html').encode()) socket.write(octets)
 */
export class HttpRequest<O extends Origin = Origin> {
  readonly method: string
  /** The request target as received or given, without a fragment. */
  readonly target: string
  readonly form: TargetForm
  readonly version: HttpVersion
  readonly headers: HeaderList
  readonly body: ReceivedBody | undefined
  /** What the parser mended, in order. */
  readonly repairs: readonly Repair[]
  readonly #parts: RequestParts

  /**
   * @throws HttpParseError `METHOD`, `TARGET`, `VERSION`, `HOST`, `HEADER_NAME` or `HEADER_VALUE`; HttpcliError
   * `framing` where framing fields contradict the body, `chunked-in-http-1.0` where it would have to be chunked.
   */
  constructor(init: HttpRequestInit)
  /** @internal */
  constructor(parts: RequestParts)
  constructor(init: HttpRequestInit | RequestParts) {
    const parts = init instanceof RequestParts ? init : partsOf(init)
    this.#parts = parts
    this.method = parts.method
    this.target = parts.target.text
    this.form = parts.target.form
    this.version = parts.version
    this.headers = parts.headers
    this.repairs = parts.repairs
    const { framing, content } = parts
    this.body =
      framing === undefined || content === undefined ? undefined : new ContentReader(framing, content, parts.headers)
    if (new.target === HttpRequest) Object.freeze(this)
  }

  /**
   * A request from what a decoder told: its head, and the events of its content that are still to come. They are
   * iterated once, when the body is read.
   */
  static fromEvents(head: RequestHead, content: AsyncIterable<BodyEvent> | undefined): HttpRequest<'stream'> {
    return new HttpRequest<'stream'>(RequestParts.ofHead(head, receivedContent(head.framing, content)))
  }

  /** The request of a fetch handler or of a `new Request()`: Host from its URL, its body as a stream. */
  static fromFetch(request: Request): HttpRequest<'stream'> {
    return new HttpRequest<'stream'>(requestFromFetch(request))
  }

  /**
   * The URL that is asked for (RFC 9110 section 7.1); the target's authority wins over Host. Undefined without a host.
   */
  get url(): URL | undefined {
    const { target, headers } = this.#parts
    const authority = target.authority === '' ? headers.first('host') : target.authority
    if (authority === undefined || authority === '') return undefined
    const path = target.originForm === '*' ? '' : target.originForm
    try {
      return new URL(`${target.scheme || 'http'}://${authority}${path}`)
    } catch {
      return undefined
    }
  }

  /** Whether the client keeps the connection open after this request (RFC 9112 section 9.3). */
  get keepAlive(): boolean {
    return wantsKeepAlive(this.version, this.headers)
  }

  /** Whether the client waits for 100 (Continue). Ignored in HTTP/1.0 (RFC 9110 section 10.1.1). */
  get expectContinue(): boolean {
    return waitsForContinue(this.version, this.headers)
  }

  /** The protocols of Upgrade, where Connection names it. Ignored in HTTP/1.0 (RFC 9110 section 7.8). */
  get upgrade(): readonly string[] {
    return upgradeProtocols(this.version, this.headers)
  }

  /**
   * With another body; Content-Type and the framing fields follow. Null: without a body.
   * @throws HttpcliError `chunked-in-http-1.0` for a body of unknown length in an HTTP/1.0 request.
   */
  withBody(body: StringBody | BytesBody | string | Uint8Array | null): HttpRequest<'memory'>
  withBody(body: MessageBody): HttpRequest<'stream'>
  withBody(body: BodyInit | null): HttpRequest {
    if (body === null) {
      const headers = headersWithoutBody(this.headers)
      return new HttpRequest(this.#parts.with({ headers, content: undefined, framing: undefined }))
    }
    return new HttpRequest(withBodyParts(this.#parts, toBody(body)))
  }

  /**
   * With these fields in place of ours of the same names.
   * @throws HttpParseError `HOST`, `HEADER_NAME` or `HEADER_VALUE`; HttpcliError `framing` where they contradict the
   * body.
   */
  withHeaders(headers: HeaderInit): HttpRequest<O> {
    return this.#withHeaderList(this.headers.merge(headers))
  }

  /** With this field alone of its name. @throws as `withHeaders` does. */
  withHeader(name: string, value: string): HttpRequest<O> {
    return this.#withHeaderList(this.headers.with(name, value))
  }

  /** Without all fields of these names. @throws as `withHeaders` does. */
  withoutHeaders(...names: string[]): HttpRequest<O> {
    return this.#withHeaderList(this.headers.without(...names))
  }

  /**
   * With another method, URL or version. Host follows a full URL.
   * @throws HttpParseError `METHOD`, `TARGET`, `VERSION` or `HOST`; HttpcliError `framing` for chunked in HTTP/1.0.
   */
  withRequestLine(line: RequestLineChange): HttpRequest<O> {
    const method = checkMethod(line.method ?? this.method)
    const isTargetKept = line.url === undefined && (method === 'CONNECT') === (this.method === 'CONNECT')
    const target = isTargetKept ? this.#parts.target : readTarget(line.url ?? this.target, method)
    const isMoved = line.url !== undefined && target.authority !== ''
    const headers = isMoved ? replaceHost(this.headers, target.authority) : this.headers
    const version = checkVersion(line.version ?? this.version)
    return new HttpRequest<O>(reframed(this.#parts.with({ method, target, version }), headers))
  }

  /**
   * A copy with everything in memory of its own; its text is the normalised message.
   * @throws HttpcliError `body-used` or `content-length-mismatch`; what the source of the body threw.
   */
  eagerly(): O extends 'memory' ? EagerRequest : Promise<EagerRequest> {
    const eager = withOwnMemory(this.#parts.content, (content) => new EagerRequest(this.#parts.with({ content })))
    return eager as O extends 'memory' ? EagerRequest : Promise<EagerRequest>
  }

  /** The octets of start line and header section, normalised. */
  encodeHead(options: EncodeRequestOptions = {}): Uint8Array<ArrayBuffer> {
    return octetsOf(headText(this.#parts, options))
  }

  /**
   * The octets of the body as they go over the wire, read as they are asked for.
   * @throws HttpcliError `body-used`, or `content-length-mismatch` where the body is not as long as it said.
   */
  async *encodeBody(): AsyncGenerator<Uint8Array> {
    const { framing, content } = this.#parts
    if (framing !== undefined && content !== undefined) yield* encodeContent(framing, content)
  }

  /** The normalised octets of the message, the body read lazily. */
  async *encode(options: EncodeRequestOptions = {}): AsyncGenerator<Uint8Array> {
    yield this.encodeHead(options)
    yield* this.encodeBody()
  }

  /**
   * A fetch `Request`. Version, order and case of fields, trailers and chunk extensions are lost.
   * @throws TypeError for CONNECT, TRACE and TRACK, for a body on GET or HEAD, without a URL.
   */
  toFetch(): Request {
    return requestToFetch(this)
  }

  /** The message for people: its head, and its body where that is in memory. */
  toString(): string {
    const { content, headers } = this.#parts
    const head = readableText(octetsOf(headText(this.#parts, {})))
    return content?.memory === undefined ? head : head + decodeText(content.memory.data, charsetOf(headers))
  }

  #withHeaderList(headers: HeaderList): HttpRequest<O> {
    return new HttpRequest<O>(reframed(this.#parts, headers))
  }
}

/** A request with every octet in memory of its own. */
export class EagerRequest extends HttpRequest<'memory'> {
  /** The normalised octets of the whole message. */
  readonly bytes: Uint8Array
  /** The body, everything at hand; undefined without one. */
  readonly content: EagerBody | undefined

  /** @internal */
  constructor(parts: RequestParts) {
    super(parts)
    const { framing, content, headers } = parts
    const memory = content?.memory
    const hasBody = framing !== undefined && memory !== undefined
    this.bytes = concatBytes([octetsOf(headText(parts, {})), ...(hasBody ? [encodeMemory(framing, memory)] : [])])
    this.content = hasBody ? eagerBody(framing, memory, headers) : undefined
    Object.freeze(this)
  }

  override eagerly(): EagerRequest {
    return this
  }
}

function partsOf(init: HttpRequestInit): RequestParts {
  const method = checkMethod(init.method)
  const target = readTarget(init.url, method)
  const version = checkVersion(init.version ?? 'HTTP/1.1')
  const given = HeaderList.of(init.headers)
  const headers = target.authority === '' || given.has('host') ? given : given.prepend('Host', target.authority)
  checkHost(headers, version)
  const parts = new RequestParts({
    method,
    target,
    version,
    headers,
    content: undefined,
    framing: undefined,
    repairs: [],
  })
  if (init.body === undefined || init.body === null) return reframed(parts, headers)
  return withBodyParts(parts, toBody(init.body))
}

function withBodyParts(parts: RequestParts, body: MessageBody): RequestParts {
  const content = contentOf(body)
  const headers = headersForBody(parts.headers, body, parts.version)
  return parts.with({ headers, content, framing: framingOf(headers, content, parts.version) })
}

/** Other headers around the same content. A request cannot end with the connection: its framing comes back. */
function reframed(parts: RequestParts, headers: HeaderList): RequestParts {
  checkHost(headers, parts.version)
  const framing = framingOf(headers, parts.content, parts.version)
  if (framing?.type !== 'close') return parts.with({ headers, framing })
  const length = parts.content?.lengthBytes
  const framed =
    length === undefined
      ? headers.append('Transfer-Encoding', 'chunked')
      : headers.append('Content-Length', String(length))
  return parts.with({ headers: framed, framing: framingOf(framed, parts.content, parts.version) })
}

function headText(parts: RequestParts, options: EncodeRequestOptions): string {
  return `${parts.method} ${writtenTarget(parts, options)} ${parts.version}\r\n${parts.headers}\r\n`
}

function writtenTarget({ target, headers }: RequestParts, options: EncodeRequestOptions): string {
  if (target.form === 'authority') return target.text
  if (options.absoluteForm !== true) return target.originForm
  const authority = target.authority === '' ? (headers.first('host') ?? '') : target.authority
  // RFC 9112 section 3.2.4: through a proxy, `OPTIONS *` is the URL without a path.
  return `${target.scheme || 'http'}://${authority}${target.originForm === '*' ? '' : target.originForm}`
}

/** @throws HttpParseError `VERSION`. @internal */
export function checkVersion(version: string): HttpVersion {
  if (version === 'HTTP/1.1' || version === 'HTTP/1.0') return version
  throw inputError('VERSION', `the version is "${visible(version)}", expected HTTP/1.1 or HTTP/1.0`, version, 0)
}

function checkMethod(method: string): string {
  if (isToken(method)) return method
  throw inputError('METHOD', `"${visible(method)}" is no method: expected a token such as GET`, method, 0)
}

function readTarget(url: string | URL, method: string): Target {
  const text = typeof url === 'string' ? url : url.href
  const target = parseTarget(text, method, { tolerance: 'none', dropsFragment: true })
  if ('problem' in target) throw inputError('TARGET', target.problem, text, target.index)
  if (target.userinfo === undefined) return target
  throw inputError(
    'TARGET',
    'user and password in the URL (RFC 9110 section 4.2.4)',
    text,
    0,
    'send an Authorization header',
  )
}

function replaceHost(headers: HeaderList, authority: string): HeaderList {
  return headers.has('host') ? headers.with('Host', authority) : headers.prepend('Host', authority)
}

/** RFC 9112 section 3.2. */
function checkHost(headers: HeaderList, version: HttpVersion): void {
  const hosts = headers.all('host')
  if (hosts.length > 1) throw inputError('HOST', 'more than one Host', hosts.join(', '), 0)
  const host = hosts[0]
  if (host === undefined) {
    if (version === 'HTTP/1.0') return
    throw inputError(
      'HOST',
      'no Host, which every HTTP/1.1 request needs',
      '',
      0,
      'give the full URL, or a Host header',
    )
  }
  const problem = hostProblem(host)
  if (problem !== undefined) throw inputError('HOST', `Host is no host[:port]: ${problem.problem}`, host, problem.index)
}
