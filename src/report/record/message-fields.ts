/**
 * Reads cookies and trace ids from header fields for reports.
 *
 * The value of a cookie is masked if it is secret alone or together with its name.
 */
import type { Mask } from '../../secrets/index.ts'
import type { CookieRecord, FieldPairs } from './exchange-record.ts'

/** From the Cookie fields of a request. RFC 6265 section 4.2. */
export function sentCookies(headers: FieldPairs, mask: Mask): readonly CookieRecord[] {
  return valuesOf(headers, 'cookie').flatMap((field) => field.split(';').map((pair) => cookie(pair.trim(), mask)))
}

/** From the Set-Cookie fields of a response. RFC 6265 section 4.1. */
export function receivedCookies(headers: FieldPairs, mask: Mask): readonly CookieRecord[] {
  return valuesOf(headers, 'set-cookie').map((field) => {
    const [pair = '', ...attributes] = field.split(';').map((part) => part.trim())
    const values = new Map(attributes.map((attribute) => nameAndValue(attribute)))
    const path = values.get('path')
    const domain = values.get('domain')
    const expires = new Date(values.get('expires') ?? '')
    return {
      ...cookie(pair, mask),
      ...(path === undefined ? {} : { path: mask(path) }),
      ...(domain === undefined ? {} : { domain: mask(domain) }),
      ...(Number.isNaN(expires.getTime()) ? {} : { expires: expires.toISOString() }),
      httpOnly: values.has('httponly'),
      secure: values.has('secure'),
    }
  })
}

/** The ids of `traceparent`, if the field is valid. W3C Trace Context section 3.2. */
export function traceOf(headers: FieldPairs): { readonly traceId: string; readonly spanId: string } | undefined {
  const [value = ''] = valuesOf(headers, 'traceparent')
  const [, traceId, spanId] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/.exec(value) ?? []
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId }
}

export function valuesOf(headers: FieldPairs, wanted: string): readonly string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
}

function cookie(pair: string, mask: Mask): CookieRecord {
  const equals = pair.indexOf('=')
  const name = equals < 0 ? '' : pair.slice(0, equals)
  const value = pair.slice(equals + 1)
  const isShown = mask(pair) === pair && mask(value) === value
  return { name: mask(name), value: isShown ? value : '***' }
}

function nameAndValue(attribute: string): readonly [name: string, value: string] {
  const equals = attribute.indexOf('=')
  if (equals < 0) return [attribute.toLowerCase(), '']
  return [attribute.slice(0, equals).trim().toLowerCase(), attribute.slice(equals + 1).trim()]
}
