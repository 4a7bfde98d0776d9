/**
 * Reads the certificates that the user trusts.
 *
 * Rules: a file with an unreadable certificate is refused. Platforms silently stop at the first one, which makes the
 * server look at fault. OpenSSL may write purposes after a certificate; one that is not trusted for servers is omitted,
 * because systems mark withdrawn authorities in this way.
 */
import { type DerElement, element, oidOf, readElements, readFirst, tags } from './der.ts'
import { isDer, pemOfDer } from './der-files.ts'
import { KeystoreError } from './errors.ts'
import { readPemCertificates } from './pem.ts'

/** RFC 5280 section 4.2.1.12: serverAuth and anyExtendedKeyUsage. */
const serverPurposes: ReadonlySet<string> = new Set(['1.3.6.1.5.5.7.3.1', '2.5.29.37.0'])

/**
 * The certificates of a PEM or DER file, as PEM.
 * @param file its path, for messages
 * @throws KeystoreError `keystore-damaged`, `keystore-format`
 */
export function readAuthorities(octets: Uint8Array, file: string): string {
  let reason = 'it has no certificate in PEM or DER'
  try {
    const certificates = readPemCertificates(isDer(octets) ? pemOfDer(octets) : octets)
    const trusted = certificates.filter((each) => isTrustedForServers(each.octets))
    if (trusted.length > 0) return trusted.map(({ certificate }) => certificate.toString()).join('')
    if (certificates.length > 0) reason = 'it trusts no certificate for servers'
  } catch (error) {
    if (!(error instanceof KeystoreError)) throw error
    throw new KeystoreError(error.code, `${file}: ${error.message}`, {
      cause: error,
      hint: 'Correct it, or remove it from the file',
    })
  }
  throw new KeystoreError('keystore-format', `${file}: ${reason}`, {
    hint: 'Give a file with a line -----BEGIN CERTIFICATE-----',
  })
}

/** OpenSSL, X509_CERT_AUX: a SEQUENCE of the purposes trusted, then those rejected with tag 0; both are optional. */
function isTrustedForServers(octets: Uint8Array): boolean {
  const { tag, content } = readFirst(octets)
  const rest = octets.subarray(element(tag, content).length)
  if (rest[0] !== tags.sequence) return true
  const lists = readElements(readFirst(rest).content)
  const trusted = lists.find((list) => list.tag === tags.sequence)
  const rejected = lists.find((list) => list.tag === tags.context0)
  if (rejected !== undefined && hasServerPurpose(rejected)) return false
  return trusted === undefined || hasServerPurpose(trusted)
}

function hasServerPurpose(purposes: DerElement): boolean {
  return readElements(purposes.content).some((purpose) => serverPurposes.has(oidOf(purpose, 'a purpose')))
}
