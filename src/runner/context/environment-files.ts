/**
 * Finds and reads environment files, and merges the variables and settings of one environment.
 *
 * Rules: files are given explicitly, or searched for next to the request file, then in each parent directory up to the
 * first that contains `.git`, or the root. The nearest file of each kind, public and private, is used.
 * `rest-client.env.json` is read if a directory has no `http-client.env.json`. A file above the request file's
 * directory is ignored, with a warning, if another user could have written it (file-trust.ts). Settings files of httpYac
 * may contain environments, but are not read: the nearest one causes a warning. Private values override public ones, the
 * environment overrides `$shared`, and private values given for the run (`-P`) override all of them. Settings
 * (`Security`, `SSLConfiguration`) are merged key by key in the same order.
 */
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import {
  type Diagnostic,
  type EnvironmentFile,
  type EnvironmentSetting,
  type EnvironmentValues,
  isJsonObject,
  type JsonValue,
  parseEnvironmentFile,
  type Span,
  type VariableValue,
} from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import { unreadableFile } from '../../message-node/index.ts'
import { collectBrokenJson, collectSettings, collectValues, type SecretSink } from '../../secrets/index.ts'
import { diagnosedError, InvalidFileError, RunError, type SourceText, UnknownEnvironmentError } from '../base/errors.ts'
import { optionHints } from '../base/option-hints.ts'
import { distrustOf, distrustOfStats, ownersFor } from '../files/file-trust.ts'
import { environmentFileNames } from '../files/path-rules.ts'
import { decodeText, type ReadFile } from '../files/text-file.ts'

export interface SettingPart {
  readonly value: JsonValue
  readonly source: SourceText
  readonly span: Span
  /** The absolute directory of that file: the base for paths in the setting. */
  readonly directory: string
  readonly isPrivate: boolean
}

/** A setting of the environment, merged; the place is in the private file if both files have it. */
export interface SettingSource extends SettingPart {
  /** The merged parts, later ones overriding earlier ones. */
  readonly parts: readonly SettingPart[]
}

export interface Environment {
  /** Undefined if none was requested: then only `$shared` applies. */
  readonly name: string | undefined
  readonly variables: ReadonlyMap<string, VariableValue>
  readonly files: readonly string[]
  /** Names whose public value is hidden by a private one, for verbose output. */
  readonly hidden: readonly string[]
  readonly security: SettingSource | undefined
  readonly ssl: SettingSource | undefined
  /** Files that were found and ignored, because they are not trusted, and keys that have an effect only elsewhere. */
  readonly warnings?: readonly HttpcliError[]
  /** A warning for each key that its object has more than once. */
  readonly repeatedKeys?: readonly HttpcliError[]
  /** Names of private variables that contain other variables; their rendered values are also secret. */
  readonly secretTemplates?: ReadonlySet<string>
  /** Names of variables whose values are private. */
  readonly privateNames?: ReadonlySet<string>
  /** Names whose only value in the files is null. */
  readonly nullNames?: ReadonlySet<string>
  /** The environments of the files that have a variable of this name. */
  readonly environmentsWith?: (name: string) => readonly string[]
}

/** Files to use instead of searching, and values from elsewhere. */
export interface EnvironmentOptions {
  /** Paths, absolute. */
  readonly publicFile?: string | undefined
  readonly privateFile?: string | undefined
  readonly read?: ReadFile | undefined
  /** `-P name=value` */
  readonly privateValues?: ReadonlyMap<string, string> | undefined
  /** Receives private values before anything can be shown. */
  readonly secrets?: SecretSink | undefined
}

/** The settings files of httpYac: environments, default headers, hooks. */
const httpyacNames: readonly string[] = [
  ...['.httpyac.js', '.httpyac.cjs', '.httpyac.json', '.httpyac.config.js', '.httpyac.config.cjs'],
  ...['httpyac.config.js', 'httpyac.config.cjs', 'httpyac.config.json'],
]

interface LoadedFile {
  readonly kind: keyof typeof environmentFileNames
  readonly source: SourceText
  readonly file: EnvironmentFile
  readonly warnings: readonly HttpcliError[]
}

/** The values of one environment, or of `$shared`, in one file. */
interface Layer {
  readonly kind: LoadedFile['kind']
  readonly source: SourceText
  readonly values: EnvironmentValues
}

/**
 * The environment of that name for a request file.
 * @param requestFile absolute path
 * @throws UnknownEnvironmentError; InvalidFileError; HttpcliError `unreadable-file`.
 */
