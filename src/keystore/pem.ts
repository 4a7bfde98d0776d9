/**
 * Reads PEM files: text to private keys with their certificates, in any order, in one file or two.
 *
 * Rules: text around the blocks is ignored, and so are blocks that are neither a key nor a certificate. Lines may have
 * any length and any line ending, because the platform accepts fewer. Encrypted keys are decrypted by this room's
 * reader if it knows the scheme, otherwise by the platform. RFC 7468; RFC 1421 section 4.6.1 for keys with a header.
 */
import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto'
import { chainOf, readCertificate } from './certificate-chain.ts'
import { damaged, KeystoreError, passwordError, unsupported } from './errors.ts'
import type { KeystoreContent } from './key-entry.ts'
import { decryptPrivateKeyInfo, IterationBudget } from './password-encryption.ts'
import { lacksCipher, readPrivateKey } from './private-key.ts'

const format = 'PEM'

interface Block {
  readonly label: string
  /** `Proc-Type` and `DEK-Info` of an encrypted key, with their line endings; usually empty. */
  readonly header: string
  readonly octets: Buffer
  /** The number of its BEGIN line in the text. */
  readonly line: number
}

/** The encodings of a private key by the label of its block. */
const keyEncodings: Readonly<Record<string, 'pkcs8' | 'pkcs1' | 'sec1'>> = {
  'PRIVATE KEY': 'pkcs8',
  'RSA PRIVATE KEY': 'pkcs1',
  'EC PRIVATE KEY': 'sec1',
}

const encryptedKey = 'ENCRYPTED PRIVATE KEY'
/** Also matches unsupported formats, such as that of OpenSSH. */
const anyKey = /\bPRIVATE KEY$/
/** The last is a form of OpenSSL: after the certificate follow the purposes that it is trusted or rejected for. */
const certificateLabels: ReadonlySet<string> = new Set(['CERTIFICATE', 'X509 CERTIFICATE', 'TRUSTED CERTIFICATE'])

export function isPem(octets: Uint8Array): boolean {
  return latin1(octets).includes('-----BEGIN ')
}

/**
 * @param keyOctets the file of the key, if it is another one: keys in the first file are ignored
 * @throws KeystoreError `keystore-password`, `keystore-damaged`, `keystore-unsupported`.
 */
export function readPem(octets: Uint8Array, password: string | undefined, keyOctets?: Uint8Array): KeystoreContent {
  const blocks = readBlocks(latin1(octets))
  const keyBlocks = keyOctets === undefined ? blocks : readBlocks(latin1(keyOctets))
  const certificates = certificatesOf(keyOctets === undefined ? blocks : [...blocks, ...keyBlocks]).map(
    ({ certificate }) => certificate,
  )
  const keys = keyBlocks.flatMap((block) => keyOf(block, password) ?? [])
  if (keys.length === 0) refuseUnknownKey(keyBlocks)
  const entries = keys.map((key) => ({ alias: undefined, key, chain: chainOf(key, certificates) }))
  return { format, entries, otherCertificates: certificates.length }
}

/** A certificate, and the bytes of its block, which may go on after it. */
export interface PemCertificate {
  readonly certificate: X509Certificate
  readonly octets: Uint8Array
}

/** The certificates of the text, in its order. @throws KeystoreError `keystore-damaged` */
export function readPemCertificates(octets: Uint8Array): readonly PemCertificate[] {
  return certificatesOf(readBlocks(latin1(octets)))
}

/** The platform ignores what follows a certificate in its block. */
function certificatesOf(blocks: readonly Block[]): readonly PemCertificate[] {
  return blocks
    .filter(({ label }) => certificateLabels.has(label))
    .map(({ octets, line }) => ({
      certificate: readCertificate(octets, format, `the certificate at line ${line}`),
      octets,
    }))
}

const lineEnd = /\r\n|[\r\n]/g

