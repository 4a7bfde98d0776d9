/**
 * Heads that a proxy passes on: without fields about one connection (RFC 9110 section 7.6.1).
 *
 * Rules: a field that Connection names is removed, unless the message means something else without it: by naming Host
 * or Content-Length there, a sender would move a message boundary for the next reader. The coding chunked is restored
 * if the content has it; `HttpConnection` replaces it for a client that does not support it.
 */
import { changedRequestHead, changedResponseHead } from '../head/changed-head.ts'
import type { RequestHead, ResponseHead } from '../head/head.ts'
import { HeaderList } from '../head/headers.ts'
import { forwardableTrailers } from '../head/trailer-fields.ts'
import { checkInstance, checkType } from '../syntax/checked-input.ts'
import { asciiLowerCase } from '../syntax/octets.ts'

/** RFC 9110 section 7.6.1: fields for the next hop, whether Connection names them or not. */
const hopByHop = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade']

const alwaysKept: ReadonlySet<string> = new Set(['content-length', 'host'])

/** The fields without those about one connection: Connection, the fields that it names, Upgrade and similar ones. */
export function withoutHopByHop(headers: HeaderList): HeaderList {
  const named = checkInstance(headers, HeaderList, 'the list of fields').list('connection').map(asciiLowerCase)
  const dropped = new Set([...hopByHop, ...named.filter((name) => !alwaysKept.has(name))])
  return HeaderList.of([...headers].filter(([name]) => !dropped.has(asciiLowerCase(name))))
}

/** The parts of a received request that a proxy forwards. The proxy adds Via. */
export function forwardedRequest(head: RequestHead): RequestHead {
  return changedRequestHead(head, { headers: forwardedFields(head) })
}

/** The parts of a received response that a proxy forwards. */
export function forwardedResponse(head: ResponseHead): ResponseHead {
  return changedResponseHead(head, { headers: forwardedFields(head) })
}

/** The fields of a received trailer section that a proxy forwards (RFC 9110 section 6.5.1). */
export function forwardedTrailers(trailers: HeaderList): HeaderList {
  return forwardableTrailers(checkInstance(trailers, HeaderList, 'the trailer section'))
}

function forwardedFields(head: RequestHead | ResponseHead): HeaderList {
  const { headers, framing } = checkType(head, 'object', 'the head')
  const kept = withoutHopByHop(headers)
  const codings = headers.get('transfer-encoding')
  return framing?.type === 'chunked' && codings !== undefined ? kept.append('Transfer-Encoding', codings) : kept
}
