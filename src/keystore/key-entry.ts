/** What readers of keystores find: private keys with the certificates that go with them. */
import type { KeyObject, X509Certificate } from 'node:crypto'

/** A private key; the certificates begin with its own and lead to the one that issued the last. */
export interface KeyEntry {
  /** Its name in the file; none in PEM. */
  readonly alias: string | undefined
  readonly key: KeyObject
  /** Empty where the file has none for this key. */
  readonly chain: readonly X509Certificate[]
}

/** An open keystore. */
export interface KeystoreContent {
  /** As people call it: `PKCS12`, `JKS`. */
  readonly format: string
  readonly entries: readonly KeyEntry[]
  /** Certificates without a key, as a truststore has them. */
  readonly otherCertificates: number
}
