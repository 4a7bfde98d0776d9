/**
 * TLS over a connected socket. Loaded only for https.
 *
 * Rules: certificate and host name are verified unless the caller says no; without verification no certificate store
 * is built (`ca: []`), which is most of what a first TLS connection costs. The platform verifies the chain; what
 * platforms judge differently, names and strength, is checked here (certificate-check.ts), before anything is sent. SNI
 * never carries an IP address or a dot at its end (RFC 6066 section 3).
 */
import type { X509Certificate } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect, createSecureContext, DEFAULT_CIPHERS, type TLSSocket } from 'node:tls'
import type { Deadline } from './abort.ts'
import { placeText } from './address.ts'
import { type WrongName, weakness, wrongName } from './certificate-check.ts'
import type { Destination } from './connection.ts'
import { platformCode, platformMessage, WireError, type WireErrorCode } from './errors.ts'
import type { Pem, TlsOptions } from './options.ts'

export interface SecureSocket {
  readonly socket: TLSSocket
  /** Of the server. */
  readonly certificate: () => X509Certificate | undefined
}

/**
 * Speaks TLS with the destination over the socket. The socket must not be read by anyone else.
 * @throws WireError `certificate-*`, `tls-*`; the error of the deadline.
 */
export function secure(
  socket: Socket,
  { host, port, protocols = ['http/1.1'] }: Destination,
  options: TlsOptions,
  deadline: Deadline,
): Promise<SecureSocket> {
  const name = (options.servername ?? host).replace(/\.$/, '')
  const place = placeText(host, port)
  const verify = options.verify ?? true
  const secureContext = createContext(options)
  return deadline.wait((resolve, reject) => {
    const connection = connect({
      socket,
      host: name,
      ...(isIP(name) === 0 ? { servername: name } : {}),
      rejectUnauthorized: verify,
      // Checked below.
      checkServerIdentity: () => undefined,
      ALPNProtocols: [...protocols],
      secureContext,
    })
    let done = false
    let read: X509Certificate | undefined
    // Node.js takes it out of the chain when it is read, so that a second call would find nothing.
    const certificate = (): X509Certificate | undefined => (read ??= connection.getPeerX509Certificate())
    const onEnd = (): void => reject(tlsError(place, new Error('the server closed the connection')))
    // Before the platform judges it: when it is refused, it is not known any more.
    if (verify) connection.prependListener('secure', certificate)
    connection.once('secureConnect', () => {
      const refusal = verify ? refusalOf(certificate(), name, place) : undefined
      if (refusal !== undefined) {
        connection.destroy()
        reject(refusal)
        return
      }
      done = true
      connection.off('end', onEnd)
      resolve({ socket: connection, certificate })
    })
    connection.once('end', onEnd)
    connection.on('error', (error) => reject(weaknessError(place, read, error) ?? tlsError(place, error)))
    return () => {
      if (!done) {
        connection.destroy()
        socket.destroy()
      }
    }
  })
}

/** What the platform says of certificates that are too weak for it. */
const weakPattern = /(?:key|digest algorithm) too (?:weak|small)|certificate signature failure/i

/** What is wrong with a certificate that the platform took. */
function refusalOf(certificate: X509Certificate | undefined, name: string, place: string): WireError | undefined {
  if (certificate === undefined) return tlsError(place, new Error('the server showed no certificate'))
  const wrong = wrongName(certificate, name)
  if (wrong !== undefined) return nameError(place, name, wrong)
  const weak = hasSecurityLevels === true ? undefined : weakness(certificate)
  return weak === undefined ? undefined : weakError(place, weak)
}

function nameError(place: string, name: string, { names, isNamed }: WrongName): WireError {
  const message = isNamed
    ? `the certificate is not for ${name} but for ${names}`
    : `the certificate has no subjectAltName, and its common name ${JSON.stringify(names)} does not count`
  return new WireError('certificate-wrong-host', `${place}: ${message}`, {
    hint: isNamed ? 'use a name of the certificate in the URL' : 'issue a certificate with the name in subjectAltName',
  })
}

/** Undefined where that is not why the platform refused the certificate. */
function weaknessError(place: string, certificate: X509Certificate | undefined, error: Error): WireError | undefined {
  const reason = platformMessage(error)
  if (!weakPattern.test(reason)) return undefined
  const weak = certificate && weakness(certificate)
  if (weak !== undefined) return weakError(place, weak, error)
  return /too/.test(reason) ? weakError(place, `a certificate of its chain is too weak (${reason})`, error) : undefined
}

function weakError(place: string, text: string, cause?: Error): WireError {
  return new WireError('certificate-weak', `${place}: ${text}`, {
    hint: 'issue it again with SHA-256 and at least 2048 bits',
    cause,
  })
}

/** Whether the platform knows security levels; undefined before the first context. OpenSSL does, BoringSSL does not. */
let hasSecurityLevels: boolean | undefined

/**
 * With the security level of 112 bits where the platform knows it, because it knows best which certificates it took.
 * @throws what createSecureContext throws
 */
function createStrictContext(context: ConnectionOptions): ReturnType<typeof createSecureContext> {
  if (hasSecurityLevels === false) return createSecureContext(context)
  try {
    const strict = createSecureContext({ ...context, ciphers: `${DEFAULT_CIPHERS}:@SECLEVEL=2` })
    hasSecurityLevels = true
    return strict
  } catch (error) {
    if (platformCode(error) !== 'ERR_SSL_INVALID_COMMAND') throw error
    hasSecurityLevels = false
    return createSecureContext(context)
  }
}

