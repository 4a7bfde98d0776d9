/**
 * The requests of a file as code of a light load test: as an engineer would write it for k6, with the functions of
 * src/runner/load/light/light-user.ts.
 *
 * Rules: everything that does not depend on variables is a constant. Assertions are named as in reports, because k6
 * shows that name.
 */
import {
  type Assertion,
  type BodyFileNode,
  boundaryOf,
  type Capture,
  encodeForm,
  isLiteral,
  plainAddress,
  plainOrigin,
  type Request,
  type Section,
  type Template,
  targetPlaces,
  templateText,
} from '../../http-file/index.ts'
import { Code, type Printable, printed, propertyName, quoted } from './code-text.ts'
import { isFileText } from './fixed-parts.ts'
import { graphqlCode } from './graphql-code.ts'
import { durationMs, isMultipart, refusedTag, tokensOf } from './light-file.ts'
import { isUtf8, multipartCode } from './multipart-code.ts'
import { keptChecks } from './request-losses.ts'
import { labelOf } from './section-code.ts'
import { readsBody, sureCheck } from './sure-check.ts'
import { code, joinedBody, jsonCode, partsFrom, templateCode } from './template-code.ts'

export interface LightCode {
  /** The statements of an iteration. */
  readonly statements: readonly string[]
  /** Names of the runtime functions that the statements use. */
  readonly functions: readonly string[]
  readonly more: readonly string[]
  readonly extras: readonly string[]
  /** Whether a body is made from its contents. */
  readonly hasContents: boolean
  readonly usesRequest: boolean
  /** The paths of files that are sent unchanged. */
  readonly files: ReadonlySet<string>
  /** The parsed checks, by the text that reports show. */
  readonly checks: Printable
}

const userFunctions: readonly string[] = [...['address', 'at', 'capture', 'decide', 'field', 'json', 'send', 'v']]
/** Runtime functions that fewer files need. */
const moreFunctions: readonly string[] = [
  ...['acquire', 'count', 'define', 'duration', 'header', 'keep', 'sendWithScripts', 'text'],
]
/** Runtime functions of src/runner/load/light/light-extras.ts. */
const extraFunctions: readonly string[] = [
  ...['authorization', 'form', 'graphqlVariables', 'inHost', 'multipart', 'partName', 'partValue'],
]
const INDENT = '  '

/** A section that can be converted, and the scripts of its request as functions. */
export interface LightSection extends Section {
  /** The request for scripts: its templates. */
  readonly written: Printable
  readonly before: Printable
  readonly after: Printable
}

/**
 * @param referenced names of requests whose responses are kept
 * @param usesRequest whether a script uses its request
 */
export function lightCode(
  sections: readonly LightSection[],
  referenced: ReadonlySet<string>,
  usesRequest: boolean,
): LightCode {
  const statements = sections.map((section) => sectionStatements(section, referenced, usesRequest))
  const text = statements.join('\n')
  const isUsed = (name: string): boolean => new RegExp(`(?<![\\w.'])${name}\\(`).test(text)
  const requests = sections.flatMap(({ request }) => request ?? [])
  const checks = requests.flatMap(keptChecks)
  const files = requests.flatMap(({ body }) =>
    body.flatMap((part) => (part.kind === 'body-file' && !isFileText(part) ? templateText(part.path) : [])),
  )
  return {
    statements,
    functions: userFunctions.filter(isUsed),
    more: moreFunctions.filter(isUsed),
    extras: extraFunctions.filter(isUsed),
    hasContents: requests.some((request) => 'contents' in bodyMembers(request, '')),
    usesRequest,
    files: new Set(files),
    checks: Object.fromEntries(checks.map((check) => [shown(check.text), withoutPositions(check) as Printable])),
  }
}

function sectionStatements(
  { variables, request, separator, before, after, written }: LightSection,
  referenced: ReadonlySet<string>,
  usesRequest: boolean,
): string {
  const defined = variables.map(({ name, value }) => `  define(${quoted(name)}, ${quoted(templateText(value))})`)
  if (request === undefined) return defined.join('\n')
  const name = request.name || separator?.name || labelOf(request)
  const isKept = referenced.has(request.name)
  const refused = refusedTag(request)
  const members = (): string => printed(requestMembers(request, isKept || after !== undefined), INDENT)
  const build = refused === undefined ? `() => (${members()})` : refusal(`@${refused} is not supported`)
  const checks = checksCode(request, name, isKept)
  const hasScripts = before !== undefined || after !== undefined
  const scripts = hasScripts ? [printed({ ...(usesRequest ? { request: written } : {}), before, after }, INDENT)] : []
  const given = [String(request.line.span.line), quoted(name), build, ...scripts, ...checks]
  const tokens = tokensOf(request).map(([kind, id]) => {
    return `await acquire(${given[0]}, ${given[1]}, '${kind}', ${quoted(id)})`
  })
  const condition = tokens.length === 0 ? '' : `if (${tokens.join(' && ')}) `
  return [...defined, `  ${condition}${hasScripts ? 'await sendWithScripts' : 'send'}(${given.join(', ')})`].join('\n')
}

