/**
 * Sends cookies that redirects set to the servers that they belong to. Loaded only with --follow.
 *
 * Rules: the cookie jar is the implementation of `run`, loaded when the first redirect sets a cookie. Cookies that the
 * user wrote are kept, unless a server sets them again.
 */
import type { HttpRequest } from '../../../message/index.ts'
import type { RunCookies } from '../../../runner/index.ts'
import { type Exchange, exchange, type WireOptions } from '../../../wire/index.ts'

/** Sends each request like `exchange`, with the cookies that earlier responses set. */
export function cookieExchange(
  warn: (message: string) => Promise<void>,
): (request: HttpRequest, options: WireOptions) => Promise<Exchange> {
  let cookies: RunCookies | undefined
  return async (request, options) => {
    const url = request.url as URL
    const sent = cookies === undefined ? request : await withCookies(request, cookies, url)
    const result = await exchange(sent, options)
    const { status, headers } = result.response
    const isRedirect = status >= 300 && status < 400
    if (isRedirect && headers.has('set-cookie')) {
      cookies ??= await openCookies()
      await cookies.store(url, headers, warn)
    }
    return result
  }
}

async function openCookies(): Promise<RunCookies> {
  const { RunCookies, platformSources } = await import('../../../runner/index.ts')
  return RunCookies.read(undefined, '', platformSources.now)
}

async function withCookies(request: HttpRequest, cookies: RunCookies, url: URL): Promise<HttpRequest> {
  const { pairs } = await cookies.pairsFor(url)
  if (pairs.length === 0) return request
  const names = new Set(pairs.map(nameOf))
  const own = request.headers.all('cookie').flatMap((field) => field.split(';').map((pair) => pair.trim()))
  const kept = own.filter((pair) => pair !== '' && !names.has(nameOf(pair)))
  return request.withHeader('Cookie', [...pairs, ...kept].join('; '))
}

function nameOf(pair: string): string {
  return pair.split('=', 1)[0] as string
}
