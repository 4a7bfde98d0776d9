/**
 * The certificates of a server and the terms of a TLS connection, as plain values for people and reports.
 *
 * Rules: the chain begins with the server's own certificate. Values are those of the certificates, unescaped: the
 * caller escapes them for a terminal.
 */
import type { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'

/** A chain may contain a loop. */
const MAX_CHAIN_LENGTH = 16

export interface CertificateDetails {
  /** In one line: `C=CH, O=Example, CN=example.org`. */
  readonly subject: string
  /** From subjectAltName, without their types; or empty. */
  readonly names: readonly string[]
  readonly issuer: string
  /** `2026-11-22T10:00:00Z` */
  readonly validFrom: string
  readonly validTo: string
  /** `RSA 2048 bits`, `EC prime256v1`, … */
  readonly key: string
  /** Hexadecimal. */
  readonly serialNumber: string
  /** SHA-256 of the certificate, in hexadecimal bytes separated by colons. */
  readonly fingerprint256: string
}

/** The parameters that client and server negotiated. */
export interface TlsDetails {
  /** `TLS 1.3` */
  readonly version: string
  /** Its name in the IANA registry. */
  readonly cipher: string
  /** The protocol chosen by ALPN; undefined if the server did not choose. */
  readonly alpn: string | undefined
  /** Whether the keys of an earlier session were reused. */
  readonly isResumed: boolean
  /** Whether the chain was verified; false if the caller disabled it. */
  readonly isVerified: boolean
  readonly certificates: readonly CertificateDetails[]
}

export function tlsDetails(socket: TLSSocket, leaf: X509Certificate | undefined, isVerified: boolean): TlsDetails {
  const { name, standardName } = socket.getCipher()
  return {
    version: (socket.getProtocol() ?? '').replace(/^TLSv/, 'TLS ').replace(/^TLS 1$/, 'TLS 1.0'),
    cipher: standardName ?? name,
    alpn: socket.alpnProtocol || undefined,
    isResumed: socket.isSessionReused(),
    isVerified,
    certificates: certificateChain(leaf),
  }
}

/** The certificate and its known issuers. */
export function certificateChain(leaf: X509Certificate | undefined): readonly CertificateDetails[] {
  const chain: CertificateDetails[] = []
  const seen = new Set<string>()
  for (let certificate = leaf; certificate !== undefined; certificate = certificate.issuerCertificate) {
    if (seen.has(certificate.fingerprint256) || chain.length === MAX_CHAIN_LENGTH) break
    seen.add(certificate.fingerprint256)
    chain.push(detailsOf(certificate))
  }
  return chain
}

function detailsOf(certificate: X509Certificate): CertificateDetails {
  const { subject, subjectAltName, issuer, validFrom, validTo, serialNumber, fingerprint256 } = certificate
  return {
    subject: inOneLine(subject),
    names: (subjectAltName ?? '')
      .split(', ')
      .filter((name) => name !== '')
      .map((name) => name.replace(/^(?:DNS|IP Address):/, '')),
    issuer: inOneLine(issuer),
    validFrom: isoDate(validFrom),
    validTo: isoDate(validTo),
    key: keyText(certificate),
    serialNumber,
    fingerprint256,
  }
}

/** Some platforms return undefined for an empty name. */
function inOneLine(name: string | undefined): string {
  return (name ?? '').trim().replaceAll('\n', ', ')
}

/** Parses `Nov 22 10:00:00 2026 GMT`, as platforms write dates. */
function isoDate(text: string): string {
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : new Date(time).toISOString().replace('.000Z', 'Z')
}

function keyText({ publicKey }: X509Certificate): string {
  const { asymmetricKeyType = 'unknown', asymmetricKeyDetails } = publicKey
  const { modulusLength, namedCurve } = asymmetricKeyDetails ?? {}
  if (modulusLength !== undefined) return `${asymmetricKeyType.toUpperCase()} ${modulusLength} bits`
  return namedCurve === undefined ? asymmetricKeyType : `${asymmetricKeyType.toUpperCase()} ${namedCurve}`
}
