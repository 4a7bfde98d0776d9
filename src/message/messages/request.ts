/**
 * A request: immutable; each change returns a new one.
 *
 * Rules: `target` is the target as received or given; the normalised form is written: origin-form with Host (unless
 * absolute-form is chosen, for a proxy), `*` and authority-form unchanged (RFC 9112 section 3.2). Headers and body
 * always agree (message-framing.ts).
 */
import { type MemoryBodyInit, type MessageBodyInit, toBody } from '../body/body-init.ts'
import { contentOf, inMemory, receivedContent } from '../body/content.ts'
import { readableWire, shownContent } from '../body/content-text.ts'
import type { MessageBody } from '../body/message-body.ts'
import { ContentReader, type EagerBody, eagerBody, type ReceivedBody } from '../body/received-body.ts'
import { ownMessage } from '../fast/own-message.ts'
import { changedRequestHead } from '../head/changed-head.ts'
import { upgradeProtocols, waitsForContinue, wantsKeepAlive } from '../head/connection-fields.ts'
import { INSPECT, type Inspect, inspected, type RequestDescription } from '../head/description.ts'
import type { BodyEvent } from '../head/events.ts'
import { RequestHead } from '../head/head.ts'
import { changedHeaders, type HeaderChange, type HeaderInit, HeaderList } from '../head/headers.ts'
import { checkInstance, checkKeys, type KeyTypes } from '../syntax/checked-input.ts'
import type { Repair } from '../syntax/errors.ts'
import { type OwnOctets, octetsOf, readableText } from '../syntax/octets.ts'
import type { HttpVersion } from '../syntax/start-line.ts'
import type { TargetForm } from '../syntax/target.ts'
import { requestFromFetch, requestToFetch } from './fetch.ts'
import { framingOf, headersForBody, headersWithoutBody } from './message-framing.ts'
import { MessageParts } from './message-parts.ts'
import { checkHost, checkMethod, checkVersion, readTarget, replaceHost } from './request-input.ts'

/**
 * `memory`: every byte is in memory, and `eagerly()` returns the message. `stream`: it returns a promise. `await`
 * works for both.
 */
export type Origin = 'memory' | 'stream'

/** The arguments of `new HttpRequest`. */
export interface HttpRequestInit {
  /** A token, written unchanged: methods are case-sensitive (RFC 9110 section 9.1). */
  readonly method: string
  /**
   * A full URL, a path (then `headers` has Host), `*`, or host:port for CONNECT. A string is written unchanged, not
   * normalised; in a `URL`, characters that RFC 3986 forbids are percent-encoded.
   */
  readonly url: string | URL
  /** The scheme of a target without one; used by the property `url`. Default http. */
  readonly scheme?: 'http' | 'https'
  /**
   * Path and query may contain any byte except blanks and control characters, such as `{`, `|` or raw UTF-8, for
   * servers that expect such requests. Default false.
   */
  readonly allowsAnyTarget?: boolean
  /** Default HTTP/1.1. */
  readonly version?: HttpVersion
  /** Host is added at the start if the URL has a host and the headers have no Host. */
  readonly headers?: HeaderInit
  /** Adds its Content-Type and framing fields. Null: no body. */
  readonly body?: MessageBodyInit | null
}

type RequestParts = MessageParts<RequestHead>

/** The parts of a request line to change; the others stay. */
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

/**
 * A request. `O` says whether its body is in memory or still on its source.
 *
 *   const request = new HttpRequest({ method: 'POST', url: 'http://localhost/users', body: new StringBody('{}') })
 *   for await (const bytes of request.withHeader('Accept', 'text/html').encode()) socket.write(bytes)
 */
export class HttpRequest<O extends Origin = Origin> {
  readonly #parts: RequestParts
  #body: ReceivedBody | undefined

