/**
 * Opens a tunnel through an HTTP proxy (RFC 9110 section 9.3.6).
 *
 * Rules: the answer of the proxy is read up to the end of its head and no byte further; any status other than 2xx ends
 * the attempt and is named in the error, except a Digest challenge, which the next attempt answers. The bytes of this
 * exchange are not counted in statistics.
 */
import type { Socket } from 'node:net'
import { HttpDecoder, type HttpEvent, HttpRequest, type ResponseHead } from '../../message/index.ts'
import type { Deadline } from '../base/abort.ts'
import { placeText } from '../base/address.ts'
import type { ConnectionListener } from '../base/connection-event.ts'
import {
  isCertificateAlert,
  MAX_INTERIM_RESPONSES,
  peerFailure,
  platformMessage,
  proxyCertificateError,
  WireError,
} from '../base/errors.ts'
import type { ProxyDigest } from '../digest.ts'
import type { Destination } from './connection.ts'
import { portOfUrl, proxyAuthenticationHint, proxyAuthorization } from './proxy.ts'

interface TunnelOptions {
  readonly report: ConnectionListener | undefined
  /** Answers the challenges of the proxy. Replaces Basic. */
  readonly digest: ProxyDigest | undefined
  readonly isLastAttempt: boolean
}

/**
 * @returns `challenged` if another attempt, over another connection, will answer the challenge
 * @throws WireError `proxy-refused`; the error of the deadline.
 */
export async function openTunnel(
  socket: Socket,
  proxy: URL,
  destination: Destination,
  deadline: Deadline,
  { report, digest, isLastAttempt }: TunnelOptions,
): Promise<'open' | 'challenged'> {
  const authority = `${destination.host.includes(':') ? `[${destination.host}]` : destination.host}:${destination.port}`
  const authentication = digest?.of(proxy)
  const authorization = authentication === undefined ? proxyAuthorization(proxy) : undefined
  const plain = new HttpRequest({
    method: 'CONNECT',
    url: authority,
    headers: [
      ['Host', authority],
      ...(authorization === undefined ? [] : [['Proxy-Authorization', authorization] as const]),
    ],
  })
  const request = (await authentication?.answer(plain)) ?? plain
  for await (const bytes of request.encode()) socket.write(bytes)
  const place = `proxy ${placeText(proxy.hostname, portOfUrl(proxy))}`
  return await deadline.wait<'open' | 'challenged'>((resolve, reject) => {
    const decoder = new HttpDecoder('client')
    decoder.expect('CONNECT')
    let interimCount = 0
    const onEvent = (event: HttpEvent): boolean => {
      if (event.type === 'informational' && ++interimCount > MAX_INTERIM_RESPONSES) {
        const what = `it sent more than ${MAX_INTERIM_RESPONSES} interim responses and no final one`
        reject(failure(place, what, undefined))
        return true
      }
      if (event.type === 'response') {
        const { status, reason } = event.head
        report?.({ type: 'tunnel-answered', place, authority, status, reason })
      }
      if (event.type === 'response' && (event.head.status < 200 || event.head.status > 299)) {
        const { status, headers } = event.head
        const isAsked = authentication?.take(status, headers, request !== plain) === true
        if (isAsked && !isLastAttempt) resolve('challenged')
        else
          reject(refusal(place, authority, event.head, proxyAuthenticationHint(proxy, headers, digest !== undefined)))
        return true
      }
      if (event.type !== 'upgrade') return false
      socket.pause()
      if (event.rest.length > 0) socket.unshift(event.rest)
      resolve('open')
      return true
    }
    let hasAnswered = false
    const onData = (bytes: Uint8Array): void => {
      hasAnswered = true
      try {
        for (const event of decoder.push(bytes)) if (onEvent(event)) return
      } catch (cause) {
        reject(failure(place, `its answer is not HTTP (${platformMessage(cause)})`, cause))
      }
    }
    const onEnd = (): void => {
      const what = `it closed the connection ${hasAnswered ? 'in the middle of its answer' : 'without an answer'}`
      reject(failure(place, what, undefined))
    }
    const onError = (error: Error): void =>
      reject(
        isCertificateAlert(error) ? proxyCertificateError(place, error) : failure(place, peerFailure(error), error),
      )
    socket.on('data', onData).on('end', onEnd).on('error', onError)
    return () => {
      socket.off('data', onData).off('end', onEnd).off('error', onError)
    }
  })
}

function refusal(
  place: string,
  authority: string,
  { status, reason }: ResponseHead,
  authenticationHint: string,
): WireError {
  const hint =
    status === 407
      ? authenticationHint
      : `Check that the proxy ${status >= 500 ? 'reaches' : 'allows'} this host and port`
  return new WireError('proxy-refused', `${place} refused the tunnel to ${authority}: ${status} ${reason}`.trimEnd(), {
    hint,
  })
}

function failure(place: string, what: string, cause: unknown): WireError {
  return new WireError('proxy-refused', `${place}: ${what}`, { hint: 'Check the address of the proxy', cause })
}
