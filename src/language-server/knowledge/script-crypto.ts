/** The types of `crypto` and `jwt` in scripts. */
import type { ScriptType } from './script-api.ts'

const input: ScriptType = {
  updateWithText: { form: 'updateWithText(text, encoding)', text: 'Adds text, in UTF-8 by default.', type: 'self' },
  updateWithHex: { form: 'updateWithHex(hex)', text: 'Adds bytes in hexadecimal digits.', type: 'self' },
  updateWithBase64: { form: 'updateWithBase64(base64, isUrlSafe)', text: 'Adds bytes in Base64.', type: 'self' },
}

const algorithms = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']
const sha3Bits = ['224', '256', '384', '512']

/** `sha256()` and similar functions. @param type the type of the result of a call */
function family(type: string): ScriptType {
  const text = (name: string): string => `Begins a calculation with ${name.toUpperCase()}.`
  return Object.fromEntries([
    ...algorithms.map((name) => [name, { form: `${name}()`, text: text(name), type }]),
    ...sha3Bits.map((bits) => [`sha3_${bits}`, { form: `sha3_${bits}()`, text: text(`sha3-${bits}`), type }]),
    ['sha3', { form: 'sha3(bits)', text: 'Begins a calculation with SHA-3 of 224, 256, 384 or 512 bits.', type }],
  ])
}

const subtleText = 'As in the Web Cryptography API, but the result is available at once; `await` is allowed.'
const subtleForms = [
  ...['digest(algorithm, data)', 'importKey(format, data, algorithm, extractable, usages)', 'exportKey(format, key)'],
  ...['generateKey(algorithm, extractable, usages)', 'sign(algorithm, key, data)'],
  ...['verify(algorithm, key, signature, data)', 'encrypt(algorithm, key, data)', 'decrypt(algorithm, key, data)'],
  ...['deriveBits(algorithm, key, lengthBits)', 'deriveKey(algorithm, key, derived, extractable, usages)'],
]

export const cryptoTypes: Readonly<Record<string, ScriptType>> = {
  crypto: {
    ...family('digest'),
    hmac: { form: 'hmac', text: 'HMAC with a secret, RFC 2104.', type: 'crypto.hmac' },
    rsa: { form: 'rsa', text: 'Signatures with RSA keys in PEM, RFC 8017.', type: 'crypto.rsa' },
    ecdsa: { form: 'ecdsa', text: 'Signatures with elliptic-curve keys in PEM.', type: 'crypto.ecdsa' },
    subtle: { form: 'subtle', text: 'The calls of the Web Cryptography API.', type: 'crypto.subtle' },
    randomUUID: { form: 'randomUUID()', text: 'A random UUID.' },
    getRandomValues: { form: 'getRandomValues(array)', text: 'Fills a typed array with random bytes.' },
  },
  'crypto.hmac': family('hmac'),
  'crypto.rsa': family('signature'),
  'crypto.ecdsa': family('signature'),
  digest: { ...input, digest: { form: 'digest()', text: 'The digest of what was added.', type: 'bytes' } },
  hmac: {
    withTextSecret: { form: 'withTextSecret(text, encoding)', text: 'Takes a string as the secret.', type: 'self' },
    withHexSecret: {
      form: 'withHexSecret(hex)',
      text: 'Takes bytes in hexadecimal digits as the secret.',
      type: 'self',
    },
    withBase64Secret: {
      form: 'withBase64Secret(base64, isUrlSafe)',
      text: 'Takes bytes in Base64 as the secret.',
      type: 'self',
    },
    ...input,
    digest: { form: 'digest()', text: 'The HMAC of what was added.', type: 'bytes' },
  },
  signature: {
    withPrivateKey: { form: 'withPrivateKey(pem)', text: 'The key for `sign`.', type: 'self' },
    withPublicKey: { form: 'withPublicKey(pem)', text: 'The key for `verify`.', type: 'self' },
    ...input,
    sign: { form: 'sign()', text: 'The signature of what was added.', type: 'bytes' },
    verify: { form: 'verify(signature, encoding)', text: 'Whether the signature, in Base64 by default, is right.' },
  },
  bytes: {
    toHex: { form: 'toHex()', text: 'The bytes in hexadecimal digits.' },
    toBase64: { form: 'toBase64(isUrlSafe)', text: 'The bytes in Base64.' },
  },
  'crypto.subtle': Object.fromEntries(
    subtleForms.map((form) => [form.replace(/\(.*$/, ''), { form, text: subtleText }]),
  ),
  jwt: {
    sign: {
      form: 'sign(claims, key, options)',
      text: 'A signed token: HS256 with a secret, RS256 with a key in PEM, or `options.algorithm`.',
    },
    verify: {
      form: 'verify(token, key, options)',
      text: 'The claims of a token, if its signature and times are valid; otherwise it throws.',
    },
    decode: { form: 'decode(token, options)', text: 'The claims of a token, not verified.' },
  },
}
