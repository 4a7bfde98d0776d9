/**
 * Heads that a proxy passes on: without fields about one connection (RFC 9110 section 7.6.1).
 *
 * Rules: `withoutHopByHop` says which fields those are. The coding chunked is restored if the content has it;
 * `HttpConnection` replaces it for a client that does not support it.
 */
import { changedRequestHead, changedResponseHead } from '../head/changed-head.ts'
import { withoutHopByHop } from '../head/connection-fields.ts'
import type { RequestHead, ResponseHead } from '../head/head.ts'
import { HeaderList } from '../head/headers.ts'
import { forwardableTrailers } from '../head/trailer-fields.ts'
import { checkInstance, checkType } from '../syntax/checked-input.ts'

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
