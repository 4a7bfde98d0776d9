/**
 * The options of `serve` about TLS as settings of the server, and notes about its certificate.
 *
 * Rules: a password without a keystore is ignored, as in earlier versions; a key or an alias without a keystore is an
 * error. A temporary certificate covers the names of this machine. Its fingerprint is printed, because comparing it is
 * the only way to recognise such a certificate.
 */
import { hostname, networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TlsIdentity, TlsSettings } from '../../server/index.ts'
import type { CommandContext } from '../frame/command.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { ServeValues } from '../options/serve.ts'
import { readSecret } from '../streams/secret.ts'

/** Undefined without TLS. `host`: the address to listen on. @throws UsageError, and errors of the password's file */
export async function readTlsSettings(
  context: CommandContext<ServeValues>,
  host: string | undefined,
): Promise<TlsSettings | undefined> {
  const { arguments: args, workingDirectory } = context
  const keystore = args.value('keystore')
  if (keystore !== undefined) {
    const password = args.value('keystore-password')
    const keyFile = args.value('key')
    return {
      keystore: {
        file: pathOf(keystore, workingDirectory),
        password: password === undefined ? undefined : await readSecret(password, context),
        keyFile: keyFile === undefined ? undefined : pathOf(keyFile, workingDirectory),
        alias: args.value('alias'),
      },
    }
  }
  const orphan = (['key', 'alias'] as const).find((option) => args.value(option) !== undefined)
  if (orphan !== undefined) {
    throw new UsageError(`--${orphan} needs a keystore`, { hint: 'Give the file of the certificate with -k <file>.' })
  }
  return args.has('tls-self-signed') ? { selfSignedFor: namesOfMachine(host) } : undefined
}

/**
 * Notes for stderr about a certificate that is now in use. `isShown`: whether the first one is already shown elsewhere.
 */
export function identityNotes(identity: TlsIdentity, isFirst: boolean, isShown: boolean): readonly string[] {
  const { format, alias, otherAliases, fingerprint256, warnings } = identity
  const fingerprint = `SHA-256 fingerprint ${fingerprint256 ?? 'unknown'}`
  return [
    ...(format === 'self-signed' && !isShown ? [`the certificate was generated for this run; ${fingerprint}`] : []),
    ...(isFirst ? [] : [`the keystore changed and was reloaded; ${fingerprint}`]),
    ...(otherAliases.length > 0
      ? [
          `the keystore has several keys: using ${JSON.stringify(alias ?? '')}; the others are ${otherAliases.map((name) => JSON.stringify(name)).join(', ')}`,
        ]
      : []),
    ...warnings.map((warning) => `${warning}; clients will refuse it`),
  ]
}

function pathOf(text: string, workingDirectory: string): string {
  if (!/^file:/i.test(text)) return resolve(workingDirectory, text)
  try {
    return fileURLToPath(text)
  } catch {
    throw new UsageError(`${JSON.stringify(text)} is not the URL of a file on this machine`, {
      hint: 'Give a path, or file:///path.',
    })
  }
}

function namesOfMachine(host: string | undefined): readonly string[] {
  const isEverywhere = host === '0.0.0.0' || host === '::'
  const addresses = Object.values(networkInterfaces()).flatMap((ofOne) => ofOne ?? [])
  const reachable = isEverywhere ? addresses.map(({ address }) => address) : host === undefined ? [] : [host]
  return [hostname(), ...reachable].filter((name) => /^[\x21-\x7e]+$/.test(name))
}
