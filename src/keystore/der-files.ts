/**
 * Certificates and private keys in DER, as PEM.
 *
 * Rules: the members of the outer SEQUENCE show what a file holds. Files of other formats must be ruled out first:
 * PKCS12 begins like a private key.
 */
import { readElements, readFirst, tags } from './der.ts'

/** The label in PEM, and the tags of the first members. RFC 5280 section 4.1, RFC 5958, RFC 8017, RFC 5915. */
const contents: readonly { readonly label: string; readonly members: readonly number[] }[] = [
  { label: 'CERTIFICATE', members: [tags.sequence, tags.sequence, tags.bitString] },
  { label: 'ENCRYPTED PRIVATE KEY', members: [tags.sequence, tags.octetString] },
  { label: 'PRIVATE KEY', members: [tags.integer, tags.sequence, tags.octetString] },
  { label: 'RSA PRIVATE KEY', members: [tags.integer, tags.integer, tags.integer] },
  { label: 'EC PRIVATE KEY', members: [tags.integer, tags.octetString] },
]

export function isDer(octets: Uint8Array): boolean {
  return labelOf(octets) !== undefined
}

export function pemOfDer(octets: Uint8Array): Uint8Array {
  const label = labelOf(octets)
  const base64 = Buffer.from(octets).toString('base64')
  return Buffer.from(`-----BEGIN ${label}-----\n${base64}\n-----END ${label}-----\n`)
}

function labelOf(octets: Uint8Array): string | undefined {
  if (octets[0] !== tags.sequence) return undefined
  try {
    const found = readElements(readFirst(octets).content).map(({ tag }) => tag)
    return contents.find(({ members }) => members.every((tag, index) => tag === found[index]))?.label
  } catch {
    return undefined
  }
}
