/**
 * A response: immutable; each change returns a new one.
 *
 * Rules: the status line is written with its SP even without a reason phrase (RFC 9112 section 4). Headers and body
 * always agree (message-framing.ts); a response that was read until the end of the connection is written the same way.
 */
import { type MemoryBodyInit, type MessageBodyInit, toBody } from '../body/body-init.ts'
import { contentOf, inMemory, receivedContent } from '../body/content.ts'
import { readableWire, shownContent } from '../body/content-text.ts'
import type { MessageBody } from '../body/message-body.ts'
import { ContentReader, type EagerBody, eagerBody, type ReceivedBody } from '../body/received-body.ts'
import { ownMessage } from '../fast/own-message.ts'
import { changedResponseHead } from '../head/changed-head.ts'
import { wantsKeepAlive } from '../head/connection-fields.ts'
import { INSPECT, type Inspect, inspected, type ResponseDescription } from '../head/description.ts'
import type { BodyEvent } from '../head/events.ts'
import { neverHasContent } from '../head/framing.ts'
import { ResponseHead } from '../head/head.ts'
import { changedHeaders, type HeaderChange, type HeaderInit, HeaderList } from '../head/headers.ts'
import { checkInstance, checkKeys, checkType, type KeyTypes, typeName } from '../syntax/checked-input.ts'
import type { HttpBuildError, Repair } from '../syntax/errors.ts'
import { FIELD_VALUE, indexOfOther } from '../syntax/grammar.ts'
import { inputError } from '../syntax/input-error.ts'
import { type OwnOctets, octetsOf, readableText } from '../syntax/octets.ts'
import { reasonPhrase } from '../syntax/reason-phrases.ts'
import type { HttpVersion } from '../syntax/start-line.ts'
import { responseFromFetch, responseToFetch } from './fetch.ts'
import {
  checkFramingFields,
  framingError,
  framingOf,
  hasFramingField,
  headersForBody,
  headersWithoutBody,
  headersWithoutFraming,
} from './message-framing.ts'
import { MessageParts } from './message-parts.ts'
import type { Origin } from './request.ts'
import { checkVersion } from './request-input.ts'

type ResponseParts = MessageParts<ResponseHead>

/** The request that a response answers: an `HttpRequest` or its head. */
export interface AnsweredRequest {
  readonly method: string
  readonly version?: HttpVersion
}

/** The arguments of `new HttpResponse`. */
export interface HttpResponseInit {
  /** 100 to 999. */
  readonly status: number
  /** Default: the registered phrase of the status. */
  readonly reason?: string
  /** Default HTTP/1.1. */
  readonly version?: HttpVersion
  readonly headers?: HeaderInit
  /**
   * The request that it answers, if that affects how it is written: a response to HEAD consists of its head, a 2xx
   * answer to CONNECT has no content and no framing fields, and a stream to an HTTP/1.0 client ends with the
   * connection.
   */
  readonly request?: AnsweredRequest
  /** Adds Content-Type and framing fields. Null: no body, and Content-Length 0 if the status allows content. */
  readonly body?: MessageBodyInit | null
}

/**
 * A response. `O` says whether its body is in memory or still on its source.
 *
 *   const response = new HttpResponse({ status: 404, body: new StringBody('not here', 'text/plain') })
 *   for await (const bytes of response.encode()) socket.write(bytes)
 */
export class HttpResponse<O extends Origin = Origin> {
  readonly #parts: ResponseParts
  #body: ReceivedBody | undefined

  /**
   * @throws HttpBuildError `STATUS` (also for a body if the status allows no content), `START_LINE`, `VERSION`,
   *   `HEADER_NAME` or `HEADER_VALUE`; HttpBuildError `framing` if framing fields contradict the body,
   *   `chunked-in-http-1.0` if it would have to be chunked.
   */
  constructor(init: HttpResponseInit)
  /** @internal */
  constructor(parts: ResponseParts)
  constructor(init: HttpResponseInit | ResponseParts) {
    this.#parts = init instanceof MessageParts ? init : partsOf(init)
    this.#body = undefined
  }

