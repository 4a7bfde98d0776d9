/**
 * Cross-origin access to files (`--cors`).
 *
 * Rules: every answer names the origin that may read it, and exposes its fields about ranges and validators; a
 * preflight is answered before authentication, since browsers send no credentials with it. Files are public to the
 * allowed origin: credentials are not allowed. WHATWG Fetch section 3.2 (HTTP-CORS protocol).
 */
import { isToken } from '../../message/index.ts'
import type { Answer, Field } from '../semantics/answer.ts'
import { ServerError } from '../semantics/errors.ts'
import type { ServerRequest } from '../semantics/hooks.ts'
import type { UrlPath } from '../semantics/url-path.ts'

/** Fields that scripts may read in addition to those that are always allowed. */
const exposedFields = 'Accept-Ranges, Content-Encoding, Content-Length, Content-Range, Date, ETag'

/** Seconds for which a browser may cache a preflight; no browser caches it for more than two hours. */
const preflightSeconds = 7_200

const originPattern = /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(?::\d{1,5})?$/

/** `*`, `null` or an origin as browsers send it. Throws HttpcliError `origin`. */
export function parseOrigin(text: string): string {
  const origin = text.toLowerCase()
  if (origin === '*' || origin === 'null' || originPattern.test(origin)) return origin
  const hint = 'Write * or scheme, host and port without a path, like https://app.example:8443.'
  throw new ServerError('origin', `${JSON.stringify(text)} is not an origin`, { hint })
}

/** Fields for every answer. `origin` as `parseOrigin` returns it. */
export function corsFields(origin: string): readonly Field[] {
  return [
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Expose-Headers', exposedFields],
    // A fixed origin does not depend on the request, so no Vary is needed.
    ['Cross-Origin-Resource-Policy', 'cross-origin'],
  ]
}

/** The step that answers a preflight for files. All other requests pass: a backend knows its own methods. */
export function answerPreflight(
  request: ServerRequest,
  _path?: UrlPath,
  isForwarded: boolean = false,
): Answer | undefined {
  if (isForwarded) return undefined
  if (request.method !== 'OPTIONS' || request.get('origin') === undefined) return undefined
  if (request.get('access-control-request-method') === undefined) return undefined
  const wanted = request.get('access-control-request-headers')
  const isPrivate = request.get('access-control-request-private-network') === 'true'
  const fields: Field[] = [
    ['Access-Control-Allow-Methods', 'GET, HEAD, OPTIONS'],
    ...(wanted === undefined ? [] : ([['Access-Control-Allow-Headers', fieldNames(wanted)]] as const)),
    ...(isPrivate ? ([['Access-Control-Allow-Private-Network', 'true']] as const) : []),
    ['Access-Control-Max-Age', String(preflightSeconds)],
    ['Vary', 'Access-Control-Request-Headers, Access-Control-Request-Private-Network'],
  ]
  return { status: 204, fields, body: undefined }
}

/** The valid names in a list, so that nothing else is sent back. */
function fieldNames(list: string): string {
  const names = list.split(',').map((name) => name.trim())
  return names.filter(isToken).join(', ')
}