/** The code of a request that cannot be sent. */
function refusal(message: string): string {
  return `() => {\n    throw new Error(${quoted(message)})\n  }`
}

function requestMembers(request: Request, needsBody: boolean): { readonly [name: string]: Printable } {
  const { line, tags } = request
  const hasTag = (name: string): boolean => tags.some((tag) => tag.name === name)
  const method = line.method === 'GRAPHQL' ? 'POST' : (line.method ?? 'GET')
  const limit = tags.findLast(({ name }) => name === 'timeout')?.value
  return {
    ...(method === 'GET' ? {} : { method }),
    url: addressCode(request),
    headers: headersCode(request),
    ...bodyMembers(request, method),
    ...(needsBody || keptChecks(request).some(readsBody) ? { responseType: 'binary' } : {}),
    ...(limit === undefined ? {} : { timeout: durationMs(limit) as number }),
    ...(hasTag('no-redirect') ? { allowsRedirects: false } : {}),
    ...(hasTag('no-cookie-jar') ? { hasCookieJar: false } : {}),
    ...(headerOf(request, 'cookie') === undefined ? {} : { hasCookieField: true }),
  }
}

/** The code of the first variable or the typed origin, and what follows. */
function beginningAndPath(target: Template): readonly [beginning: string | undefined, path: Template] {
  const [first, ...others] = target.parts
  if (first?.type === 'variable') return [`v(${quoted(first.expression)})`, { parts: others }]
  const origin = first === undefined ? undefined : plainOrigin(first.text)?.slice(0, -1)
  return [origin && quoted(origin), partsFrom(target, origin?.length ?? 0)]
}

/** Typed text that is sent unchanged, and variables. */
const plainPath = /^\/[\w.~!$&'()*+,;=:@/?-]*(?:\{\{[^{}]*\}\}[\w.~!$&'()*+,;=:@/?-]*)*$/

function addressCode(request: Request): Printable {
  const { target } = request.line
  const shouldEncode = isEncoded(request)
  const plain = isLiteral(target) && shouldEncode ? plainAddress(templateText(target)) : undefined
  if (plain !== undefined) return plain
  const [beginning, path] = beginningAndPath(target)
  if (shouldEncode && beginning !== undefined && plainPath.test(templateText(path))) {
    return new Code(`address(${beginning}, ${templateCode(path).text})`)
  }
  const places = targetPlaces(target)
  // Next to a path, it names the server.
  const host = templateText(target).startsWith('/') ? headerOf(request, 'host') : undefined
  const others =
    host === undefined ? (shouldEncode ? '' : ", '', false") : `, '', ${shouldEncode}, ${templateCode(host).text}`
  const value = code(target, (expression, _before, index) => {
    const place = places?.[index]
    return place === undefined ? `v(${quoted(expression)})` : `inHost(${quoted(expression)}, '${place}')`
  })
  return new Code(`address(${value.text}${others})`)
}

function isGraphql({ line }: Request): boolean {
  return line.method === 'GRAPHQL'
}

function headerOf({ headers }: Request, wanted: string): Template | undefined {
  return headers.find(({ name }) => templateText(name).toLowerCase() === wanted)?.value
}

const plainValue = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/