function readBlocks(text: string): readonly Block[] {
  const pattern = /-----BEGIN ([A-Z0-9 ]+)-----([^-]*(?:-(?!----(?:END|BEGIN) )[^-]*)*)-----END \1-----/g
  let line = 1
  let counted = 0
  const blocks = [...text.matchAll(pattern)].map(({ 1: label = '', 2: content = '', index }) => {
    line += text.slice(counted, index).match(lineEnd)?.length ?? 0
    counted = index
    const lines = content.split(lineEnd).map((line) => line.trim())
    const header = lines.filter((line) => line.includes(':'))
    const body = lines.filter((line) => !line.includes(':')).join('')
    if ((certificateLabels.has(label) || anyKey.test(label)) && !/^[A-Za-z0-9+/\s]*={0,2}$/.test(body))
      throw damaged(format, `the block ${label} at line ${line} is not Base64`)
    const joined = header.map((line) => `${line}\n`).join('')
    return { label, header: joined, octets: Buffer.from(body, 'base64'), line }
  })
  const startCount = text.match(/-----BEGIN [A-Z0-9 ]+-----/g)?.length ?? 0
  if (startCount !== blocks.length) throw damaged(format, 'a block has no END line')
  return blocks
}

function refuseUnknownKey(blocks: readonly Block[]): void {
  const unknown = blocks.find(({ label }) => anyKey.test(label))
  if (unknown === undefined) return
  throw unsupported(
    'the key format',
    unknown.label,
    'Convert it to PKCS #8, for example with ssh-keygen -p -m PKCS8 -f <file>',
  )
}

function keyOf(block: Block, password: string | undefined): KeyObject | undefined {
  const { label, header, octets } = block
  if (label === encryptedKey) return decryptKey(octets, password)
  const type = keyEncodings[label]
  if (type === undefined) return undefined
  const isEncrypted = header.includes('ENCRYPTED')
  if (type === 'pkcs8' && !isEncrypted) return readPrivateKey(octets, format, 'the private key')
  if (isEncrypted && password === undefined) throw passwordError(format, 'private key', false)
  try {
    return isEncrypted
      ? createPrivateKey({ key: armoured(block), format: 'pem', passphrase: password ?? '' })
      : createPrivateKey({ key: octets, format: 'der', type })
  } catch (cause) {
    if (isEncrypted && lacksCipher(cause)) throw unsupported('the cipher', cipherOf(header))
    if (isEncrypted) throw passwordError(format, 'private key', true, cause)
    throw damaged(format, 'the private key cannot be read', cause)
  }
}

/** PKCS #8 with a password (RFC 5958 section 3). */
function decryptKey(octets: Buffer, password: string | undefined): KeyObject {
  if (password === undefined) throw passwordError(format, 'private key', false)
  let plain: Uint8Array | undefined
  try {
    plain = decryptPrivateKeyInfo(octets, { text: password, budget: new IterationBudget() })
  } catch (error) {
    if (!(error instanceof KeystoreError) || error.code !== 'keystore-unsupported') throw error
    return decryptByPlatform(octets, password, error)
  }
  if (plain === undefined) throw passwordError(format, 'private key', true)
  return readPrivateKey(plain, format, 'the private key')
}

/** @param unknown names the scheme that this room does not know */
function decryptByPlatform(octets: Buffer, password: string, unknown: KeystoreError): KeyObject {
  try {
    return createPrivateKey({ key: octets, format: 'der', type: 'pkcs8', passphrase: password })
  } catch (cause) {
    throw lacksCipher(cause) ? unknown : passwordError(format, 'private key', true, cause)
  }
}

/** `DES-CBC` in `DEK-Info: DES-CBC,2C1D…` (RFC 1421 section 4.6.1.3). */
function cipherOf(header: string): string {
  return /^DEK-Info: *([^,\s]+)/m.exec(header)?.[1] ?? 'of its header'
}

/** The block as the platform expects it: lines of 64 characters. */
function armoured({ label, header, octets }: Block): string {
  const lines = octets.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${header}\n${lines.join('\n')}\n-----END ${label}-----\n`
}

function latin1(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1')
}
