/**
 * Decides whether the light runtime (src/runner/load/light) can send a request file.
 *
 * Rules: the light runtime supports plain names, dynamic values, and bodies that are one text, one file, GraphQL or
 * multipart. If a file uses anything else, the full runtime sends the whole file, so that the two never share state.
 * That includes braces that the light runtime would split differently.
 */
import {
  boundaryOf,
  type JsonValue,
  parseTemplate,
  type Request,
  type Template,
  templateText,
} from '../../http-file/index.ts'
import { isToken } from '../../message/index.ts'
import { graphqlCode } from './graphql-code.ts'
import type { LightSection } from './light-code.ts'
import { isUtf8, multipartCode } from './multipart-code.ts'
import { keptChecks, sentTags } from './request-losses.ts'
import { joinedText } from './template-code.ts'

export interface LightFacts {
  /** Values of the environment. */
  readonly values: ReadonlyMap<string, JsonValue>
  /** Names that have a value, from the environment or earlier in the file. */
  readonly names: ReadonlySet<string>
  /** The code of all scripts. */
  readonly scripts: string
  /** Names of requests whose responses are kept. */
  readonly referenced: ReadonlySet<string>
}

/** Whether the light runtime can send everything in the file. */
export function isLightFile(sections: readonly LightSection[], facts: LightFacts): boolean {
  return (
    isLightScript(facts.scripts) &&
    areLightValues(facts.values) &&
    sections.every((section) => isLightSection(section, facts))
  )
}

/** Names of scripts that the light runtime does not have. */
const heavyNames: readonly RegExp[] = [
  // The request as written and as sent, but not its variables.
  /(?<!\bvariables\s*\.\s*)\brequest\s*(?:\?\.|\[|\.\s*(?!(?:variables|environment)\b)[\w$])/,
  /[=(,:?&|[{]\s*request\s*(?:[;,)\]}]|\n|$)|\breturn\s+request\b/,
  // Headers of later requests.
  /\bheaders\s*(?:\?\.|\.)\s*(?:set|clear)\b|\bglobal\s*\[|\{[^}]*\bheaders\b[^}]*\}\s*=/,
  /\$(?!(?:uuid|timestamp|isoTimestamp|randomInt|random\s*\.\s*(?:uuid|integer|float|alphabetic|alphanumeric|hexadecimal|email))\b|\{)[A-Za-z]/,
]

function isLightScript(code: string): boolean {
  return !heavyNames.some((name) => name.test(code))
}

const unitsMs: Readonly<Record<string, number>> = { '': 1000, ms: 1, s: 1000, m: 60_000, min: 60_000 }

/** The most common forms of `@timeout`; undefined for others. */
export function durationMs(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9})[ \t]*([a-z]*)$/.exec(text.trim()) ?? []
  return count === undefined || !Object.hasOwn(unitsMs, unit) ? undefined : Number(count) * (unitsMs[unit] as number)
}

function areLightValues(values: ReadonlyMap<string, JsonValue>): boolean {
  return [...values.values()].every((value) => {
    if (typeof value !== 'string') return !JSON.stringify(value).includes('{{')
    return !value.includes('{{$') && !reference.test(value) && isSplit(parseTemplate(value))
  })
}

function isLightSection({ variables, directives, request, before }: LightSection, facts: LightFacts): boolean {
  for (const { value } of variables) {
    // Tokens are fetched for the requests that name them.
    if (!isLightTemplate(value, facts) || templateText(value).includes('$auth.')) return false
    const isDynamic = templateText(value).includes('{{$')
    // Only the dynamic parts of a value are evaluated once.
    if (isDynamic && value.parts.some((part) => part.type === 'variable' && !part.expression.startsWith('$'))) {
      return false
    }
  }
  if (directives.length > 0) return false
  // A token is fetched only if the scripts before the request have passed.
  if (before !== undefined && request !== undefined && tokensOf(request).length > 0) return false
  return request === undefined || isLightRequest(request, facts)
}

function isLightRequest(request: Request, facts: LightFacts): boolean {
  const { line, messages } = request
  return (
    /^[A-Z]+$/.test(line.method ?? 'GET') &&
    line.method !== 'WEBSOCKET' &&
    messages.length === 0 &&
    sentTags(request).every(isLightTag) &&
    isLightTemplate(line.target, facts) &&
    areLightHeaders(request, facts) &&
    isLightBody(request, facts) &&
    areDistinct(request) &&
    keptChecks(request).every((check) =>
      templatesIn(check).every(
        (template) => isLightTemplate(template, facts) && !templateText(template).includes('$auth.'),
      ),
    )
  )
}

/** Tags that the light runtime has no equivalent for. */
function isLightTag(text: string): boolean {
  const [name = '', ...words] = text.split(' ')
  if (name === 'timeout') return durationMs(words.join(' ')) !== undefined
  return name === 'no-redirect' || name === 'no-cookie-jar' || name === 'no-auto-encoding'
}

/** Whether no two checks have the same name in k6. */
function areDistinct(request: Request): boolean {
  const texts = keptChecks(request).map(({ text }) => text)
  return new Set(texts).size === texts.length
}

/** Fields that have a special meaning in the full runtime. */
const heavyFields: ReadonlySet<string> = new Set([
  ...['transfer-encoding', 'upgrade', 'te', 'trailer', 'x-request-type', 'proxy-authorization'],
])