  /**
   * @throws HttpBuildError `METHOD`, `TARGET`, `VERSION`, `HOST`, `HEADER_NAME` or `HEADER_VALUE`, `framing` if framing
   *   fields contradict the body, `chunked-in-http-1.0` if it would have to be chunked.
   */
  constructor(init: HttpRequestInit)
  /** @internal */
  constructor(parts: RequestParts)
  constructor(init: HttpRequestInit | RequestParts) {
    this.#parts = init instanceof MessageParts ? init : partsOf(init)
    this.#body = undefined
  }

  get method(): string {
    return this.#parts.head.method
  }

  /** The request target as received or given, without a fragment. */
  get target(): string {
    return this.#parts.head.target
  }

  get form(): TargetForm {
    return this.#parts.head.form
  }

  get version(): HttpVersion {
    return this.#parts.head.version
  }

  get headers(): HeaderList {
    return this.#parts.head.headers
  }

  get body(): ReceivedBody | undefined {
    const { content, head } = this.#parts
    const { framing } = head
    if (framing === undefined || content === undefined) return undefined
    this.#body ??= new ContentReader(framing, content, head.headers)
    return this.#body
  }

  /** Repairs of the parser, in order. */
  get repairs(): readonly Repair[] {
    return this.#parts.head.repairs
  }

  /**
   * Makes a request from the events of a decoder: its head, and the events of its content, which are iterated once,
   * when the body is read.
   */
  static fromEvents(head: RequestHead, content: AsyncIterable<BodyEvent> | undefined): HttpRequest<'stream'> {
    return new HttpRequest<'stream'>(
      new MessageParts(checkInstance(head, RequestHead, 'the head'), receivedContent(head.framing, content)),
    )
  }

  /**
   * Converts the request of a fetch handler or a `new Request()`: Host comes from its URL, the body is a stream.
   * @throws HttpcliError `body-used`.
   */
  static fromFetch(request: Request): HttpRequest<'stream'> {
    return new HttpRequest<'stream'>(requestFromFetch(request))
  }