function headersCode(request: Request): Code {
  const fields = request.headers.flatMap(({ name, value }) => {
    const field = templateText(name)
    // k6 computes it.
    if (/^content-length$/i.test(field)) return []
    return `${propertyName(ownSpelling(field))}: ${fieldCode(field, value)}`
  })
  if (isGraphql(request) && headerOf(request, 'content-type') === undefined) {
    fields.push("'Content-Type': 'application/json'")
  }
  return new Code(fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`)
}

/** The runtime reads and adds these. */
function ownSpelling(field: string): string {
  const known = ['Accept', 'Accept-Encoding', 'Content-Type', 'Cookie', 'Host']
  return known.find((name) => name.toLowerCase() === field.toLowerCase()) ?? field
}

function fieldCode(name: string, value: Template): string {
  const text = templateText(value)
  // Anything else could be a short form, which is encoded or refused.
  if (/^authorization$/i.test(name) && !/^(?!(?:basic|aws|cognito|ntlm|openid|oauth2)\b)[\w-]+[ \t]+\S/i.test(text))
    return `authorization(${quoted(text)})`
  if (isLiteral(value) && plainValue.test(text)) return quoted(text)
  // Values are checked as they are read.
  const typed = value.parts.map((part) => (part.type === 'text' ? part.text : 'v')).join('')
  return `field(${templateCode(value).text}${plainValue.test(typed) ? '' : ', true'})`
}

/** Methods that announce a length of 0 if they have no body (RFC 9110 section 8.6). */
const bodyMethods: readonly string[] = ['POST', 'PUT', 'PATCH']

function bodyMembers(request: Request, method: string): { readonly [name: string]: Printable } {
  const isEmpty = request.body.length === 0 && !isGraphql(request)
  if (isEmpty) return bodyMethods.includes(method) ? { body: new Code('new ArrayBuffer(0)') } : {}
  const body = bodyCode(request)
  if (body !== undefined) return { body }
  return {
    contents: contentsOf(request),
    ...(isGraphql(request) ? { isGraphql: true } : {}),
    ...(isEncoded(request) ? {} : { keepsForm: true }),
  }
}

/** Undefined if the body depends on more than the texts of variables. */
function bodyCode(request: Request): Printable {
  const { body } = request
  const [first] = body
  const type = templateText(headerOf(request, 'content-type') ?? { parts: [] })
  const boundary = boundaryOf(type) ?? ''
  const isFixed = !type.includes('{{') && isUtf8(type) && (!isMultipart(type) || boundary !== '')
  if (first === undefined || !isFixed || body.some(isFileText)) return undefined
  if (isMultipart(type) && (body.length > 1 || first.kind === 'body-text')) return multipartCode(body, boundary)
  if (first.kind === 'body-file' && body.length === 1 && !isGraphql(request)) return fileCode(first)
  const [template, ...others] = joinedBody(body)
  if (template === undefined || !('parts' in template) || others.length > 0) return undefined
  if (isGraphql(request)) return graphqlCode(template)
  const form = formOf(request)
  if (form === 'json') return jsonCode(template)
  if (form !== 'urlencoded') return templateCode(template)
  const text = templateText(template)
  return isLiteral(template) ? encodeForm([{ text, isValue: false }]) : new Code(`form(${quoted(text)})`)
}

function contentsOf({ body }: Request): readonly Printable[] {
  return joinedBody(body).map((part) => {
    if ('parts' in part) return templateText(part)
    return isFileText(part) ? { template: templateText(part.template) } : fileCode(part)
  })
}

function fileCode({ path }: BodyFileNode): Code {
  return new Code(`files[${quoted(templateText(path))}]`)
}

function isEncoded({ tags }: Request): boolean {
  return !tags.some((tag) => tag.name === 'no-auto-encoding')
}

/** How values become part of the body. */
function formOf(request: Request): 'json' | 'urlencoded' | undefined {
  const [name = ''] = templateText(headerOf(request, 'content-type') ?? { parts: [] }).split(';')
  if (/[/+]json$/i.test(name.trim())) return 'json'
  return isEncoded(request) && /^application\/x-www-form-urlencoded$/i.test(name.trim()) ? 'urlencoded' : undefined
}

/** The assertions and the captures, as functions of the response. */
function checksCode(request: Request, name: string, isKept: boolean): readonly string[] {
  const kept = keptChecks(request)
  const captures = [
    ...(isKept ? [`    keep(r, ${quoted(request.name)})`] : []),
    ...kept.flatMap((check) => ('name' in check ? `    capture(${quoted(check.name)}, ${captureCode(check)})` : [])),
  ]
  const assertions = kept.flatMap((check) =>
    'name' in check ? [] : [[`${shown(name)} > ${shown(check.text)}`, assertionCode(check)] as const],
  )
  const none = captures.length === 0 ? [] : ['undefined']
  return [
    ...(assertions.length === 0 ? none : [printed(Object.fromEntries(assertions), INDENT)]),
    ...(captures.length === 0 ? [] : [['(r) => {', ...captures, '  }'].join('\n')]),
  ]
}

function captureCode(check: Capture): string {
  const decided = `decide(r, ${quoted(check.text)})`
  const sure = sureCheck(check)
  return sure === undefined ? decided : `${sure.text} ?? ${decided}`
}

function assertionCode(check: Assertion): Code {
  const decided = `decide(r, ${quoted(check.text)})`
  const sure = sureCheck(check)
  return new Code(`(r) => ${sure === undefined ? '' : `${sure.text} || `}${decided}`)
}

/** Shown as in the name of a check: `::` separates groups in k6. */
function shown(text: string): string {
  return text.replaceAll('::', ': :')
}

function withoutPositions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPositions)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => name !== 'span' && name !== 'argumentSpan')
  return Object.fromEntries(members.map(([name, member]) => [name, withoutPositions(member)]))
}