  get status(): number {
    return this.#parts.head.status
  }

  get reason(): string {
    return this.#parts.head.reason
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
   * Makes a response from the events of a decoder: its head, and the events of its content, which are iterated once,
   * when the body is read.
   */
  static fromEvents(head: ResponseHead, content: AsyncIterable<BodyEvent> | undefined): HttpResponse<'stream'> {
    return new HttpResponse<'stream'>(
      new MessageParts(checkInstance(head, ResponseHead, 'the head'), receivedContent(head.framing, content)),
    )
  }

  /**
   * Converts the response of `fetch()` or a `new Response()`. A content coding that `fetch` has decoded is omitted.
   * @throws HttpcliError `body-used`.
   */
  static fromFetch(response: Response): HttpResponse<'stream'> {
    return new HttpResponse<'stream'>(responseFromFetch(response))
  }

  /** Whether the connection may be used again (RFC 9112 section 9.3). */
  get keepAlive(): boolean {
    const { framing, keepAlive } = this.#parts.head
    return keepAlive && framing?.type !== 'close' && wantsKeepAlive(this.version, this.headers)
  }

  /**
   * With another body; Content-Type and the framing fields are updated. Null removes the body.
   * @throws HttpBuildError `STATUS` if a response with this status has no body; HttpcliError `chunked-in-http-1.0` for
   *   a body of unknown length in an HTTP/1.0 response.
   */
  withBody(body: MemoryBodyInit | null): HttpResponse<'memory'>
  withBody(body: Exclude<MessageBodyInit, MemoryBodyInit>): HttpResponse<'stream'>
  withBody(body: MessageBodyInit | null): HttpResponse
  withBody(body: MessageBodyInit | null): HttpResponse {
    if (body === null) {
      const headers = headersWithoutBody(this.headers)
      return new HttpResponse(
        withoutContent(changedResponseHead(this.#parts.head, { headers }), isUnframed(this.#parts)),
      )
    }
    return new HttpResponse(withBodyParts(this.#parts.head, toBody(body), this.version))
  }

  /**
   * With these fields replacing those of the same names, or with the list that a function returns for the current one.
   * @throws HttpBuildError `HEADER_NAME` or `HEADER_VALUE`; HttpBuildError `framing` if they contradict the body.
   */
  withHeaders(headers: HeaderChange): HttpResponse<O> {
    return this.#withHeaderList(changedHeaders(this.headers, headers))
  }

  /** With this field as the only one of its name. @throws as `withHeaders` does. */
  withHeader(name: string, value: string): HttpResponse<O> {
    return this.#withHeaderList(this.headers.with(name, value))
  }

  /** Without all fields of these names. @throws as `withHeaders` does. */
  withoutHeaders(...names: string[]): HttpResponse<O> {
    return this.#withHeaderList(this.headers.without(...names))
  }

  /**
   * With another status, and the registered phrase of that status unless another is given.
   * @throws HttpBuildError `STATUS` or `START_LINE`.
   */
  withStatus(status: number, reason: string = reasonPhrase(status)): HttpResponse<O> {
    checkStatus(status)
    checkReason(reason)
    const head = changedResponseHead(this.#parts.head, { status, reason, headers: this.#headersUnder(status) })
    if (this.#parts.content === undefined) return new HttpResponse<O>(withoutContent(head, isUnframed(this.#parts)))
    checkMayHaveContent(status)
    return new HttpResponse<O>(this.#parts.withHead(head))
  }

  /**
   * A copy that shares no memory with this message; its text is the normalised message.
   * @throws HttpcliError `body-used` or `content-length-mismatch`; errors of the body's source.
   */
  eagerly(): O extends 'memory' ? EagerResponse : Promise<EagerResponse> {
    const eager = inMemory(this.#parts.content, (content) => new EagerResponse(this.#parts.withContent(content)))
    return eager as O extends 'memory' ? EagerResponse : Promise<EagerResponse>
  }

  /** The normalised bytes of status line and header section. */
  encodeHead(): OwnOctets {
    return this.#parts.head.normalOctets?.toBytes() ?? octetsOf(responseHeadText(this.#parts.head))
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
  async *encode(): AsyncGenerator<Uint8Array> {
    yield this.encodeHead()
    yield* this.encodeBody()
  }

  /**
   * A fetch `Response`. Version, order and case of fields, trailers and chunk extensions are lost.
   * @throws TypeError for a status below 200 or above 599.
   */
  toFetch(): Response {
    return responseToFetch(this)
  }

  /** The message as text: its head, and, if it is in memory, its body as sent. */
  toString(): string {
    const { content, head } = this.#parts
    const text = readableText(this.encodeHead())
    const { framing } = head
    if (content?.memory === undefined || framing === undefined) return text
    return text + readableWire(framing, content.memory, this.headers)
  }

  /** Status, reason, version, headers as pairs, and framing, as plain values; without the content. */
  toJSON(): ResponseDescription {
    return this.#parts.head.toJSON()
  }

  /** The form that Node.js prints. @internal */
  [INSPECT](_depth: number, options: unknown, inspect: Inspect): string {
    return inspected('HttpResponse', { ...this.toJSON(), body: shownContent(this.#parts.content) }, options, inspect)
  }

  #withHeaderList(headers: HeaderList): HttpResponse<O> {
    const { content, head } = this.#parts
    if (content === undefined) {
      return new HttpResponse<O>(
        withoutContent(changedResponseHead(this.#parts.head, { headers }), isUnframed(this.#parts)),
      )
    }
    // Such codings were received with the content, so they describe it.
    const codings = head.framing?.type === 'close' ? this.headers.get('transfer-encoding') : undefined
    const framing = framingOf(headers, content, 'response', this.version, codings)
    return new HttpResponse<O>(this.#parts.withHead(changedResponseHead(head, { headers, framing })))
  }

  /**
   * The framing fields of a status without content describe no content that another status could have. RFC 9110 section
   * 8.6: a length in a 304 is that of the response to GET, which is unknown if this one says only that it has no
   * content.
   */
  #headersUnder(status: number): HeaderList {
    const isKept = status === this.status || !neverHasContent(this.status, 'GET')
    const isEmpty = status === 304 && this.status !== 304 && this.headers.get('content-length') === '0'
    return isKept && !isEmpty ? this.headers : headersWithoutFraming(this.headers)
  }
}

/** A response in memory that shares no bytes with its source. */
export class EagerResponse extends HttpResponse<'memory'> {
  /** The normalised bytes of the whole message. */
  readonly bytes: Uint8Array
  /** The body, all of it in memory; undefined without one. */
  readonly content: EagerBody | undefined

  /** @internal */
  constructor(parts: ResponseParts) {
    checkInstance(parts, MessageParts, 'the parts of a response')
    const { bytes, head, content } = ownMessage(parts.head, parts.content, () => responseHeadText(parts.head))
    super(new MessageParts(head, content))
    this.bytes = bytes
    const { framing } = head
    this.content = framing && content?.memory && eagerBody(framing, content.memory, head.headers)
    Object.freeze(this)
  }

  override eagerly(): EagerResponse {
    return this
  }
}

const initTypes: KeyTypes = {
  status: 'any',
  reason: 'string',
  version: 'string',
  headers: 'object',
  request: 'object',
  body: 'any',
}

function partsOf(init: HttpResponseInit): ResponseParts {
  checkKeys(init, initTypes, 'the parts of a response')
  checkStatus(init.status)
  const reason = init.reason ?? reasonPhrase(init.status)
  checkReason(reason)
  const line = { status: init.status, reason, version: checkVersion(init.version ?? 'HTTP/1.1') }
  const head = new ResponseHead(line, HeaderList.of(init.headers), undefined, true, [])
  const { method, version = line.version } = init.request ?? { method: 'GET' }
  const body = init.body === undefined || init.body === null ? undefined : toBody(init.body)
  if (!neverHasContent(init.status, method)) {
    return body === undefined ? withoutContent(head, false) : withBodyParts(head, body, version)
  }
  if (mayHaveFramingFields(init.status, method)) {
    if (body !== undefined) checkMayHaveContent(init.status)
    const headers = body === undefined ? head.headers : headersForBody(head.headers, body, 'response', version)
    checkFramingFields(headers, 'response', version)
    body?.discard?.()
    return new MessageParts(changedResponseHead(head, { headers }), undefined)
  }
  if (body !== undefined) throw noContent(init.status)
  if (hasFramingField(head.headers)) throw framingError(`a framing field in an answer with status ${init.status}`)
  return new MessageParts(head, undefined)
}

/**
 * RFC 9110 section 8.6, RFC 9112 section 6.1: responses without content may have them if they answer HEAD or are 304.
 */
function mayHaveFramingFields(status: number, method: string): boolean {
  return status >= 200 && status !== 204 && !(method === 'CONNECT' && status < 300)
}

/**
 * A response without content declares this; otherwise its reader would wait for the end of the connection. Framing
 * fields set by a caller stay: the response may answer HEAD. `isUnframed`: it has no framing fields and needs none.
 */
function withoutContent(head: ResponseHead, isUnframed: boolean): ResponseParts {
  const { headers, status, version } = head
  if (!mayHaveFramingFields(status, 'GET')) {
    return new MessageParts(
      changedResponseHead(head, { headers: headersWithoutFraming(headers), framing: undefined }),
      undefined,
    )
  }
  checkFramingFields(headers, 'response', version)
  const isLengthNeeded = !isUnframed && !neverHasContent(status, 'GET') && !hasFramingField(headers)
  const written = isLengthNeeded ? headers.append('Content-Length', '0') : headers
  return new MessageParts(changedResponseHead(head, { headers: written, framing: undefined }), undefined)
}

/** Whether it has neither content nor a framing field although its status allows them: it answers HEAD or CONNECT. */
function isUnframed({ head, content }: ResponseParts): boolean {
  return content === undefined && !neverHasContent(head.status, 'GET') && !hasFramingField(head.headers)
}

/** `version` is the lower of the two sides' versions. */
function withBodyParts(head: ResponseHead, body: MessageBody, version: HttpVersion): ResponseParts {
  checkMayHaveContent(head.status)
  const content = contentOf(body)
  const headers = headersForBody(head.headers, body, 'response', head.version === 'HTTP/1.0' ? 'HTTP/1.0' : version)
  const framing = framingOf(headers, content, 'response', head.version)
  return new MessageParts(changedResponseHead(head, { headers, framing, keepAlive: true }), content)
}

/** Status line and header section as written. @internal */
export function responseHeadText({ version, status, reason, headers }: ResponseHead): string {
  return `${version} ${String(status).padStart(3, '0')} ${reason}\r\n${headers}\r\n`
}

function checkStatus(status: number): void {
  if (Number.isInteger(status) && status >= 100 && status <= 999) return
  throw inputError(
    'STATUS',
    `the status is ${typeof status === 'number' ? status : typeName(status)}, expected a whole number from 100 to 999`,
    '',
    0,
  )
}

function checkReason(reason: string): void {
  const index = indexOfOther(checkType(reason, 'string', 'the reason phrase'), FIELD_VALUE)
  if (index !== -1) throw inputError('START_LINE', 'a character that is not allowed in a reason phrase', reason, index)
}

function checkMayHaveContent(status: number): void {
  if (neverHasContent(status, 'GET')) throw noContent(status)
}

function noContent(status: number): HttpBuildError {
  return inputError('STATUS', `a response with status ${status} has no body`, String(status), 0, 'Use withBody(null)')
}
