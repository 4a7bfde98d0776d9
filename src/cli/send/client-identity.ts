/**
 * The client certificate of --cert and --key: PEM, or a keystore (PKCS12, JKS, JCEKS) with a password.
 *
 * Rules: the format is detected from the content. PEM without a password is passed to TLS unchanged; the keystore
 * readers are loaded for everything else.
 */
import { resolve } from 'node:path'
import type { TlsOptions } from '../../wire/index.ts'
import type { CommandContext } from '../frame/command.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { SharedValues } from './settings.ts'

type ClientIdentity = Pick<TlsOptions, 'cert' | 'key' | 'pfx' | 'passphrase'>

/** @throws UsageError; KeystoreError; errors of the file system, which name the file. */
export async function clientIdentity(context: CommandContext<SharedValues>): Promise<ClientIdentity> {
  const { arguments: args, workingDirectory } = context
  const [cert, key, password] = (['cert', 'key', 'key-password'] as const).map((name) => args.value(name))
  const orphan = key !== undefined ? 'key' : 'key-password'
  if (cert === undefined) {
    if (key === undefined && password === undefined) return {}
    throw new UsageError(`--${orphan} is given without its certificate`, { hint: 'Add --cert <file>' })
  }
  const file = resolve(workingDirectory, cert)
  const { fileBytes } = await import('../../message-node/index.ts')
  const octets = Buffer.from(await fileBytes(file))
  const keyFile = key === undefined ? undefined : resolve(workingDirectory, key)
  const keyOctets = keyFile === undefined ? undefined : Buffer.from(await fileBytes(keyFile))
  const isEncrypted = (keyOctets ?? octets).includes('ENCRYPTED')
  if (password === undefined && octets.includes('-----BEGIN ') && !isEncrypted) {
    return { cert: octets, ...(keyOctets === undefined ? {} : { key: keyOctets }) }
  }
  const [{ openKeystore }, { readSecret }] = await Promise.all([
    import('../../keystore/index.ts'),
    import('../streams/secret.ts'),
  ])
  const secret = password === undefined ? undefined : await readSecret(password, context)
  const identity = await openKeystore({ file, password: secret, keyFile }, Date.now())
  for (const warning of identity.warnings) await context.stderr.write(`warning: ${cert}: ${warning}\n`)
  const { cert: chain, key: privateKey, pfx, passphrase } = identity.secureContext
  return {
    ...(chain === undefined ? {} : { cert: chain as string }),
    ...(privateKey === undefined ? {} : { key: privateKey as string }),
    ...(pfx === undefined ? {} : { pfx: pfx as Uint8Array }),
    ...(passphrase === undefined ? {} : { passphrase }),
  }
}
