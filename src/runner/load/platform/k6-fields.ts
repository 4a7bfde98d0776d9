/** Converts fields, which are texts in k6, to bytes. */
import type { K6Cookie, K6Response } from '../k6.ts'

/** The codings that k6 decodes, written as in `run`. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br'

function octets(text: string): string {
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text).toString('latin1')
}

/** The fields of a response as binary strings, with one Set-Cookie field for each cookie. */
export function responseFields({ headers, cookies }: K6Response): readonly (readonly [name: string, value: string])[] {
  const fields = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'set-cookie')
  return [
    ...fields.map(([name, value]): [string, string] => [name, octets(value)]),
    ...Object.values(cookies)
      .flat()
      .map((cookie): [string, string] => ['Set-Cookie', octets(setCookie(cookie))]),
  ]
}

/** The fields of a request as binary strings. */
export function requestFields(headers: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(headers).map(([name, value]) => [name, octets(value)])
}

/** The name of a check, without `::`, which separates groups in k6. */
export function checkName(request: string, check: string): string {
  return `${request} > ${check}`.replaceAll('::', ': :')
}

function setCookie({ name, value, domain, path, expires, max_age, secure, http_only }: K6Cookie): string {
  return [
    `${name}=${value}`,
    ...(path === '' ? [] : [`Path=${path}`]),
    ...(domain === '' ? [] : [`Domain=${domain}`]),
    ...(expires > 0 ? [`Expires=${new Date(expires).toUTCString()}`] : []),
    ...(max_age === 0 ? [] : [`Max-Age=${max_age}`]),
    ...(secure ? ['Secure'] : []),
    ...(http_only ? ['HttpOnly'] : []),
  ].join('; ')
}
