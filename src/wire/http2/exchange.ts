/**
 * One request and its response over HTTP/2 (RFC 9113). Loaded only for requests that ask for it.
 *
 * Rules: the protocol is negotiated by ALPN, or assumed if the caller says so; if a server chooses HTTP/1.1, the same
 * connection is used for it. Many exchanges share a connection. The result is the same as in HTTP/1.1: a head, a body
 * that is pulled, statistics, errors with the same codes.
 */
import type { TLSSocket } from 'node:tls'
import type { HttpRequest } from '../../message/index.ts'
import { Cancellation } from '../base/abort.ts'
import type { WireOptions } from '../base/options.ts'
import { Stopwatch, systemClock } from '../base/timing.ts'
import { type Connection, type HandedOnConnection, openConnection } from '../connection/connection.ts'
import { converse, type Exchange, exchangeOf, type Outgoing } from '../http1/conversation.ts'
import { Http2Connection } from './connection.ts'
import { Http2Conversation } from './conversation.ts'

/** @throws WireError; errors of the request's body. */
export async function exchangeHttp2(request: HttpRequest, outgoing: Outgoing, options: WireOptions): Promise<Exchange> {
  const clock = options.clock ?? systemClock
  const stopwatch = new Stopwatch(clock)
  stopwatch.connecting()
  const { pool } = options
  const key = `${pool?.keyOf(outgoing.destination, outgoing.proxy, options)} ${options.http2}`
  const shared = pool?.shared(key)
  const cancellation = new Cancellation(options.signal)
  let connection: Http2Connection
  try {
    if (shared instanceof Http2Connection) connection = shared
    else {
      const protocols = options.http2 === 'prior-knowledge' ? ['h2'] : ['h2', 'http/1.1']
      const destination = { ...outgoing.destination, protocols }
      const opened = await openConnection(destination, outgoing.proxy, options, cancellation, clock)
      if (options.http2 === 'negotiated' && (opened.socket as TLSSocket).alpnProtocol !== 'h2') {
        cancellation.release()
        return await inHttp1(request, outgoing, options, opened)
      }
      stopwatch.connected(opened.times)
      connection = await Http2Connection.over(opened as HandedOnConnection, outgoing.destination, pool === undefined)
      pool?.share(key, connection)
    }
    const conversation = new Http2Conversation(connection, request, options, cancellation, stopwatch)
    try {
      return await conversation.answer()
    } catch (error) {
      conversation.close()
      throw error
    }
  } catch (error) {
    cancellation.release()
    throw error
  }
}

async function inHttp1(
  request: HttpRequest,
  outgoing: Outgoing,
  options: WireOptions,
  connection: Connection,
): Promise<Exchange> {
  const conversation = await converse(outgoing, options, connection)
  try {
    return exchangeOf(request, await conversation.head())
  } catch (error) {
    conversation.close()
    throw error
  }
}
