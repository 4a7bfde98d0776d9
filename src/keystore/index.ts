/** Keystores and certificates: PKCS #12, JKS, JCEKS, PEM and DER files opened, self-signed certificates made. */
export { readAuthorities } from './authorities.ts'
export { KeystoreError } from './errors.ts'
export { type KeystoreSource, openKeystore, readKeystore, type TlsIdentity } from './keystore.ts'
export { makeSelfSigned } from './self-signed.ts'
