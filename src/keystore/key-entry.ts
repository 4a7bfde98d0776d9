/** The result of the keystore readers: private keys with their certificates. */
import type { KeyObject, X509Certificate } from 'node:crypto'

/** A private key; the chain begins with its own certificate, each followed by its issuer. */
export interface KeyEntry {
  /** Its name in the file; undefined in PEM. */
  readonly alias: string | undefined
  /** @throws KeystoreError if the password is that of another key of the file. */
  readonly key: KeyObject
  /** Empty if the file has no certificate for this key. */
  readonly chain: readonly X509Certificate[]
}

/** An open keystore. */
export interface KeystoreContent {
  /** The common name of the format: `PKCS12`, `JKS`. */
  readonly format: string
  readonly entries: readonly KeyEntry[]
  /** The number of certificates without a key, as in a truststore. */
  readonly otherCertificates: number
}
