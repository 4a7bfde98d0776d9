/**
 * The settings of a script for k6: the environment selected by -e, values of -V, load options.
 *
 * Rules: the script opens files by paths relative to itself: the directory of -o, otherwise the working directory. A
 * request file can use only files below its file root, as in `run`; other files are treated as missing.
 */

import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import {
  type K6Target,
  type LoadOption,
  loadOptionNames,
  loadOptionProblem,
  type SourceText,
} from '../../convert/index.ts'
import { type JsonValue, parseHttpFile } from '../../http-file/index.ts'
import { isExistingDirectory, pipeBytes } from '../../message-node/index.ts'
import { ConfinedFiles, checkAssertionPaths, loadDataRows, loadEnvironment, RunResources } from '../../runner/index.ts'
import type { CommandContext } from '../frame/command.ts'
import { UsageError } from '../frame/usage-error.ts'
import { versionNumber } from '../help/version.ts'
import type { ConvertValues } from '../options/convert.ts'
import { assignments } from '../run/settings.ts'
import { bareName } from './result-files.ts'

/** Checks what `run` checks before it sends anything. @throws InvalidFileError */
export async function checkSource({ path, text }: SourceText): Promise<void> {
  await checkAssertionPaths([{ source: { path, text }, path, file: parseHttpFile(text).file }])
}

/**
 * @param source the request file, or a name for standard input. @throws UsageError; errors of environment and data
 * files.
 */
export async function k6Settings(
  { arguments: args, workingDirectory, environment: processEnvironment, stderr }: CommandContext<ConvertValues>,
  source: string,
): Promise<K6Target> {
  const file = resolve(workingDirectory, source)
  const directory = dirname(file)
  const environment = loadEnvironment(file, args.value('environment'))
  for (const { message } of environment.warnings ?? []) await stderr.write(`warning: ${message}\n`)
  const variables = assignments(args.values('variable'), '-V')
  const { privateNames = new Set<string>() } = environment
  const written = args.value('output') ?? '-'
  const output = resolve(workingDirectory, written === '-' ? 'load.js' : written)
  const isDirectory = /[\\/]$/.test(written) || isExistingDirectory(output)
  const scriptDirectory = isDirectory ? output : dirname(output)
  const fromScript = (path: string): string => {
    const shown = relative(scriptDirectory, path).replaceAll('\\', '/')
    return shown.startsWith('.') || isAbsolute(shown) ? shown : `./${shown}`
  }
  const root = new RunResources().fileRoot(file, {
    fileRoot: undefined,
    workingDirectory,
    environment: processEnvironment,
  })
  const files = new ConfinedFiles(root)
  const absolute = (path: string): string => (isAbsolute(path) ? path : join(directory, path))
  return {
    path: source,
    scriptName: isDirectory ? `${bareName(source)}.js` : basename(output),
    userAgent: `httpcli/${versionNumber()}`,
    values: new Map<string, JsonValue>([...environment.variables, ...variables]),
    secretNames: privateNames,
    security: environment.security?.value,
    ssl: environment.ssl?.value,
    options: loadOptionsOf(args),
    failsOnStatus: args.has('fail'),
    data: await dataOf(args.value('data'), workingDirectory, fromScript),
    openPath: (path) => (read(files, absolute(path)) === undefined ? undefined : fromScript(absolute(path))),
    readText: (path, charset) => {
      const bytes = read(files, absolute(path))
      if (bytes === undefined || charset !== undefined) return bytes && decoded(bytes, charset)
      return bytes.toString('utf8').replace(/^\ufeff/, '')
    },
    readBytes: (path) => read(files, isAbsolute(path) ? path : join(scriptDirectory, path)),
  }
}

function loadOptionsOf(args: CommandContext<ConvertValues>['arguments']): readonly LoadOption[] {
  const options = loadOptionNames.flatMap((name): readonly LoadOption[] => {
    if (name === 'threshold') return args.values(name).map((value) => ({ name, value }))
    const value = args.value(name)
    return value === undefined ? [] : [{ name, value }]
  })
  const problem = options.map(loadOptionProblem).find((each) => each !== undefined)
  if (problem !== undefined) throw new UsageError(`invalid --${problem}`)
  return options
}

async function dataOf(
  path: string | undefined,
  workingDirectory: string,
  fromScript: (path: string) => string,
): Promise<K6Target['data']> {
  if (path === undefined) return undefined
  const { readDataRows } = await loadDataRows()
  const bytes = await pipeBytes(resolve(workingDirectory, path))
  const [first] = readDataRows(path, workingDirectory, bytes && (() => bytes))
  return { path: fromScript(resolve(workingDirectory, path)), names: [...(first?.keys() ?? [])] }
}

/** Undefined if the bytes are not valid in this charset. */
function decoded(bytes: Buffer, charset: string | undefined): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Undefined for a file that cannot be read, or is outside the file root. */
function read(files: ConfinedFiles, path: string): Buffer | undefined {
  try {
    return files.read(path)
  } catch {
    return undefined
  }
}
