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
  type Section,
  type Template,
  templateText,
} from '../../http-file/index.ts'
import { isToken } from '../../message/index.ts'
import { graphqlCode } from './graphql-code.ts'
import { isUtf8, multipartCode } from './multipart-code.ts'
import { keptChecks } from './request-losses.ts'
import { joinedText } from './template-code.ts'

export interface LightFacts {
  /** Values of the environment. */
  readonly values: ReadonlyMap<string, JsonValue>
  /** Names that have a value, from the environment or earlier in the file. */
  readonly names: ReadonlySet<string>
  /** The code of all scripts. */
  readonly scripts: string
}

/** Whether the light runtime can send everything in the file. */
export function isLightFile(sections: readonly Section[], facts: LightFacts): boolean {
  const dynamicNames = new Set<string>()
  return (
    isLightScript(facts.scripts) &&
    areLightValues(facts.values) &&
    sections.every((section) => isLightSection(section, facts, dynamicNames))
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
    return !value.includes('{{$') && isSplit(parseTemplate(value))
  })
}

/** @param dynamicNames in-place variables with a dynamic value; the section adds its own */
function isLightSection(
  { variables, directives, request, parts }: Section,
  facts: LightFacts,
  dynamicNames: Set<string>,
): boolean {
  for (const { name, value } of variables) {
    if (!isLightTemplate(value, facts)) return false
    const isDynamic = templateText(value).includes('{{$')
    // Only the dynamic parts of a value are evaluated once.
    if (isDynamic && value.parts.some((part) => part.type === 'variable' && !part.expression.startsWith('$'))) {
      return false
    }
    if (isDynamic) dynamicNames.add(name)
  }
  if (directives.length > 0) return false
  // httpYac's assertions may be false without a failure.
  const isForeign = parts.some(({ kind, text }) => kind === 'tag' && text.trimStart().startsWith('??'))
  return request === undefined || (!isForeign && isLightRequest(request, facts, dynamicNames))
}

const lightTags: ReadonlySet<string> = new Set([
  ...['name', 'tag', 'tags', 'k6', 'assert', 'capture', 'no-log', 'note'],
  ...['no-redirect', 'no-cookie-jar', 'no-auto-encoding', 'timeout', 'connection-timeout'],
])

function isLightRequest(request: Request, facts: LightFacts, dynamicNames: ReadonlySet<string>): boolean {
  const { line, headers, messages, tags } = request
  return (
    /^[A-Z]+$/.test(line.method ?? 'GET') &&
    line.method !== 'WEBSOCKET' &&
    messages.length === 0 &&
    tags.every(({ name, value }) => lightTags.has(name) && (name !== 'timeout' || durationMs(value) !== undefined)) &&
    isLightTemplate(line.target, facts) &&
    hasPlainAuthority(line.target) &&
    areLightHeaders(headers, facts) &&
    isLightBody(request, { facts, dynamicNames }) &&
    areDistinct(request) &&
    keptChecks(request).every((check) => templatesIn(check).every((template) => isLightTemplate(template, facts)))
  )
}

/** Whether no two checks have the same name in k6. */
function areDistinct(request: Request): boolean {
  const texts = keptChecks(request).map(({ text }) => text)
  return new Set(texts).size === texts.length
}

/** Whether no variable is next to literal text in the authority, so that its value needs no check. */
function hasPlainAuthority({ parts }: Template): boolean {
  const [first, second] = parts
  if (first?.type === 'text') {
    if (/^https?:\/\/[^/?#@\s]+(?:[/?]|$)/i.test(first.text))
      return first.text.search(/[^:/][/?]/) !== -1 || second === undefined
    return /^https?:\/\/$/i.test(first.text) && endsAuthority(parts[2])
  }
  return first !== undefined && endsAuthority(second)
}

function endsAuthority(part: Template['parts'][number] | undefined): boolean {
  return part === undefined || (part.type === 'text' && /^[/?]/.test(part.text))
}

/** Fields that have a special meaning in the full runtime. */
const heavyFields: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'transfer-encoding', 'connection', 'upgrade', 'te', 'trailer', 'expect'],
  ...['x-request-type', 'proxy-authorization', 'keep-alive', 'set-cookie'],
])

function areLightHeaders(headers: Request['headers'], facts: LightFacts): boolean {
  const names = headers.map(({ name }) => templateText(name).toLowerCase())
  return (
    new Set(names).size === names.length &&
    headers.every(({ value }, index) => {
      const name = names[index] as string
      if (!isToken(name) || heavyFields.has(name) || !isLightTemplate(value, facts)) return false
      const text = templateText(value)
      if (name === 'content-type') return !text.includes('{{') && isLightType(text)
      // Anything else could become a short form of Basic or Digest, with user and password in one variable.
      return name !== 'authorization' || /^(?!digest\b)[\w-]+[ \t]+\S/i.test(text)
    })
  )
}

function isLightType(contentType: string): boolean {
  return isUtf8(contentType) && (!isMultipart(contentType) || (boundaryOf(contentType) ?? '') !== '')
}

export function isMultipart(contentType: string): boolean {
  return /^\s*multipart\//i.test(contentType)
}

interface BodyFacts {
  readonly facts: LightFacts
  readonly dynamicNames: ReadonlySet<string>
}

function isLightBody({ line, body, headers }: Request, { facts }: BodyFacts): boolean {
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

function isLightTemplate(template: Template, { names }: LightFacts): boolean {
  return (
    isSplit(template) &&
    template.parts.every((part) => part.type === 'text' || isLightExpression(part.expression, names))
  )
}

/** Whether the light runtime, which splits at "{{" and the next "}}", finds the same variables. */
function isSplit({ parts }: Template): boolean {
  return parts.every((part, index) => {
    return part.type !== 'text' || !(part.text.includes('{{') || (part.text.endsWith('{') && index < parts.length - 1))
  })
}

const lightDynamic =
  /^\$(?:uuid|guid|timestamp|isoTimestamp|randomInt|random\.(?:uuid|integer|float|alphabetic|alphanumeric|hexadecimal|email))(?:\([\d ,.-]*\))?$/

function isLightExpression(expression: string, names: ReadonlySet<string>): boolean {
  if (/^[A-Za-z_][\w-]*$/.test(expression)) return names.has(expression)
  return lightDynamic.test(expression)
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
