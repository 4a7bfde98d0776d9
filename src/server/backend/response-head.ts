/**
 * The head of a backend's response as it is passed on.
 *
 * Rules: the fields are the backend's, Set-Cookie and Location among them; what is about its connection is dropped. A
 * Date is added where it has none (RFC 9110 section 6.6.1). RFC 9110 section 7.6.1.
 */
import { HeaderList, type HttpResponse, withoutHopByHop } from '../../message/index.ts'

export interface ForwardedHead {
  readonly status: number
  readonly reason: string
  readonly headers: HeaderList
}

/** `date`: the value of Date now. */
export function forwardedHead({ status, reason, headers }: HttpResponse, date: string): ForwardedHead {
  const kept = withoutHopByHop(headers)
  // RFC 6455 section 4.2.2: the protocol that follows is for this connection as well.
  const switched = status === 101 ? [['Connection', 'Upgrade'] as const, ['Upgrade', 'websocket'] as const] : []
  const dated = kept.has('date') || status < 200 ? kept : kept.append('Date', date)
  return { status, reason, headers: HeaderList.of([...dated, ...switched]) }
}
