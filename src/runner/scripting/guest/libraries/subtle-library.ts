/**
 * `crypto.subtle`: the methods of the Web Cryptography API; their results are available immediately.
 *
 * Rules: the key material stays on this side, and every call passes it to the host, which keeps nothing. Resulting
 * bytes are an ArrayBuffer.
 */
import type { ask as Ask } from '../host.ts'

type Algorithm = string | { readonly name: string; readonly [parameter: string]: unknown }

interface KeyFace {
  readonly type: 'secret' | 'private' | 'public'
  readonly extractable: boolean
  readonly algorithm: unknown
  readonly usages: readonly string[]
}

/** A key in the form in which it is exchanged with the host. */
interface Material {
  readonly type: KeyFace['type']
  /** Base64: the bytes of a secret, PKCS 8 of a private key, SPKI of a public one. */
  readonly data: string
  readonly algorithm: unknown
}

const digits = '0123456789abcdef'

function hexOf(input: unknown): string {
  const octets = ArrayBuffer.isView(input)
    ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
    : input instanceof ArrayBuffer
      ? new Uint8Array(input)
      : undefined
  if (octets === undefined) throw new TypeError('crypto.subtle takes bytes: an ArrayBuffer or a typed array')
  let hex = ''
  for (const octet of octets) hex += (digits[octet >> 4] as string) + digits[octet & 15]
  return hex
}

function bufferOf(hex: unknown): ArrayBuffer {
  const text = String(hex)
  const octets = new Uint8Array(text.length / 2)
  for (let i = 0; i < octets.length; i++) octets[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16)
  return octets.buffer
}

/** Parameters as plain data: bytes become `{hex}`. */
function plain(algorithm: Algorithm): unknown {
  if (typeof algorithm === 'string') return { name: algorithm }
  const entries = Object.entries(algorithm).map(([name, value]) => {
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return [name, { hex: hexOf(value) }]
    if (typeof value === 'object' && value !== null && materials.has(value)) return [name, materials.get(value)]
    return [name, value]
  })
  return Object.fromEntries(entries)
}

const materials: WeakMap<object, Material> = new WeakMap()

function keyFace(material: Material, extractable: unknown, usages: readonly string[]): KeyFace {
  const key = Object.freeze({
    type: material.type,
    extractable: Boolean(extractable),
    algorithm: material.algorithm,
    usages: Object.freeze([...usages]),
  })
  materials.set(key, material)
  return key
}

/** @throws if the key was not made here, or not for this usage */
function materialFor(key: KeyFace, usage: string): Material {
  const material = typeof key === 'object' && key !== null ? materials.get(key) : undefined
  if (material === undefined) throw new TypeError('crypto.subtle: this is not a key of importKey or generateKey')
  if (!key.usages.includes(usage)) throw new Error(`crypto.subtle: the key may not be used to ${usage}`)
  return material
}

export function createSubtle(ask: typeof Ask): object {
  const subtle = {
    digest: (algorithm: Algorithm, data: unknown) => bufferOf(ask('subtle-digest', plain(algorithm), hexOf(data))),

    importKey(format: string, data: unknown, algorithm: Algorithm, extractable: unknown, usages: readonly string[]) {
      const encoded = format === 'jwk' ? data : hexOf(data)
      return keyFace(ask('subtle-import', format, encoded, plain(algorithm)) as Material, extractable, usages)
    },

    exportKey(format: string, key: KeyFace) {
      const material = materials.get(key)
      if (material === undefined || !key.extractable) throw new Error('crypto.subtle: the key cannot be exported')
      const result = ask('subtle-export', format, material)
      return format === 'jwk' ? result : bufferOf(result)
    },

    generateKey(algorithm: Algorithm, extractable: unknown, usages: readonly string[]) {
      const made = ask('subtle-generate', plain(algorithm)) as readonly Material[]
      if (made.length === 1) return keyFace(made[0] as Material, extractable, usages)
      const of = (wanted: readonly string[]) => usages.filter((usage) => wanted.includes(usage))
      return {
        privateKey: keyFace(made[0] as Material, extractable, of(['sign', 'decrypt', 'deriveBits', 'deriveKey'])),
        publicKey: keyFace(made[1] as Material, true, of(['verify', 'encrypt'])),
      }
    },

    sign: (algorithm: Algorithm, key: KeyFace, data: unknown) =>
      bufferOf(ask('subtle-sign', plain(algorithm), materialFor(key, 'sign'), hexOf(data))),

    verify: (algorithm: Algorithm, key: KeyFace, signature: unknown, data: unknown) =>
      ask('subtle-verify', plain(algorithm), materialFor(key, 'verify'), hexOf(signature), hexOf(data)),

    encrypt: (algorithm: Algorithm, key: KeyFace, data: unknown) =>
      bufferOf(ask('subtle-encrypt', plain(algorithm), materialFor(key, 'encrypt'), hexOf(data))),

    decrypt: (algorithm: Algorithm, key: KeyFace, data: unknown) =>
      bufferOf(ask('subtle-decrypt', plain(algorithm), materialFor(key, 'decrypt'), hexOf(data))),

    deriveBits: (algorithm: Algorithm, key: KeyFace, lengthBits: number) => {
      const usage = key.usages.includes('deriveKey') ? 'deriveKey' : 'deriveBits'
      return bufferOf(ask('subtle-derive', plain(algorithm), materialFor(key, usage), lengthBits))
    },

    deriveKey(algorithm: Algorithm, key: KeyFace, derived: Algorithm, extractable: unknown, usages: readonly string[]) {
      const { length, hash } = derived as { readonly length?: number; readonly hash?: unknown }
      const lengthBits = length ?? (String(hash).includes('512') ? 1024 : 512)
      return subtle.importKey('raw', subtle.deriveBits(algorithm, key, lengthBits), derived, extractable, usages)
    },
  }
  return Object.freeze(subtle)
}
