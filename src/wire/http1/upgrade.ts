/**
 * An exchange after which both sides may speak another protocol over the same connection (RFC 9110 section 7.8).
 *
 * Rules: the connection never comes from a pool. After 101 it belongs to the caller, which must close the conversation;
 * any other response is handled as usual.
 */
import type { HttpRequest } from '../../message/index.ts'
import type { WireOptions } from '../base/options.ts'
import type { HandedOnConnection } from '../connection/connection.ts'
import { destinationOf, urlOf } from '../connection/destination.ts'
import { type Conversation, converse, type Exchange, exchangeOf } from './conversation.ts'

export interface UpgradeAnswer {
  readonly exchange: Exchange
  readonly conversation: Conversation
  /** After 101: the connection, and the bytes after the head. */
  readonly switched: { readonly connection: HandedOnConnection; readonly rest: Uint8Array } | undefined
}

/** @throws WireError as `exchange` does. */
export async function exchangeUpgrade(request: HttpRequest, options: WireOptions = {}): Promise<UpgradeAnswer> {
  const url = urlOf(request)
  const { pool: _unused, ...ownConnection } = options
  const conversation = await converse(
    {
      destination: { ...destinationOf(url), isTunnelled: true },
      proxy: options.unixSocket === undefined ? options.proxy?.(url) : undefined,
      method: request.method,
      shouldWaitForContinue: false,
      isLast: true,
      canSwitchProtocol: true,
      pieces: () => request.encode(),
    },
    ownConnection,
  )
  try {
    const received = await conversation.head()
    const switched = received.head.status === 101 ? await conversation.takeOver() : undefined
    return { exchange: exchangeOf(request, received), conversation, switched }
  } catch (error) {
    conversation.close()
    throw error
  }
}
