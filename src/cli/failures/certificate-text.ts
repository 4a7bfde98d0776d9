/** The certificates of a server as readable lines; their values may contain control characters. */
import type { CertificateDetails } from '../../wire/index.ts'

/** The server's own certificate first. */
export function certificateLines(certificates: readonly CertificateDetails[]): readonly string[] {
  return certificates.flatMap(
    ({ subject, names, issuer, validFrom, validTo, key, serialNumber, fingerprint256 }, index) => [
      `certificate ${index + 1}: ${subject === '' ? '(no subject)' : subject}`,
      `  names: ${names.length === 0 ? 'none' : names.join(', ')}`,
      `  issuer: ${issuer}`,
      `  valid: ${validFrom} to ${validTo}`,
      `  key: ${key}; serial number: ${serialNumber}`,
      `  SHA-256: ${fingerprint256}`,
    ],
  )
}
