/**
 * Writes environments of a conversion, adding them to existing environment files.
 *
 * Rules: secrets go into the private file, everything else into the public one. An environment that exists in a file is
 * left unchanged unless it may be replaced; the values of `$shared` are added one by one.
 */
import {
  type JsonNode,
  type JsonValue,
  jsonValueOf,
  parseEnvironmentFile,
  parseJsonSource,
  SHARED_ENVIRONMENT,
} from '../../http-file/index.ts'
import type { EnvironmentDraft, EnvironmentVariable } from '../draft/draft.ts'
import { ConvertError } from '../draft/errors.ts'
import { EMPTY, usesEmpty } from '../draft/literal-text.ts'

const PUBLIC_ENVIRONMENT_FILE = 'http-client.env.json'
export const PRIVATE_ENVIRONMENT_FILE = 'http-client.private.env.json'

type Environments = Readonly<Record<string, Readonly<Record<string, JsonValue>>>>

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

type ObjectNode = Extract<JsonNode, { type: 'object' }>

interface Insertion {
  readonly offset: number
  readonly text: string
}

/**
 * Adds members to the text of an environment file. The existing text stays unchanged, including comments and the digits
 * of numbers. New members come first in their object, in the layout of its first member, so that comments stay with
 * their members.
 * @param text of a valid environment file @param added environments with the variables that they lack
 */
function withEnvironments(text: string, added: Environments): string {
  const root = parseJsonSource(text, { isRelaxed: true })
  if (!('type' in root) || root.type !== 'object') return text
  const insertions: Insertion[] = []
  const missing: [name: string, value: JsonValue][] = []
  for (const [name, values] of Object.entries(added)) {
    const known = root.members.find(({ key }) => key === name)?.value
    if (known?.type === 'object') insertions.push(insertion(text, known, Object.entries(values)))
    else missing.push([name, values])
  }
  insertions.push(insertion(text, root, missing))
  return insertions
    .toSorted((a, b) => b.offset - a.offset)
    .reduce((whole, { offset, text: inserted }) => whole.slice(0, offset) + inserted + whole.slice(offset), text)
}

function insertion(text: string, object: ObjectNode, members: readonly [name: string, value: JsonValue][]): Insertion {
  const offset = object.span.offset + 1
  if (members.length === 0) return { offset, text: '' }
  const first = object.members[0]?.keySpan.offset
  const lineStart = first === undefined ? undefined : /\r?\n[ \t]*$/.exec(text.slice(0, first))?.[0]
  const isInline = first !== undefined && (lineStart === undefined || first - lineStart.length < offset - 1)
  if (isInline) return { offset, text: members.map((member) => `${memberText(member)}, `).join('') }
  const line = lineStart ?? '\n  '
  const lines = members.map((member) => line + memberText(member, line))
  return { offset, text: first === undefined ? `${lines.join(',')}\n` : `${lines.join(',')},` }
}

/** @param line the line break and the indent before it; undefined within a line */
function memberText([name, value]: readonly [name: string, value: JsonValue], line?: string): string {
  const json = JSON.stringify(value, undefined, line === undefined ? 0 : 2)
  return `${JSON.stringify(name)}: ${line === undefined ? json : json.replaceAll('\n', () => line)}`
}
