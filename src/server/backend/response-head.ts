/**
 * Makes the head for the client from the head of a backend's response.
 *
 * Rules: the fields are the backend's, including Set-Cookie and Location. Fields about its connection are dropped (RFC
 * 9110 section 7.6.1), and so is a length in a 204 (section 8.6). A missing Date is added (section 6.6.1). In a response
 * without content, the parser does not check lengths, so they are checked and repaired here (RFC 9112 section 6.3).
 */
import { HeaderList, type HttpResponse, withoutHopByHop } from '../../message/index.ts'
import { unusableResponse } from './backend-failure.ts'

export interface ForwardedHead {
  readonly status: number
  readonly reason: string
  readonly headers: HeaderList
}

/**
 * For a client that waits for 100 when its content is needed and the backend has not sent one: HTTP/1.0 servers ignore
 * Expect (RFC 9110 section 10.1.1).
 */
export const continueHead: ForwardedHead = { status: 100, reason: 'Continue', headers: HeaderList.EMPTY }

/**
 * `date`: the current value of Date.
 * @throws HttpcliError `invalid-response`
 */
export function forwardedHead({ status, reason, headers }: ForwardedHead, date: string): ForwardedHead {
  const hasNoLength = status === 204 || headers.has('transfer-encoding')
  const forwarded = withoutHopByHop(headers)
  const kept = hasNoLength ? forwarded.without('content-length') : withLengthOnce(forwarded)
  const dated = kept.has('date') || status < 200 ? kept : kept.append('Date', date)
  return { status, reason, headers: dated }
}

/** @throws HttpcliError `invalid-response` */
function withLengthOnce(headers: HeaderList): HeaderList {
  // An empty member is not omitted: it makes the field invalid.
  const members = headers.all('content-length').flatMap((value) => value.split(','))
  const [length, ...others] = members.map((member) => member.trim())
  if (length === undefined) return headers
  if (!/^\d{1,15}$/.test(length) || others.some((other) => other !== length)) {
    throw unusableResponse('with an invalid Content-Length')
  }
  return others.length > 0 ? headers.with('Content-Length', length) : headers
}

/**
 * Fields of the connection to an HTTP/1 client: 101 switches this connection as well, and 426 names the protocol to
 * ask for, if it is one that this server relays. RFC 6455 section 4.2.2, RFC 9110 section 15.5.22.
 */
export function upgradeFields({ status, headers }: HttpResponse): readonly (readonly [string, string])[] {
  const isNeeded = status === 426 && headers.list('upgrade').some((protocol) => /^websocket$/i.test(protocol))
  if (status !== 101 && !isNeeded) return []
  return [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
  ]
}
