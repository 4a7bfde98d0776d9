/**
 * Certificates for tests, created by the openssl command: an authority, and certificates that it signs.
 *
 * Rules: keys are P-256, because they are created in milliseconds. No certificate is checked in, so none expires.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly certificate: string
  readonly key: string
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

/** A self-signed authority in the directory. */
export function makeAuthority(directory: string, name: string = 'authority'): CertificateFiles {
  const files = filesOf(directory, name)
  openssl(
    ...['req', '-x509', ...newKey, '-keyout', files.key, '-out', files.certificate],
    ...['-days', '30', '-subj', `/CN=httpcli test ${name}`],
  )
  return files
}

export interface CertificateRequest {
  /** File name without extension, and the common name. */
  readonly name: string
  /** Subject alternative names as openssl writes them: `DNS:localhost`, `IP:127.0.0.1`. */
  readonly names?: readonly string[]
  /** The signer; undefined for a self-signed certificate. */
  readonly authority?: CertificateFiles
  /** Days until it expires; negative if it has already expired. Default 30. */
  readonly days?: number
}

/** A certificate and its key in the directory. */
export function makeCertificate(directory: string, request: CertificateRequest): CertificateFiles {
  const files = filesOf(directory, request.name)
  const signingRequest = join(directory, `${request.name}.csr`)
  const extensions = join(directory, `${request.name}.ext`)
  const names = request.names ?? ['DNS:localhost', 'IP:127.0.0.1']
  writeFileSync(extensions, `subjectAltName=${names.join(',')}\n`)
  openssl('req', ...newKey, '-keyout', files.key, '-out', signingRequest, '-subj', `/CN=${request.name}`)
  const signer = request.authority
  openssl(
    ...['x509', '-req', '-in', signingRequest, '-out', files.certificate, '-extfile', extensions],
    ...['-days', String(request.days ?? 30)],
    ...(signer
      ? ['-CA', signer.certificate, '-CAkey', signer.key, '-set_serial', serialNumber(request.name)]
      : ['-signkey', files.key]),
  )
  return files
}

/** Distinct for each name, so that no client confuses two certificates of one authority. */
function serialNumber(name: string): string {
  return `0x01${Buffer.from(name).subarray(0, 15).toString('hex')}`
}

function filesOf(directory: string, name: string): CertificateFiles {
  return { certificate: join(directory, `${name}.pem`), key: join(directory, `${name}.key`) }
}

function openssl(...words: string[]): void {
  execFileSync('openssl', words, { stdio: 'pipe' })
}
