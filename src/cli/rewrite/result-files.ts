/**
 * Writes the files of a conversion.
 *
 * Rules: all of them are written beside their targets before the first one is renamed, so that an error leaves no
 * partial result. An existing file is not overwritten without --force, except for environment files, which are extended
 * (environment-writer.ts).
 */
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Converted, environmentText, type TargetFormat } from '../../convert/index.ts'
import { isExistingDirectory, makeDirectory } from '../../message-node/index.ts'
import { CliError } from '../frame/cli-error.ts'
import type { CommandContext } from '../frame/command.ts'
import type { ConvertValues } from '../options/convert.ts'
import { writeFiles } from '../streams/file-set.ts'
import { decoded } from './conversion-source.ts'

interface ResultFile {
  /** As shown in messages. */
  readonly shown: string
  readonly octets: Uint8Array
}

const endings: Readonly<Record<TargetFormat, string>> = {
  http: '.http',
  curl: '.sh',
  k6: '.js',
  'k6-operator': '.yaml',
}

/**
 * Writes a result to the path of -o, a file or a directory.
 * @param sourceName name of the file in a directory if the source has no title
 * @returns the paths written, as shown in messages
 * @throws HttpcliError `output-exists`; errors of the file system.
 */
export async function writeResult(
  { arguments: args, workingDirectory }: CommandContext<ConvertValues>,
  result: Converted,
  to: TargetFormat,
  sourceName: string,
): Promise<readonly string[]> {
  const output = args.value('output') ?? ''
  const isForced = args.has('force')
  const isDirectory = /[\\/]$/.test(output) || isExistingDirectory(resolve(workingDirectory, output))
  const directory = isDirectory ? output : dirname(output)
  const mainName = isDirectory ? (result.fileName || bareName(sourceName)) + endings[to] : basename(output)
  const files: ResultFile[] = [
    ...(result.text === '' ? [] : [{ name: mainName, octets: Buffer.from(result.text) }]),
    ...result.companions,
  ].map(({ name, octets }) => ({ shown: join(directory, name), octets }))
  for (const { shown } of files) {
    // Writing would follow a symbolic link, even a dangling one. A device such as /dev/null has nothing to lose.
    const found = lstatSync(resolve(workingDirectory, shown), { throwIfNoEntry: false })
    if (isForced || found === undefined || found.isCharacterDevice() || found.isFIFO()) continue
    throw new CliError('output-exists', `the file ${shown} already exists`, {
      hint: 'Give --force to overwrite it, or another path with -o',
    })
  }
  for (const file of result.environmentFiles) {
    // If -o names an environment file, the result is that file.
    const isMain = result.text === '' && !isDirectory && file === result.environmentFiles[0]
    const shown = isMain ? output : join(directory, file.name)
    const path = resolve(workingDirectory, shown)
    const existing = existsSync(path) ? decoded(readFileSync(path), shown) : undefined
    files.push({ shown, octets: Buffer.from(environmentText(file, existing, isForced)) })
  }
  makeDirectory(resolve(workingDirectory, directory))
  await writeFiles(files.map(({ shown, octets }) => ({ path: resolve(workingDirectory, shown), octets })))
  return files.map(({ shown }) => shown)
}

/** The name of a file without its ending. */
export function bareName(path: string): string {
  return basename(path).replace(/\.[^.]*$/, '') || 'requests'
}
