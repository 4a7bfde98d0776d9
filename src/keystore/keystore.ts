/**
 * Opens a keystore file of any format and chooses the key that the server uses.
 *
 * Rules: the format is detected by content, never by the name of the file. The readers of this room come first, because
 * only they report key names, chain order and the reason for a failure; formats unknown to them are tried by the
 * platform, which may be newer. With several keys and no alias, the first that has a certificate is used. A file above
 * maximumFileBytes is refused. Errors name the file at fault.
 */
import type { KeyObject } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { certificateWarnings } from './certificate-check.ts'
import { isDer, pemOfDer } from './der-files.ts'
import { KeystoreError } from './errors.ts'
import { isJavaKeystore, readJavaKeystore } from './java-keystore.ts'
import type { KeyEntry, KeystoreContent } from './key-entry.ts'
import { isPem, readPem } from './pem.ts'
import { isPkcs12, readPkcs12 } from './pkcs12.ts'

export interface KeystoreSource {
  readonly file: string
  readonly password?: string | undefined
  /** Path of a PEM or DER file with the private key, if `file` has only certificates. */
  readonly keyFile?: string | undefined
  /** The key to use if there are several; case-insensitive, as in Java. */
  readonly alias?: string | undefined
}

/** The content of the files of a KeystoreSource. */
export interface KeystoreOctets {
  readonly file: Uint8Array
  readonly keyFile?: Uint8Array | undefined
}

/** The certificate and key that a server presents to clients, or a client to a server. */
export interface TlsIdentity {
  /** The format of the file: `PKCS12`, `JKS`, `JCEKS`, `PEM`, `DER`; `self-signed` without a file. */
  readonly format: string
  readonly alias: string | undefined
  /** Names of the other keys. */
  readonly otherAliases: readonly string[]
  /** SHA-256 of the certificate, in hexadecimal with colons; undefined if only the platform could open the file. */
  readonly fingerprint256: string | undefined
  /** Certificate and key in the form that `tls.createSecureContext` expects. */
  readonly secureContext: {
    readonly cert?: string
    readonly key?: string
    readonly pfx?: Buffer
    readonly passphrase?: string
  }
  /** Defects of the certificates, one sentence each. */
  readonly warnings: readonly string[]
}

/** Real keystores are a few kilobytes in size. */
const maximumFileBytes = 16_777_216

/** A server verifies no client here, and loading the platform's authorities takes longer than everything else. */
const noAuthorities: string[] = []

interface Format {
  readonly fits: (octets: Uint8Array) => boolean
  readonly read: (octets: Uint8Array, password: string | undefined) => KeystoreContent
}

const formats: readonly Format[] = [
  { fits: isJavaKeystore, read: readJavaKeystore },
  { fits: isPkcs12, read: readPkcs12 },
  { fits: isPem, read: readPem },
  { fits: isDer, read: (octets, password) => ({ ...readPem(pemOfDer(octets), password), format: 'DER' }) },
]

/**
 * Opens the file. `nowMs`: milliseconds since 1970, to find expired certificates.
 * @throws KeystoreError, any of its codes.
 */
export async function openKeystore(source: KeystoreSource, nowMs: number): Promise<TlsIdentity> {
  const file = await readKeystoreFile(source.file)
  const keyFile = source.keyFile === undefined ? undefined : await readKeystoreFile(source.keyFile)
  return readKeystore({ file, keyFile }, source, nowMs)
}

/** The same for files that have been read; their paths are for messages. @throws KeystoreError */
export function readKeystore(octets: KeystoreOctets, source: KeystoreSource, nowMs: number): TlsIdentity {
  try {
    const identity = identityOf(octets, source, nowMs)
    // The platform has the last word: it may refuse a key as too weak for any connection.
    createSecureContext({ ...identity.secureContext, ca: noAuthorities })
    return identity
  } catch (error) {
    const { file, keyFile, password } = source
    const faulty = octets.keyFile === undefined || holdsKey(octets.keyFile, password) ? file : (keyFile ?? file)
    if (error instanceof KeystoreError) {
      const { code, hint, cause } = error
      throw new KeystoreError(code, `${faulty}: ${error.message}`, {
        cause,
        ...(hint === undefined ? {} : { hint }),
      })
    }
    throw new KeystoreError('keystore-unsupported', `${faulty}: ${unusable(platformReason(error))}`, {
      cause: error,
      hint: betterKey,
    })
  }
}

/** Whether the file of the private key has a readable key, so the fault must be in the other file. */
function holdsKey(keyOctets: Uint8Array, password: string | undefined): boolean {
  try {
    return formatOf(keyOctets).read(keyOctets, password).entries.length > 0
  } catch {
    return false
  }
}

async function readKeystoreFile(file: string): Promise<Uint8Array> {
  try {
    const found = await stat(file)
    if (found.isDirectory()) throw new KeystoreError('keystore-file', `the keystore ${file} is a directory`)
    if (!found.isFile()) throw new KeystoreError('keystore-file', `the keystore ${file} is not a regular file`)
    if (found.size > maximumFileBytes) throw new KeystoreError('keystore-format', `${file} is too large for a keystore`)
    return await readFile(file)
  } catch (cause) {
    if (cause instanceof KeystoreError) throw cause
    const { code } = cause as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
    throw new KeystoreError('keystore-file', `the keystore ${file} ${reason}`, { cause })
  }
}

