/**
 * Checks names and strength of a server's certificates, which platforms judge differently.
 *
 * Rules: only host names in subjectAltName count, not the common name. A wildcard is the whole left-most label and
 * matches one label. SHA-1 or MD5 signatures and RSA keys below 2048 bits are too weak, in every certificate up to the
 * trusted one, whose self-signature proves nothing and is not checked. RFC 9525 section 6, RFC 6066 section 3, RFC 5280
 * section 4.1.
 */
import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

const MIN_RSA_BITS = 2048

/** Longer chains are not followed: a chain may contain a loop. */
const MAX_CHAIN_LENGTH = 16

/** Object identifiers of signature algorithms, DER-encoded in hexadecimal. */
const weakSignatures: ReadonlyMap<string, string> = new Map([
  ['2a864886f70d010102', 'MD2'],
  ['2a864886f70d010103', 'MD4'],
  ['2a864886f70d010104', 'MD5'],
  ['2a864886f70d010105', 'SHA-1'],
  ['2b0e03021d', 'SHA-1'],
  ['2a8648ce3d0401', 'SHA-1'],
  ['2a8648ce380403', 'SHA-1'],
])

/**
 * The names in the server's certificate, and the expected name. `isNamed`: whether it has a subjectAltName.
 */
export interface WrongName {
  readonly names: string
  readonly isNamed: boolean
}

/** Undefined if the certificate is for the host, which is an address or an ASCII name without a trailing dot. */
export function wrongName(certificate: X509Certificate, host: string): WrongName | undefined {
  const options = { subject: 'never', partialWildcards: false } as const
  const found = isIP(host) === 0 ? certificate.checkHost(host, options) : certificate.checkIP(host)
  if (found !== undefined) return undefined
  const { subjectAltName, subject } = certificate
  if (subjectAltName) return { names: subjectAltName.replaceAll(/DNS:|IP Address:/g, ''), isNamed: true }
  return { names: /^CN=(.+)$/m.exec(subject)?.[1] ?? '', isNamed: false }
}

/** The first weakness, and its certificate; undefined if nothing is too weak. */
export function weakness(leaf: X509Certificate): string | undefined {
  let certificate: X509Certificate | undefined = leaf
  for (let depth = 0; certificate !== undefined && depth < MAX_CHAIN_LENGTH; depth++) {
    const fault = weaknessOf(certificate)
    if (fault !== undefined) return `the certificate of ${shownSubject(certificate)} ${fault}`
    if (isSelfIssued(certificate)) return undefined
    certificate = certificate.issuerCertificate
  }
  return undefined
}

function weaknessOf(certificate: X509Certificate): string | undefined {
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
  const bits = asymmetricKeyDetails?.modulusLength
  if (asymmetricKeyType?.startsWith('rsa') && bits !== undefined && bits < MIN_RSA_BITS) {
    return `has an RSA key of ${bits} bits; expected at least ${MIN_RSA_BITS}`
  }
  const digest = weakSignatures.get(signatureAlgorithm(certificate.raw))
  if (digest === undefined || isSelfIssued(certificate)) return undefined
  return `is signed with ${digest}; expected SHA-256 or stronger`
}

function isSelfIssued({ subject, issuer }: X509Certificate): boolean {
  return subject === issuer
}

/** In one line. */
function shownSubject({ subject }: X509Certificate): string {
  return JSON.stringify((subject ?? '').replaceAll('\n', ', '))
}

/** Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm SEQUENCE { OBJECT IDENTIFIER, … }, … } */
function signatureAlgorithm(der: Uint8Array): string {
  const certificate = element(der, 0)
  const signed = element(der, certificate.start)
  const algorithm = element(der, signed.end)
  const identifier = element(der, algorithm.start)
  return Buffer.from(der.subarray(identifier.start, identifier.end)).toString('hex')
}

/** The content of the DER element at an offset. The platform has read the certificate, so it is well-formed. */
function element(der: Uint8Array, offset: number): { readonly start: number; readonly end: number } {
  const first = der[offset + 1] as number
  if (first < 0x80) return { start: offset + 2, end: offset + 2 + first }
  const lengthBytes = first & 0x7f
  let length = 0
  for (let index = 0; index < lengthBytes; index++) length = length * 256 + (der[offset + 2 + index] as number)
  const start = offset + 2 + lengthBytes
  return { start, end: start + length }
}
