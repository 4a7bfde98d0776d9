/**
 * One request and its response over HTTP/2 (RFC 9113). Loaded only for requests that ask for it.
 *
 * Rules: the protocol is negotiated by ALPN, or assumed if the caller says so; if a server chooses HTTP/1.1, the same
 * connection is used for it. Many exchanges share a connection. The result is the same as in HTTP/1.1: a head, a body
 * that is pulled, statistics, errors with the same codes. A request that the server did not process is sent again
 * (sections 6.8 and 8.7), and one over a shared connection that has ended meanwhile as in HTTP/1.1.
 */
import type { TLSSocket } from 'node:tls'
import type { HttpRequest } from '../../message/index.ts'
import { Cancellation } from '../base/abort.ts'
import type { WireOptions } from '../base/options.ts'
import { type Attempt, answered } from '../base/repetition.ts'
import { Stopwatch, systemClock } from '../base/timing.ts'
import { type HandedOnConnection, openConnection } from '../connection/connection.ts'
import { type Conversation, converse, type Exchange, exchangeOf, type Outgoing } from '../http1/conversation.ts'
import { Http2Connection } from './connection.ts'
import { Http2Conversation } from './conversation.ts'

/** @throws WireError; errors of the request's body. */
export function exchangeHttp2(request: HttpRequest, outgoing: Outgoing, options: WireOptions): Promise<Exchange> {
  return answered(options, (attempt) => start(request, outgoing, attempt))
}

async function start(request: HttpRequest, outgoing: Outgoing, options: WireOptions): Promise<Attempt<Exchange>> {
  const clock = options.clock ?? systemClock
  const stopwatch = new Stopwatch(clock)
  stopwatch.connecting()
  const { pool } = options
  const key = `${pool?.keyOf(outgoing.destination, outgoing.proxy, options)} ${options.http2}`
  const shared = pool?.shared(key)
  const isShared = shared instanceof Http2Connection
  const cancellation = new Cancellation(options.signal)
  let connection: Http2Connection
  try {
    if (isShared) connection = shared
    else {
      const protocols = options.http2 === 'prior-knowledge' ? ['h2'] : ['h2', 'http/1.1']
      const destination = { ...outgoing.destination, protocols }
      const opened = await openConnection(destination, outgoing.proxy, options, cancellation, clock)
      if (options.http2 === 'negotiated' && (opened.socket as TLSSocket).alpnProtocol !== 'h2') {
        cancellation.release()
        return inHttp1(request, await converse(outgoing, options, opened))
      }
      stopwatch.connected(opened.times)
      connection = await Http2Connection.over(opened as HandedOnConnection, outgoing.destination, pool === undefined)
      pool?.share(key, connection)
    }
    return new Http2Conversation(connection, request, options, cancellation, stopwatch, isShared)
  } catch (error) {
    cancellation.release()
    throw error
  }
}

/** The server chose HTTP/1.1 on a new connection. */
function inHttp1(request: HttpRequest, conversation: Conversation): Attempt<Exchange> {
  return {
    head: async () => exchangeOf(request, await conversation.head()),
    close: () => conversation.close(),
    mayBeRepeated: (error) => conversation.mayBeRepeated(error),
    get reportedBytes() {
      return conversation.reportedBytes
    },
  }
}