function createContext(options: TlsOptions): ReturnType<typeof createSecureContext> {
  const verify = options.verify ?? true
  const context: ConnectionOptions = {}
  if (!verify) context.ca = []
  else if (options.ca !== undefined) context.ca = pemText(options.ca)
  if (options.cert !== undefined) context.cert = pemText(options.cert)
  if (options.key !== undefined || options.cert !== undefined)
    context.key = pemText(options.key ?? (options.cert as Pem))
  if (options.pfx !== undefined) context.pfx = Buffer.from(options.pfx)
  if (options.passphrase !== undefined) context.passphrase = options.passphrase
  if (verify && options.ca !== undefined && !pemText(options.ca).includes('-----BEGIN CERTIFICATE-----')) {
    throw new WireError('tls-configuration', 'the CA file holds no certificate in PEM format', {
      hint: 'give a file with a line -----BEGIN CERTIFICATE-----',
    })
  }
  try {
    return verify ? createStrictContext(context) : createSecureContext(context)
  } catch (cause) {
    const problem = contextProblems.find(({ pattern }) =>
      pattern.test(`${platformCode(cause)} ${platformMessage(cause)}`),
    )
    throw new WireError(
      'tls-configuration',
      problem?.text ?? `certificate or key cannot be used (${platformMessage(cause)})`,
      {
        hint: problem?.hint ?? 'give files whose key belongs to the certificate',
        cause,
      },
    )
  }
}

/** What OpenSSL says of certificates, keys and stores that it does not take. */
const contextProblems: readonly { readonly pattern: RegExp; readonly text: string; readonly hint: string }[] = [
  {
    pattern: /bad decrypt|mac verify failure|bad password|BAD_DECRYPT/i,
    text: 'the passphrase of the private key or of the store is wrong',
    hint: 'check the passphrase',
  },
  {
    pattern: /interrupted or cancelled|bad password read|passphrase/i,
    text: 'the private key has a passphrase, and none is given',
    hint: 'give the passphrase, or a key without one',
  },
  {
    pattern: /key values mismatch/i,
    text: 'the private key does not belong to the certificate',
    hint: 'give the key that the certificate was made with',
  },
  {
    pattern: /unsupported/i,
    text: 'the store or key uses an old algorithm that is not supported here',
    hint: 'write it anew: openssl pkcs12 -legacy -in old.p12 -nodes -out all.pem',
  },
]

function pemText(pem: Pem): string {
  return typeof pem === 'string' ? pem : new TextDecoder().decode(pem)
}

interface Refusal {
  readonly code: WireErrorCode
  readonly text: string
  readonly hint: string
}

const expired: Refusal = {
  code: 'certificate-expired',
  text: 'the certificate has expired',
  hint: 'renew it, and check the clock of this machine',
}
const selfSigned: Refusal = {
  code: 'certificate-self-signed',
  text: 'the certificate is self-signed',
  hint: 'trust it only if it is the one that you expect',
}
const unknownCa: Refusal = {
  code: 'certificate-unknown-ca',
  text: 'the certificate was issued by an unknown authority',
  hint: 'check which authority issued it',
}
const clientCertificate: Refusal = {
  code: 'tls-client-certificate',
  text: 'the server wants a client certificate, or refuses the one given',
  hint: 'check which certificates the server accepts',
}
const notTls: Refusal = {
  code: 'tls-not-spoken',
  text: 'the server does not speak TLS on this port',
  hint: 'use http:// or another port',
}

/** Node.js and OpenSSL name their refusals so. */
const refusals: Readonly<Record<string, Refusal>> = {
  CERT_HAS_EXPIRED: expired,
  CERT_NOT_YET_VALID: {
    code: 'certificate-not-yet-valid',
    text: 'the certificate is not valid yet',
    hint: 'check the clock of this machine',
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
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: clientCertificate,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: {
    code: 'tls-handshake-failed',
    text: 'the server found no TLS version or cipher in common, or wants a client certificate',
    hint: 'check the TLS versions of the server',
  },
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: clientCertificate,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: clientCertificate,
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: {
    code: 'tls-handshake-failed',
    text: 'the server does not know this name',
    hint: 'check the host',
  },
}

const refusedPattern = /^(CERT_|CRL_|UNABLE_TO_|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH)/

/** The refusal of a platform error, for handshakes and for alerts that arrive later (TLS 1.3 client certificates). */
function tlsError(place: string, error: Error): WireError {
  const code = platformCode(error)
  const refusal = refusals[code]
  if (refusal !== undefined) {
    return new WireError(refusal.code, `${place}: ${refusal.text}`, { hint: refusal.hint, cause: error })
  }
  if (refusedPattern.test(code) || /subtree|name constraint/i.test(platformMessage(error))) {
    return new WireError('certificate-invalid', `${place}: the certificate was refused (${platformMessage(error)})`, {
      hint: 'check the certificate of the server',
      cause: error,
    })
  }
  return new WireError('tls-handshake-failed', `${place}: the TLS handshake failed (${platformMessage(error)})`, {
    hint: 'check that the port speaks TLS and which versions it takes',
    cause: error,
  })
}
