/**
 * Builds the request to a backend from the client's request.
 *
 * Rules: the request is rebuilt from the parsed message. Hop-by-hop fields are dropped, including those that Connection
 * names, and Upgrade is kept only for WebSocket: any other protocol would carry requests that were never checked.
 * Forwarding fields of the client are dropped and set again from the address of the socket. Host is copied from the
 * client, except that an https backend gets its own host name, because its certificate is issued for that name. RFC
 * 9110 sections 7.2, 7.6, 7.8 and 10.1.1.
 */
import { type BodyEvent, HeaderList, HttpRequest, type RequestHead, withoutHopByHop } from '../../message/index.ts'
import type { BackendRoute } from './backend-routes.ts'

/** A request as its connection parsed it. */
export interface ReceivedRequest {
  readonly head: RequestHead
  /** Undefined: no content. Can be iterated once. */
  readonly content: AsyncIterable<BodyEvent> | undefined
  /** `1.1`, `1.0` or `2.0`, as in Via. */
  readonly version: string
  readonly isSecure: boolean
  /** Undefined for a client of a Unix domain socket. */
  readonly remoteAddress: string | undefined
}

export interface GatewaySettings {
  /** The name of this server in Via. */
  readonly viaName: string
  /** Whether Authorization is consumed by this server and not forwarded. */
  readonly isAuthorizationConsumed: boolean
}

/**
 * Forwarding fields, and those of other gateways. In CGI, Proxy would become the variable HTTP_PROXY (CVE-2016-5385).
 */
const droppedPattern = /^(?:forwarded|x-forwarded-.*|x-real-ip|http2-settings|proxy|max-forwards)$/

/** A backend that maps fields to variables could not distinguish these from the fields with a hyphen. */
const maskedPattern = /^(?:content_length|transfer_encoding|content_type)$/

/** RFC 6455 section 4.1. A request with content is not a WebSocket handshake. */
export function asksForWebSocket({ head, content }: ReceivedRequest): boolean {
  const [protocol, ...others] = head.upgrade
  return content === undefined && head.method === 'GET' && others.length === 0 && /^websocket$/i.test(protocol ?? '')
}

/** @throws HttpcliError for a request that HTTP/1.1 cannot represent */
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
      return HeaderList.of([
        ...kept,
        ...forwardingFields(request, head.headers, settings),
        ...connectionFields(request),
      ])
    })
}

function keptFields(
  headers: HeaderList,
  { isAuthorizationConsumed }: GatewaySettings,
): readonly (readonly [string, string])[] {
  return [...withoutHopByHop(headers)].filter(([name]) => {
    const lower = name.toLowerCase()
    if (lower === 'authorization') return !isAuthorizationConsumed
    return !droppedPattern.test(lower.replaceAll('_', '-')) && !maskedPattern.test(lower)
  })
}

/** RFC 9110 section 7.6.3; and X-Forwarded-*, since few frameworks read Forwarded (RFC 7239). */
function forwardingFields(
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