  /** The requested URL (RFC 9110 section 7.1); the target's authority overrides Host. Undefined without a host. */
  get url(): URL | undefined {
    const { targetParts: target, headers } = this.#parts.head
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

  /** The protocols of Upgrade, if Connection names it. Ignored in HTTP/1.0 (RFC 9110 section 7.8). */
  get upgrade(): readonly string[] {
    return upgradeProtocols(this.version, this.headers)
  }

  /**
   * With another body; Content-Type and the framing fields are updated. Null removes the body.
   * @throws HttpBuildError `chunked-in-http-1.0` for a body of unknown length in an HTTP/1.0 request.
   */
  withBody(body: MemoryBodyInit | null): HttpRequest<'memory'>
  withBody(body: Exclude<MessageBodyInit, MemoryBodyInit>): HttpRequest<'stream'>
  withBody(body: MessageBodyInit | null): HttpRequest
  withBody(body: MessageBodyInit | null): HttpRequest {
    if (body === null) {
      const headers = headersWithoutBody(this.headers)
      return new HttpRequest(
        new MessageParts(changedRequestHead(this.#parts.head, { headers, framing: undefined }), undefined),
      )
    }
    return new HttpRequest(withBodyParts(this.#parts.head, toBody(body)))
  }

  /**
   * With these fields replacing those of the same names, or with the list that a function returns for the current one.
   *
   *   request.withHeaders((headers) => headers.without('cookie').append('Via', '1.1 proxy'))
   *
   * @throws HttpBuildError `HOST`, `HEADER_NAME` or `HEADER_VALUE`, `framing` if they contradict the body.
   */
  withHeaders(headers: HeaderChange): HttpRequest<O> {
    return this.#withHeaderList(changedHeaders(this.headers, headers))
  }

  /** With this field as the only one of its name. @throws as `withHeaders` does. */
  withHeader(name: string, value: string): HttpRequest<O> {
    return this.#withHeaderList(this.headers.with(name, value))
  }

  /** Without all fields of these names. @throws as `withHeaders` does. */
  withoutHeaders(...names: string[]): HttpRequest<O> {
    return this.#withHeaderList(this.headers.without(...names))
  }

  /**
   * With another method, URL or version. A full URL also changes Host.
   * @throws HttpBuildError `METHOD`, `TARGET`, `VERSION` or `HOST`; `framing` for chunked in HTTP/1.0.
   */
  withRequestLine(line: RequestLineChange): HttpRequest<O> {
    checkKeys(line, lineTypes, 'the parts of a request line')
    const method = checkMethod(line.method ?? this.method)
    // The target of CONNECT, and "*" of OPTIONS, are for no other method.
    const isTargetKept =
      line.url === undefined &&
      (method === 'CONNECT') === (this.method === 'CONNECT') &&
      (method === 'OPTIONS' || this.form !== 'asterisk')
    const target = isTargetKept ? this.#parts.head.targetParts : readTarget(line.url ?? this.target, method)
    const isMoved = line.url !== undefined && target.authority !== ''
    const headers = isMoved ? replaceHost(this.headers, target.authority) : this.headers
    const version = checkVersion(line.version ?? this.version)
    return new HttpRequest<O>(
      reframed(this.#parts.withHead(changedRequestHead(this.#parts.head, { method, target, version })), headers),
    )
  }

  /**
   * A copy that shares no memory with this message; its text is the normalised message.
   * @throws HttpcliError `body-used` or `content-length-mismatch`; errors of the body's source.
   */
  eagerly(): O extends 'memory' ? EagerRequest : Promise<EagerRequest> {
    const eager = inMemory(this.#parts.content, (content) => new EagerRequest(this.#parts.withContent(content)))
    return eager as O extends 'memory' ? EagerRequest : Promise<EagerRequest>
  }

  /** The normalised bytes of start line and header section. */
  encodeHead(options?: EncodeRequestOptions): OwnOctets {
    if (options !== undefined) checkKeys(options, encodeTypes, 'the options of encode')
    const octets = options?.absoluteForm === true ? undefined : this.#parts.head.normalOctets
    return octets?.toBytes() ?? octetsOf(requestHeadText(this.#parts.head, options ?? {}))
  }

  /**
   * The bytes of the body as sent, framing included, read on demand.
   * @throws HttpcliError `body-used`, or `content-length-mismatch` if the body does not have its declared length.
   */
  async *encodeBody(): AsyncGenerator<Uint8Array> {
    const { body } = this
    if (body !== undefined) yield* body.encoded()
  }

  /** The normalised bytes of the message; the body is read on demand. */
  async *encode(options?: EncodeRequestOptions): AsyncGenerator<Uint8Array> {
    yield this.encodeHead(options)
    yield* this.encodeBody()
  }

  /**
   * A fetch `Request`. Version, order and case of fields, trailers, chunk extensions, Expect and the fields about the
   * connection are lost.
   * @throws TypeError for CONNECT, TRACE and TRACK, for a body on GET or HEAD, without a URL.
   */
  toFetch(): Request {
    return requestToFetch(this)
  }

  /** The message as text: its head, and, if it is in memory, its body as sent. */
  toString(): string {
    const { content, head } = this.#parts
    const text = readableText(this.encodeHead())
    const { framing } = head
    if (content?.memory === undefined || framing === undefined) return text
    return text + readableWire(framing, content.memory, this.headers)
  }

  /** Method, target, version, headers as pairs, and framing, as plain values; without the content. */
  toJSON(): RequestDescription {
    return this.#parts.head.toJSON()
  }

  /** The form that Node.js prints. @internal */
  [INSPECT](_depth: number, options: unknown, inspect: Inspect): string {
    return inspected('HttpRequest', { ...this.toJSON(), body: shownContent(this.#parts.content) }, options, inspect)
  }

  #withHeaderList(headers: HeaderList): HttpRequest<O> {
    return new HttpRequest<O>(reframed(this.#parts, headers))
  }
}

/** A request in memory that shares no bytes with its source. */
export class EagerRequest extends HttpRequest<'memory'> {
  /** The normalised bytes of the whole message. */
  readonly bytes: Uint8Array
  /** The body, all of it in memory; undefined without one. */
  readonly content: EagerBody | undefined

  /** @internal */
  constructor(parts: RequestParts) {
    checkInstance(parts, MessageParts, 'the parts of a request')
    const { bytes, head, content } = ownMessage(parts.head, parts.content, () => requestHeadText(parts.head, {}))
    super(new MessageParts(head, content))
    this.bytes = bytes
    const { framing } = head
    this.content = framing && content?.memory && eagerBody(framing, content.memory, head.headers)
    Object.freeze(this)
  }

  override eagerly(): EagerRequest {
    return this
  }
}

const lineTypes: KeyTypes = { method: 'string', url: 'any', version: 'string' }
const encodeTypes: KeyTypes = { absoluteForm: 'boolean' }

const initTypes: KeyTypes = {
  method: 'string',
  url: 'any',
  scheme: 'string',
  allowsAnyTarget: 'boolean',
  version: 'string',
  headers: 'object',
  body: 'any',
}

function partsOf(init: HttpRequestInit): RequestParts {
  checkKeys(init, initTypes, 'the parts of a request')
  const method = checkMethod(init.method)
  const read = readTarget(init.url, method, init.allowsAnyTarget === true ? 'visible' : 'none')
  const target = read.scheme === '' && init.scheme !== undefined ? { ...read, scheme: init.scheme } : read
  const version = checkVersion(init.version ?? 'HTTP/1.1')
  const fields = HeaderList.of(init.headers)
  const headers = target.authority === '' || fields.has('host') ? fields : fields.prepend('Host', target.authority)
  checkHost(headers, version)
  const parts = new MessageParts(new RequestHead({ method, target, version }, headers, undefined, true, []), undefined)
  if (init.body === undefined || init.body === null) return reframed(parts, headers)
  return withBodyParts(parts.head, toBody(init.body))
}

function withBodyParts(head: RequestHead, body: MessageBody): RequestParts {
  const content = contentOf(body)
  const { version } = head
  const headers = headersForBody(head.headers, body, 'request', version)
  return new MessageParts(
    changedRequestHead(head, { headers, framing: framingOf(headers, content, 'request', version) }),
    content,
  )
}

/** Replaces the headers and keeps the content. A request cannot end with the connection, so its framing is restored. */
function reframed(parts: RequestParts, headers: HeaderList): RequestParts {
  const { head, content } = parts
  checkHost(headers, head.version)
  const framing = framingOf(headers, content, 'request', head.version)
  if (framing?.type !== 'close') return parts.withHead(changedRequestHead(head, { headers, framing }))
  const length = content?.lengthBytes
  const framed =
    length === undefined
      ? headers.append('Transfer-Encoding', 'chunked')
      : headers.append('Content-Length', String(length))
  return parts.withHead(
    changedRequestHead(head, { headers: framed, framing: framingOf(framed, content, 'request', head.version) }),
  )
}

/** Start line and header section as written. @internal */
export function requestHeadText(head: RequestHead, options: EncodeRequestOptions): string {
  return `${head.method} ${writtenTarget(head, options)} ${head.version}\r\n${head.headers}\r\n`
}

function writtenTarget({ targetParts: target, headers }: RequestHead, options: EncodeRequestOptions): string {
  if (target.form === 'authority') return target.text
  if (options.absoluteForm !== true) return target.originForm
  const authority = target.authority === '' ? (headers.first('host') ?? '') : target.authority
  // RFC 9112 section 3.2.4: through a proxy, `OPTIONS *` is the URL without a path.
  return `${target.scheme || 'http'}://${authority}${target.originForm === '*' ? '' : target.originForm}`
}
