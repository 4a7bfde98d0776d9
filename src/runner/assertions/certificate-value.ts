/**
 * What checks can know of the server's certificate.
 *
 * Rules: dates are ISO 8601, so that they can be compared with one another; `days` are whole days until it expires.
 */
import type { CheckedResponse } from './checked-response.ts'
import { type FoundValue, nothing, text, value } from './found-value.ts'

const DAY_MS = 86_400_000

/** @param attribute subject, issuer, serial, start, expires or days */
export function certificateValue({ certificate }: CheckedResponse, attribute: string, nowMs: number): FoundValue {
  if (certificate === undefined) return nothing('the answer came without TLS: there is no certificate')
  const { subject, issuer, serialNumber, validFrom, validTo } = certificate
  const expiresMs = Date.parse(validTo)
  if (attribute === 'days') return value(Math.floor((expiresMs - nowMs) / DAY_MS))
  const texts: Readonly<Record<string, string>> = {
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    serial: serialNumber,
    start: new Date(Date.parse(validFrom)).toISOString(),
    expires: new Date(expiresMs).toISOString(),
  }
  return text(texts[attribute] as string)
}

/** `CN=example.org, O=Example`: one line for what the platform gives as several. */
function nameOf(lines: string): string {
  return lines.split('\n').join(', ')
}
