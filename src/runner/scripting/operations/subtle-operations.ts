/**
 * The operations that implement scripts' `crypto.subtle`, by the Web Cryptography API (W3C), sections 18 to 35.
 *
 * Rules: a key is passed with each call, as its components. Bytes are hexadecimal digits. An operation that would
 * exceed the time limit of any script is refused, because it cannot be interrupted.
 */
import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  pbkdf2Sync,
  privateDecrypt,
  publicEncrypt,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import type { JsonValue } from '../../../http-file/index.ts'
import type { ValueSources } from '../../variables/dynamic/value-sources.ts'
import type { Operations } from '../engine/script-engine.ts'
import type { SigningKey } from './crypto-operations.ts'

interface Octets {
  readonly hex: string
}

interface Algorithm {
  readonly name: string
  readonly hash?: string | { readonly name: string }
  readonly length?: number
  readonly iv?: Octets
  readonly counter?: Octets
  readonly additionalData?: Octets
  readonly tagLength?: number
  readonly label?: Octets
  readonly salt?: Octets
  readonly info?: Octets
  readonly iterations?: number
  readonly saltLength?: number
  readonly namedCurve?: string
  readonly modulusLength?: number
}

/** See guest/libraries/subtle-library.ts. */
interface Material {
  readonly type: 'secret' | 'private' | 'public'
  /** Base64. */
  readonly data: string
  readonly algorithm: Algorithm
}

const MAX_ITERATIONS = 10_000_000
const MAX_RSA_BITS = 4096

const hashes: Readonly<Record<string, string>> = {
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
}
const curves: Readonly<Record<string, string>> = { 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' }

function octets(value: string | Octets | undefined): Buffer {
  return Buffer.from(typeof value === 'string' ? value : (value?.hex ?? ''), 'hex')
}

function known(table: Readonly<Record<string, string>>, name: unknown, what: string): string {
  const found = Object.hasOwn(table, String(name).toUpperCase()) ? table[String(name).toUpperCase()] : undefined
  if (found === undefined) throw new Error(`crypto.subtle: unknown ${what} ${JSON.stringify(name)}`)
  return found
}

function hashOf({ hash, name }: Algorithm): string {
  return known(hashes, typeof hash === 'object' ? hash.name : (hash ?? name), 'hash')
}

/** The algorithm with its name spelled as in the standard. */
function normal(algorithm: Algorithm): Algorithm {
  const { hash } = algorithm
  const named = hash === undefined ? {} : { hash: typeof hash === 'object' ? hash : { name: hash } }
  return {
    ...algorithm,
    ...named,
    name: algorithm.name.toUpperCase().replace('RSASSA-PKCS1-V1_5', 'RSASSA-PKCS1-v1_5'),
  }
}

function secret(bytes: Uint8Array, algorithm: Algorithm): Material {
  return {
    type: 'secret',
    data: Buffer.from(bytes).toString('base64'),
    algorithm: { length: bytes.length * 8, ...algorithm },
  }
}

function asymmetric(key: KeyObject, algorithm: Algorithm): Material {
  const isPrivate = key.type === 'private'
  const der = isPrivate ? key.export({ type: 'pkcs8', format: 'der' }) : key.export({ type: 'spki', format: 'der' })
  return { type: isPrivate ? 'private' : 'public', data: der.toString('base64'), algorithm }
}

function keyOf({ type, data }: Material): KeyObject {
  const key = Buffer.from(data, 'base64')
  if (type === 'secret') return createSecretKey(key)
  if (type === 'private') return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  return createPublicKey({ key, format: 'der', type: 'spki' })
}

function importKey(format: string, data: string | Record<string, unknown>, expected: Algorithm): Material {
  const algorithm = normal(expected)
  if (format === 'raw') return secret(octets(data as string), algorithm)
  if (format === 'jwk') {
    const jwk = data as { readonly kty?: string; readonly k?: string; readonly d?: string }
    if (jwk.kty === 'oct') return secret(Buffer.from(jwk.k ?? '', 'base64url'), algorithm)
    const make = jwk.d === undefined ? createPublicKey : createPrivateKey
    return asymmetric(make({ key: jwk as never, format: 'jwk' }), algorithm)
  }
  const key = octets(data as string)
  if (format === 'pkcs8') return asymmetric(createPrivateKey({ key, format: 'der', type: 'pkcs8' }), algorithm)
  if (format === 'spki') return asymmetric(createPublicKey({ key, format: 'der', type: 'spki' }), algorithm)
  throw new Error(`crypto.subtle: unknown format ${JSON.stringify(format)}: expected raw, jwk, pkcs8 or spki`)
}

function exportKey(format: string, material: Material): JsonValue {
  if (format === 'jwk') return keyOf(material).export({ format: 'jwk' }) as JsonValue
  const expected = { raw: 'secret', pkcs8: 'private', spki: 'public' }[format]
  if (expected !== material.type)
    throw new Error(`crypto.subtle: a ${material.type} key cannot be exported as ${format}`)
  return Buffer.from(material.data, 'base64').toString('hex')
}

function generateKey(expected: Algorithm, { randomBytes }: ValueSources): Material[] {
  const algorithm = normal(expected)
  const { name, length, namedCurve, modulusLength = 2048 } = algorithm
  if (name === 'HMAC') {
    const sizeBits = length ?? (hashOf(algorithm) === 'sha1' || hashOf(algorithm) === 'sha256' ? 512 : 1024)
    return [secret(randomBytes(Math.min(sizeBits, 65_536) / 8), algorithm)]
  }
  if (name.startsWith('AES-')) return [secret(randomBytes((length ?? 256) / 8), algorithm)]
  const pair = name.startsWith('RSA') ? rsaPair(modulusLength) : ecPair(name, namedCurve)
  return [asymmetric(pair.privateKey, algorithm), asymmetric(pair.publicKey, algorithm)]
}

function rsaPair(modulusLength: number): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  if (modulusLength > MAX_RSA_BITS) throw new RangeError(`crypto.subtle: at most ${MAX_RSA_BITS} bits of RSA`)
  return generateKeyPairSync('rsa', { modulusLength })
}

