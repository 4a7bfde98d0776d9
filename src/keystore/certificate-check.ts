/**
 * Checks a certificate when it is loaded, so that what the peer would refuse is reported before a connection fails.
 *
 * Rules: no finding stops a server from starting, because a test certificate may be weak on purpose. The signature of
 * the authority at the end of the chain is not checked, because clients do not check it either.
 */
import type { X509Certificate } from 'node:crypto'
import { membersOf, oidOf, readFirst } from './der.ts'

/** Shorter RSA keys are refused by clients (CA/Browser Forum Baseline Requirements section 6.1.5). */
const minimumRsaBits = 2048

/** The curves of TLS (RFC 8446 section 4.2.7); clients do not offer others. */
const offeredCurves: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1'])

/** Signature algorithms that clients refuse. */
const weakSignatures: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.2': 'MD2',
  '1.2.840.113549.1.1.4': 'MD5',
  '1.2.840.113549.1.1.5': 'SHA-1',
  '1.2.840.10040.4.3': 'SHA-1',
  '1.2.840.10045.4.1': 'SHA-1',
}

/** One sentence for each defect of the chain. `nowMs`: milliseconds since 1970. */
export function certificateWarnings(chain: readonly X509Certificate[], nowMs: number): readonly string[] {
  return chain.flatMap((certificate, index) => {
    const isRoot = index > 0 && certificate.subject === certificate.issuer
    return [...validityWarnings(certificate, nowMs), ...(isRoot ? [] : strengthWarnings(certificate))].map(
      (defect) => `the certificate of ${nameOf(certificate)} ${defect}`,
    )
  })
}

function validityWarnings({ validFrom, validTo }: X509Certificate, nowMs: number): readonly string[] {
  if (Date.parse(validTo) < nowMs) return [`expired on ${dateText(validTo)}`]
  if (Date.parse(validFrom) > nowMs) return [`is not valid before ${dateText(validFrom)}`]
  return []
}

function strengthWarnings(certificate: X509Certificate): readonly string[] {
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
  const bits = asymmetricKeyDetails?.modulusLength
  const isShort = asymmetricKeyType === 'rsa' && bits !== undefined && bits < minimumRsaBits
  const curve = asymmetricKeyDetails?.namedCurve
  const isForeign = asymmetricKeyType === 'ec' && curve !== undefined && !offeredCurves.has(curve)
  const signature = weakSignatures[signatureOid(certificate)]
  return [
    ...(isForeign ? [`has a key on the curve ${curve}, expected P-256 or P-384`] : []),
    ...(isShort ? [`has a key of ${bits} bits, fewer than ${minimumRsaBits}`] : []),
    ...(signature === undefined ? [] : [`is signed with ${signature}`]),
  ]
}

/** RFC 5280 section 4.1: Certificate is the signed part, the algorithm and the signature. */
function signatureOid({ raw }: X509Certificate): string {
  const [, algorithm] = membersOf(readFirst(raw), 'a certificate')
  return oidOf(membersOf(algorithm, 'a signature algorithm')[0], 'a signature algorithm')
}

/** The common name, else the whole subject. */
function nameOf({ subject }: X509Certificate): string {
  const commonName = /^CN=(.*)$/m.exec(subject)?.[1]
  return JSON.stringify(commonName ?? subject.replaceAll('\n', ', '))
}

function dateText(date: string): string {
  return new Date(date).toISOString().slice(0, 10)
}
