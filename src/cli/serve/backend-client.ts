/** The HTTP client with which `serve` forwards requests: exchanges of `wire` over pooled connections. */
import type { ResponseHead } from '../../message/index.ts'
import type { BackendClient } from '../../server/index.ts'
import {
  ConnectionPool,
  exchange,
  exchangeUpgrade,
  type TlsOptions,
  verifyTlsOptions,
  type WireOptions,
} from '../../wire/index.ts'

export interface BackendClientSettings {
  /** How certificates of https backends are checked. */
  readonly tls: TlsOptions
  /** In milliseconds, from the last byte of a request to the first byte of its response, and between two reads. */
  readonly timeoutMs: number
}

/** @throws WireError `tls-configuration` */
export async function createBackendClient({ tls, timeoutMs }: BackendClientSettings): Promise<BackendClient> {
  // A file without a certificate is reported at the start instead of for each request.
  await verifyTlsOptions(tls)
  const pool = new ConnectionPool()
  const shared: WireOptions = {
    tls,
    pool,
    timeouts: { firstByteMs: timeoutMs, idleMs: timeoutMs },
    idleMsOf: (head) => (isEventStream(head) ? 0 : undefined),
  }
  return {
    send: async (request, { unixSocket, signal, onInformational }) => {
      const options = { ...shared, signal, onInformational, ...(unixSocket === undefined ? {} : { unixSocket }) }
      if (request.upgrade.length === 0) {
        const { response, closed, close } = await exchange(request, options)
        return { response, closed, close, tunnel: undefined }
      }
      const { exchange: answered, conversation, switched } = await exchangeUpgrade(request, options)
      const { response, closed } = answered
      const tunnel = switched && {
        socket: switched.connection.socket,
        rest: switched.rest,
        read: () => switched.connection.reader.read(),
      }
      return { response, closed, tunnel, close: () => conversation.close() }
    },
    close: () => pool.close(),
  }
}

/** Events may be rare, so silence is not a fault of the backend. */
function isEventStream(head: ResponseHead): boolean {
  return /^text\/event-stream\s*(?:;|$)/i.test(head.get('content-type') ?? '')
}
