/**
 * Errors of connections and exchanges. One class; branch on `code`.
 *
 * Rules: a message is one line that says what was attempted (host, address, port) and what happened; the hint says what
 * to try next; the platform's error is the cause.
 */
import { CodedError, type HttpcliErrorDetails } from '../../message/index.ts'
import type { CertificateDetails } from '../tls/certificate-chain.ts'

export type WireErrorCode =
  // Before the connection
  | 'no-host'
  | 'unsupported-scheme'
  | 'name-not-found'
  | 'name-lookup-failed'
  | 'connect-refused'
  | 'connect-unreachable'
  | 'connect-failed'
  | 'connect-timeout'
  | 'too-many-open-files'
  // TLS
  | 'certificate-expired'
  | 'certificate-not-yet-valid'
  | 'certificate-self-signed'
  | 'certificate-unknown-ca'
  | 'certificate-wrong-host'
  | 'certificate-weak'
  | 'certificate-invalid'
  | 'tls-not-spoken'
  | 'tls-client-certificate'
  | 'tls-version-refused'
  | 'tls-name-refused'
  | 'tls-protocol-refused'
  | 'tls-handshake-failed'
  | 'tls-configuration'
  // Proxy
  | 'proxy-invalid'
  | 'proxy-refused'
  // During the exchange
  | 'first-byte-timeout'
  | 'idle-timeout'
  | 'connection-reset'
  | 'connection-cut-short'
  | 'invalid-response'
  | 'request-body-failed'
  | 'request-not-accepted'
  // WebSocket
  | 'websocket-refused'
  | 'websocket-closed'
  // Redirects
  | 'too-many-redirects'
  | 'redirect-loop'
  | 'redirect-invalid'
  | 'redirect-body-not-replayable'
  // By the caller
  | 'aborted'

declare module '../../message/index.ts' {
  interface ErrorCodes {
    readonly wire: WireErrorCode
  }
}

export interface WireErrorDetails extends HttpcliErrorDetails {
  /** The bytes received of a response head that was truncated or is not HTTP. */
  readonly received?: Uint8Array | undefined
  /** The chain of a server whose certificate was refused, its own first. */
  readonly certificates?: readonly CertificateDetails[] | undefined
}

export class WireError extends CodedError<WireErrorCode> {
  readonly received: Uint8Array | undefined
  readonly certificates: readonly CertificateDetails[] | undefined

  constructor(code: WireErrorCode, message: string, details: WireErrorDetails = {}) {
    super(code, message, details)
    this.received = details.received
    this.certificates = details.certificates
  }
}

/** The same error, with the step that it belongs to before its message. */
export function inStep(step: string, error: WireError, hint: string | undefined = error.hint): WireError {
  const { code, message, where, excerpt, cause, received, certificates } = error
  return new WireError(code, `${step}: ${message}`, {
    ...(hint === undefined ? {} : { hint }),
    ...(where === undefined ? {} : { where }),
    ...(excerpt === undefined ? {} : { excerpt }),
    cause,
    received,
    certificates,
  })
}

/** How a failure of the platform is reported. */
export interface WireFailure {
  readonly code: WireErrorCode
  readonly text: string
  readonly hint: string
}

/**
 * The `code` of a Node.js error: `ECONNREFUSED`, `ERR_TLS_CERT_ALTNAME_INVALID`, … The codes of some TLS alerts contain
 * `SSLV3` in Node.js 20, and `SSL/TLS` since OpenSSL 3.2; the former is returned for both.
 */
export function platformCode(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code.replace('SSL/TLS', 'SSLV3') : ''
}

/** Whether the peer reset the connection. */
export function isReset(error: unknown): boolean {
  return /^(ECONNRESET|EPIPE)$/.test(platformCode(error))
}

/**
 * Whether the peer's alert demands a client certificate, or a different one. In TLS 1.3 it arrives after the handshake
 * (RFC 8446 section 6.2).
 */
export function isCertificateAlert(error: unknown): boolean {
  return /CERTIFICATE|UNKNOWN_CA/.test(platformCode(error))
}

/** For TLS with a proxy, which is never sent a client certificate. */
export function proxyCertificateError(place: string, cause: unknown): WireError {
  return new WireError('proxy-refused', `${place}: the proxy requires a client certificate`, {
    hint: 'Choose another proxy: client certificates are sent only to servers',
    cause,
  })
}

/** What became of the connection, in the words of a sentence about the peer: `it reset the connection`. */
export function peerFailure(error: unknown): string {
  return isReset(error) ? 'it reset the connection' : platformMessage(error)
}

/**
 * The first line of the platform's message, for codes that have no sentence in this program. Messages of the TLS
 * library contain its function names and numbers, so they are replaced by the name of the alert or by a general
 * sentence.
 */
export function platformMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (!tlsLibraryText.test(text)) return text.split('\n', 1)[0] as string
  return alertName(platformCode(error)) ?? 'invalid TLS data was received'
}

const tlsLibraryText = /\berror:[0-9a-f]{6,}:|\bSSL routines\b/i

/** `TLS alert "bad record mac"` for the Node.js error codes of alerts from the peer (RFC 8446 section 6). */
export function alertName(code: string): string | undefined {
  const name = /^ERR_SSL_(?:TLSV1|TLSV13|SSLV3)_(?:ALERT_)?(\w+)$/.exec(code)?.[1]
  return name === undefined ? undefined : `TLS alert "${name.toLowerCase().replaceAll('_', ' ')}"`
}

/** `1.5 s`: a time limit for messages. */
export function secondsText(milliseconds: number): string {
  return `${milliseconds / 1000} s`
}

/** The server answered before it had the whole request, and then ended the connection, or its side of it. */
export function notAccepted(place: string): WireError {
  return new WireError(
    'request-not-accepted',
    `${place} answered before it had the whole request, and ended the exchange`,
  )
}

/** Bounds memory if a server never sends its final answer; real servers send a few. */
export const MAX_INTERIM_RESPONSES = 100

export function endlessInterim(place: string): WireError {
  const what = `sent more than ${MAX_INTERIM_RESPONSES} interim responses and no final one`
  return new WireError('invalid-response', `${place} ${what}`, { hint: 'Check the server' })
}

/** How much of a body had arrived when its connection ended. */
export function arrivedText(bodyBytes: number): string {
  return `${bodyBytes === 1 ? '1 byte' : `${bodyBytes} bytes`} of the body had arrived`
}
