/**
 * Trailer sections to send (RFC 9110 section 6.5, RFC 9112 section 7.1.2).
 *
 * Rules: a field that says how a message is framed, routed or read comes too late in a trailer section, and another
 * reader may take it for a header field: it is refused.
 */

import type { Framing } from '../head/framing.ts'
import { type HeaderInit, HeaderList } from '../head/headers.ts'
import { FIELD_VALUE, indexOfOther } from '../syntax/grammar.ts'
import { LocalProtocolError } from './protocol-error.ts'

/** RFC 9110 section 6.5.1: framing, routing, authentication, and how the content is to be read. */
const notInTrailers = [
  ...['connection', 'content-encoding', 'content-length', 'content-range', 'content-type', 'host', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'authorization', 'cookie', 'proxy-authorization', 'set-cookie'],
]

/**
 * The trailer section of a message with this framing. A reader that is sent the content until the connection ends, as one
 * of HTTP/1.0 is, gets none.
 * @throws LocalProtocolError `invalid-trailer`; HttpParseError from `HeaderList.of`.
 */
export function trailersToSend(init: HeaderInit | undefined, framing: Framing | undefined): HeaderList {
  const trailers = HeaderList.of(init)
  if (trailers.size === 0) return trailers
  for (const [name, value] of trailers) {
    if (notInTrailers.includes(name.toLowerCase())) throw invalid(`${name} may not stand in a trailer section`)
    if (indexOfOther(value, FIELD_VALUE) !== -1) throw invalid(`the value of ${name} holds a control character`)
  }
  if (framing?.type === 'close') return HeaderList.EMPTY
  if (framing?.type === 'chunked') return trailers
  throw invalid('a trailer section in a message that is not chunked', 'send the head with Transfer-Encoding: chunked')
}

function invalid(message: string, hint?: string): LocalProtocolError {
  return new LocalProtocolError('invalid-trailer', message, hint === undefined ? {} : { hint })
}
