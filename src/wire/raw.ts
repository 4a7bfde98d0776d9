/**
 * Sends bytes to a server exactly as given, HTTP or not, and reads the answer.
 *
 * Rules: nothing is checked, added or changed before sending; an answer in HTTP is read as a response, any other is
 * returned as bytes until the connection ends.
 */
import { HttpResponse } from '../message/index.ts'
import { bareHost } from './base/address.ts'
import { WireError } from './base/errors.ts'
import type { WireOptions } from './base/options.ts'
import type { Destination } from './connection/connection.ts'
import { type Answer, converse } from './http1/conversation.ts'

/** Where raw bytes are sent. */
export interface RawTarget extends Destination {
  /** The method, if the bytes are an HTTP request: it decides whether the response has content. Default GET. */
  readonly method?: string
}

export interface RawExchange extends Answer {
  /** The answer, if it is HTTP. */
  readonly response: HttpResponse<'stream'> | undefined
  /** The answer, if it is not HTTP: all of its bytes. Can be iterated once. */
  readonly unparsed: AsyncIterable<Uint8Array> | undefined
}

/** @throws WireError as `exchange` does, except for `invalid-response`. */
export async function exchangeRaw(
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  target: RawTarget,
  options: WireOptions = {},
): Promise<RawExchange> {
  const host = bareHost(target.host)
  const urlHost = host.includes(':') ? `[${host}]` : host
  const url = new URL(`${target.secure ? 'https' : 'http'}://${urlHost}:${target.port}/`)
  const conversation = await converse(
    {
      destination: { host, port: target.port, secure: target.secure },
      proxy: options.unixSocket === undefined ? options.proxy?.(url) : undefined,
      method: target.method ?? 'GET',
      shouldWaitForContinue: false,
      isLast: true,
      pieces: () => (bytes instanceof Uint8Array ? piece(bytes) : bytes),
    },
    options,
  )
  try {
    const { head, body, ...answer } = await conversation.head()
    return { response: HttpResponse.fromEvents(head, body), unparsed: undefined, ...answer }
  } catch (error) {
    if (error instanceof WireError && error.code === 'invalid-response' && error.received !== undefined) {
      return { response: undefined, unparsed: conversation.undecoded(error.received), ...conversation.answer() }
    }
    conversation.close()
    throw error
  }
}

async function* piece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
