/** The certificates of --cacert. */
import { readAuthorities } from '../../keystore/index.ts'
import { fileBytes } from '../../message-node/index.ts'

/** The certificates as PEM. @throws KeystoreError; file system errors, which name the file. */
export async function authoritiesOf(path: string): Promise<string> {
  return readAuthorities(await fileBytes(path), path)
}
