/**
 * Converts a request file to a script for k6.
 *
 * Rules: the requests, variables and scripts are written as readable data and functions. The runtime below them sends
 * and checks as `run` does, because it is built from the same sources (src/runner/load). Values of the private
 * environment file are not in the script, which reads them from k6's environment.
 */
import { type HttpFile, type JsonValue, type Request, withHostVariables } from '../../http-file/index.ts'
import type { Loss } from '../draft/draft.ts'
import { Losses } from '../draft/losses.ts'
import { Code, commentText, type Printable, printed, quoted } from './code-text.ts'
import { environmentCode } from './environment-code.ts'
import { plainOrigins, templateFiles, withFixedTypes, withTemplateTexts } from './fixed-parts.ts'
import { type LightCode, type LightSection, lightCode } from './light-code.ts'
import { isLightFile, referencedNames, scriptFacts } from './light-file.ts'
import { type LoadOption, loadOptions, optionsInFile } from './load-options.ts'
import {
  lightBodies,
  lightDynamic,
  lightExtras,
  lightRuntime,
  lightScripts,
  lightTokens,
  lightValues,
  lightView,
  loadRuntime,
  loadServices,
} from './load-runtime.generated.ts'
import { labelOf, sectionCode } from './section-code.ts'

/** The indent of a section in the call that creates the test. */
const SECTION_INDENT = '      '

export interface K6Settings {
  /** The request file, as shown in messages. */
  readonly path: string
  /** The file of the script, as the commands at its top name it. */
  readonly scriptName: string
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
  /** The text of a script or a body that the request file names; undefined if it is not in that charset. */
  readonly readText: (path: string, charset?: string) => string | undefined
}

export interface WrittenK6 {
  readonly text: string
  readonly losses: readonly Loss[]
  /** Names of the values that the caller sets. */
  readonly secrets: readonly string[]
}

