/**
 * Decoded private keys, and why the platform refuses one.
 *
 * Rules: an algorithm that the platform lacks is not a damaged file, and a cipher that it lacks is not a wrong
 * password. The codes are those of OpenSSL in Node.js and of BoringSSL in the executable.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { membersOf, oidOf, readFirst } from './der.ts'
import { damaged, unsupported } from './errors.ts'

interface PlatformError {
  readonly code?: string
  /** Of OpenSSL. */
  readonly opensslErrorStack?: readonly string[]
}

/** @param what the key, as named in messages @throws KeystoreError `keystore-damaged`, `keystore-unsupported` */
export function readPrivateKey(pkcs8: Uint8Array, format: string, what: string): KeyObject {
  try {
    return createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' })
  } catch (cause) {
    if (lacksKeyAlgorithm(cause as PlatformError)) {
      throw unsupported('the key algorithm', algorithmOf(pkcs8), 'Use an RSA or EC key')
    }
    throw damaged(format, `${what} cannot be read`, cause)
  }
}

/** RFC 5958 section 2: a version, then the algorithm. */
function algorithmOf(pkcs8: Uint8Array): string {
  const [, algorithm] = membersOf(readFirst(pkcs8), 'a private key')
  return oidOf(membersOf(algorithm, 'a key algorithm')[0], 'a key algorithm')
}

function lacksKeyAlgorithm({ code, opensslErrorStack = [] }: PlatformError): boolean {
  const isUnknown = (line: string): boolean => line.endsWith(':unsupported private key algorithm')
  return code === 'ERR_OSSL_EVP_UNSUPPORTED_ALGORITHM' || opensslErrorStack.some(isUnknown)
}

const cipherCodes: ReadonlySet<string | undefined> = new Set([
  'ERR_OSSL_EVP_UNSUPPORTED',
  'ERR_OSSL_UNKNOWN_ALGORITHM',
  'ERR_OSSL_UNSUPPORTED_CIPHER',
  'ERR_OSSL_UNSUPPORTED_PRF',
  'ERR_OSSL_PEM_UNSUPPORTED_ENCRYPTION',
])

/** Whether no password would open the key. @param error the platform's */
export function lacksCipher(error: unknown): boolean {
  return cipherCodes.has((error as PlatformError).code)
}
