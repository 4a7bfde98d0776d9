/**
 * Errors about a keystore.
 *
 * Rules: the message names the format and the reason, the hint says what to do. keystore.ts puts the name of the file
 * before the message.
 */
import { CodedError } from '../message/index.ts'

/**
 * `keystore-file`: cannot be read. `keystore-format`: unknown format. `keystore-damaged`: a known format with invalid
 * content. `keystore-password`: wrong or missing. `keystore-unsupported`: unknown algorithm. `keystore-key`: no private
 * key, or none with a certificate. `keystore-alias`: no key of that name.
 */
export type KeystoreErrorCode =
  | 'keystore-file'
  | 'keystore-format'
  | 'keystore-damaged'
  | 'keystore-password'
  | 'keystore-unsupported'
  | 'keystore-key'
  | 'keystore-alias'

declare module '../message/index.ts' {
  interface ErrorCodes {
    readonly keystore: KeystoreErrorCode
  }
}

export class KeystoreError extends CodedError<KeystoreErrorCode> {}

/** A file whose bytes contradict its format. */
export function damaged(format: string, what: string, cause?: unknown): KeystoreError {
  return new KeystoreError('keystore-damaged', `the ${format} file is damaged: ${what}`, {
    hint: 'Copy it again, in binary mode',
    cause,
  })
}

/** The password is wrong, or missing although one is needed. `what`: `keystore`, `private key "server"`. */
export function passwordError(format: string, what: string, hasPassword: boolean, cause?: unknown): KeystoreError {
  return hasPassword
    ? new KeystoreError('keystore-password', `the password does not open the ${what} (${format})`, {
        hint: 'Check the password',
        cause,
      })
    : new KeystoreError('keystore-password', `the ${what} (${format}) needs a password`, { cause })
}

/** An unsupported cipher, digest, scheme or key; `name` is its object identifier or its common name. */
export function unsupported(
  what: string,
  name: string,
  hint: string = 'Convert it to PKCS12 with a current keytool or openssl',
): KeystoreError {
  return new KeystoreError('keystore-unsupported', `the keystore uses ${what} ${name}, which is not supported`, {
    hint,
  })
}
