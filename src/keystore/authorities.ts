/**
 * Reads the certificates that the user trusts.
 *
 * Rules: all of them are read, or the file is an error. Platforms stop in silence at the first certificate that they
 * cannot read, and then the server seems to be at fault.
 */
import { isDer, pemOfDer } from './der-files.ts'
import { KeystoreError } from './errors.ts'
import { readPemCertificates } from './pem.ts'

/**
 * The certificates of a PEM or DER file, as PEM.
 * @param file its path, for messages
 * @throws KeystoreError `keystore-damaged`, `keystore-format`
 */
export function readAuthorities(octets: Uint8Array, file: string): string {
  try {
    const certificates = readPemCertificates(isDer(octets) ? pemOfDer(octets) : octets)
    if (certificates.length > 0) return certificates.map((certificate) => certificate.toString()).join('')
  } catch (error) {
    if (!(error instanceof KeystoreError)) throw error
    throw new KeystoreError(error.code, `${file}: ${error.message}`, {
      cause: error,
      hint: 'Correct it, or remove it from the file',
    })
  }
  throw new KeystoreError('keystore-format', `${file}: it has no certificate in PEM or DER`, {
    hint: 'Give a file with a line -----BEGIN CERTIFICATE-----',
  })
}
