/**
 * The head of a message: start line and header section, checked as a whole (RFC 9112 section 3.2 for Host).
 *
 * Rules: a head is immutable, except that its list of repairs grows while the content is read. For a canonical head
 * only the bytes are kept (head-octets.ts), and strings are made on demand; any other head has strings from the start.
 * `get` is `headers.get`: all values joined, regardless of the case of the name.
 */
import type { Repair } from '../syntax/errors.ts'
import type { HttpVersion, RequestLine, StatusLine } from '../syntax/start-line.ts'
import { hostProblem, originForm, type Target, type TargetForm } from '../syntax/target.ts'
import { upgradeProtocols, waitsForContinue, wantsKeepAlive } from './connection-fields.ts'
import {
  describeHead,
  INSPECT,
  type Inspect,
  inspected,
  type RequestDescription,
  type ResponseDescription,
} from './description.ts'
import { determineFraming, type Framing, type FramingContext } from './framing.ts'
import type { HeadOctets } from './head-octets.ts'
import { HeaderList } from './headers.ts'

/** The head of a received request. `HttpRequest.fromEvents` makes a request from it. */
export class RequestHead {
  /** Undefined if the request has no content. */
  readonly framing: Framing | undefined
  /** Whether another request may follow on the connection. */
  readonly keepAlive: boolean
  /** The repairs, in order. Repairs in chunks and trailers are added as they are read. */
  readonly repairs: readonly Repair[]
  readonly #line: RequestLine | HeadOctets
  #target: Target | undefined
  #headers: HeaderList | undefined

  /** `line`: the start line with its headers, or the bytes of both. @internal */
  constructor(
    line: RequestLine | HeadOctets,
    headers: HeaderList | undefined,
    framing: Framing | undefined,
    keepAlive: boolean,
    repairs: readonly Repair[],
  ) {
    this.framing = framing
    this.keepAlive = keepAlive
    this.repairs = repairs
    this.#line = line
    this.#target = undefined
    this.#headers = headers
  }

  get method(): string {
    return this.#line.method
  }

  /** The request target as received, without a fragment. */
  get target(): string {
    const { target } = this.#line
    return typeof target === 'string' ? target : target.text
  }

  get form(): TargetForm {
    return this.targetParts.form
  }

  /** The parts of the target. @internal */
  get targetParts(): Target {
    if (this.#target === undefined) {
      const { target } = this.#line
      this.#target = typeof target === 'string' ? originForm(target) : target
    }
    return this.#target
  }

  get version(): HttpVersion {
    return this.#line.version
  }

  get headers(): HeaderList {
    this.#headers ??= HeaderList.fromHead(this.#line as HeadOctets)
    return this.#headers
  }

  get(lowerCaseName: string): string | undefined {
    return this.headers.get(lowerCaseName)
  }

  /** Whether the client waits for 100 (Continue). Ignored in HTTP/1.0 (RFC 9110 section 10.1.1). */
  get expectContinue(): boolean {
    return waitsForContinue(this.version, this.headers)
  }

  /** The protocols of Upgrade, if Connection names it. Ignored in HTTP/1.0 (RFC 9110 section 7.8). */
  get upgrade(): readonly string[] {
    return upgradeProtocols(this.version, this.headers)
  }

  /** Method, target, version, headers as pairs, and framing, as plain values. */
  toJSON(): RequestDescription {
    return { method: this.method, target: this.target, ...describeHead(this) }
  }

  /** The form that Node.js prints. @internal */
  [INSPECT](_depth: number, options: unknown, inspect: Inspect): string {
    return inspected('RequestHead', this.toJSON(), options, inspect)
  }

  /** The same head; it keeps none of the pushed bytes alive. @internal */
  own(): RequestHead {
    return 'isNormal' in this.#line ? this.withOctets(this.#line.own()) : this
  }

  /** The bytes of the head, if it would be written in exactly this form. @internal */
  get normalOctets(): HeadOctets | undefined {
    return 'isNormal' in this.#line && this.#line.isNormal ? this.#line : undefined
  }

  /** The same head, read from a copy of its bytes. @internal */
  withOctets(octets: HeadOctets): RequestHead {
    return new RequestHead(octets, undefined, this.framing, this.keepAlive, this.repairs)
  }
}

/** The head of a received response. `HttpResponse.fromEvents` makes a response from it. */
export class ResponseHead {
  /** Undefined if the response has no content. */
  readonly framing: Framing | undefined
  /** Whether the connection may be used again. */
  readonly keepAlive: boolean
  /** The repairs, in order. Repairs in chunks and trailers are added as they are read. */
  readonly repairs: readonly Repair[]
  readonly #line: StatusLine | HeadOctets
  #headers: HeaderList | undefined

