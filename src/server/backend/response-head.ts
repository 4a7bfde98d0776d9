/**
 * Makes the head for the client from the head of a backend's response.
 *
 * Rules: the fields are the backend's, including Set-Cookie and Location; fields about its connection are dropped, and
 * so is a length in a 204 (RFC 9110 section 8.6). A missing Date is added (RFC 9110 section 6.6.1). RFC 9110 section
 * 7.6.1.
 */
import { HeaderList, type HttpResponse, withoutHopByHop } from '../../message/index.ts'

export interface ForwardedHead {
  readonly status: number
  readonly reason: string
  readonly headers: HeaderList
}

/** `date`: the current value of Date. */
export function forwardedHead({ status, reason, headers }: HttpResponse, date: string): ForwardedHead {
  const forwarded = withoutHopByHop(headers)
  const kept = status === 204 ? forwarded.without('content-length') : forwarded
  // RFC 6455 section 4.2.2: this connection switches to the protocol as well.
  const switched = status === 101 ? [['Connection', 'Upgrade'] as const, ['Upgrade', 'websocket'] as const] : []
  const dated = kept.has('date') || status < 200 ? kept : kept.append('Date', date)
  return { status, reason, headers: HeaderList.of([...dated, ...switched]) }
}
