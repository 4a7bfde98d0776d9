/**
 * `node:crypto` implemented with k6/crypto: digests and HMAC.
 *
 * Rules: k6 supports RSA and elliptic curve keys only asynchronously; the exporter reports features that need them.
 */
import type { K6Crypto, K6Hasher } from '../k6.ts'
import { Buffer } from './buffer.ts'

let platform: K6Crypto | undefined

/** Call this once, before anything else here is used. */
export function useCrypto(crypto: K6Crypto): void {
  platform = crypto
}

export function randomBytes(count: number): Uint8Array {
  return new Uint8Array((platform as K6Crypto).randomBytes(count))
}

/** Names in Node.js that k6 spells differently. */
const names: Readonly<Record<string, string>> = { 'sha512-256': 'sha512_256', 'sha512-224': 'sha512_224' }

class Hasher {
  readonly #hasher: K6Hasher

  constructor(hasher: K6Hasher) {
    this.#hasher = hasher
  }

  update(data: string | Uint8Array): this {
    this.#hasher.update(bufferOf(data))
    return this
  }

  digest(encoding?: string): string | Buffer {
    const bytes = Buffer.from(this.#hasher.digest('hex'), 'hex')
    return encoding === undefined ? bytes : bytes.toString(encoding)
  }
}

export function createHash(algorithm: string): Hasher {
  return new Hasher((platform as K6Crypto).createHash(names[algorithm] ?? algorithm))
}

export function createHmac(algorithm: string, secret: string | Uint8Array): Hasher {
  return new Hasher((platform as K6Crypto).createHMAC(names[algorithm] ?? algorithm, bufferOf(secret)))
}

export function timingSafeEqual(a: Buffer, b: Uint8Array): boolean {
  return a.equals(b)
}

function bufferOf(data: string | Uint8Array): ArrayBuffer {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
}

function absent(): never {
  throw new Error('RSA and elliptic curve keys are not supported in k6')
}

export const constants: object = {}
export {
  absent as createCipheriv,
  absent as createPrivateKey,
  absent as createPublicKey,
  absent as sign,
  absent as verify,
}
