/**
 * Reads environment files: `{ "<environment>": { "<variable>": value } }`.
 *
 * Rules: every problem is reported with its line; a file with problems yields no environments. `$shared` contains
 * values for every environment and is not an environment itself, nor is `$schema`. `Security` and `SSLConfiguration`
 * are settings, not variables; they are kept apart so that a client secret cannot be put into a request by its name.
 * Variable values may be strings, numbers, booleans, arrays and objects, and a number is sent with its digits as
 * written; null means that the file declares the variable and leaves its value to another file. Comments and a trailing
 * comma are accepted.
 */
import { type Diagnostic, excerptAt } from './syntax/diagnostic.ts'
import {
  exactNumber,
  type JsonMember,
  type JsonNode,
  type JsonValue,
  jsonValueOf,
  parseJsonSource,
  type RepeatedKey,
} from './syntax/json-source.ts'
import type { Span } from './syntax/span.ts'

/** A value other than null; arrays and objects may contain null. */
export type VariableValue = Exclude<JsonValue, null>

export interface EnvironmentSetting {
  readonly name: 'Security' | 'SSLConfiguration'
  readonly value: JsonValue
  /** The place of its name. */
  readonly span: Span
}

/** The values of one environment in one file. */
export interface EnvironmentValues {
  readonly variables: ReadonlyMap<string, VariableValue>
  readonly settings: readonly EnvironmentSetting[]
  /** Variables whose value is null. */
  readonly nullNames: readonly string[]
}

export interface EnvironmentFile {
  /** All environments except `$shared`, in the order of the file. */
  readonly environments: ReadonlyMap<string, EnvironmentValues>
  readonly shared: EnvironmentValues
}

export type EnvironmentWarning = Diagnostic<'repeated-key' | 'foreign-key'>

export interface ParsedEnvironmentFile {
  /** Empty if there are errors. */
  readonly file: EnvironmentFile
  readonly errors: readonly Diagnostic[]
  /** Keys that their object has more than once: the last value counts. Keys that have an effect only in Kulala. */
  readonly warnings: readonly EnvironmentWarning[]
}

/** The name of the values for every environment. */
export const SHARED_ENVIRONMENT = '$shared'

/** The key by which editors find the schema of the file. */
const SCHEMA = '$schema'

/** Kulala's name of `$shared`. */
const KULALA_SHARED = '$kulalaShared'
/** Objects of header fields that Kulala adds to each request. */
const kulalaHeaders: ReadonlySet<string> = new Set(['$kulalaDefaultHeaders', '$default_headers', 'DEFAULT_HEADERS'])

const settingNames: ReadonlySet<string> = new Set(['Security', 'SSLConfiguration'])
const noValues: EnvironmentValues = { variables: new Map(), settings: [], nullNames: [] }

/** Reads an environment file's text. Does no I/O and never throws. */
export function parseEnvironmentFile(source: string): ParsedEnvironmentFile {
  const warnings: EnvironmentWarning[] = []
  const root = parseJsonSource(source, {
    isRelaxed: true,
    onRepeatedKey: (repeated) => warnings.push(repetition(repeated, source)),
  })
  if (!('type' in root)) return { file: { environments: new Map(), shared: noValues }, errors: [root], warnings }
  const errors: Diagnostic[] = []
  const environments = new Map<string, EnvironmentValues>()
  for (const { key, keySpan, value } of membersOf(root, 'expected an object of environments', source, errors)) {
    if (key === SCHEMA && value.type === 'scalar' && typeof value.value === 'string') continue
    if (key === KULALA_SHARED) warnings.push(foreignShared(keySpan, source))
    for (const warning of value.type === 'object' ? foreignHeaders(value, source) : []) warnings.push(warning)
    environments.set(key, readValues(key, value, source, errors))
  }
  const shared = environments.get(SHARED_ENVIRONMENT) ?? noValues
  environments.delete(SHARED_ENVIRONMENT)
  if (errors.length > 0) return { file: { environments: new Map(), shared: noValues }, errors, warnings }
  return { file: { environments, shared }, errors, warnings }
}

function readValues(name: string, node: JsonNode, source: string, errors: Diagnostic[]): EnvironmentValues {
  const variables = new Map<string, VariableValue>()
  const settings: EnvironmentSetting[] = []
  const nullNames: string[] = []
  const rule = `expected an object of variables for the environment ${JSON.stringify(name)}`
  for (const { key, keySpan, value } of membersOf(node, rule, source, errors)) {
    if (settingNames.has(key)) {
      settings.push({ name: key as EnvironmentSetting['name'], value: jsonValueOf(value), span: keySpan })
      continue
    }
    const plain = exactNumber(value, source) ?? jsonValueOf(value)
    if (plain === null) nullNames.push(key)
    else variables.set(key, plain)
  }
  return { variables, settings, nullNames }
}

function membersOf(node: JsonNode, rule: string, source: string, errors: Diagnostic[]): readonly JsonMember[] {
  if (node.type === 'object') return node.members
  const found = node.type === 'array' ? 'an array' : JSON.stringify(node.value)
  errors.push(problem(`${rule}, found ${found}`, node, source))
  return []
}

function foreignShared(span: Span, source: string): EnvironmentWarning {
  return {
    code: 'foreign-key',
    message: `${JSON.stringify(KULALA_SHARED)} is an environment like others here`,
    hint: `For values of every environment write ${JSON.stringify(SHARED_ENVIRONMENT)}.`,
    span,
    excerpt: excerptAt(source, span),
  }
}

function foreignHeaders({ members }: Extract<JsonNode, { type: 'object' }>, source: string): EnvironmentWarning[] {
  return members
    .filter(({ key, value }) => kulalaHeaders.has(key) && value.type === 'object')
    .map(({ key, keySpan: span }) => ({
      code: 'foreign-key',
      message: `${JSON.stringify(key)} does not set headers: it is a variable like others`,
      hint: 'Write client.global.headers.set(name, value) in a script before the first request.',
      span,
      excerpt: excerptAt(source, span),
    }))
}

function repetition({ key, span, earlierSpan: { line, column } }: RepeatedKey, source: string): EnvironmentWarning {
  return {
    code: 'repeated-key',
    message: `the key ${JSON.stringify(key)} is repeated: its value at ${line}:${column} is not used`,
    hint: 'Remove one of them.',
    span,
    excerpt: excerptAt(source, span),
  }
}

function problem(message: string, { span }: JsonNode, source: string): Diagnostic {
  return {
    code: 'bad-environment',
    message,
    hint: 'The shape is { "environment": { "variable": "value" } }.',
    span,
    excerpt: excerptAt(source, span),
  }
}
