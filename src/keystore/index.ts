/** Keystores and certificates: PKCS #12, JKS, JCEKS and PEM files opened, self-signed certificates made. */
export { KeystoreError } from './errors.ts'
export { type KeystoreSource, openKeystore, type ServerIdentity } from './keystore.ts'
export { makeSelfSigned } from './self-signed.ts'
