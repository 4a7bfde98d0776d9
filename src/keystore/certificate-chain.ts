/**
 * Builds the chain that a server sends from the certificates of a file: the server's certificate first, each followed
 * by its issuer.
 *
 * Rules: the order in the file is ignored, signatures decide; certificates that do not belong to the chain are omitted.
 * If several certificates match the key, the one with the latest expiry is used, because renewals are often appended to
 * the file. RFC 8446 section 4.4.2.
 */
import { type KeyObject, X509Certificate } from 'node:crypto'
import { damaged } from './errors.ts'

/** @param what the certificate, as named in messages @throws KeystoreError `keystore-damaged`. */
export function readCertificate(octets: Uint8Array, format: string, what: string = 'a certificate'): X509Certificate {
  try {
    return new X509Certificate(octets)
  } catch (cause) {
    throw damaged(format, `${what} cannot be read`, cause)
  }
}

/** The chain of the key; empty if no certificate matches it. */
export function chainOf(key: KeyObject, certificates: readonly X509Certificate[]): readonly X509Certificate[] {
  const own = certificates
    .filter((certificate) => certificate.checkPrivateKey(key))
    .reduce<X509Certificate | undefined>((best, one) => (best && endOf(best) >= endOf(one) ? best : one), undefined)
  if (own === undefined) return []
  const chain = [own]
  for (let last = own; ; ) {
    const issuer = certificates.find((one) => !chain.includes(one) && isIssuedBy(last, one))
    if (issuer === undefined) return chain
    chain.push(issuer)
    last = issuer
  }
}

function endOf(certificate: X509Certificate): number {
  return Date.parse(certificate.validTo)
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  if (certificate.fingerprint256 === issuer.fingerprint256 || !certificate.checkIssued(issuer)) return false
  try {
    return certificate.verify(issuer.publicKey)
  } catch {
    // The platform cannot verify this algorithm: matching names must suffice.
    return true
  }
}
