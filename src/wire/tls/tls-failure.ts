/**
 * Translates TLS failures into plain words: refused certificates, alerts of the server, and peers without TLS.
 *
 * Rules: messages of the platform's TLS library are never printed; they are the cause, for debugging. A code without
 * its own sentence gets the general one of its kind.
 */
import { alertName, platformCode, WireError, type WireFailure } from '../base/errors.ts'
import type { CertificateDetails } from './certificate-chain.ts'

const expired: WireFailure = {
  code: 'certificate-expired',
  text: 'the certificate has expired',
  hint: 'Renew it, and check the clock of this machine',
}
const selfSigned: WireFailure = {
  code: 'certificate-self-signed',
  text: 'the certificate is self-signed',
  hint: 'Trust it only if it is the one that you expect',
}
const unknownCa: WireFailure = {
  code: 'certificate-unknown-ca',
  text: 'the certificate was issued by an unknown authority',
  hint: 'Check which authority issued it, and that the server sends its intermediate certificates',
}
const clientCertificate: WireFailure = {
  code: 'tls-client-certificate',
  text: 'the server requires a client certificate, or refused the one given',
  hint: 'Check which certificates the server accepts',
}
const notTls: WireFailure = {
  code: 'tls-not-spoken',
  text: 'the server does not speak TLS on this port',
  hint: 'Use http:// or another port',
}

const noVersion: WireFailure = {
  code: 'tls-version-refused',
  text: 'the server supports no TLS version that httpcli accepts',
  hint: 'Check that the server speaks TLS 1.2 or 1.3',
}

const reset: WireFailure = {
  code: 'tls-handshake-failed',
  text: 'the connection was reset in the TLS handshake',
  hint: 'Check that the server speaks TLS on this port, or use http://',
}

/** Refusals by their code in Node.js and OpenSSL. */
const refusals: Readonly<Record<string, WireFailure>> = {
  CERT_HAS_EXPIRED: expired,
  CERT_NOT_YET_VALID: {
    code: 'certificate-not-yet-valid',
    text: 'the certificate is not valid yet',
    hint: 'Check the clock of this machine',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: unknownCa,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownCa,
  UNABLE_TO_GET_ISSUER_CERT: unknownCa,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownCa,
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  ERR_SSL_HTTP_REQUEST: notTls,
  EPROTO: notTls,
  ECONNRESET: reset,
  EPIPE: reset,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: clientCertificate,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: clientCertificate,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED: clientCertificate,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: clientCertificate,
  ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE: clientCertificate,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: noVersion,
  ERR_SSL_UNSUPPORTED_PROTOCOL: noVersion,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: {
    code: 'tls-handshake-failed',
    text: 'the server found no TLS version or cipher in common, or requires a client certificate',
    hint: 'Check the TLS versions of the server',
  },
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: clientCertificate,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: clientCertificate,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: {
    code: 'tls-protocol-refused',
    text: 'the server speaks none of the protocols that were offered',
    hint: 'Check that the server speaks HTTP/1.1 on this port; it may speak only HTTP/2',
  },
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: {
    code: 'tls-name-refused',
    text: 'the server does not know this name',
    hint: 'Check the host',
  },
}

const invalidReasons: Readonly<Record<string, string>> = {
  CERT_CHAIN_TOO_LONG: 'its chain is too long',
  CERT_REJECTED: 'its authority is not trusted for servers',
  CERT_REVOKED: 'it was revoked',
  CERT_SIGNATURE_FAILURE: 'its signature does not match',
  CERT_UNTRUSTED: 'its authority is not trusted for servers',
  ERROR_IN_CERT_NOT_AFTER_FIELD: 'the end of its validity is malformed',
  ERROR_IN_CERT_NOT_BEFORE_FIELD: 'the start of its validity is malformed',
  INVALID_CA: 'an issuer in its chain is not an authority',
  INVALID_PURPOSE: 'it was not issued for servers',
  PATH_LENGTH_EXCEEDED: 'its chain is longer than an authority allows',
  UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: 'the key of its issuer cannot be read',
  UNABLE_TO_DECRYPT_CERT_SIGNATURE: 'its signature cannot be read',
}

const invalidPattern = /^(CERT_|CRL_|UNABLE_TO_|ERROR_IN_|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH)/

/**
 * The refusal of a platform error, for handshakes and for alerts that arrive later (TLS 1.3 client certificates).
 * @param certificates the server's certificates, if it has sent them
 */
export function tlsError(place: string, error: Error, certificates: readonly CertificateDetails[]): WireError {
  const { code, text, hint } = refusalOf(error)
  const details = code.startsWith('certificate-') && certificates.length > 0 ? { certificates } : {}
  const missing = code === 'certificate-unknown-ca' ? missingIssuer(certificates) : undefined
  const issuer = missing === undefined ? '' : ` (${missing})`
  return new WireError(code, `${place}: ${text}${issuer}`, { hint, cause: error, ...details })
}

/** The missing issuer of a chain that ends before a root. */
function missingIssuer(certificates: readonly CertificateDetails[]): string | undefined {
  const last = certificates.at(-1)
  return last === undefined || last.issuer === last.subject ? undefined : last.issuer
}

function refusalOf(error: Error): WireFailure {
  const code = platformCode(error)
  const known = Object.hasOwn(refusals, code) ? refusals[code] : undefined
  if (known !== undefined) return known
  const isConstrained = /subtree|name constraint/i.test(error.message)
  if (invalidPattern.test(code) || isConstrained) {
    const reason = isConstrained ? 'an authority of its chain may not issue it for this name' : invalidReasons[code]
    return {
      code: 'certificate-invalid',
      text: `the certificate was refused${reason === undefined ? '' : `: ${reason}`}`,
      hint: 'Check the certificate of the server',
    }
  }
  const alert = alertName(code)
  const what = alert === undefined ? 'the TLS handshake failed' : `the server ended the TLS handshake: ${alert}`
  return {
    code: 'tls-handshake-failed',
    text: what,
    hint: 'Check that the server speaks TLS on this port, and which versions it supports',
  }
}

export function closedInHandshake(place: string): WireError {
  return new WireError('tls-handshake-failed', `${place}: the server closed the connection in the TLS handshake`, {
    hint: 'Check that the server speaks TLS on this port, or use http://',
  })
}