function identityOf({ file, keyFile }: KeystoreOctets, source: KeystoreSource, nowMs: number): TlsIdentity {
  const { password, alias } = source
  let content: KeystoreContent
  try {
    content = keyFile === undefined ? formatOf(file).read(file, password) : readPair(file, keyFile, password)
  } catch (error) {
    const platformOpened = alias === undefined && isUnsupported(error) ? openByPlatform(file, password) : undefined
    if (platformOpened === undefined) throw error
    return platformOpened
  }
  const entry = chooseEntry(content, alias)
  const { key, chain } = entry
  refuseUnusableKey(key)
  return {
    format: content.format,
    alias: entry.alias,
    otherAliases: content.entries.filter((other) => other !== entry).flatMap((other) => other.alias ?? []),
    fingerprint256: chain[0]?.fingerprint256,
    secureContext: { key: String(key.export({ type: 'pkcs8', format: 'pem' })), cert: chain.map(String).join('') },
    warnings: certificateWarnings(chain, nowMs),
  }
}

function formatOf(octets: Uint8Array): Format {
  const format = formats.find(({ fits }) => fits(octets))
  if (format !== undefined) return format
  throw new KeystoreError('keystore-format', 'it is not a keystore of a known format', {
    hint: 'Give a PKCS12, JKS, JCEKS, PEM or DER file',
  })
}

/** Certificates, and their key in a separate file. */
function readPair(octets: Uint8Array, keyOctets: Uint8Array, password: string | undefined): KeystoreContent {
  const [certificates, key] = [octets, keyOctets].map((each) => (isDer(each) ? pemOfDer(each) : each)) as [
    Uint8Array,
    Uint8Array,
  ]
  if (!isPem(certificates) || !isPem(key)) {
    throw new KeystoreError('keystore-format', 'certificate and key in separate files must be PEM or DER', {
      hint: 'Give two PEM files, or one keystore that holds both',
    })
  }
  return readPem(certificates, password, key)
}

function chooseEntry({ format, entries, otherCertificates }: KeystoreContent, alias: string | undefined): KeyEntry {
  if (entries.length === 0) {
    const holds = otherCertificates === 0 ? 'no certificate either' : 'certificates only'
    throw new KeystoreError('keystore-key', `the ${format} file has no private key; it holds ${holds}`, {
      hint: 'Give a keystore with a private key, not a truststore',
    })
  }
  const names = entries.flatMap((entry) => entry.alias ?? [])
  if (alias !== undefined) {
    const named = entries.find((entry) => entry.alias?.toLowerCase() === alias.toLowerCase())
    if (named === undefined) {
      const known =
        names.length === 0
          ? `keys of a ${format} file have no names`
          : `it has ${names.map((name) => JSON.stringify(name)).join(', ')}`
      throw new KeystoreError('keystore-alias', `no key ${JSON.stringify(alias)} found: ${known}`)
    }
    if (named.chain.length === 0) throw withoutCertificate(format, `the private key ${JSON.stringify(alias)}`)
    return named
  }
  const usable = entries.find(({ chain }) => chain.length > 0)
  if (usable === undefined) throw withoutCertificate(format, 'the private key')
  return usable
}

function withoutCertificate(format: string, what: string): KeystoreError {
  return new KeystoreError('keystore-key', `the ${format} file has no certificate for ${what}`, {
    hint: 'Give the key that the certificate was made with, or add the certificate of this key',
  })
}

/** Undefined if the platform does not know the file either. Certificates are not checked in this case. */
function openByPlatform(octets: Uint8Array, password: string | undefined): TlsIdentity | undefined {
  if (!isPkcs12(octets)) return undefined
  const secureContext = { pfx: Buffer.from(octets), ...(password === undefined ? {} : { passphrase: password }) }
  try {
    createSecureContext({ ...secureContext, ca: noAuthorities })
  } catch {
    // The reason found by this room's reader is more precise.
    return undefined
  }
  return {
    format: 'PKCS12',
    alias: undefined,
    otherAliases: [],
    fingerprint256: undefined,
    secureContext,
    warnings: [],
  }
}

function isUnsupported(error: unknown): boolean {
  return error instanceof KeystoreError && error.code === 'keystore-unsupported'
}

/** Not every platform refuses other types, but peers in TLS 1.2 and 1.3 do not accept them. */
const usableKeyTypes: ReadonlySet<string | undefined> = new Set(['rsa', 'rsa-pss', 'ec', 'ed25519', 'ed448'])
const minimumUsableRsaBits = 1024

function refuseUnusableKey(key: KeyObject): void {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (!usableKeyTypes.has(type)) {
    throw new KeystoreError(
      'keystore-unsupported',
      unusable(`keys of type ${type?.toUpperCase()} are not accepted in TLS`),
      { hint: 'Create an RSA or EC key, for example with keytool -genkeypair -keyalg RSA' },
    )
  }
  const bits = type === 'rsa' ? details?.modulusLength : undefined
  if (bits === undefined || bits >= minimumUsableRsaBits) return
  throw new KeystoreError('keystore-unsupported', unusable(`key too small, ${bits} bits`), { hint: betterKey })
}

const betterKey = 'Create a new key of at least 2048 bits, with a certificate signed with SHA-256'

function unusable(reason: string): string {
  return `the certificate or its key cannot be used (${reason})`
}

/** Reduces `error:0A00018F:SSL routines::ee key too small` to its last part. */
function platformReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split(':').at(-1)?.trim() ?? text
}
