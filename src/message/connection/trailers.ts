/**
 * Trailer sections to send (RFC 9110 section 6.5, RFC 9112 section 7.1.2).
 *
 * Rules: a program must not set a field of `head/trailer-fields.ts`; from a received section such fields are removed,
 * because an error of the sender must not break the message that is being written.
 */
import type { Framing } from '../head/framing.ts'
import { type HeaderInit, HeaderList } from '../head/headers.ts'
import { checkTrailers, forwardableTrailers } from '../head/trailer-fields.ts'
import { LocalProtocolError } from './protocol-error.ts'

/**
 * The trailer section of a message with this framing. A recipient that reads until the connection ends, such as an
 * HTTP/1.0 client, gets none.
 * @throws LocalProtocolError `invalid-trailer`; HttpBuildError from `HeaderList.of` and `checkTrailers`.
 */
export function trailersToSend(init: HeaderInit | undefined, framing: Framing | undefined): HeaderList {
  const fields = HeaderList.of(init)
  if (fields.size === 0) return fields
  const trailers = isReceived(fields) ? forwardableTrailers(fields) : checkTrailers(fields)
  if (framing?.type === 'close') return HeaderList.EMPTY
  if (framing?.type === 'chunked') return trailers
  throw new LocalProtocolError('invalid-trailer', 'a trailer section in a message that is not chunked', {
    hint: 'Send the head with Transfer-Encoding: chunked',
  })
}

/** Only parsed lists record line numbers. */
function isReceived(trailers: HeaderList): boolean {
  return trailers.lineOf(trailers.names()[0] as string) !== undefined
}
