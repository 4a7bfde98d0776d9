/**
 * Creates TLS contexts: trusted certificates, client certificate and key, required strength.
 *
 * Rules: the caller's certificates and keys are checked here, before anything is sent; errors of the TLS library are
 * translated into plain words.
 */
import { type ConnectionOptions, createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls'
import { platformCode, WireError } from '../base/errors.ts'
import type { Pem, TlsOptions } from '../base/options.ts'

/**
 * Whether the platform has security levels; undefined before the first context. OpenSSL has them, BoringSSL does not.
 */
let hasSecurityLevels: boolean | undefined

/** Whether the platform refuses weak certificates; known after the first context. */
export function isStrengthVerified(): boolean {
  return hasSecurityLevels === true
}

/**
 * Sets the security level of 112 bits if the platform has levels, because only the platform knows which certificates it
 * used.
 * @throws errors of createSecureContext
 */
function createStrictContext(context: ConnectionOptions): SecureContext {
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

/** @throws WireError `tls-configuration` */
export function createContext(options: TlsOptions): SecureContext {
  const shouldVerify = options.verify ?? true
  const context: ConnectionOptions = {}
  if (!shouldVerify) context.ca = []
  else if (options.ca !== undefined) {
    context.ca = pemText(options.ca)
    // Each of these certificates is trusted, even if its issuer is not among them.
    context.allowPartialTrustChain = true
  }
  if (options.cert !== undefined) context.cert = pemText(options.cert)
  if (options.key !== undefined || options.cert !== undefined)
    context.key = pemText(options.key ?? (options.cert as Pem))
  if (options.pfx !== undefined) context.pfx = Buffer.from(options.pfx)
  if (options.passphrase !== undefined) context.passphrase = options.passphrase
  if (shouldVerify && options.ca !== undefined && !pemText(options.ca).includes('-----BEGIN CERTIFICATE-----')) {
    throw new WireError('tls-configuration', 'the CA file contains no certificate in PEM format', {
      hint: 'Give a file with a line -----BEGIN CERTIFICATE-----',
    })
  }
  if (context.key !== undefined && !String(context.key).includes('PRIVATE KEY-----')) {
    const holder = options.key === undefined ? 'client certificate' : 'private key'
    throw new WireError('tls-configuration', `the file of the ${holder} has no private key in PEM format`, {
      hint: 'Give the file of the private key that belongs to the certificate',
    })
  }
  try {
    return shouldVerify ? createStrictContext(context) : createSecureContext(context)
  } catch (cause) {
    const problem = contextProblems.find(({ pattern }) =>
      pattern.test(`${platformCode(cause)} ${cause instanceof Error ? cause.message : ''}`),
    )
    throw new WireError(
      'tls-configuration',
      problem?.text ?? 'the client certificate, its key or the CA file cannot be used',
      {
        hint: problem?.hint ?? 'Give files whose key belongs to the certificate',
        cause,
      },
    )
  }
}

/** Errors of OpenSSL about certificates, keys and stores. */
const contextProblems: readonly { readonly pattern: RegExp; readonly text: string; readonly hint: string }[] = [
  {
    pattern: /bad decrypt|mac verify failure|bad password|BAD_DECRYPT/i,
    text: 'the password does not decrypt the private key',
    hint: 'Check the password',
  },
  {
    pattern: /interrupted or cancelled|bad password read|passphrase/i,
    text: 'the private key needs a password',
    hint: 'Give the password, or a key without one',
  },
  {
    pattern: /no start line|NO_START_LINE/i,
    text: 'the file of the client certificate or of its key contains nothing in PEM format',
    hint: 'Give files with a line -----BEGIN CERTIFICATE----- and -----BEGIN PRIVATE KEY-----',
  },
  {
    pattern: /key values mismatch/i,
    text: 'the private key does not belong to the certificate',
    hint: 'Give the key that the certificate was made with',
  },
  {
    pattern: /too (?:small|weak)/i,
    text: 'the client certificate, its key or a trusted certificate is too weak',
    hint: 'Give certificates with SHA-256 and keys of at least 2048 bits',
  },
  {
    pattern: /unsupported/i,
    text: 'the store or key uses an old algorithm that is not supported',
    hint: 'Convert it: openssl pkcs12 -legacy -in old.p12 -nodes -out all.pem',
  },
]

function pemText(pem: Pem): string {
  return typeof pem === 'string' ? pem : new TextDecoder().decode(pem)
}
