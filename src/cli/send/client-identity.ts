/**
 * The client certificate of --cert and --key: PEM, DER, or a keystore (PKCS12, JKS, JCEKS) with a password. The format
 * is detected from the content.
 */
import { resolve } from 'node:path'
import { readKeystore } from '../../keystore/index.ts'
import { fileBytes } from '../../message-node/index.ts'
import type { TlsOptions } from '../../wire/index.ts'
import type { CommandContext } from '../frame/command.ts'
import { UsageError } from '../frame/usage-error.ts'
import { readSecret } from '../streams/secret.ts'
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
  const keyFile = key === undefined ? undefined : resolve(workingDirectory, key)
  const octets = {
    file: await fileBytes(file),
    ...(keyFile === undefined ? {} : { keyFile: await fileBytes(keyFile) }),
  }
  const secret = password === undefined ? undefined : await readSecret(password, context)
  const identity = readKeystore(octets, { file, password: secret, keyFile }, Date.now())
  for (const warning of identity.warnings)
    await context.stderr.write(`warning: ${cert}: ${warning}; the server may refuse it\n`)
  return identity.secureContext
}
