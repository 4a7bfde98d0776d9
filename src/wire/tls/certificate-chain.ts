/**
 * The certificates of a server and the terms of a TLS connection, as plain values for people and reports.
 *
 * Rules: the chain begins with the server's own certificate. Values are those of the certificates, unescaped: whoever
 * shows them makes them fit for a terminal.
 */
import type { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'

/** A chain may be a circle. */
const MAX_CHAIN_LENGTH = 16

export interface CertificateDetails {
  /** In one line: `C=CH, O=Example, CN=example.org`. */
  readonly subject: string
  /** Of subjectAltName, without their types; empty where there are none. */
  readonly names: readonly string[]
  readonly issuer: string
  /** `2026-11-22T10:00:00Z` */
  readonly validFrom: string
  readonly validTo: string
  /** `RSA 2048 bits`, `EC prime256v1`, … */
  readonly key: string
  /** Hexadecimal. */
  readonly serialNumber: string
  /** SHA-256 of the certificate, its octets in hexadecimal with colons between. */
  readonly fingerprint256: string
}

/** What client and server agreed on. */
export interface TlsDetails {
  /** `TLS 1.3` */
  readonly version: string
  /** Its name in the registry of IANA. */
  readonly cipher: string
  /** What ALPN chose; undefined where the server did not choose. */
  readonly alpn: string | undefined
  /** Whether the keys of an earlier session were used again. */
  readonly isResumed: boolean
  /** Whether the chain was verified; false where the caller did not want it. */
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

/** The certificate and those of its issuers that are known. */
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

/** An empty name is undefined at some platforms. */
function inOneLine(name: string | undefined): string {
  return (name ?? '').trim().replaceAll('\n', ', ')
}

/** `Nov 22 10:00:00 2026 GMT`, as platforms write it. */
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
