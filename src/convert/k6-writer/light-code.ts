/**
 * The requests of a file as code of a light load test: as an engineer would write it for k6, with the functions of
 * src/runner/load/light/light-user.ts.
 *
 * Rules: everything that does not depend on variables is a constant. Assertions are named as in reports, because k6
 * shows that name.
 */
import {
  boundaryOf,
  encodeForm,
  isLiteral,
  type Request,
  type Section,
  type Template,
  templateText,
} from '../../http-file/index.ts'
import { Code, type Printable, printed, propertyName, quoted } from './code-text.ts'
import { graphqlCode } from './graphql-code.ts'
import { durationMs, isMultipart } from './light-file.ts'
import { multipartCode } from './multipart-code.ts'
import { keptChecks } from './request-losses.ts'
import { readsBody, sureCheck } from './sure-check.ts'
import { joinedText, jsonCode, templateCode } from './template-code.ts'

export interface LightCode {
  /** The statements of an iteration. */
  readonly statements: readonly string[]
  /** Names of the functions of the runtime that they use. */
  readonly functions: readonly string[]
  /** The parsed checks, by the text that reports show. */
  readonly checks: Printable
}

const runtimeFunctions: readonly string[] = [
  ...['address', 'basic', 'capture', 'define', 'field', 'form', 'graphqlVariables', 'json', 'multipart'],
  ...['partName', 'partValue', 'send', 'sendWithScripts', 'v'],
]
const INDENT = '  '

/** A section that can be converted, and the scripts of its request as functions. */
export interface LightSection extends Section {
  readonly before: Printable
  readonly after: Printable
}

export function lightCode(sections: readonly LightSection[]): LightCode {
  const statements = sections.map(sectionStatements)
  const text = statements.join('\n')
  const checks = sections.flatMap(({ request }) => (request === undefined ? [] : keptChecks(request)))
  return {
    statements,
    functions: runtimeFunctions.filter((name) => new RegExp(`(?<![\\w.'])${name}\\(`).test(text)),
    checks: Object.fromEntries(checks.map((check) => [shown(check.text), withoutPositions(check) as Printable])),
  }
}

function sectionStatements({ variables, request, separator, before, after }: LightSection): string {
  const defined = variables.map(({ name, value }) => `  define(${quoted(name)}, ${quoted(templateText(value))})`)
  if (request === undefined) return defined.join('\n')
  const name = request.name || separator?.name || `${request.line.method ?? 'GET'} ${templateText(request.line.target)}`
  const build = `() => (${printed(requestMembers(request, after !== undefined), INDENT)})`
  const checks = checksCode(request, name)
  const hasScripts = before !== undefined || after !== undefined
  const scripts = hasScripts ? [printed({ before, after }, INDENT)] : []
  const args = [String(request.line.span.line), quoted(name), build, ...scripts, ...checks]
  return [...defined, `  ${hasScripts ? 'await sendWithScripts' : 'send'}(${args.join(', ')})`].join('\n')
}

function requestMembers(request: Request, hasHandler: boolean): { readonly [name: string]: Printable } {
  const { line, tags } = request
  const hasTag = (name: string): boolean => tags.some((tag) => tag.name === name)
  const method = line.method === 'GRAPHQL' ? 'POST' : (line.method ?? 'GET')
  const limit = tags.findLast(({ name }) => name === 'timeout')?.value
  const target = templateCode(line.target).text
  return {
    ...(method === 'GET' ? {} : { method }),
    url: new Code(`address(${target}${hasTag('no-auto-encoding') ? ', false' : ''})`),
    headers: headersCode(request),
    ...bodyMembers(request, method),
    ...(hasHandler || keptChecks(request).some(readsBody) ? { responseType: 'binary' } : {}),
    ...(limit === undefined ? {} : { timeout: durationMs(limit) as number }),
    ...(hasTag('no-redirect') ? { allowsRedirects: false } : {}),
    ...(hasTag('no-cookie-jar') ? { hasCookieJar: false } : {}),
    ...(headerOf(request, 'cookie') === undefined ? {} : { hasCookieField: true }),
  }
}

