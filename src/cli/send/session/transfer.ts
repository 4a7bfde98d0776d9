/**
 * One exchange with state that outlasts it: the cookies of a jar, the challenge of Digest.
 *
 * Rules: the same as in `run`. Cookies are looked up for each hop, and cookies written in the request follow them. The
 * answer to a challenge is sent only to the server that the first request names.
 */
import type { HttpRequest } from '../../../message/index.ts'
import type { RunCookies } from '../../../runner/index.ts'
import { type Credentials, DigestAuthentication, type Exchange, type WireOptions } from '../../../wire/index.ts'

export interface SessionSettings {
  readonly cookies: RunCookies | undefined
  readonly digest: Credentials | undefined
  readonly randomBytes: (count: number) => Uint8Array
  readonly warn: (message: string) => Promise<void>
  /** Called before a request is sent again because of a challenge in the response. */
  readonly onChallenge: (result: Exchange) => Promise<void>
  /** Sends one request. */
  readonly exchange: SendOne
}

/** The client nonce of Digest; RFC 7616 section 3.4 does not define its length. */
const CNONCE_BYTES = 16

/** Unpredictable text for Digest. */
export function clientNonce(randomBytes: (count: number) => Uint8Array): string {
  return Buffer.from(randomBytes(CNONCE_BYTES)).toString('hex')
}

export type SendOne = (request: HttpRequest, options: WireOptions) => Promise<Exchange>

/** Returns the function that sends the requests of one command, instead of `exchange`. */
export function sessionExchange(first: HttpRequest, settings: SessionSettings): SendOne {
  const { cookies, digest: credentials, randomBytes, exchange, warn } = settings
  const origin = first.url?.origin
  const digest =
    credentials === undefined ? undefined : new DigestAuthentication(credentials, () => clientNonce(randomBytes))
  const sendWithCookies: SendOne = async (request, options) => {
    const { url } = request
    if (cookies === undefined || url === undefined) return exchange(request, options)
    const result = await exchange(await cookies.addTo(request, url, warn), options)
    await cookies.store(url, result.response.headers, warn)
    return result
  }
  return (request, options) => {
    if (digest === undefined || request.url?.origin !== origin) return sendWithCookies(request, options)
    return digest.exchange(
      request,
      (attempt) => sendWithCookies(attempt, options),
      async (result) => {
        result.close()
        await settings.onChallenge(result)
      },
    )
  }
}
