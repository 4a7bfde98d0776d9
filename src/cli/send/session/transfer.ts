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
  const { cookies, digest: credentials, randomBytes, exchange } = settings
  const origin = first.url?.origin
  const digest =
    credentials === undefined ? undefined : new DigestAuthentication(credentials, () => clientNonce(randomBytes))
  const sendWithCookies: SendOne = async (request, options) => {
    if (cookies === undefined) return exchange(request, options)
    const result = await exchange(await withCookies(request, cookies, settings), options)
    await storeCookies(request, result, cookies, settings)
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

/** Cookies of the jar that the request does not name, then its own. */
async function withCookies(request: HttpRequest, cookies: RunCookies, { warn }: SessionSettings): Promise<HttpRequest> {
  if (request.url === undefined) return request
  const { pairs, leftOut } = await cookies.pairsFor(request.url)
  if (leftOut > 0) await warn(`${leftOut} cookies for ${request.url.host} are too large for one field and are not sent`)
  const written = request.headers.all('cookie')
  const names = new Set(written.flatMap((field) => field.split(';')).map(cookieName))
  const added = pairs.filter((pair) => !names.has(cookieName(pair)))
  return added.length === 0 ? request : request.withHeader('Cookie', [...added, ...written].join('; '))
}

async function storeCookies(
  { url }: HttpRequest,
  { response }: Exchange,
  cookies: RunCookies,
  { warn }: SessionSettings,
): Promise<void> {
  if (url === undefined) return
  const { refused } = await cookies.store(url, response.headers)
  for (const problem of refused) await warn(`${url.host} set the cookie ${problem}; it was ignored`)
}

function cookieName(pair: string): string {
  return (pair.split('=')[0] as string).trim()
}
