/**
 * The cookies that a response sets, for scripts and reports.
 *
 * Rules: a cookie is listed whether or not the jar accepts it, except one that checkedField refuses (RFC 6265 section
 * 5.2). The library that parses Set-Cookie is loaded with the first field.
 */
import type { HeaderList } from '../../message/index.ts'
import { checkedField, expiryOf } from './cookie-rules.ts'

/** A cookie that a response sets, as scripts see it. */
export interface ResponseCookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  readonly path: string
  /** Milliseconds since 1970; undefined for a session cookie. */
  readonly expiresAt: number | undefined
  readonly secure: boolean
  readonly httpOnly: boolean
}

/** The cookies that a response sets, whether or not they are stored. */
export async function responseCookies(
  url: URL,
  headers: HeaderList,
  nowMs: number,
): Promise<readonly ResponseCookie[]> {
  const fields = headers.all('set-cookie')
  if (fields.length === 0) return []
  const { Cookie, defaultPath } = await import('tough-cookie')
  return fields.flatMap((field) => {
    const checked = checkedField(field, url)
    const cookie = 'field' in checked ? Cookie.parse(checked.field) : undefined
    if (cookie === undefined) return []
    return {
      name: cookie.key,
      value: cookie.value,
      domain: cookie.domain ?? url.hostname,
      path: cookie.path ?? defaultPath(url.pathname),
      expiresAt: expiryOf(cookie, nowMs),
      secure: cookie.secure,
      httpOnly: cookie.httpOnly,
    }
  })
}
