/** Exchanges with state that outlasts them, as in `run`: the cookies of a jar, the challenge of Digest. */
import type { HttpRequest } from '../../../message/index.ts'
import { platformSources, type RunCookies } from '../../../runner/index.ts'
import {
  type Credentials,
  DigestAuthentication,
  type Exchange,
  exchange,
  type WireOptions,
} from '../../../wire/index.ts'
import { WrittenCookies } from './redirect-cookies.ts'

type SendOne = (request: HttpRequest, options: WireOptions) => Promise<Exchange>

/** Cookies are looked up for each hop; those that are written in the request follow them, unless a server sets them. */
export function jarExchange(cookies: RunCookies, warn: (message: string) => Promise<void>): SendOne {
  const written = new WrittenCookies()
  return async (request, options) => {
    const { url } = request
    if (url === undefined) return exchange(request, options)
    const result = await exchange(await cookies.addTo(written.of(request), url, warn), options)
    written.replace(await cookies.store(url, result.response.headers, warn))
    return result
  }
}

/** The answer to a challenge is sent only to the server that the first request names. */
export function digestExchange(
  { url }: HttpRequest,
  credentials: Credentials,
  send: SendOne,
  onChallenge: (result: Exchange) => Promise<void>,
): SendOne {
  const digest = new DigestAuthentication(credentials, clientNonce)
  return (request, options) => {
    if (request.url?.origin !== url?.origin) return send(request, options)
    return digest.exchange(
      request,
      (attempt) => send(attempt, options),
      async (result) => {
        result.close()
        await onChallenge(result)
      },
    )
  }
}

/** Unpredictable text for Digest; RFC 7616 section 3.4 does not define its length. */
export function clientNonce(): string {
  return Buffer.from(platformSources.randomBytes(16)).toString('hex')
}
