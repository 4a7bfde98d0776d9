/**
 * Converts a request file to a script for k6.
 *
 * Rules: the requests, variables and scripts are written as readable data and functions. The runtime below them sends
 * and checks as `run` does, because it is built from the same sources (src/runner/load). Values of the private
 * environment file are not in the script: it reads them from k6's environment.
 */
import type { HttpFile, JsonValue } from '../../http-file/index.ts'
import type { Loss } from '../draft/draft.ts'
import { Losses } from '../draft/losses.ts'
import { Code, commentText, type Printable, printed, propertyName, quoted } from './code-text.ts'
import { type LightCode, lightCode } from './light-file.ts'
import { type LoadOption, loadOptions, optionsInFile } from './load-options.ts'
import { lightExtras, lightRuntime, loadRuntime } from './load-runtime.generated.ts'
import { sectionCode } from './section-code.ts'

/** The indent of a section in the call that creates the test. */
const SECTION_INDENT = '      '

export interface K6Settings {
  /** The request file, as shown in messages. */
  readonly path: string
  /** Default value of User-Agent. */
  readonly userAgent: string
  /** Values of the environment, overridden by -V. */
  readonly values: ReadonlyMap<string, JsonValue>
  /** Names of values that must not be in the script. */
  readonly secretNames: ReadonlySet<string>
  /** The block `Security` of the environment. */
  readonly security: JsonValue | undefined
  /** The block `SSLConfiguration`. */
  readonly ssl: JsonValue | undefined
  /** Load options from the command line. */
  readonly options: readonly LoadOption[]
  readonly failsOnStatus: boolean
  /** The file with rows, as the script opens it, and its columns. */
  readonly data: { readonly path: string; readonly names: readonly string[] } | undefined
  /** The path of a file that the request file names, as the script opens it; undefined if it cannot be read. */
  readonly openPath: (path: string) => string | undefined
  /** The text of a script that the request file names. */
  readonly readText: (path: string) => string | undefined
}

export interface WrittenK6 {
  readonly text: string
  readonly losses: readonly Loss[]
  /** Names of the values that the caller sets. */
  readonly secrets: readonly string[]
}

