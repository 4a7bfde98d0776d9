/**
 * Password-based encryption in PKCS12 and PKCS #8: key derivation, decryption, and the check of a whole file.
 *
 * Rules: iterations are counted against one budget for each file, because a hostile file could ask for years. A
 * password is UTF-16 with a final zero in the scheme of PKCS #12 and UTF-8 in PBES2; only the former distinguishes an
 * empty password from none. RFC 7292 appendices B and C, RFC 7914, RFC 8018, RFC 9579 (PBMAC1).
 */
import { createDecipheriv, createHash, createHmac, hash, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto'
import { beginsWithSequence, countOf, type DerElement, membersOf, octetsOf, oidOf, readFirst, tags } from './der.ts'
import { damaged, unsupported } from './errors.ts'
import { decryptRc2 } from './rc2.ts'

/** The maximum number of key derivation rounds for one file; they take a second or two. */
const maximumIterations = 5_000_000

/** Subtracts from the budget of a file. @throws KeystoreError `keystore-damaged`. */
export class IterationBudget {
  #left = maximumIterations

  spend(iterations: number): number {
    if (iterations < 1) throw damaged('keystore', 'an iteration count is zero')
    this.#left -= iterations
    if (this.#left < 0) throw damaged('keystore', `it asks for more than ${maximumIterations} rounds of key derivation`)
    return iterations
  }
}

/**
 * A password, and the iteration budget of its file. `text` is undefined if no password was given: PKCS #12 distinguishes
 * that from an empty one.
 */
export interface Password {
  readonly text: string | undefined
  readonly budget: IterationBudget
}

/** The plaintext; undefined for a wrong password or damaged bytes. */
export type Decrypted = Uint8Array | undefined

type Decryption = (key: Uint8Array, iv: Uint8Array, encrypted: Uint8Array) => Decrypted

interface Cipher {
  readonly keyBytes: number
  readonly ivBytes: number
  readonly decrypt: Decryption
}

const platformCipher = (name: string, keyBytes: number, ivBytes: number): Cipher => ({
  keyBytes,
  ivBytes,
  decrypt: (key, iv, encrypted) => {
    const decipher = createDecipheriv(name, key, iv)
    try {
      return Buffer.concat([decipher.update(encrypted), decipher.final()])
    } catch {
      // Bad padding is the only error that the platform can detect here.
      return undefined
    }
  },
})

const tripleDes = platformCipher('des-ede3-cbc', 24, 8)
/** Two DES keys; the third is the first again. */
const doubleDes: Cipher = {
  keyBytes: 16,
  ivBytes: 8,
  decrypt: (key, iv, encrypted) => tripleDes.decrypt(Buffer.concat([key, key.subarray(0, 8)]), iv, encrypted),
}
const rc2 = (keyBytes: number): Cipher => ({ keyBytes, ivBytes: 8, decrypt: decryptRc2 })

/** RFC 7292 appendix C: pbeWithSHAAnd… */
const pkcs12Ciphers: Readonly<Record<string, Cipher>> = {
  '1.2.840.113549.1.12.1.3': tripleDes,
  '1.2.840.113549.1.12.1.4': doubleDes,
  '1.2.840.113549.1.12.1.5': rc2(16),
  '1.2.840.113549.1.12.1.6': rc2(5),
}

/** RFC 8018 appendix B.2. */
const pbes2Ciphers: Readonly<Record<string, Cipher>> = {
  '2.16.840.1.101.3.4.1.2': platformCipher('aes-128-cbc', 16, 16),
  '2.16.840.1.101.3.4.1.22': platformCipher('aes-192-cbc', 24, 16),
  '2.16.840.1.101.3.4.1.42': platformCipher('aes-256-cbc', 32, 16),
  '1.2.840.113549.3.7': tripleDes,
}

const digests: Readonly<Record<string, string>> = {
  '1.2.840.113549.2.5': 'md5',
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

/** hmacWith…, RFC 8018 appendix B.1. */
const macDigests: Readonly<Record<string, string>> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
}

const pbes2 = '1.2.840.113549.1.5.13'
const pbmac1 = '1.2.840.113549.1.5.14'

/**
 * Decrypts by an AlgorithmIdentifier. Undefined if the password is wrong.
 * @throws KeystoreError `keystore-unsupported`, `keystore-damaged`.
 */
export function decryptByPassword(
  algorithm: DerElement | undefined,
  encrypted: Uint8Array,
  password: Password,
): Decrypted {
  const plain = decrypt(algorithm, encrypted, password)
  return plain !== undefined && beginsWithSequence(plain) ? plain : undefined
}

function decrypt(algorithm: DerElement | undefined, encrypted: Uint8Array, password: Password): Decrypted {
  const [name, parameters] = membersOf(algorithm, 'an encryption algorithm')
  const oid = oidOf(name, 'an encryption algorithm')
  if (oid === pbes2) return decryptPbes2(parameters, encrypted, password)
  const cipher = pkcs12Ciphers[oid]
  if (cipher === undefined) throw unsupported('the encryption', oid)
  const [saltElement, countElement] = membersOf(parameters, 'the parameters of an encryption')
  const salt = octetsOf(saltElement, 'a salt')
  const iterations = password.budget.spend(countOf(countElement))
  const derive = (purpose: number, bytes: number) => deriveForPkcs12('sha1', password, salt, iterations, purpose, bytes)
  return cipher.decrypt(derive(1, cipher.keyBytes), derive(2, cipher.ivBytes), encrypted)
}

function decryptPbes2(parameters: DerElement | undefined, encrypted: Uint8Array, password: Password): Decrypted {
  const [derivation, scheme] = membersOf(parameters, 'the parameters of PBES2')
  const [schemeName, iv] = membersOf(scheme, 'the cipher of PBES2')
  const oid = oidOf(schemeName, 'the cipher of PBES2')
  const cipher = pbes2Ciphers[oid]
  if (cipher === undefined) throw unsupported('the cipher', oid)
  const key = deriveKey(derivation, password, cipher.keyBytes)
  const ivOctets = octetsOf(iv, 'an initialization vector')
  if (ivOctets.length !== cipher.ivBytes) throw damaged('keystore', 'an initialization vector has the wrong length')
  return cipher.decrypt(key, ivOctets, encrypted)
}

type KeyDerivation = (parameters: DerElement | undefined, password: Password, keyBytes: number) => Uint8Array

const keyDerivations: Readonly<Record<string, KeyDerivation>> = {
  '1.2.840.113549.1.5.12': deriveByPbkdf2,
  '1.3.6.1.4.1.11591.4.11': deriveByScrypt,
}

function deriveKey(algorithm: DerElement | undefined, password: Password, keyBytes: number): Uint8Array {
  const [name, parameters] = membersOf(algorithm, 'a key derivation')
  const oid = oidOf(name, 'a key derivation')
  const derive = keyDerivations[oid]
  if (derive === undefined) throw unsupported('the key derivation', oid)
  return derive(parameters, password, keyBytes)
}

/** RFC 7914 section 7.1. The platform limits the memory of scrypt to 32 MiB, as OpenSSL does. */
function deriveByScrypt(parameters: DerElement | undefined, password: Password, keyBytes: number): Uint8Array {
  const [salt, cost, blockSize, parallelization] = membersOf(parameters, 'the parameters of scrypt')
  const counts = { cost: countOf(cost), blockSize: countOf(blockSize), parallelization: countOf(parallelization) }
  password.budget.spend(counts.cost * counts.blockSize * counts.parallelization)
  try {
    return scryptSync(password.text ?? '', octetsOf(salt, 'a salt'), keyBytes, counts)
  } catch (cause) {
    throw damaged('keystore', 'the parameters of scrypt are invalid or need too much memory', cause)
  }
}

/** RFC 8018 appendix A.2: the length of the key is optional, and so is the function; HMAC with SHA-1 is its default. */
function deriveByPbkdf2(parameters: DerElement | undefined, password: Password, keyBytes: number): Uint8Array {
  const [salt, count, ...optional] = membersOf(parameters, 'the parameters of PBKDF2')
  const iterations = password.budget.spend(countOf(count))
  const functionElement = optional.find(({ tag }) => tag === tags.sequence)
  const functionOid =
    functionElement === undefined ? undefined : oidOf(membersOf(functionElement, 'a function')[0], 'a function')
  const digest = functionOid === undefined ? 'sha1' : macDigests[functionOid]
  if (digest === undefined) throw unsupported('the function', String(functionOid))
  return pbkdf2Sync(password.text ?? '', octetsOf(salt, 'a salt'), iterations, keyBytes, digest)
}

/** Decrypts an EncryptedPrivateKeyInfo (RFC 5958 section 3). Undefined if the password is wrong. */
export function decryptPrivateKeyInfo(octets: Uint8Array, password: Password): Decrypted {
  const [algorithm, encrypted] = membersOf(readFirst(octets), 'an encrypted private key')
  return decryptByPassword(algorithm, octetsOf(encrypted, 'an encrypted private key'), password)
}

/** Whether the password matches the MacData of a PKCS12 file (RFC 7292 section 4, RFC 9579). */
export function checkMac(macData: DerElement, authenticated: Uint8Array, password: Password): boolean {
  const [digestInfo, saltElement, countElement] = membersOf(macData, 'the check value')
  const [algorithm, digestElement] = membersOf(digestInfo, 'the check value')
  const expected = octetsOf(digestElement, 'the check value')
  const [name, parameters] = membersOf(algorithm, 'the algorithm of the check value')
  const oid = oidOf(name, 'the algorithm of the check value')
  const found =
    oid === pbmac1
      ? macByPbkdf2(parameters, authenticated, password)
      : macByPkcs12(
          digestNamed(oid),
          octetsOf(saltElement, 'a salt'),
          password.budget.spend(countElement === undefined ? 1 : countOf(countElement)),
          authenticated,
          password,
        )
  return found.length === expected.length && timingSafeEqual(found, expected)
}

function macByPkcs12(
  digest: string,
  salt: Uint8Array,
  iterations: number,
  authenticated: Uint8Array,
  password: Password,
): Uint8Array {
  const keyBytes = createHash(digest).digest().length
  const key = deriveForPkcs12(digest, password, salt, iterations, 3, keyBytes)
  return createHmac(digest, key).update(authenticated).digest()
}

function macByPbkdf2(parameters: DerElement | undefined, authenticated: Uint8Array, password: Password): Uint8Array {
  const [derivation, scheme] = membersOf(parameters, 'the parameters of PBMAC1')
  const oid = oidOf(membersOf(scheme, 'the function of PBMAC1')[0], 'the function of PBMAC1')
  const digest = macDigests[oid]
  if (digest === undefined) throw unsupported('the function', oid)
  // RFC 9579 section 4: the key is as long as the digest.
  const keyBytes = createHash(digest).digest().length
  const key = deriveKey(derivation, password, keyBytes)
  return createHmac(digest, key).update(authenticated).digest()
}

function digestNamed(oid: string): string {
  const digest = digests[oid]
  if (digest === undefined) throw unsupported('the digest', oid)
  return digest
}

/** Bytes in one block of the digests above; RFC 7292 appendix B.2 calls this v / 8. */
const blockBytesOf = (digest: string): number => (digest === 'sha384' || digest === 'sha512' ? 128 : 64)

/** RFC 7292 appendix B.2. `purpose`: 1 derives a key, 2 an initialization vector, 3 the key of the MAC. */
function deriveForPkcs12(
  digest: string,
  { text }: Password,
  salt: Uint8Array,
  iterations: number,
  purpose: number,
  wantedBytes: number,
): Uint8Array {
  const blockBytes = blockBytesOf(digest)
  const diversifier = Buffer.alloc(blockBytes, purpose)
  const input = Buffer.concat([
    repeated(salt, blockBytes),
    repeated(text === undefined ? Buffer.alloc(0) : utf16(`${text}\0`), blockBytes),
  ])
  const parts: Buffer[] = []
  for (let bytes = 0; bytes < wantedBytes; ) {
    let part = createHash(digest).update(diversifier).update(input).digest()
    for (let round = 1; round < iterations; round++) part = hash(digest, part, 'buffer')
    parts.push(part)
    bytes += part.length
    addToBlocks(input, repeated(part, blockBytes).subarray(0, blockBytes))
  }
  return Buffer.concat(parts).subarray(0, wantedBytes)
}

/** Copies of the bytes up to the next multiple of a block; empty for empty input. */
function repeated(octets: Uint8Array, blockBytes: number): Buffer {
  return Buffer.alloc(Math.ceil(octets.length / blockBytes) * blockBytes, octets)
}

/**
 * Replaces each block of the input with itself plus the addend plus one, as big-endian numbers modulo the block size.
 */
function addToBlocks(input: Buffer, addend: Uint8Array): void {
  for (let start = 0; start < input.length; start += addend.length) {
    let carry = 1
    for (let at = addend.length - 1; at >= 0; at--) {
      carry += input[start + at]! + addend[at]!
      input[start + at] = carry & 0xff
      carry >>= 8
    }
  }
}

/** Big-endian UTF-16, as in Java and PKCS #12. */
export function utf16(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16()
}