export function writeK6(source: HttpFile, settings: K6Settings): WrittenK6 {
  const file = withHosts(source)
  const losses = new Losses()
  const report = ({ line }: { readonly line: number }, message: string): void => {
    losses.add(`line ${line}`, message)
  }
  const files = new Map<string, string>()
  const { readText, data, openPath } = settings
  let lacksFile = false
  const useFile = (path: string): boolean => {
    const opened = openPath(path)
    if (opened === undefined) lacksFile = true
    else files.set(path, opened)
    return opened !== undefined
  }
  const surroundings = { file, report, readText, useFile }
  const sections = file.sections.map((section) => sectionCode(section, surroundings))
  const requests = file.sections.flatMap(({ request }) => request ?? [])
  const usesSockets = requests.some(({ line }) => line.method === 'WEBSOCKET')
  const hasTests = requests.some(({ assertions, captures }) => assertions.length + captures.length > 0)
  const written = sections.map((section) => (section === undefined ? '' : printed(section)))
  const body = [...written, ...templateFiles(file, readText)].join('\n')
  const { options, problems } = loadOptions(settings.options, optionsInFile(file), {
    hasChecks: hasTests || body.includes('client.test'),
    failsOnStatus: settings.failsOnStatus,
  })
  for (const { span, message } of problems) {
    if (span === undefined) losses.add('command line', `--${message}`)
    else report(span, `@k6 ${message}`)
  }
  const environment = environmentCode(file, body, settings)
  const scripts = printed(sections.map((section) => [section?.before, section?.after]))
  const elsewhere = { names: new Set([...settings.values.keys(), ...(data?.names ?? [])]), scripts }
  const sent = file.sections.flatMap((section, index): readonly LightSection[] => {
    const code = sections[index]
    if (code === undefined) return []
    const { method, url, headers, body, tags, calls, before, after } = code
    const scripts = { before, after, written: { method, url, headers, body, tags } }
    // Those that remain.
    const directives = calls === undefined ? [] : section.directives
    return [{ ...section, directives, request: url === undefined ? undefined : section.request, ...scripts }]
  })
  const kept = withTemplateTexts(withFixedTypes(sent, elsewhere), readText)
  const namedRequests = requestsByName(requests)
  const referenced = referencedNames(body, namedRequests)
  // The full runtime reports a missing file as `run` does.
  const { names, unset } = environment
  const facts = {
    values: settings.values,
    names,
    unset,
    requests: namedRequests,
    referenced,
    scripts: scriptFacts(scripts),
  }
  const isLight = !lacksFile && isLightFile(kept, facts)
  const light = isLight ? lightCode(kept, referenced, facts.scripts.usesRequest) : undefined
  const openedFiles = new Map([...files].filter(([name]) => light?.files.has(name)))
  // Each module takes memory in every virtual user.
  const usesCrypto = light === undefined || /\$[a-z]|\b(?:sha\d+|md5|random|crypto|jwt)\b/.test(body)
  const usesExec = data !== undefined
  const modules: readonly (readonly [what: string, module: string, isNeeded: boolean])[] = [
    ['{ check as k6Check }', 'k6', true],
    ['k6Crypto', 'k6/crypto', usesCrypto],
    ['{ SharedArray }', 'k6/data', data !== undefined],
    ['k6Exec', 'k6/execution', usesExec],
    ['k6Http', 'k6/http', true],
    ['{ Counter }', 'k6/metrics', true],
    ['{ WebSocket }', 'k6/websockets', usesSockets],
  ]
  const k6Modules = [
    'http: k6Http, check: k6Check, environment: () => __ENV',
    ...(usesCrypto ? ['crypto: k6Crypto'] : []),
    ...(usesExec ? ['exec: k6Exec'] : []),
    ...(usesSockets ? ['WebSocket'] : []),
    "errors: new Counter('httpcli_errors')",
  ]
  const plan: Record<string, Printable> = {
    file: settings.path,
    ...(light === undefined ? { userAgent: settings.userAgent } : {}),
    environment: new Code('environment'),
    secrets: environment.secrets,
    ...(environment.security === undefined ? {} : { security: environment.security }),
    ...(data === undefined ? {} : { rows: new Code('rows') }),
    ...(light === undefined ? wholeMembers(sections, files, settings) : lightMembers(kept, settings)),
  }
  const { tls, lost } = tlsCode(settings)
  for (const message of lost) losses.add('SSLConfiguration', message)
  const text = [
    head(settings, environment.secrets, losses.all),
    ...modules.filter(([, , isNeeded]) => isNeeded).map(([what, module]) => `import ${what} from '${module}'`),
    '',
    `export const options = ${printed({ ...options, ...(light === undefined ? {} : lightOptions(settings)), ...tls })}`,
    '',
    ...environment.lines,
    '',
    ...(data === undefined
      ? []
      : [rowsCode(data.path, light === undefined ? 'httpcliRuntime()' : "httpcliPart('whole')"), '']),
    ...(openedFiles.size === 0 ? [] : [`const files = ${printed(filesCode(openedFiles))}`, '']),
    `const test = ${light === undefined ? 'httpcliRuntime()' : "httpcliPart('user')"}.createLoadTest(`,
    `  { ${k6Modules.join(', ')} },`,
    `  ${printed(plan, '  ')},`,
    ...(light === undefined ? [] : ['  httpcliPart,']),
    ')',
    ...(light === undefined ? wholeIteration : lightIteration(light)),
    '',
    ...(environment.secrets.length === 0 ? [] : ['export const setup = test.setup']),
    'export const handleSummary = test.summary',
    '',
    ...(light === undefined ? wholeFunction : lightFunction(light)),
    '',
  ]
  return { text: text.join('\n'), losses: losses.all, secrets: environment.secrets }
}

function requestsByName(requests: readonly Request[]): ReadonlyMap<string, readonly Request[]> {
  const found = new Map<string, Request[]>()
  for (const request of requests) {
    if (request.name === '') continue
    const same = found.get(request.name)
    if (same === undefined) found.set(request.name, [request])
    else same.push(request)
  }
  return found
}

/** The file with the variable `host` before paths. Reports name such a request as it is written. */
function withHosts(source: HttpFile): HttpFile {
  const file = withHostVariables(source)
  const sections = file.sections.map((section, index) => {
    const { request, separator } = section
    const written = source.sections[index]?.request
    if (request === undefined || written === undefined || request === written) return section
    return { ...section, request: { ...request, name: request.name || separator?.name || labelOf(written) } }
  })
  return { ...file, sections }
}

function head({ path, scriptName, data }: K6Settings, secrets: readonly string[], losses: readonly Loss[]): string {
  const secretFlags = secrets.map((name) => ` -e ${name}=…`).join('')
  const script = commentText(scriptName)
  return [
    '/**',
    ` * Load test of ${commentText(path)} for k6 2 or later, written by httpcli.`,
    ' *',
    ` *   k6 run${secretFlags} ${script}`,
    ` *   k6 run${secretFlags} --vus 50 --duration 1m ${script}`,
    ` *   k6 run${secretFlags} --out json=results.json ${script}`,
    ' *',
    ' * In a cluster: "httpcli convert --to k6-operator" writes the TestRun with its ConfigMap.',
    ...(data === undefined ? [] : [` * Rows: ${commentText(data.path)}; each iteration takes the next one.`]),
    ...(losses.length === 0 ? [] : [' *']),
    ...losses.map(({ place, message }) => ` * Not converted: ${commentText(`${place}: ${message}`)}`),
    ' */',
  ].join('\n')
}

