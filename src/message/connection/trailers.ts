/**
 * Trailer sections to send (RFC 9110 section 6.5, RFC 9112 section 7.1.2).
 *
 * Rules: a field that says how a message is framed, routed or read comes too late in a trailer section, and another
 * reader may take it for a header field. A program that sets one is refused; one that was received is not passed on,
 * since its sender's fault must not break the message that is being written.
 */
import type { Framing } from '../head/framing.ts'
import { type HeaderInit, HeaderList } from '../head/headers.ts'
import { FIELD_VALUE, indexOfOther } from '../syntax/grammar.ts'
import { asciiLowerCase } from '../syntax/octets.ts'
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
  const given = HeaderList.of(init)
  if (given.size === 0) return given
  const trailers = isReceived(given) ? passedOn(given) : given
  for (const [name, value] of trailers) {
    const problem = problemOf(name, value)
    if (problem !== undefined) throw invalid(problem)
  }
  if (framing?.type === 'close') return HeaderList.EMPTY
  if (framing?.type === 'chunked') return trailers
  throw invalid('a trailer section in a message that is not chunked', 'send the head with Transfer-Encoding: chunked')
}

function problemOf(name: string, value: string): string | undefined {
  if (notInTrailers.includes(asciiLowerCase(name))) return `${name} may not stand in a trailer section`
  return indexOfOther(value, FIELD_VALUE) === -1 ? undefined : `the value of ${name} holds a control character`
}

/** Only a list that was parsed knows lines. */
function isReceived(trailers: HeaderList): boolean {
  return trailers.lineOf(trailers.names()[0] as string) !== undefined
}

function passedOn(trailers: HeaderList): HeaderList {
  return HeaderList.of([...trailers].filter(([name, value]) => problemOf(name, value) === undefined))
}

function invalid(message: string, hint?: string): LocalProtocolError {
  return new LocalProtocolError('invalid-trailer', message, hint === undefined ? {} : { hint })
}
