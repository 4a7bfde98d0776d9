/**
 * The head of a message: start line and header section, checked as a whole (RFC 9112 section 3.2 for Host).
 *
 * Rules: a head holds strings of its own, never a view of a socket's buffer, and does not change; its list of repairs
 * grows while the content is read. `get` is that of its headers: all values joined, whatever the case of the name.
 */
import { upgradeProtocols, waitsForContinue, wantsKeepAlive } from './connection-fields.ts'
import type { Repair } from './errors.ts'
import { determineFraming, type Framing, type FramingContext } from './framing.ts'
import type { HeaderList } from './headers.ts'
import type { HttpVersion, RequestLine, StatusLine } from './start-line.ts'
import { hostProblem, type Target, type TargetForm } from './target.ts'

/** The head of a request as it was read. `HttpRequest.fromEvents` makes a request of it. */
export class RequestHead {
  readonly method: string
  /** The request target as received, without a fragment. */
  readonly target: string
  readonly form: TargetForm
  /** The parts of the target. @internal */
  readonly targetParts: Target
  readonly version: HttpVersion
  readonly headers: HeaderList
  /** Undefined: no content. */
  readonly framing: Framing | undefined
  /** Whether another request may follow on the connection. */
  readonly keepAlive: boolean
  /** What was mended, in order. Repairs in chunks and trailers are added as they are read. */
  readonly repairs: readonly Repair[]

  constructor(
    line: RequestLine,
    framed: { headers: HeaderList; framing: Framing | undefined },
    repairs: readonly Repair[],
    isReusable = true,
  ) {
    this.method = line.method
    this.target = line.target.text
    this.form = line.target.form
    this.targetParts = line.target
    this.version = line.version
    this.headers = framed.headers
    this.framing = framed.framing
    this.keepAlive = isReusable && wantsKeepAlive(line.version, framed.headers)
    this.repairs = repairs
  }

  get(lowerCaseName: string): string | undefined {
    return this.headers.get(lowerCaseName)
  }

  /** Whether the client waits for 100 (Continue). Ignored in HTTP/1.0 (RFC 9110 section 10.1.1). */
  get expectContinue(): boolean {
    return waitsForContinue(this.version, this.headers)
  }

  /** The protocols of Upgrade, where Connection names it. Ignored in HTTP/1.0 (RFC 9110 section 7.8). */
  get upgrade(): readonly string[] {
    return upgradeProtocols(this.version, this.headers)
  }
}

/** The head of a response as it was read. `HttpResponse.fromEvents` makes a response of it. */
export class ResponseHead {
  readonly status: number
  readonly reason: string
  readonly version: HttpVersion
  readonly headers: HeaderList
  /** Undefined: no content. */
  readonly framing: Framing | undefined
  /** Whether the connection may be used again. */
  readonly keepAlive: boolean
  /** What was mended, in order. Repairs in chunks and trailers are added as they are read. */
  readonly repairs: readonly Repair[]

  constructor(
    line: StatusLine,
    framed: { headers: HeaderList; framing: Framing | undefined },
    repairs: readonly Repair[],
    isReusable = true,
  ) {
    this.status = line.status
    this.reason = line.reason
    this.version = line.version
    this.headers = framed.headers
    this.framing = framed.framing
    this.keepAlive = isReusable && wantsKeepAlive(line.version, framed.headers)
    this.repairs = repairs
  }

  get(lowerCaseName: string): string | undefined {
    return this.headers.get(lowerCaseName)
  }
}

/**
 * Checks Host and framing of a request.
 * @throws HttpParseError `HOST` and those of `determineFraming`.
 */
export function completeRequestHead(
  line: RequestLine,
  fields: HeaderList,
  repairs: readonly Repair[],
  context: FramingContext,
): RequestHead {
  const headers = withHost(line, fields, context)
  const framed = determineFraming({ type: 'request', version: line.version }, headers, context)
  return new RequestHead(line, framed, repairs, framed.isReusable)
}

/** @throws HttpParseError those of `determineFraming`. */
export function completeResponseHead(
  line: StatusLine,
  fields: HeaderList,
  requestMethod: string,
  repairs: readonly Repair[],
  context: FramingContext,
): ResponseHead {
  const message = { type: 'response', version: line.version, status: line.status, requestMethod } as const
  const framed = determineFraming(message, fields, context)
  return new ResponseHead(line, framed, repairs, framed.isReusable)
}

function withHost(line: RequestLine, headers: HeaderList, context: FramingContext): HeaderList {
  const { authority } = line.target
  const hosts = headers.all('host')
  if (hosts.length > 1) context.failField('HOST', 'host', 'more than one Host')
  const host = hosts[0]
  if (host === undefined) {
    if (authority !== '' && context.options.insertHost) {
      context.repairField('missing-host', 'host', `Host: ${authority} was added`)
      return headers.prepend('Host', authority)
    }
    if (line.version === 'HTTP/1.1') {
      const hint =
        authority === ''
          ? 'add a line Host: example.com, or write the full URL in the first line'
          : `add a line Host: ${authority}`
      context.failField('HOST', 'host', 'no Host, which every HTTP/1.1 request needs', 400, hint)
    }
    return headers
  }
  if (host === '' && authority !== '' && context.repairs) {
    context.repairField('empty-host', 'host', `the empty Host was filled with ${authority}`)
    return headers.with('Host', authority)
  }
  const problem = hostProblem(host)
  if (problem !== undefined) context.failField('HOST', 'host', `Host is no host[:port]: ${problem.problem}`)
  return headers
}
