/**
 * TLS over a connected socket. Loaded only for https.
 *
 * Rules: certificate and host name are verified unless the caller disables it; without verification no certificate
 * store is built (`ca: []`), which is most of the cost of a first TLS connection. The platform verifies the chain;
 * names and strength, which platforms judge differently, are checked here (certificate-check.ts), before anything is
 * sent. SNI never contains an IP address or a trailing dot (RFC 6066 section 3).
 */
import type { X509Certificate } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import type { Deadline } from '../base/abort.ts'
import { placeText, urlHost } from '../base/address.ts'
import { WireError } from '../base/errors.ts'
import type { TlsOptions } from '../base/options.ts'
import type { Destination } from '../connection/connection.ts'
import { certificateChain, type TlsDetails, tlsDetails } from './certificate-chain.ts'
import { type WrongName, weakness, wrongName } from './certificate-check.ts'
import { createContext, isStrengthVerified } from './tls-context.ts'
import { closedInHandshake, tlsError } from './tls-failure.ts'

export interface SecureSocket {
  readonly socket: TLSSocket
  /** The certificate of the server. */
  readonly certificate: () => X509Certificate | undefined
  /** The negotiated terms, and the certificates of the server. */
  readonly details: () => TlsDetails
}

/**
 * Performs the TLS handshake with the destination over the socket. Nothing else may read the socket.
 * @throws WireError `certificate-*`, `tls-*`; the error of the deadline.
 */
export function secure(
  socket: Socket,
  { host, port, protocols = ['http/1.1'] }: Destination,
  options: TlsOptions,
  deadline: Deadline,
): Promise<SecureSocket> {
  const name = urlHost(options.servername ?? host).replace(/\.$/, '')
  const place = placeText(host, port)
  const shouldVerify = options.verify ?? true
  const secureContext = createContext(options)
  return deadline.wait((resolve, reject) => {
    const connection = connect({
      socket,
      host: name,
      ...(isIP(name) === 0 ? { servername: name } : {}),
      rejectUnauthorized: shouldVerify,
      // Checked below.
      checkServerIdentity: () => undefined,
      ALPNProtocols: [...protocols],
      secureContext,
    })
    let isDone = false
    let read: X509Certificate | undefined
    // Node.js removes it from the chain on the first read; a second call would return nothing.
    const certificate = (): X509Certificate | undefined => (read ??= connection.getPeerX509Certificate())
    const onEnd = (): void => reject(closedInHandshake(place))
    // Read before the platform's verdict: after a refusal it is no longer available.
    if (shouldVerify) connection.prependListener('secure', certificate)
    connection.once('secureConnect', () => {
      const refusal = shouldVerify ? refusalOf(certificate(), name, place, options.ca !== undefined) : undefined
      if (refusal !== undefined) {
        connection.destroy()
        reject(refusal)
        return
      }
      isDone = true
      connection.off('end', onEnd)
      resolve({ socket: connection, certificate, details: () => tlsDetails(connection, certificate(), shouldVerify) })
    })
    connection.once('end', onEnd)
    connection.on('error', (error) =>
      reject(weaknessError(place, read, error) ?? tlsError(place, error, certificateChain(read))),
    )
    return () => {
      if (!isDone) {
        connection.destroy()
        socket.destroy()
      }
    }
  })
}

/** The platform's messages for certificates that it considers too weak. */
const weakPattern = /(?:key|digest algorithm) too (?:weak|small)|certificate signature failure/i

/**
 * The error for a certificate that the platform accepted and this client refuses.
 * @param isPinned whether the caller named the trusted certificates: the platform does not check their signatures
 */
function refusalOf(
  certificate: X509Certificate | undefined,
  name: string,
  place: string,
  isPinned: boolean,
): WireError | undefined {
  if (certificate === undefined) {
    return new WireError('tls-handshake-failed', `${place}: the server presented no certificate`, {
      hint: 'Check the configuration of the server',
    })
  }
  const wrong = wrongName(certificate, name)
  if (wrong !== undefined) return nameError(place, name, wrong, certificate)
  const weak = isStrengthVerified() && !isPinned ? undefined : weakness(certificate)
  return weak === undefined ? undefined : weakError(place, weak, certificate)
}

function nameError(place: string, name: string, wrong: WrongName, certificate: X509Certificate): WireError {
  const { names, isNamed } = wrong
  const message = isNamed
    ? `the certificate is not for ${name} but for ${names}`
    : `the certificate has no subjectAltName, and its common name ${JSON.stringify(names)} does not count`
  return new WireError('certificate-wrong-host', `${place}: ${message}`, {
    hint: isNamed ? 'Use a name of the certificate in the URL' : 'issue a certificate with the name in subjectAltName',
    certificates: certificateChain(certificate),
  })
}

/** Undefined if the platform refused the certificate for a reason other than weakness. */
function weaknessError(place: string, certificate: X509Certificate | undefined, error: Error): WireError | undefined {
  const reason = error.message
  if (!weakPattern.test(reason)) return undefined
  const weak = certificate && weakness(certificate)
  if (weak !== undefined) return weakError(place, weak, certificate, error)
  return /too/.test(reason) ? weakError(place, 'a certificate of its chain is too weak', certificate, error) : undefined
}

function weakError(place: string, text: string, certificate: X509Certificate | undefined, cause?: Error): WireError {
  return new WireError('certificate-weak', `${place}: ${text}`, {
    hint: 'Issue it again with SHA-256 and at least 2048 bits',
    cause,
    certificates: certificateChain(certificate),
  })
}
