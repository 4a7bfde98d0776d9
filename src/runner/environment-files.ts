/**
 * Environment files: found, read, and put together to the variables of one environment.
 *
 * Rules: looked for beside the request file, then in each parent directory up to the first that has `.git`, or the
 * root; the nearest file of each kind is taken, public and private on their own. `rest-client.env.json` is read where a
 * directory has no `http-client.env.json`. Private values win over public ones, those of the environment over those of
 * `$shared`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type EnvironmentFile,
  type EnvironmentSetting,
  parseEnvironmentFile,
  type VariableValue,
} from '../http-file/index.ts'
import { HttpcliError } from '../message/index.ts'
import { errorAt, InvalidFileError, type SourceText, UnknownEnvironmentError } from './errors.ts'

export interface Environment {
  /** Undefined where none was asked for: only `$shared` counts then. */
  readonly name: string | undefined
  readonly variables: ReadonlyMap<string, VariableValue>
  /** The files that were read. */
  readonly files: readonly string[]
  /** Settings that are not carried out yet, each as an error that says where it stands. */
  readonly unsupported: readonly HttpcliError[]
}

/** Names of each kind, the first that a directory has is taken. */
const fileNames = {
  public: ['http-client.env.json', 'rest-client.env.json'],
  private: ['http-client.private.env.json', 'rest-client.private.env.json'],
} as const

interface LoadedFile {
  readonly source: SourceText
  readonly file: EnvironmentFile
}

/**
 * The environment of that name for a request file.
 * @param requestFile absolute path
 * @throws UnknownEnvironmentError; InvalidFileError; HttpcliError `unreadable-file`.
 */
export function loadEnvironment(requestFile: string, name: string | undefined): Environment {
  const files = [load(requestFile, fileNames.public), load(requestFile, fileNames.private)].filter(
    (file) => file !== undefined,
  )
  const names = [...new Set(files.flatMap(({ file }) => [...file.environments.keys()]))]
  const paths = files.map(({ source }) => source.path)
  if (name !== undefined && !names.includes(name)) throw new UnknownEnvironmentError(name, names, paths)
  const variables = new Map<string, VariableValue>()
  const unsupported: HttpcliError[] = []
  const layers = [
    ...files.map(({ source, file }) => ({ source, values: file.shared })),
    ...files.map(({ source, file }) => ({
      source,
      values: name === undefined ? undefined : file.environments.get(name),
    })),
  ]
  for (const { source, values } of layers) {
    for (const [key, value] of values?.variables ?? []) variables.set(key, value)
    for (const setting of values?.settings ?? []) unsupported.push(notSupported(source, setting))
  }
  return { name, variables, files: paths, unsupported }
}

function load(requestFile: string, names: readonly string[]): LoadedFile | undefined {
  const path = find(dirname(requestFile), names)
  if (path === undefined) return undefined
  const source = { path, text: readText(path) }
  const { file, errors } = parseEnvironmentFile(source.text)
  if (errors.length > 0) throw new InvalidFileError('invalid-environment-file', source, errors)
  return { source, file }
}

function find(start: string, names: readonly string[]): string | undefined {
  for (let directory = start; ; directory = dirname(directory)) {
    const found = names.map((name) => join(directory, name)).find((path) => existsSync(path))
    if (found !== undefined) return found
    if (existsSync(join(directory, '.git')) || dirname(directory) === directory) return undefined
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new HttpcliError('unreadable-file', `${path} cannot be read (${(cause as NodeJS.ErrnoException).code})`, {
      cause,
    })
  }
}

function notSupported(source: SourceText, { name, span }: EnvironmentSetting): HttpcliError {
  return errorAt(source, span, { code: 'not-supported', message: `"${name}" is not supported yet: it has no effect` })
}
