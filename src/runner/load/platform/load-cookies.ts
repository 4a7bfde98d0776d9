/** Merges cookies of a k6 jar into requests with a Cookie field: k6 would add its own field to it. */
import type { K6Jar, K6Response } from '../k6.ts'

/** One value for each name, as text. */
export type Fields = Readonly<Record<string, string>>

/** Adds the cookies of the jar that the fields do not name, in no particular order. */
export function withCookies(fields: Fields, jar: K6Jar, url: string): Fields {
  // k6 would end with a panic; it reports the URL when it sends the request.
  if (/%(?![\da-f]{2})/i.test(url)) return fields
  const known = Object.entries(jar.cookiesForURL(url))
  if (known.length === 0) return fields
  const cookieName = Object.keys(fields).find((name) => name.toLowerCase() === 'cookie') ?? 'Cookie'
  const written = fields[cookieName]
  const names = new Set((written ?? '').split(';').map((pair) => pair.split('=')[0]?.trim()))
  const added = known.flatMap(([name, values]) => (names.has(name) ? [] : values.map((value) => `${name}=${value}`)))
  return { ...fields, [cookieName]: [...added, ...(written === undefined ? [] : [written])].join('; ') }
}

export function storeCookies(jar: K6Jar, url: string, { cookies }: K6Response): void {
  for (const cookie of Object.values(cookies).flat()) {
    const { name, value, domain, path, secure, http_only, max_age, expires } = cookie
    jar.set(url, name, value, {
      ...{ domain, path, secure, http_only, max_age },
      ...(expires > 0 ? { expires: new Date(expires).toUTCString() } : {}),
    })
  }
}