export function loadEnvironment(
  requestFile: string,
  name: string | undefined,
  options: EnvironmentOptions = {},
): Environment {
  const warnings: HttpcliError[] = [...httpyacWarning(requestFile)]
  const find = (kind: LoadedFile['kind']): SourceText | undefined =>
    findFile(requestFile, environmentFileNames[kind], warnings)
  const named = (path: string | undefined): SourceText | undefined =>
    path === undefined ? undefined : { path, text: readText(path, options.read) }
  const files = [
    load('public', named(options.publicFile) ?? find('public'), options.secrets),
    load('private', named(options.privateFile) ?? find('private'), options.secrets),
  ].filter((file) => file !== undefined)
  const names = [...new Set(files.flatMap(({ file }) => [...file.environments.keys()]))]
  const paths = files.map(({ source }) => source.path)
  if (name !== undefined && !names.includes(name)) throw new UnknownEnvironmentError(name, names, paths, warnings)
  const layers: readonly Layer[] = [
    ...files.map(({ kind, source, file }) => ({ kind, source, values: file.shared })),
    ...files.flatMap(({ kind, source, file }) => {
      const values = name === undefined ? undefined : file.environments.get(name)
      return values === undefined ? [] : [{ kind, source, values }]
    }),
  ]
  const variables = new Map(layers.flatMap(({ values }) => [...values.variables]))
  for (const [key, value] of options.privateValues ?? []) variables.set(key, value)
  const privateVariables = [...privateValuesOf(layers), ...(options.privateValues ?? [])]
  const found = files.flatMap((file) => file.warnings)
  if (options.secrets !== undefined) collectSecrets(layers, privateVariables, options.secrets)
  return {
    name,
    variables,
    files: paths,
    hidden: hiddenNames(layers, options.privateValues),
    security: settingOf(layers, 'Security'),
    ssl: settingOf(layers, 'SSLConfiguration'),
    warnings: [...warnings, ...found.filter((warning) => !isRepetition(warning))],
    repeatedKeys: found.filter(isRepetition),
    nullNames: new Set(layers.flatMap(({ values }) => values.nullNames).filter((key) => !variables.has(key))),
    environmentsWith: (variable) =>
      names.filter((each) => files.some(({ file }) => file.environments.get(each)?.variables.has(variable) === true)),
    privateNames: new Set(privateVariables.map(([key]) => key)),
    secretTemplates: new Set(
      privateVariables.filter(([, value]) => JSON.stringify(value).includes('{{')).map(([key]) => key),
    ),
  }
}

/** Names of the environments available to a request file. Unreadable files are skipped. */
export function environmentNames(requestFile: string, options: EnvironmentOptions = {}): readonly string[] {
  const named = { public: options.publicFile, private: options.privateFile }
  const names = (['public', 'private'] as const).flatMap((kind) => {
    try {
      const path = named[kind]
      const text = path === undefined ? findFile(requestFile, environmentFileNames[kind], [])?.text : readText(path)
      return text === undefined ? [] : [...parseEnvironmentFile(text).file.environments.keys()]
    } catch (error) {
      if (error instanceof HttpcliError) return []
      throw error
    }
  })
  return [...new Set(names)]
}

function isRepetition({ code }: HttpcliError): boolean {
  return code === 'repeated-key'
}

function privateValuesOf(layers: readonly Layer[]): readonly (readonly [name: string, value: VariableValue])[] {
  return layers.flatMap(({ kind, values }) => (kind === 'private' ? [...values.variables] : []))
}

function collectSecrets(
  layers: readonly Layer[],
  variables: readonly (readonly [name: string, value: VariableValue])[],
  secrets: SecretSink,
): void {
  for (const [, value] of variables) collectValues(value, secrets)
  for (const { kind, values } of layers) {
    for (const { value } of values.settings) collectSettings(value, kind === 'private', secrets)
  }
}

function hiddenNames(layers: readonly Layer[], privateValues: ReadonlyMap<string, string> | undefined): string[] {
  const namesOf = (kind: Layer['kind']): string[] =>
    layers.flatMap((layer) => (layer.kind === kind ? [...layer.values.variables.keys()] : []))
  const secret = new Set([...namesOf('private'), ...(privateValues?.keys() ?? [])])
  return [...new Set(namesOf('public'))].filter((name) => secret.has(name))
}

function settingOf(layers: readonly Layer[], name: EnvironmentSetting['name']): SettingSource | undefined {
  let merged: SettingSource | undefined
  for (const { kind, source, values } of layers) {
    for (const setting of values.settings) {
      if (setting.name !== name) continue
      const { value, span } = setting
      const directory = dirname(resolve(source.path))
      const part: SettingPart = { value, source, span, directory, isPrivate: kind === 'private' }
      const parts: readonly SettingPart[] = [...(merged?.parts ?? []), part]
      merged = { ...part, value: merged === undefined ? value : mergedSetting(merged.value, value), parts }
    }
  }
  return merged
}

