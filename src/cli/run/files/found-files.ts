/**
 * Checks request files that were found in directories rather than named: symbolic links must not lead out of the
 * directory.
 *
 * Rules: a directory stands for the files in it. Otherwise a link to a file elsewhere, such as one with a password,
 * would be read as a request and sent, or be formatted.
 */
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isInside } from '../../../runner/index.ts'
import { CliError } from '../../frame/cli-error.ts'

/**
 * @param paths files, with paths that begin like the directory
 * @param directory as the user named it
 * @param base base of relative paths
 * @throws HttpcliError `outside-file-root`; errors of the file system.
 */
export function checkLinks(paths: readonly string[], directory: string, base: string): void {
  const root = realpathSync(resolve(base, directory))
  const link = paths.find((path) => !isInside(realpathSync(resolve(base, path)), root))
  if (link === undefined) return
  throw new CliError('outside-file-root', `${link} is a symbolic link that leads out of the directory ${directory}`, {
    hint: 'Name the file itself if you mean it',
  })
}
