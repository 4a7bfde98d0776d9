/**
 * The handshake of a WebSocket (RFC 6455 section 4).
 *
 * Rules: it is an ordinary exchange, with its TLS and its proxy (always through a tunnel). No extension is offered. The
 * code for frames is loaded once the server has agreed.
 */
import type { HttpRequest } from '../../message/index.ts'
import { WireError } from '../base/errors.ts'
import type { WireOptions } from '../base/options.ts'
import type { Exchange } from '../http1/conversation.ts'
import { exchangeUpgrade } from '../http1/upgrade.ts'
import type { WebSocketConnection } from './websocket.ts'

/** RFC 6455 section 4.1. */
const KEY_BYTES = 16
/** RFC 6455 section 1.3. */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

export interface WebSocketAnswer {
  /** The answer to the handshake. */
  readonly exchange: Exchange
  /** Undefined if the server did not switch protocols: then `exchange` has its response. */
  readonly socket: WebSocketConnection | undefined
}

/** The handshake request as it is sent. */
export function webSocketHandshake(request: HttpRequest, randomBytes: (count: number) => Uint8Array): HttpRequest {
  return request.withHeaders([
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Key', Buffer.from(randomBytes(KEY_BYTES)).toString('base64')],
  ])
}

/**
 * Opens a WebSocket.
 * @param request a GET over http or https
 * @param randomBytes unpredictable bytes: for the key, and for the masks of frames
 * @throws WireError as `exchange` does; `invalid-response` if the handshake is wrong.
 */
export async function openWebSocket(
  request: HttpRequest,
  randomBytes: (count: number) => Uint8Array,
  options: WireOptions = {},
): Promise<WebSocketAnswer> {
  const handshake = webSocketHandshake(request, randomBytes)
  const keyText = handshake.headers.first('sec-websocket-key') ?? ''
  const { exchange, conversation, switched } = await exchangeUpgrade(handshake, options)
  try {
    if (switched === undefined) return { exchange, socket: undefined }
    await checkHandshake(exchange, keyText)
    const { WebSocketConnection } = await import('./websocket.ts')
    return { exchange, socket: new WebSocketConnection(conversation, switched.connection, switched.rest, randomBytes) }
  } catch (error) {
    conversation.close()
    throw error
  }
}

/** RFC 6455 section 4.1. */
async function checkHandshake({ response, request }: Exchange, key: string): Promise<void> {
  const { createHash } = await import('node:crypto')
  const accept = createHash('sha1').update(`${key}${ACCEPT_SUFFIX}`).digest('base64')
  const offered = request.headers.list('sec-websocket-protocol')
  const chosen = response.headers.first('sec-websocket-protocol')
  const extension = response.headers.first('sec-websocket-extensions')
  const problem =
    response.headers.first('upgrade')?.toLowerCase() !== 'websocket'
      ? 'Upgrade is not websocket'
      : !response.headers.has('connection', 'upgrade')
        ? 'Connection has no Upgrade'
        : response.headers.first('sec-websocket-accept') !== accept
          ? 'Sec-WebSocket-Accept is wrong'
          : chosen !== undefined && !offered.includes(chosen)
            ? `it chose the protocol "${chosen}", which was not offered`
            : extension !== undefined
              ? `it chose the extension "${extension}", which is not supported`
              : undefined
  if (problem === undefined) return
  throw new WireError('invalid-response', `the server's WebSocket handshake is not valid: ${problem}`, {
    hint: 'Check the server and any proxy in front of it',
  })
}
