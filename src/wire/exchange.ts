/**
 * One request and its response over a connection.
 *
 * Rules: the request is written while the response is read, so an early final answer (413, 401) is noticed immediately:
 * it stops the upload and is the result. The promise resolves when the final head has arrived; the body stays on the
 * socket until it is consumed. At the end of the response the connection is closed, or returned to the pool. If a
 * pooled connection ends before any byte of the answer, the server had closed it in the meantime: a request that may be
 * repeated is sent again over a new one (RFC 9112 section 9.3.1). RFC 9110 sections 9.2.2, 10.1.1 and 15.2, RFC 9112
 * section 9.
 */
import type { HttpRequest } from '../message/index.ts'
import type { TlsOptions, WireOptions } from './base/options.ts'
import { answered } from './base/repetition.ts'
import type { Destination } from './connection/connection.ts'
import { destinationOf, urlOf } from './connection/destination.ts'
import { isSocks, proxyAuthorization } from './connection/proxy.ts'
import { converse, type Exchange, exchangeOf, type Outgoing } from './http1/conversation.ts'
import type { Pieces } from './http1/upload.ts'

/**
 * Sends a request and waits for the head of its final response. Errors of the body are thrown when the body is read.
 * @throws WireError; errors of the request's body.
 */
export async function exchange(request: HttpRequest, options: WireOptions = {}): Promise<Exchange> {
  const url = urlOf(request)
  // A proxy would forward the request in HTTP/1.1.
  const isTunnelled = options.http2 === 'prior-knowledge'
  const destination = { ...destinationOf(url), ...(isTunnelled ? { isTunnelled } : {}) }
  const proxy = options.unixSocket === undefined ? options.proxy?.(url) : undefined
  const isForwarded = proxy !== undefined && !isSocks(proxy) && !destination.secure && !isTunnelled
  const way: Way = { destination, proxy, isForwarded }
  const digest = isForwarded ? options.proxyDigest?.of(proxy) : undefined
  if (digest !== undefined) {
    return digest.exchange(
      request,
      (attempt) => exchangeOnce(request, attempt, way, options),
      async (result) => {
        result.close()
        await options.onProxyChallenge?.(result)
      },
    )
  }
  return exchangeOnce(request, isForwarded ? withProxyAuthorization(request, proxy) : request, way, options)
}

interface Way {
  readonly destination: Destination
  readonly proxy: URL | undefined
  /** Whether the proxy receives the request itself, rather than a CONNECT. */
  readonly isForwarded: boolean
}

/** @param sent the request with the fields for the proxy */
async function exchangeOnce(
  request: HttpRequest,
  sent: HttpRequest,
  { destination, proxy, isForwarded }: Way,
  options: WireOptions,
): Promise<Exchange> {
  const outgoing: Outgoing = {
    destination,
    proxy,
    method: sent.method,
    shouldWaitForContinue: sent.expectContinue,
    isLast: !sent.keepAlive,
    pieces: () => {
      const form = { absoluteForm: isForwarded }
      return sent.body === undefined ? [sent.encodeHead(form)] : sent.encode(form)
    },
  }
  if (options.http2 !== undefined && !isForwarded && (destination.secure || options.http2 === 'prior-knowledge')) {
    const { exchangeHttp2 } = await import('./http2/exchange.ts')
    return exchangeHttp2(request, outgoing, options)
  }
  const received = await answered(options, async (attempt, isRepetition) => {
    if (!isRepetition) return converse(outgoing, attempt)
    return withBodyBegun(outgoing.pieces(), (pieces) =>
      converse({ ...outgoing, pieces: () => pieces }, attempt, 'fresh'),
    )
  })
  return exchangeOf(request, received)
}

/**
 * Starts to send a request again, with the beginning of its body already read: if it can be read only once, not even
 * the head must be sent, because a server could act on it. The body is closed if it is not read to its end.
 */
async function withBodyBegun<Started>(pieces: Pieces, start: (pieces: Pieces) => Promise<Started>): Promise<Started> {
  if (Symbol.iterator in pieces) return start(pieces)
  const iterator = pieces[Symbol.asyncIterator]()
  const begun = [await iterator.next(), await iterator.next()]
  const end = async (): Promise<IteratorResult<Uint8Array>> => {
    await iterator.return?.()
    return { done: true, value: undefined }
  }
  try {
    const next = async (): Promise<IteratorResult<Uint8Array>> => begun.shift() ?? iterator.next()
    return await start({ [Symbol.asyncIterator]: () => ({ next, return: end }) })
  } catch (error) {
    await end()
    throw error
  }
}

/**
 * Checks the certificates and keys of the options before the first connection needs them.
 * @throws WireError `tls-configuration`
 */
export async function verifyTlsOptions(options: TlsOptions): Promise<void> {
  const { createContext } = await import('./tls/tls-context.ts')
  createContext(options)
}

function withProxyAuthorization(request: HttpRequest, proxy: URL): HttpRequest {
  const authorization = proxyAuthorization(proxy)
  if (authorization === undefined || request.headers.has('proxy-authorization')) return request
  return request.withHeader('Proxy-Authorization', authorization)
}
