/**
 * Sends cookies that redirects set to the servers that they belong to. Loaded only with --follow.
 *
 * Rules: the cookie jar is the implementation of `run`, loaded when the first redirect sets a cookie. Cookies that the
 * user wrote are kept, unless a server sets or deletes them.
 */
import type { HttpRequest } from '../../../message/index.ts'
import type { RunCookies } from '../../../runner/index.ts'
import { type Exchange, exchange, type WireOptions } from '../../../wire/index.ts'

/** Sends each request like `exchange`, with the cookies that earlier responses set. */
export function cookieExchange(
  warn: (message: string) => Promise<void>,
): (request: HttpRequest, options: WireOptions) => Promise<Exchange> {
  let cookies: RunCookies | undefined
  const written = new WrittenCookies()
  return async (request, options) => {
    const url = request.url as URL
    const sent = cookies === undefined ? request : await cookies.addTo(written.of(request), url)
    const result = await exchange(sent, options)
    const { status, headers } = result.response
    const isRedirect = status >= 300 && status < 400
    if (isRedirect && headers.has('set-cookie')) {
      cookies ??= await openCookies()
      written.replace(await cookies.store(url, headers, warn))
    }
    return result
  }
}

async function openCookies(): Promise<RunCookies> {
  const { RunCookies, platformSources } = await import('../../../runner/index.ts')
  return RunCookies.read(undefined, '', platformSources.now)
}

/** The cookies that the user wrote in a request, without those that servers have set or deleted since. */
export class WrittenCookies {
  readonly #replaced: Set<string> = new Set()

  replace(names: readonly string[]): void {
    for (const name of names) this.#replaced.add(name)
  }

  of(request: HttpRequest): HttpRequest {
    if (this.#replaced.size === 0 || !request.headers.has('cookie')) return request
    const pairs = request.headers.all('cookie').flatMap((field) => field.split(';').map((pair) => pair.trim()))
    const kept = pairs.filter((pair) => pair !== '' && !this.#replaced.has(nameOf(pair)))
    return kept.length === 0 ? request.withoutHeaders('Cookie') : request.withHeader('Cookie', kept.join('; '))
  }
}

function nameOf(pair: string): string {
  return (pair.split('=', 1)[0] as string).trim()
}