function isGraphql({ line }: Request): boolean {
  return line.method === 'GRAPHQL'
}

function headerOf({ headers }: Request, wanted: string): Template | undefined {
  return headers.find(({ name }) => templateText(name).toLowerCase() === wanted)?.value
}

const plainValue = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/

function headersCode(request: Request): Code {
  const hasField = (name: string): boolean => headerOf(request, name) !== undefined
  const fields = request.headers.map(({ name, value }) => {
    const field = templateText(name)
    return `${propertyName(field)}: ${fieldCode(field, value)}`
  })
  if (isGraphql(request) && !hasField('content-type')) fields.push("'Content-Type': 'application/json'")
  if (!hasField('accept') && !hasField('accept-encoding')) fields.push('...accept')
  else if (!hasField('accept')) fields.push('Accept: accept.Accept')
  else if (!hasField('accept-encoding')) fields.push("'Accept-Encoding': accept['Accept-Encoding']")
  return new Code(`{ ${fields.join(', ')} }`)
}

function fieldCode(name: string, value: Template): string {
  const text = templateText(value)
  if (/^authorization$/i.test(name) && /^basic/i.test(text)) return `basic(${quoted(text)})`
  return isLiteral(value) && plainValue.test(text) ? quoted(text) : `field(${templateCode(value).text})`
}

/** Methods that announce a length of 0 if they have no body (RFC 9110 section 8.6). */
const bodyMethods: readonly string[] = ['POST', 'PUT', 'PATCH']

function bodyMembers(request: Request, method: string): { readonly [name: string]: Printable } {
  const [first] = request.body
  if (first === undefined) return bodyMethods.includes(method) ? { body: new Code('new ArrayBuffer(0)') } : {}
  const type = templateText(headerOf(request, 'content-type') ?? { parts: [] })
  if (isMultipart(type) && (request.body.length > 1 || first.kind === 'body-text')) {
    return { body: multipartCode(request.body, boundaryOf(type) ?? '') }
  }
  if (first.kind === 'body-file') return { body: new Code(`files[${quoted(templateText(first.path))}]`) }
  const template = joinedText(request.body)
  if (isGraphql(request)) return { body: graphqlCode(template) }
  const form = formOf(request)
  if (form === 'json') return { body: jsonCode(template) }
  if (form !== 'urlencoded') return { body: templateCode(template) }
  const text = templateText(template)
  return { body: isLiteral(template) ? encodeForm([{ text, isValue: false }]) : new Code(`form(${quoted(text)})`) }
}

/** How values become part of the body. */
function formOf(request: Request): 'json' | 'urlencoded' | undefined {
  const [name = ''] = templateText(headerOf(request, 'content-type') ?? { parts: [] }).split(';')
  if (/[/+]json$/i.test(name.trim())) return 'json'
  const isEncoded = !request.tags.some((tag) => tag.name === 'no-auto-encoding')
  return isEncoded && /^application\/x-www-form-urlencoded$/i.test(name.trim()) ? 'urlencoded' : undefined
}

/** The checks, as a function of the response. */
function checksCode(request: Request, name: string): readonly string[] {
  const kept = keptChecks(request)
  if (kept.length === 0) return []
  const captures = kept.flatMap((check) =>
    'name' in check ? `    capture(r, ${quoted(check.text)}, ${sureCheck(check)?.text ?? 'undefined'})` : [],
  )
  const results = kept.flatMap((check) =>
    'name' in check
      ? []
      : [[`${shown(name)} > ${shown(check.text)}`, sureCheck(check) ?? new Code('undecided')] as const],
  )
  const object = printed(Object.fromEntries(results), captures.length === 0 ? INDENT : '    ')
  if (captures.length === 0) return [`(r) => (${object})`]
  return [['(r) => {', ...captures, ...(results.length === 0 ? [] : [`    return ${object}`]), '  }'].join('\n')]
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
