/**
 * The request that a backend gets for the one that a client sent.
 *
 * Rules: it is written anew from what the message library read. Fields about one connection are dropped, those that
 * Connection names among them, and Upgrade is kept for WebSocket alone: any other protocol would carry requests that
 * were never judged. What a client says about the way that its request took is dropped, and said anew from what the
 * socket shows. Host is the client's; an https backend gets its own name, which its certificate is for.
 * RFC 9110 sections 7.2, 7.6, 7.8 and 10.1.1.
 */
import { type BodyEvent, HeaderList, HttpRequest, type RequestHead, withoutHopByHop } from '../../message/index.ts'
import type { BackendRoute } from './backend-routes.ts'

/** A request as its connection read it. */
export interface ReceivedRequest {
  readonly head: RequestHead
  /** Undefined: none. To be iterated once. */
  readonly content: AsyncIterable<BodyEvent> | undefined
  /** `1.1`, `1.0` or `2.0`, as Via names it. */
  readonly version: string
  readonly isSecure: boolean
  /** Undefined for a client of a socket in the file system. */
  readonly remoteAddress: string | undefined
}

/** What all requests of a server are given. */
export interface GatewaySettings {
  /** The name of this server in Via. */
  readonly viaName: string
  /** Whether Authorization is for this server, and not for what it forwards to. */
  readonly keepsAuthorization: boolean
}

/**
 * Fields that say which way a request took, and those of other gateways. Proxy becomes the variable HTTP_PROXY where a
 * backend speaks CGI (CVE-2016-5385).
 */
const droppedPattern = /^(?:forwarded|x-forwarded-.*|x-real-ip|http2-settings|proxy|max-forwards)$/

/** Where a backend makes a variable of each field, these would be taken for the fields with a hyphen. */
const maskedPattern = /^(?:content_length|transfer_encoding|content_type)$/

/** RFC 6455 section 4.1. A request with content does not ask for it. */
export function asksForWebSocket({ head, content }: ReceivedRequest): boolean {
  const [protocol, ...others] = head.upgrade
  return content === undefined && head.method === 'GET' && others.length === 0 && /^websocket$/i.test(protocol ?? '')
}

/** @throws HttpcliError for what cannot be sent as a request of HTTP/1.1 */
export function backendRequest(
  request: ReceivedRequest,
  { backend, target }: BackendRoute,
  settings: GatewaySettings,
): HttpRequest<'stream'> {
  const { head, content } = request
  return HttpRequest.fromEvents(head, content)
    .withRequestLine({ url: `${backend.origin}${target}`, version: 'HTTP/1.1' })
    .withHeaders((headers) => {
      const host = backend.origin.startsWith('https:') ? undefined : head.headers.first('host')
      const kept = keptFields(host === undefined || host === '' ? headers : headers.with('Host', host), settings)
      return HeaderList.of([...kept, ...wayFields(request, head.headers, settings), ...connectionFields(request)])
    })
}

function keptFields(
  headers: HeaderList,
  { keepsAuthorization }: GatewaySettings,
): readonly (readonly [string, string])[] {
  return [...withoutHopByHop(headers)].filter(([name]) => {
    const lower = name.toLowerCase()
    if (lower === 'authorization') return !keepsAuthorization
    return !droppedPattern.test(lower.replaceAll('_', '-')) && !maskedPattern.test(lower)
  })
}

/** RFC 9110 section 7.6.3; and what frameworks read, since few of them read Forwarded (RFC 7239). */
function wayFields(
  { version, isSecure, remoteAddress }: ReceivedRequest,
  received: HeaderList,
  { viaName }: GatewaySettings,
): readonly (readonly [string, string])[] {
  const host = received.first('host') ?? ''
  return [
    ['Via', `${version} ${viaName}`],
    ...(remoteAddress === undefined ? [] : [['X-Forwarded-For', remoteAddress.replace(/^::ffff:/, '')] as const]),
    ...(host === '' ? [] : [['X-Forwarded-Host', host] as const]),
    ['X-Forwarded-Proto', isSecure ? 'https' : 'http'],
  ]
}

function connectionFields(request: ReceivedRequest): readonly (readonly [string, string])[] {
  if (!asksForWebSocket(request)) return []
  return [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
  ]
}