function areLightHeaders({ line, headers, body }: Request, facts: LightFacts): boolean {
  const names = headers.map(({ name }) => templateText(name).toLowerCase())
  return (
    new Set(names).size === names.length &&
    headers.every(({ value }, index) => {
      const name = names[index] as string
      if (!isToken(name) || heavyFields.has(name) || !isLightTemplate(value, facts)) return false
      const text = templateText(value)
      if (name === 'content-type') return !text.includes('{{') && isLightType(text)
      // Without a body, any other length is an error.
      if (name === 'content-length') return body.length > 0 ? /^\d+$/.test(text) : text === '0'
      // Next to a path, it names the server.
      if (name === 'host') return /^[\w.:-]+$/.test(text) && /^https?:\/\/./.test(templateText(line.target))
      return name !== 'authorization' || !isDigest(text, facts)
    })
  )
}

/** Judged by the environment at export; the light runtime reports credentials for Digest that come up later. */
function isDigest(credentials: string, { values }: LightFacts): boolean {
  const known = credentials.replace(/^\{\{([^{}]+)\}\}/, (_, name: string) => String(values.get(name.trim()) ?? ''))
  return /^digest\b/i.test(known)
}

function isLightType(contentType: string): boolean {
  return isUtf8(contentType) && (!isMultipart(contentType) || (boundaryOf(contentType) ?? '') !== '')
}

export function isMultipart(contentType: string): boolean {
  return /^\s*multipart\//i.test(contentType)
}

function isLightBody({ line, body, headers }: Request, facts: LightFacts): boolean {
  const [first] = body
  const isGraphql = line.method === 'GRAPHQL'
  if (first === undefined) return !isGraphql
  const type = headers.find(({ name }) => /^content-type$/i.test(templateText(name)))
  const typeText = type === undefined ? '' : templateText(type.value)
  // k6 adds a default Content-Type if the request has none.
  if (!isLightType(typeText) || !body.every((part) => isLightPart(part, facts))) return false
  if (isGraphql) return !isMultipart(typeText) && isLightGraphql(body, type)
  if (body.length === 1 && first.kind === 'body-file') return true
  if (isMultipart(typeText)) return multipartCode(body, boundaryOf(typeText) ?? '') !== undefined
  return body.every(({ kind }) => kind === 'body-text')
}

function isLightPart(part: Request['body'][number], facts: LightFacts): boolean {
  if (part.kind === 'body-text') return isLightTemplate(part.template, facts)
  return !part.substitutes && part.path.parts.every(({ type }) => type === 'text')
}

/** @param type the Content-Type field; one that names no media type would be sent beside the added field */
function isLightGraphql(body: Request['body'], type: Request['headers'][number] | undefined): boolean {
  const isNamed = type === undefined || /^\s*[^\s;]/.test(templateText(type.value))
  return isNamed && body.every(({ kind }) => kind === 'body-text') && graphqlCode(joinedText(body)) !== undefined
}

function isLightTemplate(template: Template, facts: LightFacts): boolean {
  return (
    isSplit(template) &&
    template.parts.every((part) => part.type === 'text' || isLightExpression(part.expression, facts))
  )
}

/** Whether the light runtime, which splits at "{{" and the next "}}", finds the same variables. */
function isSplit({ parts }: Template): boolean {
  return parts.every((part, index) => {
    return part.type !== 'text' || !(part.text.includes('{{') || (part.text.endsWith('{') && index < parts.length - 1))
  })
}

/** A token, with its kind and its id. */
const tokenCall = /^\$auth\.(token|idToken)[ \t]*\([ \t]*["']([^"']*)["'][ \t]*\)$/

/** The tokens that a request needs, each once. */
export function tokensOf({ line, headers, body }: Request): readonly (readonly [kind: 'access' | 'id', id: string])[] {
  const templates = [line.target, ...headers.map(({ value }) => value), joinedText(body)]
  const expressions = templates.flatMap(({ parts }) =>
    parts.map((part) => (part.type === 'text' ? '' : part.expression)),
  )
  return [...new Set(expressions)].flatMap((expression) => {
    const [, name, id] = tokenCall.exec(expression) ?? []
    return id === undefined ? [] : [[name === 'token' ? 'access' : 'id', id] as const]
  })
}

/** A part of a response that came before: `login.response.body.$.token`. */
const reference = /\b([\w-]+)\.response\.(?:body|headers)(?:\.([^{}]*))?/

/** The requests whose responses the text refers to. @param names of requests */
export function referencedNames(text: string, names: readonly string[]): ReadonlySet<string> {
  const found = text.matchAll(new RegExp(reference, 'g'))
  return new Set([...found].flatMap(([, name = '']) => (name !== '' && names.includes(name) ? name : [])))
}

function isLightExpression(expression: string, { names, referenced }: LightFacts): boolean {
  if (names.has(expression)) return true
  // Another `$` begins a path.
  if (/^\$[A-Za-z]/.test(expression)) return !expression.startsWith('$auth.') || tokenCall.test(expression)
  const [, name = '', path = ''] = reference.exec(expression) ?? []
  // Only the whole runtime knows about documents.
  return referenced.has(name) && expression.startsWith(`${name}.`) && !/^(?:\/|asXml\.)/.test(path)
}

/** The templates of a check. */
function templatesIn(value: unknown): readonly Template[] {
  if (typeof value !== 'object' || value === null) return []
  if (isTemplate(value)) return [value]
  return Object.values(value).flatMap(templatesIn)
}

function isTemplate(value: object): value is Template {
  return 'parts' in value && Array.isArray(value.parts)
}
