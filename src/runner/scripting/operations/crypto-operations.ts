/**
 * The operations that implement scripts' `crypto` and `jwt`: digests, HMAC, signatures, random bytes.
 *
 * Rules: data comes in pieces, each with its kind and a text; bytes are returned as hexadecimal digits. Nothing is
 * kept between calls. Random values come from the run's random bytes, except for asymmetric keys and signatures, whose
 * generators accept none. RFC 7518 section 3 for the algorithms of JSON Web Signatures.
 */
import {
  constants,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  type SigningOptions,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import { encodeText } from '../../request/charset.ts'
import { randomUuid } from '../../variables/dynamic/random-numbers.ts'
import type { ValueSources } from '../../variables/dynamic/value-sources.ts'
import type { Operations } from '../engine/script-engine.ts'
import { subtleOperations } from './subtle-operations.ts'

type Piece = readonly [kind: string, data: string, encoding?: string]

/** @throws Error if a text does not match its kind */
function octetsOf([kind, data, encoding]: Piece): Uint8Array {
  if (kind === 'text') return encodeText(data, encodingName(encoding ?? 'utf-8'))
  if (kind === 'hex') {
    if (!/^(?:[\da-f]{2})*$/i.test(data)) throw new Error('expected hexadecimal digits, two for each byte')
    return Buffer.from(data, 'hex')
  }
  if (kind === 'base64' || kind === 'base64url') {
    if (!/^[\w+/-]*={0,2}\s*$/.test(data)) throw new Error('expected Base64')
    return Buffer.from(data, 'base64')
  }
  throw new Error(`${JSON.stringify(kind)} is not an encoding: expected text, hex, base64 or base64url`)
}

/** The vendor's documentation writes `UTF8`, `UTF16`. */
function encodingName(encoding: string): string {
  return encoding
    .toLowerCase()
    .replace(/^utf_?(?=8|16)/, 'utf-')
    .replace(/_/g, '-')
}

function joined(pieces: readonly Piece[]): Buffer {
  return Buffer.concat(pieces.map(octetsOf))
}

/** The vendor's values for RSA and ECDSA calls. */
function keyFor(pem: string, isPrivate: boolean): KeyObject {
  try {
    return isPrivate ? createPrivateKey(pem) : createPublicKey(pem)
  } catch (error) {
    const kind = isPrivate ? 'private' : 'public'
    throw new Error(`this is not a ${kind} key in PEM: ${(error as Error).message}`)
  }
}

function assertKind(key: KeyObject, kind: string): void {
  const expected = kind === 'rsa' ? 'rsa' : 'ec'
  if (key.asymmetricKeyType?.startsWith(expected) !== true) {
    throw new Error(`expected a key of ${kind.toUpperCase()}, found one of ${key.asymmetricKeyType}`)
  }
}

/** RFC 7518 section 3.1, RFC 8037. */
interface TokenAlgorithm {
  readonly hash: string | undefined
  readonly kind: 'secret' | 'rsa' | 'rsa-pss' | 'ec' | 'ed'
}

const bits = ['256', '384', '512']
const tokenAlgorithms: Readonly<Record<string, TokenAlgorithm>> = Object.fromEntries([
  ...bits.map((size) => [`HS${size}`, { hash: `sha${size}`, kind: 'secret' }]),
  ...bits.map((size) => [`RS${size}`, { hash: `sha${size}`, kind: 'rsa' }]),
  ...bits.map((size) => [`PS${size}`, { hash: `sha${size}`, kind: 'rsa-pss' }]),
  ...bits.map((size) => [`ES${size}`, { hash: `sha${size}`, kind: 'ec' }]),
  ['EdDSA', { hash: undefined, kind: 'ed' }],
])

/** The same for signing and verifying. */
export type SigningKey = KeyObject | (SigningOptions & { readonly key: KeyObject })

function tokenKey(key: KeyObject, kind: TokenAlgorithm['kind']): SigningKey {
  if (kind === 'ec') return { key, dsaEncoding: 'ieee-p1363' }
  if (kind === 'rsa-pss')
    return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  return key
}

function tokenAlgorithm(name: string): TokenAlgorithm {
  const found = Object.hasOwn(tokenAlgorithms, name) ? tokenAlgorithms[name] : undefined
  if (found === undefined) throw new Error(`unknown algorithm ${JSON.stringify(name)}`)
  return found
}

function hmacOf(hash: TokenAlgorithm['hash'], key: string, data: Uint8Array): Buffer {
  return createHmac(hash as string, key)
    .update(data)
    .digest()
}

/** The maximum of WebCrypto's getRandomValues. */
const MAX_RANDOM_BYTES = 65_536

export const cryptoOperations: Operations<ValueSources> = {
  digest: (_who, algorithm: string, pieces: readonly Piece[]) =>
    createHash(algorithm).update(joined(pieces)).digest('hex'),

  hmac: (_who, algorithm: string, secret: Piece, pieces: readonly Piece[]) =>
    createHmac(algorithm, octetsOf(secret)).update(joined(pieces)).digest('hex'),

  sign: (_who, kind: string, algorithm: string, pem: string, pieces: readonly Piece[]) => {
    const key = keyFor(pem, true)
    assertKind(key, kind)
    return sign(algorithm, joined(pieces), key).toString('hex')
  },

  verify: (_who, kind: string, algorithm: string, pem: string, pieces: readonly Piece[], signature: Piece) => {
    const key = keyFor(pem, false)
    assertKind(key, kind)
    return verify(algorithm, joined(pieces), key, octetsOf(signature))
  },

  'from-hex': (_who, hex: string, encoding: 'base64' | 'base64url') => Buffer.from(hex, 'hex').toString(encoding),

  convert: (_who, piece: Piece, encoding: string) =>
    Buffer.from(octetsOf(piece)).toString(encoding === 'text' ? 'utf8' : (encoding as 'base64url')),

  'jwt-sign': (_who, algorithm: string, key: string, text: string) => {
    const { hash, kind } = tokenAlgorithm(algorithm)
    const data = Buffer.from(text)
    const made = kind === 'secret' ? hmacOf(hash, key, data) : sign(hash, data, tokenKey(keyFor(key, true), kind))
    return made.toString('base64url')
  },

  'jwt-verify': (_who, algorithm: string, key: string, text: string, signature: string) => {
    const { hash, kind } = tokenAlgorithm(algorithm)
    const [data, bytes] = [Buffer.from(text), Buffer.from(signature, 'base64url')]
    if (kind !== 'secret') return verify(hash, data, tokenKey(keyFor(key, false), kind), bytes)
    const made = hmacOf(hash, key, data)
    return made.length === bytes.length && timingSafeEqual(made, bytes)
  },

  'random-uuid': ({ randomBytes }) => randomUuid(randomBytes),

  'random-octets': ({ randomBytes }, count: number) => {
    if (count > MAX_RANDOM_BYTES) throw new RangeError(`at most ${MAX_RANDOM_BYTES} random bytes at once`)
    return Buffer.from(randomBytes(count)).toString('hex')
  },

  ...subtleOperations,
}