export function writeK6(file: HttpFile, settings: K6Settings): WrittenK6 {
  const losses = new Losses()
  const report = ({ line }: { readonly line: number }, message: string): void => {
    losses.add(`line ${line}`, message)
  }
  const files = new Map<string, string>()
  const { readText, data, openPath } = settings
  const useFile = (path: string): boolean => {
    const opened = openPath(path)
    if (opened !== undefined) files.set(path, opened)
    return opened !== undefined
  }
  const surroundings = { file, report, readText, useFile }
  const sections = file.sections.map((section) => sectionCode(section, surroundings))
  const requests = file.sections.flatMap(({ request }) => request ?? [])
  const usesSockets = requests.some(({ line }) => line.method === 'WEBSOCKET')
  const hasTests = requests.some(({ assertions, captures }) => assertions.length + captures.length > 0)
  const body = sections.map((section) => (section === undefined ? '' : printed(section))).join('\n')
  const { options, problems } = loadOptions(settings.options, optionsInFile(file), {
    hasChecks: hasTests || body.includes('client.test'),
    failsOnStatus: settings.failsOnStatus,
  })
  for (const { span, message } of problems) if (span !== undefined) report(span, `@k6 ${message}`)
  const environment = environmentCode(file, body, settings)
  const light = lightCode(file, { values: settings.values, names: environment.names })
  const yields = sections.flatMap((section, index) => {
    const { request } = file.sections[index] as HttpFile['sections'][number]
    const members = light === undefined || request === undefined ? {} : light.membersOf(request)
    return section === undefined
      ? []
      : [`${SECTION_INDENT}yield ${printed({ ...section, ...members }, SECTION_INDENT)}`]
  })
  const plan: Record<string, Printable> = {
    file: settings.path,
    userAgent: settings.userAgent,
    environment: new Code('environment'),
    secrets: environment.secrets,
    ...(environment.security === undefined ? {} : { security: environment.security }),
    ...(files.size === 0 ? {} : { files: filesCode(files) }),
    ...(data === undefined ? {} : { rows: new Code('rows') }),
    ...(settings.failsOnStatus ? { failsOnStatus: true } : {}),
    sections: new Code(['function* () {', ...yields, '    }'].join('\n'), true),
    ...(light === undefined ? {} : { surely: light.surely, checks: new Code('httpcliChecks') }),
  }
  // Each module takes memory in every virtual user.
  const usesCrypto = light === undefined || /\{\{\$| (?:sha\d+|md5)\b/.test(body)
  const usesExec = data !== undefined || environment.secrets.length > 0
  const modules: readonly (readonly [what: string, module: string, isNeeded: boolean])[] = [
    ['{ check as k6Check }', 'k6', true],
    ['k6Crypto', 'k6/crypto', usesCrypto],
    ['{ SharedArray }', 'k6/data', data !== undefined],
    ['k6Exec', 'k6/execution', usesExec],
    ['k6Http', 'k6/http', true],
    ['{ Counter }', 'k6/metrics', true],
    ['{ WebSocket }', 'k6/websockets', usesSockets],
  ]
  const given = [
    'http: k6Http, check: k6Check, environment: __ENV',
    ...(usesCrypto ? ['crypto: k6Crypto'] : []),
    ...(usesExec ? ['exec: k6Exec'] : []),
    ...(usesSockets ? ['WebSocket'] : []),
    "errors: new Counter('httpcli_errors')",
  ]
  const { tls, lost } = tlsCode(settings)
  for (const message of lost) losses.add('SSLConfiguration', message)
  const text = [
    head(settings, environment.secrets, losses.all),
    ...modules.filter(([, , isNeeded]) => isNeeded).map(([what, module]) => `import ${what} from '${module}'`),
    '',
    `export const options = ${printed({ ...options, ...tls })}`,
    '',
    ...environment.lines,
    '',
    ...(data === undefined ? [] : [rowsCode(data.path), '']),
    `const test = ${light === undefined ? 'httpcliRuntime' : 'httpcliLight'}().createLoadTest(`,
    `  { ${given.join(', ')} },`,
    `  ${printed(plan, '  ')},`,
    ...(light === undefined ? [] : ['  { extras: httpcliExtras, whole: httpcliRuntime },']),
    ')',
    '',
    '/** One iteration: all requests, in order. */',
    'export default test.iterate',
    '',
    'export const handleSummary = test.summary',
    '',
    ...(light === undefined ? [] : lightFunctions(light)),
    '/** The runtime, made by httpcli: it sends and checks as "httpcli run" does. Not to be edited. */',
    'function httpcliRuntime() {',
    loadRuntime,
    'return load',
    '}',
    '',
  ]
  return { text: text.join('\n'), losses: losses.all, secrets: environment.secrets }
}

function head({ path, data }: K6Settings, secrets: readonly string[], losses: readonly Loss[]): string {
  const given = secrets.map((name) => ` -e ${name}=…`).join('')
  return [
    '/**',
    ` * Load test of ${commentText(path)} for k6 2 or later, written by httpcli.`,
    ' *',
    ` *   k6 run${given} load.js`,
    ` *   k6 run${given} --vus 50 --duration 1m load.js`,
    ` *   k6 run${given} --out json=results.json load.js`,
    ' *',
    ' * In a cluster: "httpcli convert --to k6-operator" writes the TestRun with its ConfigMap.',
    ...(data === undefined ? [] : [` * Rows: ${commentText(data.path)}, one for each iteration in turn.`]),
    ...(losses.length === 0 ? [] : [' *']),
    ...losses.map(({ place, message }) => ` * Not converted: ${commentText(`${place}: ${message}`)}`),
    ' */',
  ].join('\n')
}

/** The runtime of such a file in each virtual user. It loads the other parts only when something unusual occurs. */
function lightFunctions({ checks }: LightCode): readonly string[] {
  return [
    '/** The captures and assertions, as httpcli has read them. */',
    'function httpcliChecks() {',
    `  return ${printed(checks, '  ')}`,
    '}',
    '',
    '/** What most requests need of the runtime below. */',
    'function httpcliLight() {',
    lightRuntime,
    'return load',
    '}',
    '',
    '/** What some requests need: checks that are not surely passed, forms, dynamic values. */',
    'function httpcliExtras() {',
    lightExtras,
    'return load',
    '}',
    '',
  ]
}

function rowsCode(path: string): string {
  const name = quoted(path)
  return [
    '/** The rows of the data file, in memory once for all virtual users. */',
    `const rows = new SharedArray('rows', () => httpcliRuntime().readRows(open(${name}), ${name}))`,
  ].join('\n')
}

function filesCode(files: ReadonlyMap<string, string>): Printable {
  return Object.fromEntries([...files].map(([path, opened]) => [path, new Code(`open(${quoted(opened)}, 'b')`)]))
}

interface EnvironmentCode {
  readonly lines: readonly string[]
  readonly secrets: readonly string[]
  readonly security: Printable
  /** Names that have a value, here or in the file, unless it is only set while the test runs. */
  readonly names: ReadonlySet<string>
}

/** Values of the environment that the file uses, and variables without a value. */
function environmentCode(file: HttpFile, body: string, settings: K6Settings): EnvironmentCode {
  const { values, secretNames, security } = settings
  const secrets: string[] = []
  const entries: string[] = []
  const securityCode = security === undefined ? undefined : securityValue(security, [])
  const all = `${body}\n${JSON.stringify([...values.values()])}\n${printed(securityCode)}`
  const add = (name: string, code: string, note = ''): void => {
    entries.push(`  ${propertyName(name)}: ${code},${note}`)
  }
  for (const [name, value] of values) {
    if (!all.includes(name)) continue
    if (secretNames.has(name)) {
      secrets.push(name)
      add(name, typeof value === 'string' ? environmentName(name) : `httpcliValue(${environmentName(name)})`)
    } else if (typeof value === 'string' && !isSystemName(name)) {
      add(name, `${environmentName(name)} ?? ${quoted(value)}`)
    } else add(name, printed(value as Printable, '  '))
  }
  for (const name of prompted(file)) {
    if (values.has(name)) continue
    secrets.push(name)
    add(name, environmentName(name), ' // the request file asks for it')
  }
  const known = namesInFile(file, settings)
  const unknown = unknownNames(file, all, known).filter((name) => !secrets.includes(name))
  for (const name of unknown) {
    add(name, environmentName(name), ' // has no value yet')
  }
  const needsJson = entries.some((entry) => entry.includes('httpcliValue('))
  const lines = [
    '/** Variables. Others than these: k6 run -e name=value. */',
    ...(entries.length === 0 ? ['const environment = {}'] : ['const environment = {', ...entries, '}']),
    ...(needsJson ? ['', '/** A number, a list or an object, as JSON. */', 'function httpcliValue(text) {'] : []),
    ...(needsJson ? ['  return text === undefined ? undefined : JSON.parse(text)', '}'] : []),
  ]
  const names = new Set([...known, ...secrets, ...unknown])
  return { lines, secrets: [...secrets, ...secretSettings(securityCode)], security: securityCode, names }
}

/** Environment variables of the system are in k6's environment, too, and would override the value. */
function isSystemName(name: string): boolean {
  return /^[A-Z\d_]+$/.test(name)
}

function environmentName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `__ENV.${name}` : `__ENV[${quoted(name)}]`
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
  return isSecret ? new Code(environmentName(secretName(path))) : value
}

function secretName(path: readonly string[]): string {
  return path
    .filter((name) => name !== 'Auth')
    .join('_')
    .replace(/\W+/g, '_')
}

function secretSettings(security: Printable): readonly string[] {
  return [...new Set([...printed(security).matchAll(/__ENV\.(\w+)/g)].map(([, name = '']) => name))]
}

function prompted({ sections }: HttpFile): readonly string[] {
  const tags = sections.flatMap(({ request }) => request?.tags ?? [])
  return tags.flatMap(({ name, value }) => (name === 'prompt' ? (/^[\w.-]+/.exec(value)?.[0] ?? []) : []))
}

/** Names from the environment and rows, and names that the file defines or captures. */
function namesInFile({ sections }: HttpFile, { values, data }: K6Settings): ReadonlySet<string> {
  return new Set([
    ...values.keys(),
    ...(data?.names ?? []),
    ...sections.flatMap(({ variables }) => variables.map(({ name }) => name)),
    ...sections.flatMap(({ request }) => (request?.captures ?? []).map(({ name }) => name)),
  ])
}

/** Names in templates that get no value from any definition, call, request or script. */
function unknownNames({ sections }: HttpFile, all: string, given: ReadonlySet<string>): readonly string[] {
  const known = new Set([
    ...given,
    ...sections.flatMap(({ directives }) => directives.flatMap(({ overrides }) => overrides.map(({ name }) => name))),
    ...sections.flatMap(({ request }) => request?.name ?? ''),
    ...[...all.matchAll(/\.set\(\s*["'`]([^"'`]+)["'`]/g)].map(([, name = '']) => name),
  ])
  const used = [...all.matchAll(/\{\{([^{}\n]*)\}\}/g)].flatMap(
    ([, text = '']) => /^\s*([A-Za-z_][\w-]*)/.exec(text)?.[1] ?? [],
  )
  return [...new Set(used)].filter((name) => !known.has(name))
}

/** `SSLConfiguration` as options of k6. */
function tlsCode({ ssl, openPath }: K6Settings): {
  readonly tls: Record<string, Printable>
  readonly lost: readonly string[]
} {
  if (typeof ssl !== 'object' || ssl === null || Array.isArray(ssl)) return { tls: {}, lost: [] }
  const pathOf = (value: JsonValue | undefined): string | undefined => {
    if (typeof value === 'string') return value
    const path = typeof value === 'object' && value !== null ? (value as { readonly path?: JsonValue }).path : undefined
    return typeof path === 'string' ? path : undefined
  }
  const members = ssl as { readonly [name: string]: JsonValue }
  const [certificate, key] = [pathOf(members.clientCertificate), pathOf(members.clientCertificateKey)]
  const isPem = certificate !== undefined && !/\.(?:p12|pfx|der)$/i.test(certificate)
  const lost = certificate !== undefined && !isPem ? ['a client certificate that is not PEM'] : []
  const passphrase = members.hasCertificatePassphrase === true || members.certificatePassphrase !== undefined
  const open = (path: string): Code => new Code(`open(${quoted(openPath(path) ?? path)})`)
  return {
    tls: {
      ...(members.verifyHostCertificate === false ? { insecureSkipTLSVerify: true } : {}),
      ...(isPem
        ? {
            tlsAuth: [
              {
                cert: open(certificate),
                key: open(key ?? certificate),
                ...(passphrase ? { password: new Code('__ENV.certificatePassphrase') } : {}),
              },
            ],
          }
        : {}),
    },
    lost,
  }
}
