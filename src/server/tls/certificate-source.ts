/**
 * Provides a server's certificate, and keeps it current.
 *
 * Rules: before each handshake the keystore files are checked for changes (one `stat`, shared by handshakes that wait
 * at the same time), so a renewed certificate is used immediately, without a signal. If a new file cannot be opened,
 * the old certificate stays in use and the error is reported once. If the file system does not answer, handshakes
 * continue with the current certificate. Watching is not used, because network file systems and containers report
 * nothing.
 */
import { stat } from 'node:fs/promises'
import {
  KeystoreError,
  type KeystoreSource,
  makeSelfSigned,
  openKeystore,
  type TlsIdentity,
} from '../../keystore/index.ts'

/** How long handshakes wait for the file system. A later answer is used for later handshakes. */
const refreshTimeoutMs = 5_000

/** A keystore, or a certificate made for this run and these names. */
export type TlsSettings = { readonly keystore: KeystoreSource } | { readonly selfSignedFor: readonly string[] }

export interface CertificateHandlers {
  /** Called with the certificate at the start, and each time it was read again. */
  readonly onIdentity: (identity: TlsIdentity) => void
  /** Called with the reason why a changed keystore is not used. */
  readonly onError: (error: unknown) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** One check at a time, shared by all callers; no caller waits longer than `timeoutMs`. */
export class SharedCheck {
  readonly #check: () => Promise<void>
  readonly #timeoutMs: number
  /** Settles when the running check is over, or has taken too long. */
  #inTime: Promise<void> | undefined

  /** `check`: never rejects. */
  constructor(check: () => Promise<void>, timeoutMs: number) {
    this.#check = check
    this.#timeoutMs = timeoutMs
  }

  wait(): Promise<void> {
    this.#inTime ??= new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#timeoutMs)
      timer.unref()
      void this.#check().finally(() => {
        clearTimeout(timer)
        this.#inTime = undefined
        resolve()
      })
    })
    return this.#inTime
  }
}

/** The certificate of a server; `current` changes when the keystore does. */
export class CertificateSource {
  readonly #check: SharedCheck | undefined
  readonly #handlers: CertificateHandlers
  #current: TlsIdentity
  #filesSeen: string

  private constructor(
    current: TlsIdentity,
    handlers: CertificateHandlers,
    keystore: KeystoreSource | undefined,
    filesSeen: string,
  ) {
    this.#current = current
    this.#handlers = handlers
    if (keystore !== undefined) this.#check = new SharedCheck(() => this.#read(keystore), refreshTimeoutMs)
    this.#filesSeen = filesSeen
  }

  /** Rejects with KeystoreError. */
  static async open(settings: TlsSettings, handlers: CertificateHandlers): Promise<CertificateSource> {
    if ('selfSignedFor' in settings) {
      const identity = makeSelfSigned(settings.selfSignedFor, handlers.now())
      handlers.onIdentity(identity)
      return new CertificateSource(identity, handlers, undefined, '')
    }
    // Read before the file itself: a change in between is noticed at the next handshake.
    const filesSeen = await describeFiles(settings.keystore)
    const identity = await openKeystore(settings.keystore, handlers.now())
    handlers.onIdentity(identity)
    return new CertificateSource(identity, handlers, settings.keystore, filesSeen)
  }

  get current(): TlsIdentity {
    return this.#current
  }

  /** Reads the keystore again if it changed. Never rejects, and settles in time even if the file system hangs. */
  refresh(): Promise<void> {
    return this.#check?.wait() ?? Promise.resolve()
  }

  async #read(keystore: KeystoreSource): Promise<void> {
    const files = await describeFiles(keystore)
    if (files === this.#filesSeen) return
    this.#filesSeen = files
    const { onIdentity, onError, now } = this.#handlers
    try {
      this.#current = await openKeystore(keystore, now())
      onIdentity(this.#current)
    } catch (error) {
      onError(stillShown(error))
    }
  }
}

function stillShown(error: unknown): unknown {
  if (!(error instanceof KeystoreError)) return error
  return new KeystoreError(error.code, `${error.message}; the previous certificate stays in use`, { cause: error })
}

/** Identifies a state of the files; a missing file is also a state. */
async function describeFiles({ file, keyFile }: KeystoreSource): Promise<string> {
  const files = keyFile === undefined ? [file] : [file, keyFile]
  const states = await Promise.all(
    files.map((path) =>
      stat(path, { bigint: true }).then(
        ({ dev, ino, size, mtimeNs, ctimeNs }) => [dev, ino, size, mtimeNs, ctimeNs].join(' '),
        (error: NodeJS.ErrnoException) => String(error.code),
      ),
    ),
  )
  return states.join(', ')
}