function ecPair(name: string, curve: unknown): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  if (name !== 'ECDSA' && name !== 'ECDH') throw new Error(`crypto.subtle: unknown algorithm ${JSON.stringify(name)}`)
  return generateKeyPairSync('ec', { namedCurve: known(curves, curve, 'curve') })
}

/** Signature parameters of an algorithm: RFC 8017 for RSA, FIPS 186-5 for ECDSA, in the IEEE P1363 format. */
function signing(algorithm: Algorithm, material: Material): { readonly hash: string; readonly key: SigningKey } {
  const { name } = normal(algorithm)
  const key = keyOf(material)
  if (name === 'ECDSA') return { hash: hashOf(algorithm), key: { key, dsaEncoding: 'ieee-p1363' } }
  const hash = hashOf(material.algorithm)
  if (name === 'RSASSA-PKCS1-v1_5') return { hash, key }
  if (name === 'RSA-PSS') {
    const saltLength = algorithm.saltLength ?? constants.RSA_PSS_SALTLEN_DIGEST
    return { hash, key: { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength } }
  }
  throw new Error(`crypto.subtle: ${name} does not sign`)
}

function hmac(material: Material, data: string): Buffer {
  return createHmac(hashOf(material.algorithm), keyOf(material)).update(octets(data)).digest()
}

/** `aes-256-gcm` and similar names. */
function cipherOf(name: string, key: KeyObject): string {
  return `aes-${(key.symmetricKeySize ?? 0) * 8}-${name.slice('AES-'.length).toLowerCase()}`
}

const DEFAULT_TAG_BITS = 128

function encrypt(algorithm: Algorithm, material: Material, data: string): Buffer {
  const { name } = normal(algorithm)
  const key = keyOf(material)
  if (name === 'RSA-OAEP') return publicEncrypt({ key, ...oaep(algorithm, material) }, octets(data))
  if (name === 'AES-GCM') {
    const authTagLength = (algorithm.tagLength ?? DEFAULT_TAG_BITS) / 8
    const cipher = createCipheriv(cipherOf(name, key) as 'aes-256-gcm', key, octets(algorithm.iv), { authTagLength })
    cipher.setAAD(octets(algorithm.additionalData))
    return Buffer.concat([cipher.update(octets(data)), cipher.final(), cipher.getAuthTag()])
  }
  const cipher = createCipheriv(cipherOf(name, key), key, octets(algorithm.iv ?? algorithm.counter))
  return Buffer.concat([cipher.update(octets(data)), cipher.final()])
}

