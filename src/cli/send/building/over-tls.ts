/** Sends requests given as text, which seldom have a scheme, over TLS. */
import { HttpRequest } from '../../../message/index.ts'

/** The request over TLS, unless its text has a scheme. */
export function overTls(request: HttpRequest): HttpRequest {
  if (request.form === 'asterisk') return asteriskOverTls(request)
  const hasScheme = request.form !== 'origin' && !request.repairs.some(({ code }) => code === 'missing-scheme')
  const { url } = request
  if (hasScheme || url === undefined) return request
  const path = request.form === 'origin' ? request.target : request.target.replace(/^[^/]*:\/\/[^/?]*/, '')
  return request.withRequestLine({ url: `https://${request.headers.first('host') ?? url.host}${path}` })
}

/** `*` has no place for a scheme. */
function asteriskOverTls({ method, version, headers, body }: HttpRequest): HttpRequest {
  const unframed = headers.without('content-length', 'transfer-encoding')
  const request = new HttpRequest({ method, url: '*', scheme: 'https', version, headers: unframed })
  if (body === undefined) return request
  const contentLength = body.framing.type === 'length' ? body.framing.length : undefined
  return request.withBody({ contentLength, open: () => body })
}