/** Members of the plan that only the full runtime reads. */
function wholeMembers(
  sections: readonly (Printable | undefined)[],
  files: ReadonlyMap<string, string>,
  { failsOnStatus }: K6Settings,
): Record<string, Printable> {
  const yields = sections.flatMap((section) =>
    section === undefined ? [] : [`${SECTION_INDENT}yield ${printed(section, SECTION_INDENT)}`],
  )
  return {
    ...(files.size === 0 ? {} : { files: filesCode(files) }),
    ...(failsOnStatus ? { failsOnStatus } : {}),
    sections: new Code(['function* () {', ...yields, '    }'].join('\n'), true),
  }
}

/** Members of the plan that only the light runtime reads. */
function lightMembers(
  sections: readonly LightSection[],
  { values, secretNames }: K6Settings,
): Record<string, Printable> {
  const open = new Map([...values].filter(([name]) => !secretNames.has(name)))
  const origins = [...plainOrigins(sections, open)].map((origin) => `${quoted(origin)}: true`)
  return origins.length === 0 ? {} : { origins: new Code(`{ ${['__proto__: null', ...origins].join(', ')} }`) }
}

/** The options that all requests of a light load test have in common. */
function lightOptions({ userAgent }: K6Settings): Record<string, Printable> {
  return { userAgent, maxRedirects: 0, discardResponseBodies: true }
}

const wholeIteration: readonly string[] = [
  '',
  '/** One iteration: all requests, in order. */',
  'export default test.iterate',
]

function lightIteration({ functions, more, extras, statements }: LightCode): readonly string[] {
  const isAsync = more.includes('acquire') || more.includes('sendWithScripts')
  return [
    `const { ${functions.join(', ')} } = test`,
    ...(more.length === 0 ? [] : [`const { ${more.join(', ')} } = test.more()`]),
    ...(extras.length === 0 ? [] : [`const { ${extras.join(', ')} } = test.extras()`]),
    '',
    '/** One iteration: all requests, in order. */',
    `export default ${isAsync ? 'async ' : ''}function () {`,
    '  test.begin()',
    statements.join('\n\n'),
    '}',
  ]
}

const runtimeComment =
  '/** The runtime, generated by httpcli: it sends and checks as "httpcli run" does. Do not edit. */'

const wholeFunction: readonly string[] = [
  runtimeComment,
  'function httpcliRuntime() {',
  loadRuntime,
  'return load',
  '}',
]

/** Each part is evaluated when something needs it. One function for all takes the least memory. */
function lightFunction({ checks, more, hasContents, usesRequest }: LightCode): readonly string[] {
  const parts: readonly (readonly [name: string, text: string])[] = [
    ['user', lightRuntime],
    ['values', lightValues],
    ['extras', lightExtras],
    ['dynamic', lightDynamic],
    ...(hasContents ? [['bodies', lightBodies] as const] : []),
    ...(more.includes('acquire') ? [['tokens', lightTokens] as const] : []),
    ...(more.includes('sendWithScripts') ? [['scripts', lightScripts] as const] : []),
    ...(usesRequest ? [['view', lightView] as const] : []),
    ['whole', loadServices],
  ]
  return [
    runtimeComment,
    'function httpcliPart(name) {',
    "  if (name === 'checks') {",
    `    return ${printed(checks, '    ')}`,
    '  }',
    ...parts.flatMap(([name, text]) => [`  if (name === '${name}') {`, text, 'return load', '  }']),
    '}',
  ]
}

/** @param runtime gives the runtime with everything */
function rowsCode(path: string, runtime: string): string {
  const name = quoted(path)
  return [
    '/** The rows of the data file, in memory once for all virtual users. */',
    `const rows = new SharedArray('rows', () => ${runtime}.readRows(open(${name}), ${name}))`,
  ].join('\n')
}

function filesCode(files: ReadonlyMap<string, string>): Printable {
  return Object.fromEntries([...files].map(([path, opened]) => [path, new Code(`open(${quoted(opened)}, 'b')`)]))
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