function decrypt(algorithm: Algorithm, material: Material, data: string): Buffer {
  const { name } = normal(algorithm)
  const key = keyOf(material)
  const input = octets(data)
  if (name === 'RSA-OAEP') return privateDecrypt({ key, ...oaep(algorithm, material) }, input)
  if (name === 'AES-GCM') {
    const authTagLength = (algorithm.tagLength ?? DEFAULT_TAG_BITS) / 8
    const decipher = createDecipheriv(cipherOf(name, key) as 'aes-256-gcm', key, octets(algorithm.iv), {
      authTagLength,
    })
    decipher.setAAD(octets(algorithm.additionalData))
    decipher.setAuthTag(input.subarray(input.length - authTagLength))
    return Buffer.concat([decipher.update(input.subarray(0, input.length - authTagLength)), decipher.final()])
  }
  const decipher = createDecipheriv(cipherOf(name, key), key, octets(algorithm.iv ?? algorithm.counter))
  return Buffer.concat([decipher.update(input), decipher.final()])
}

function oaep({ label }: Algorithm, { algorithm }: Material): { oaepHash: string; oaepLabel?: Buffer } {
  return { oaepHash: hashOf(algorithm), ...(label === undefined ? {} : { oaepLabel: octets(label) }) }
}

function derive(algorithm: Algorithm, material: Material, lengthBits: number): Buffer {
  const { name } = normal(algorithm)
  const { salt, info, iterations = 0 } = algorithm
  const key = Buffer.from(material.data, 'base64')
  if (name === 'HKDF') return Buffer.from(hkdfSync(hashOf(algorithm), key, octets(salt), octets(info), lengthBits / 8))
  if (name !== 'PBKDF2') throw new Error(`crypto.subtle: ${name} derives nothing here: expected PBKDF2 or HKDF`)
  if (!(iterations >= 1 && iterations <= MAX_ITERATIONS) || lengthBits > 4096) {
    throw new RangeError(`crypto.subtle: expected 1 to ${MAX_ITERATIONS} iterations and at most 4096 bits`)
  }
  return pbkdf2Sync(key, octets(salt), iterations, lengthBits / 8, hashOf(algorithm))
}

export const subtleOperations: Operations<ValueSources> = {
  'subtle-digest': (_who, algorithm: Algorithm, data: string) =>
    createHash(hashOf({ ...algorithm, hash: algorithm.name }))
      .update(octets(data))
      .digest('hex'),
  'subtle-import': (_who, format: string, data: string, algorithm: Algorithm) =>
    plain(importKey(format, data, algorithm)),
  'subtle-export': (_who, format: string, material: Material) => exportKey(format, material),
  'subtle-generate': (sources, algorithm: Algorithm) => generateKey(algorithm, sources).map(plain),
  'subtle-sign': (_who, algorithm: Algorithm, material: Material, data: string) => {
    if (normal(algorithm).name === 'HMAC') return hmac(material, data).toString('hex')
    const { hash, key } = signing(algorithm, material)
    return sign(hash, octets(data), key).toString('hex')
  },
  'subtle-verify': (_who, algorithm: Algorithm, material: Material, signature: string, data: string) => {
    const expected = octets(signature)
    if (normal(algorithm).name === 'HMAC') {
      const made = hmac(material, data)
      return made.length === expected.length && timingSafeEqual(made, expected)
    }
    const { hash, key } = signing(algorithm, material)
    return verify(hash, octets(data), key, expected)
  },
  'subtle-encrypt': (_who, ...args: [Algorithm, Material, string]) => encrypt(...args).toString('hex'),
  'subtle-decrypt': (_who, ...args: [Algorithm, Material, string]) => decrypt(...args).toString('hex'),
  'subtle-derive': (_who, ...args: [Algorithm, Material, number]) => derive(...args).toString('hex'),
}

/** The key as data for the script. */
function plain(material: Material): JsonValue {
  return material as unknown as JsonValue
}