  /** `line`: the start line with its headers, or the bytes of both. @internal */
  constructor(
    line: StatusLine | HeadOctets,
    headers: HeaderList | undefined,
    framing: Framing | undefined,
    keepAlive: boolean,
    repairs: readonly Repair[],
  ) {
    this.framing = framing
    this.keepAlive = keepAlive
    this.repairs = repairs
    this.#line = line
    this.#headers = headers
  }

  get status(): number {
    return this.#line.status
  }

  get reason(): string {
    return this.#line.reason
  }

  get version(): HttpVersion {
    return this.#line.version
  }

  get headers(): HeaderList {
    this.#headers ??= HeaderList.fromHead(this.#line as HeadOctets)
    return this.#headers
  }

  get(lowerCaseName: string): string | undefined {
    return this.headers.get(lowerCaseName)
  }

  /** Status, reason, version, headers as pairs, and framing, as plain values. */
  toJSON(): ResponseDescription {
    return { status: this.status, reason: this.reason, ...describeHead(this) }
  }

  /** The form that Node.js prints. @internal */
  [INSPECT](_depth: number, options: unknown, inspect: Inspect): string {
    return inspected('ResponseHead', this.toJSON(), options, inspect)
  }

  /** The same head; it keeps none of the pushed bytes alive. @internal */
  own(): ResponseHead {
    return 'isNormal' in this.#line ? this.withOctets(this.#line.own()) : this
  }

  /** The bytes of the head, if it would be written in exactly this form. @internal */
  get normalOctets(): HeadOctets | undefined {
    return 'isNormal' in this.#line && this.#line.isNormal ? this.#line : undefined
  }

  /** The same head, read from a copy of its bytes. @internal */
  withOctets(octets: HeadOctets): ResponseHead {
    return new ResponseHead(octets, undefined, this.framing, this.keepAlive, this.repairs)
  }
}

/**
 * Checks Host and framing of a request.
 * @throws HttpParseError `HOST`, and the codes of `determineFraming`.
 */
export function completeRequestHead(
  line: RequestLine,
  fields: HeaderList,
  repairs: readonly Repair[],
  context: FramingContext,
): RequestHead {
  const headers = withHost(line, fields, context)
  const framed = determineFraming({ type: 'request', version: line.version }, headers, context)
  const keepAlive = framed.isReusable && wantsKeepAlive(line.version, framed.headers)
  return new RequestHead(line, framed.headers, framed.framing, keepAlive, repairs)
}

/** @throws HttpParseError with the codes of `determineFraming`. */
export function completeResponseHead(
  line: StatusLine,
  fields: HeaderList,
  requestMethod: string,
  repairs: readonly Repair[],
  context: FramingContext,
): ResponseHead {
  const message = { type: 'response', version: line.version, status: line.status, requestMethod } as const
  const framed = determineFraming(message, fields, context)
  const keepAlive = framed.isReusable && wantsKeepAlive(line.version, framed.headers)
  // RFC 9112 section 6.1: HTTP/1.0 has no transfer codings, so that content in one is written as HTTP/1.1.
  const version = framed.framing && framed.headers.has('transfer-encoding') ? 'HTTP/1.1' : line.version
  return new ResponseHead({ ...line, version }, framed.headers, framed.framing, keepAlive, repairs)
}

/**
 * RFC 9112 section 3.2: every HTTP/1.1 request has exactly one Host. `hostProblem` of syntax/target.ts gives its
 * grammar; canonical ones are also read by `isHostTaken` of fast/fast-head.ts and by fast/head-scan.wat.
 *
 * RFC 9112 section 3.2.2: the host of a target overrides Host. In a request from a socket it replaces the field, so
 * that no program checks one and forwards to the other; a person who writes both into a text means both.
 */
function withHost(line: RequestLine, headers: HeaderList, context: FramingContext): HeaderList {
  const { authority } = line.target
  const hosts = headers.all('host')
  if (hosts.length > 1) context.failField('HOST', 'host', 'more than one Host')
  const host = hosts[0]
  if (host === undefined) {
    if (line.version === 'HTTP/1.1' && (authority === '' || !context.options.insertHost)) {
      const missing = authority || 'example.com, or write the full URL in the first line'
      const problem = 'no Host, which every HTTP/1.1 request needs'
      context.failField('HOST', 'host', problem, 400, `Add a line Host: ${missing}`)
    }
    if (authority === '') return headers
    context.repairField('missing-host', 'host', `Host: ${authority} was added`)
    return headers.prepend('Host', authority)
  }
  if (host === '' && authority !== '' && context.isLenient) {
    context.repairField('empty-host', 'host', `the empty Host was filled with ${authority}`)
    return headers.with('Host', authority)
  }
  const problem = hostProblem(host)
  if (problem !== undefined) context.failField('HOST', 'host', `Host is not host[:port]: ${problem.problem}`)
  if (authority === '' || host === authority || context.isLenient) return headers
  context.repairField('replaced-host', 'host', `Host: ${host} was replaced by ${authority}, the host of the target`)
  return headers.with('Host', authority)
}
