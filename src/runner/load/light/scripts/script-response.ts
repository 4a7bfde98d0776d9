/**
 * Parts of a response of k6 as scripts see them: cookies, and the lines of a stream.
 *
 * Rules: all lines of a stream are available at once.
 */
import type { ResponseCookie } from '../../../cookies/response-cookies.ts'
import type { ScriptStream } from '../../../scripting/operations/script-scene.ts'

/** @param field as k6-fields.ts writes it */
export function scriptCookie(field: string, hostname: string): ResponseCookie {
  const [pair = '', ...attributes] = field.split('; ')
  const at = pair.indexOf('=')
  const values = new Map(attributes.map((each) => each.split('=', 2) as [string, string | undefined]))
  const expires = values.get('Expires')
  const age = values.get('Max-Age')
  const expiresAt =
    age === undefined ? (expires === undefined ? undefined : Date.parse(expires)) : Date.now() + Number(age) * 1000
  const cookie = {
    name: pair.slice(0, at),
    value: pair.slice(at + 1),
    domain: values.get('Domain') ?? hostname,
    path: values.get('Path') ?? '/',
    expiresAt,
    secure: values.has('Secure'),
    httpOnly: values.has('HttpOnly'),
  }
  return cookie as unknown as ResponseCookie
}

/** Empty lines are omitted. */
export function linesOf(content: Uint8Array): ScriptStream {
  const lines = Buffer.from(content)
    .toString('utf8')
    .split(/\r\n|\n|\r/)
    .filter((line) => line !== '')
  let index = 0
  return {
    kind: 'lines',
    next: async () => lines[index++],
    close: () => {
      index = lines.length
    },
  }
}
