/**
 * Reads JKS and JCEKS, the keystores of Java before PKCS12: bytes to private keys with their chains.
 *
 * Rules: the digest at the end detects a wrong password; without a password it is not checked, but a key always needs
 * one. A key may have a different password from its store; only one can be configured here, and the message says so. So
 * a key is decrypted when it is used. Certificates without a key and secret keys are skipped. The formats are Sun's,
 * and documented only by the source of OpenJDK.
 */
import { createDecipheriv, createHash, hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import { readCertificate } from './certificate-chain.ts'
import { beginsWithSequence, countOf, membersOf, octetsOf, oidOf, readFirst } from './der.ts'
import { damaged, KeystoreError, passwordError, unsupported } from './errors.ts'
import { JavaInput } from './java-input.ts'
import type { KeyEntry, KeystoreContent } from './key-entry.ts'
import { IterationBudget, utf16 } from './password-encryption.ts'
import { readPrivateKey } from './private-key.ts'

const formats: Readonly<Record<number, string>> = { 4277010157: 'JKS', 3469659854: 'JCEKS' }

const digestBytes = 20
/** The digest of a file covers this text after the password. */
const whitener = 'Mighty Aphrodite'

/** Kinds of entries. */
const kinds = { privateKey: 1, certificate: 2, secretKey: 3 } as const

const keyProtectors = { jks: '1.3.6.1.4.1.42.2.17.1.1', jceks: '1.3.6.1.4.1.42.2.19.1' } as const

export function isJavaKeystore(octets: Uint8Array): boolean {
  return octets.length >= 4 && formats[Buffer.from(octets.subarray(0, 4)).readUInt32BE()] !== undefined
}

/** @throws KeystoreError `keystore-password`, `keystore-damaged`, `keystore-unsupported`. */
export function readJavaKeystore(octets: Uint8Array, password: string | undefined): KeystoreContent {
  const input = new JavaInput(octets.subarray(0, Math.max(0, octets.length - digestBytes)), 'Java keystore')
  const format = formats[input.int()]!
  const version = input.int()
  if (version !== 1 && version !== 2) throw unsupported(`the ${format} version`, String(version))
  if (password !== undefined && !isWhole(octets, password)) throw passwordError(format, 'keystore', true)
  const readChainCertificate = () => {
    // Version 1 supports X.509 only and does not name it.
    const type = version === 1 ? 'X.509' : input.text()
    const encoded = input.block()
    return type === 'X.509' ? [readCertificate(encoded, format)] : []
  }
  const entries: KeyEntry[] = []
  let otherCertificates = 0
  for (let left = input.int(); left > 0; left--) {
    const kind = input.int()
    const alias = input.text()
    // The creation date: milliseconds since 1970.
    input.take(8)
    if (kind === kinds.privateKey) {
      const encrypted = input.block()
      const chain = Array.from({ length: input.int() }, readChainCertificate).flat()
      entries.push({
        alias,
        chain,
        // Only the chosen key must have the given password.
        get key() {
          return openKey(encrypted, alias, format, password)
        },
      })
    } else if (kind === kinds.certificate) {
      readChainCertificate()
      otherCertificates += 1
    } else if (kind === kinds.secretKey) {
      input.skipObject()
    } else {
      throw damaged(format, `entry "${alias}" is of the unknown kind ${kind}`)
    }
  }
  return { format, entries, otherCertificates }
}

function isWhole(octets: Uint8Array, password: string): boolean {
  const content = octets.subarray(0, -digestBytes)
  const found = createHash('sha1').update(utf16(password)).update(whitener, 'utf8').update(content).digest()
  const expected = octets.subarray(-digestBytes)
  return expected.length === digestBytes && timingSafeEqual(found, expected)
}

function openKey(encrypted: Uint8Array, alias: string, format: string, password: string | undefined): KeyObject {
  const what = `private key "${alias}"`
  if (password === undefined) throw passwordError(format, what, false)
  const [algorithm, data] = membersOf(readFirst(encrypted), 'an encrypted private key')
  const [name, parameters] = membersOf(algorithm, 'the protection of a key')
  const oid = oidOf(name, 'the protection of a key')
  const octets = octetsOf(data, 'an encrypted private key')
  const plain =
    oid === keyProtectors.jks
      ? openByKeystream(octets, password)
      : oid === keyProtectors.jceks
        ? openByTripleDes(parameters, octets, password)
        : undefined
  if (plain === undefined && !Object.values<string>(keyProtectors).includes(oid))
    throw unsupported('the protection', oid)
  if (plain === undefined) {
    throw new KeystoreError('keystore-password', `the ${what} (${format}) has a different password than its keystore`, {
      hint: 'Give it the same password with keytool -keypasswd, or convert the keystore to PKCS12',
    })
  }
  return readPrivateKey(plain, format, `the ${what}`)
}

/**
 * JKS: the key is XORed with a chain of SHA-1 digests, each of the password and the digest before it, beginning with a
 * salt. A digest of the password and the key follows.
 */
function openByKeystream(octets: Uint8Array, password: string): Uint8Array | undefined {
  if (octets.length < 2 * digestBytes) return undefined
  const secret = utf16(password)
  const plain = Buffer.from(octets.subarray(digestBytes, -digestBytes))
  let stream = octets.subarray(0, digestBytes)
  for (let at = 0; at < plain.length; at++) {
    if (at % digestBytes === 0) stream = createHash('sha1').update(secret).update(stream).digest()
    plain[at]! ^= stream[at % digestBytes]!
  }
  const found = createHash('sha1').update(secret).update(plain).digest()
  return timingSafeEqual(found, octets.subarray(-digestBytes)) ? plain : undefined
}

/** JCEKS: PBEWithMD5AndTripleDES. Each half of the salt yields half of the key and of the initialization vector. */
function openByTripleDes(
  parameters: Parameters<typeof membersOf>[0],
  octets: Uint8Array,
  password: string,
): Uint8Array | undefined {
  const [saltElement, countElement] = membersOf(parameters, 'the parameters of a key')
  const salt = Buffer.from(octetsOf(saltElement, 'a salt'))
  const iterations = new IterationBudget().spend(countOf(countElement))
  if (salt.length !== 8) throw damaged('JCEKS', 'a salt has the wrong length')
  // Equal halves would yield equal halves of the key, so Java reverses the first one.
  if (salt.subarray(0, 4).equals(salt.subarray(4))) salt.subarray(0, 4).reverse()
  const derived = Buffer.concat(
    [salt.subarray(0, 4), salt.subarray(4)].map((half) => deriveByMd5(half, password, iterations)),
  )
  const decipher = createDecipheriv('des-ede3-cbc', derived.subarray(0, 24), derived.subarray(24))
  try {
    const plain = Buffer.concat([decipher.update(octets), decipher.final()])
    return beginsWithSequence(plain) ? plain : undefined
  } catch {
    return undefined
  }
}

/** Digest of the previous digest and the password, `iterations` times. */
function deriveByMd5(half: Uint8Array, password: string, iterations: number): Uint8Array {
  const secret = Buffer.from(password)
  const first = hash('md5', Buffer.concat([half, secret]), 'buffer')
  const input = Buffer.concat([first, secret])
  for (let round = 1; round < iterations; round++) input.set(hash('md5', input, 'buffer'))
  return input.subarray(0, first.length)
}