function mergedSetting(below: JsonValue, above: JsonValue): JsonValue {
  if (!isJsonObject(below) || !isJsonObject(above)) return above
  const merged: Record<string, JsonValue> = Object.create(null)
  for (const [key, value] of Object.entries(below)) merged[key] = value
  for (const [key, value] of Object.entries(above)) {
    const known = merged[key]
    merged[key] = known === undefined ? value : mergedSetting(known, value)
  }
  return merged
}

function load(
  kind: LoadedFile['kind'],
  source: SourceText | undefined,
  secrets: SecretSink | undefined,
): LoadedFile | undefined {
  if (source === undefined) return undefined
  const { file, errors, warnings } = parseEnvironmentFile(source.text)
  // A line is truncated for display, which could cut a secret in half.
  const isHidden = kind === 'private' && secrets !== undefined
  const shown = <Found extends Diagnostic<string>>(found: Found): Found =>
    isHidden ? { ...found, excerpt: '' } : found
  if (errors.length > 0) {
    if (isHidden) collectBrokenJson(source.text, secrets)
    throw new InvalidFileError('invalid-environment-file', source, errors.map(shown))
  }
  return { kind, source, file, warnings: warnings.map((each) => diagnosedError(source, each.code, shown(each))) }
}

/** The nearest trusted file with one of these names. @param warnings receives a warning for each untrusted file */
function findFile(requestFile: string, names: readonly string[], warnings: HttpcliError[]): SourceText | undefined {
  const start = dirname(requestFile)
  for (const directory of searchedDirectories(start)) {
    for (const path of names.map((name) => join(directory, name))) {
      const stats = statSync(path, { throwIfNoEntry: false })
      if (stats === undefined) continue
      if (!stats.isFile()) throw new RunError('unreadable-file', `the environment file ${path} is not a file`)
      const found = directory === start ? readText(path) : readTrusted(path, requestFile)
      if (typeof found === 'string') return { path, text: found }
      warnings.push(found)
    }
  }
  return undefined
}

/** The directory, then its parents up to the first that contains `.git`, or the root. */
function* searchedDirectories(start: string): Generator<string> {
  for (let directory = start; ; directory = dirname(directory)) {
    yield directory
    if (existsSync(join(directory, '.git')) || dirname(directory) === directory) return
  }
}

function httpyacWarning(requestFile: string): readonly HttpcliError[] {
  for (const directory of searchedDirectories(dirname(requestFile))) {
    const path = httpyacNames.map((name) => join(directory, name)).find((each) => existsSync(each))
    if (path !== undefined) {
      const hint = 'Write its variables into http-client.env.json, and its headers into the requests.'
      return [new RunError('not-supported', `${path} has no effect: the settings of httpYac are not read`, { hint })]
    }
  }
  return []
}

/** The text, or a warning if the file is not trusted. Trust is checked on the open file that is then read. */
function readTrusted(path: string, requestFile: string): string | HttpcliError {
  const owners = ownersFor(requestFile)
  const linkReason = atFile(path, () => distrustOf(path, owners))
  if (linkReason !== undefined) return untrusted(path, linkReason)
  const descriptor = atFile(path, () => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)))
  try {
    // Another file may have taken this name in the meantime.
    const reason = atFile(path, () => distrustOfStats(fstatSync(descriptor), owners))
    return reason === undefined
      ? decoded(
          path,
          atFile(path, () => readFileSync(descriptor)),
        )
      : untrusted(path, reason)
  } finally {
    closeSync(descriptor)
  }
}

function untrusted(path: string, reason: string): HttpcliError {
  return new RunError('untrusted-file', `the environment file ${path} is ignored: ${reason}`, {
    hint: optionHints.untrustedEnvironment,
  })
}

function readText(path: string, read: ReadFile = (file) => readFileSync(file)): string {
  return decoded(
    path,
    atFile(path, () => read(path)),
  )
}

function decoded(path: string, bytes: Uint8Array): string {
  return decodeText(bytes, path, { name: 'environment file', code: 'invalid-environment-file', isSecret: true })
}

function atFile<Result>(path: string, action: () => Result): Result {
  try {
    return action()
  } catch (cause) {
    throw new RunError('unreadable-file', ...unreadableFile(`the environment file ${path}`, cause))
  }
}
