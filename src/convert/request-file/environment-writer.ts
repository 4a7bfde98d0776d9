/**
 * Writes environments of a conversion, adding them to existing environment files.
 *
 * Rules: secrets go into the private file, everything else into the public one. An environment that exists in a file is
 * left unchanged unless it may be replaced; the values of `$shared` are added one by one.
 */
import {
  type JsonValue,
  jsonValueOf,
  parseEnvironmentFile,
  parseJsonSource,
  SHARED_ENVIRONMENT,
} from '../../http-file/index.ts'
import type { EnvironmentDraft, EnvironmentVariable } from '../draft/draft.ts'
import { ConvertError } from '../draft/errors.ts'
import { EMPTY, usesEmpty } from '../draft/literal-text.ts'
import { type Environments, withEnvironments } from './environment-edit.ts'

const PUBLIC_ENVIRONMENT_FILE = 'http-client.env.json'
export const PRIVATE_ENVIRONMENT_FILE = 'http-client.private.env.json'

export interface WrittenEnvironmentFile {
  readonly name: typeof PUBLIC_ENVIRONMENT_FILE | typeof PRIVATE_ENVIRONMENT_FILE
  /** The environments, for the text of the file. */
  readonly environments: Environments
}

/** The files that the environments need: none, the public one, or both. */
export function environmentFiles(environments: readonly EnvironmentDraft[]): readonly WrittenEnvironmentFile[] {
  const files = [
    { name: PUBLIC_ENVIRONMENT_FILE, isSecret: false },
    { name: PRIVATE_ENVIRONMENT_FILE, isSecret: true },
  ] as const
  return files.flatMap(({ name, isSecret }) => {
    const entries = environments.flatMap((environment) => {
      const own = withEmpty(environment.variables.filter((variable) => variable.isSecret === isSecret))
      // An environment with secrets only must still be declared.
      const isNamed = !isSecret && environment.variables.length > 0 && environment.name !== SHARED_ENVIRONMENT
      if (own.length === 0 && !isNamed) return []
      return [[environment.name, Object.fromEntries(own.map((each) => [each.name, each.value]))] as const]
    })
    return entries.length === 0 ? [] : [{ name, environments: Object.fromEntries(entries) }]
  })
}

/** Adds the empty variable if a value uses it. */
function withEmpty(variables: readonly EnvironmentVariable[]): readonly EnvironmentVariable[] {
  if (!variables.some(({ value }) => usesEmpty(JSON.stringify(value)))) return variables
  return [...variables, { name: EMPTY, value: '', isSecret: variables[0]?.isSecret === true }]
}

/**
 * The text of a file with the environments added.
 * @param existing the current text of the file; undefined if it does not exist
 * @throws HttpcliError `output-exists` if an environment would be replaced and `mayReplace` is false, or if the file is
 *   not an environment file
 */
export function environmentText(
  file: WrittenEnvironmentFile,
  existing: string | undefined,
  mayReplace: boolean,
): string {
  if (existing === undefined || existing.trim() === '') return jsonFile(file.environments)
  const known = environmentsIn(file.name, existing)
  const added: [string, Record<string, JsonValue>][] = []
  let hasChanges = false
  for (const [name, values] of Object.entries(file.environments)) {
    const before = Object.hasOwn(known, name) ? (known[name] ?? {}) : {}
    const changed = Object.keys(values).filter(
      (key) => Object.hasOwn(before, key) && JSON.stringify(before[key]) !== JSON.stringify(values[key]),
    )
    if (changed.length > 0 && !mayReplace) {
      throw new ConvertError('output-exists', `${file.name} already has another value of ${name}.${changed[0]}`, {
        hint: 'Give --force to replace it, or -o another directory',
      })
    }
    hasChanges ||= changed.length > 0
    added.push([name, Object.fromEntries(Object.entries(values).filter(([key]) => !Object.hasOwn(before, key)))])
    known[name] = { ...before, ...values }
  }
  return hasChanges ? jsonFile(known) : withEnvironments(existing, Object.fromEntries(added))
}

function jsonFile(environments: Environments): string {
  return `${JSON.stringify(environments, undefined, 2)}\n`
}

function environmentsIn(name: string, text: string): Record<string, Readonly<Record<string, JsonValue>>> {
  const [error] = parseEnvironmentFile(text).errors
  const root = parseJsonSource(text, { isRelaxed: true })
  if (error === undefined && 'type' in root) {
    return { ...(jsonValueOf(root) as Record<string, Readonly<Record<string, JsonValue>>>) }
  }
  throw new ConvertError('output-exists', `${name} already exists and is not an environment file: ${error?.message}`, {
    ...(error && { where: { file: name, line: error.span.line, column: error.span.column }, excerpt: error.excerpt }),
  })
}
