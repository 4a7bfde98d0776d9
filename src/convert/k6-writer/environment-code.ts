/**
 * The variables of a load test: values of the environment that the file uses, and variables without a value.
 *
 * Rules: secrets are read from k6's environment. Other texts are defaults that the user can replace there. k6 accepts
 * only letters, digits and underscores in names, so other characters of a name become underscores.
 */
import type { HttpFile, JsonValue } from '../../http-file/index.ts'
import { Code, type Printable, printed, propertyName, quoted } from './code-text.ts'
import type { K6Settings } from './writer.ts'

type EnvironmentSettings = Pick<K6Settings, 'values' | 'secretNames' | 'security' | 'data'>

export interface EnvironmentCode {
  readonly lines: readonly string[]
  readonly secrets: readonly string[]
  readonly security: Printable
  /** Names that have a value, here or in the file, unless it is only set while the test runs. */
  readonly names: ReadonlySet<string>
  /** Those among them that only the user of the script can set. */
  readonly unset: ReadonlySet<string>
}

/**
 * Values of the environment that the file uses, and variables without a value.
 * @param body the text that is searched for variables
 */
export function environmentCode(file: HttpFile, body: string, settings: EnvironmentSettings): EnvironmentCode {
  const { values, secretNames, security } = settings
  const secrets: string[] = []
  const entries: string[] = []
  const names = new EnvironmentNames()
  const securityCode = security === undefined ? undefined : securityValue(security, [])
  const all = `${body}\n${JSON.stringify([...values.values()])}\n${printed(securityCode)}`
  const add = (name: string, code: string, note = ''): void => {
    entries.push(`  ${propertyName(name)}: ${code},${note}`)
  }
  for (const [name, value] of values) {
    if (!all.includes(name)) continue
    if (secretNames.has(name)) {
      secrets.push(name)
      add(name, typeof value === 'string' ? names.code(name) : `httpcliValue(${names.code(name)})`)
    } else if (typeof value === 'string' && !isSystemName(name)) {
      add(name, `${names.code(name)} ?? ${quoted(value)}`)
    } else add(name, printed(value as Printable, '  '))
  }
  for (const name of prompted(file)) {
    if (values.has(name)) continue
    secrets.push(name)
    add(name, names.code(name), ' // the request file asks for it')
  }
  const known = namesInFile(file, settings)
  const unknown = unknownNames(file, all, known).filter((name) => !secrets.includes(name))
  for (const name of unknown) {
    add(name, names.code(name), ' // has no value yet')
  }
  const needsJson = entries.some((entry) => entry.includes('httpcliValue('))
  const lines = [
    '/** Variables. Set others with: k6 run -e name=value. */',
    ...(entries.length === 0 ? ['const environment = {}'] : ['const environment = {', ...entries, '}']),
    ...(needsJson ? ['', '/** A number, a list or an object, as JSON. */', 'function httpcliValue(text) {'] : []),
    ...(needsJson ? ['  return text === undefined ? undefined : JSON.parse(text)', '}'] : []),
  ]
  return {
    lines,
    secrets: [...secrets.map((name) => names.of(name)), ...secretSettings(securityCode)],
    security: securityCode,
    names: new Set([...known, ...secrets, ...unknown, ...namesInScripts(all)]),
    unset: new Set(unknown),
  }
}

/** The names of variables in k6's environment, each different. */
class EnvironmentNames {
  readonly #owners = new Map<string, string>()

  of(name: string): string {
    let given = name.replace(/\W/g, '_').replace(/^(?=\d)/, '_')
    while ((this.#owners.get(given) ?? name) !== name) given += '_'
    this.#owners.set(given, name)
    return given
  }

  code(name: string): string {
    return `__ENV.${this.of(name)}`
  }
}

/** Environment variables of the system are also in k6's environment, and would override the value. */
function isSystemName(name: string): boolean {
  return /^[A-Z\d_]+$/.test(name)
}

/** Members of `Security` that are secret wherever they are. */
const secretMembers = /^(?:client secret|password|client assertion)$/i

/** Secrets become variables of k6, named by their path. */
function securityValue(value: JsonValue, path: readonly string[]): Printable {
  if (Array.isArray(value)) return value.map((item, index) => securityValue(item, [...path, String(index)]))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, securityValue(member, [...path, name])]),
    )
  }
  const isSecret = secretMembers.test(path.at(-1) ?? '') && typeof value === 'string' && !value.includes('{{')
  return isSecret ? new Code(`__ENV.${secretName(path)}`) : value
}

function secretName(path: readonly string[]): string {
  return path
    .filter((name) => name !== 'Auth')
    .join('_')
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)/, '_')
}

function secretSettings(security: Printable): readonly string[] {
  return [...new Set([...printed(security).matchAll(/__ENV\.(\w+)/g)].map(([, name = '']) => name))]
}

function prompted({ sections }: HttpFile): readonly string[] {
  const tags = sections.flatMap(({ request }) => request?.tags ?? [])
  return tags.flatMap(({ name, value }) => (name === 'prompt' ? (/^[\w.-]+/.exec(value)?.[0] ?? []) : []))
}

/** Names from the environment and rows, and names that the file defines or captures. */
function namesInFile({ sections }: HttpFile, { values, data }: EnvironmentSettings): ReadonlySet<string> {
  return new Set([
    ...values.keys(),
    ...(data?.names ?? []),
    ...sections.flatMap(({ variables }) => variables.map(({ name }) => name)),
    ...sections.flatMap(({ request }) => (request?.captures ?? []).map(({ name }) => name)),
  ])
}

/** Names that scripts set. */
function namesInScripts(all: string): readonly string[] {
  return [...all.matchAll(/\.set\(\s*["'`]([^"'`]+)["'`]/g)].map(([, name = '']) => name)
}

/** Names in templates that get no value from any definition, call, request or script. */
function unknownNames({ sections }: HttpFile, all: string, initial: ReadonlySet<string>): readonly string[] {
  const known = new Set([
    ...initial,
    ...sections.flatMap(({ directives }) => directives.flatMap(({ overrides }) => overrides.map(({ name }) => name))),
    ...sections.flatMap(({ request }) => request?.name ?? ''),
    ...namesInScripts(all),
  ])
  const used = [...all.matchAll(/\{\{([^{}\n]*)\}\}/g)].flatMap(
    ([, text = '']) => /^\s*([\p{L}_][\p{L}\p{N}_-]*)/u.exec(text)?.[1] ?? [],
  )
  return [...new Set(used)].filter((name) => !known.has(name))
}
