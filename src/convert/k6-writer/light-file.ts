/**
 * Decides whether the light runtime (src/runner/load/light) can send a request file.
 *
 * Rules: the light runtime supports plain names and dynamic values. If a file uses anything else, the full runtime
 * sends the whole file, so that the two never share state. That includes braces in values that the light runtime would
 * split differently.
 */
import {
  isLiteral,
  type JsonValue,
  parseTemplate,
  type Request,
  type Template,
  templateText,
} from '../../http-file/index.ts'
import { isToken } from '../../message/index.ts'
import { isFileText } from './fixed-parts.ts'
import type { LightSection } from './light-code.ts'
import { isUtf8 } from './multipart-code.ts'
import { keptChecks, sentTags } from './request-losses.ts'

export interface LightFacts {
  /** Values of the environment. */
  readonly values: ReadonlyMap<string, JsonValue>
  /** Names that have a value, from the environment or earlier in the file. */
  readonly names: ReadonlySet<string>
  readonly scripts: ScriptFacts
  /** Those among them that can only be texts, because only the user of the script sets them. */
  readonly unset: ReadonlySet<string>
  /** Requests by their names. */
  readonly requests: ReadonlyMap<string, readonly Request[]>
  /** Names of requests whose responses are kept. */
  readonly referenced: ReadonlySet<string>
}

/** What the scripts do, found once for all requests. */
export interface ScriptFacts {
  /** Whether the light runtime has all that they name. */
  readonly areLight: boolean
  /** Whether one may use its request. */
  readonly usesRequest: boolean
  /** Whether one sets a variable whose name is not typed. */
  readonly setsAnyName: boolean
}

/** Whether the light runtime can send everything in the file. */
export function isLightFile(sections: readonly LightSection[], facts: LightFacts): boolean {
  return (
    facts.scripts.areLight &&
    areLightValues(facts.values) &&
    sections.every((section) => isLightSection(section, facts))
  )
}

/** The request as written and as sent, but not its variables. */
const requestNames: readonly RegExp[] = [
  /(?<!\bvariables\s*\.\s*)\brequest\s*(?:\?\.|\[|\.\s*(?!(?:variables|environment)\b)[\w$])/,
  /[=(,:?&|[{]\s*request\s*(?:[;,)\]}]|\n|$)|\breturn\s+request\b/,
]

/** Names of scripts that the light runtime does not have. */
const heavyNames: readonly RegExp[] = [
  /\btemplateValue\b/,
  // Headers of later requests.
  /\bheaders\s*(?:\?\.|\.)\s*(?:set|clear)\b|\bglobal\s*\[|\{[^}]*\bheaders\b[^}]*\}\s*=/,
  /\$(?:auth|env|exampleServer|historyFolder|placeholder|projectRoot)\b/,
  /\$random\b(?!\s*\.\s*(?:uuid|integer|float|alphabetic|alphanumeric|hexadecimal|email)\b)/,
]

/** A call that sets a variable whose name is computed. */
const computedName = /\.set\(\s*[^"'`\s]/

/** @param code of all scripts */
export function scriptFacts(code: string): ScriptFacts {
  return {
    areLight: !heavyNames.some((name) => name.test(code)),
    usesRequest: requestNames.some((name) => name.test(code)),
    setsAnyName: computedName.test(code),
  }
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
    if (!isSplit(value) || !isLightTemplate(value, facts) || templateText(value).includes('$auth.')) return false
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
    /^[A-Z][A-Z_-]*$/.test(line.method ?? 'GET') &&
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
  return name !== 'retry'
}

/** Tags with which `run` refuses to send a request. */
const refusedTags: ReadonlySet<string> = new Set(['loop', 'disabled', 'if', 'if-not', 'stdin-cmd-pre'])

/** The first such tag. */
export function refusedTag(request: Request): string | undefined {
  const names = sentTags(request).map((text) => text.split(' ')[0] as string)
  return names.find((name) => refusedTags.has(name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)))
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
      // Without a body, any other length is an error.
      if (name === 'content-length') return body.length > 0 ? /^\d+$/.test(text) : text === '0'
      if (name === 'host') return isLightHost(text, templateText(line.target))
      return name !== 'authorization' || !isDigest(text, facts)
    })
  )
}

/** Next to a path, Host names the server; its variables are read twice. */
function isLightHost(host: string, target: string): boolean {
  return target.startsWith('/') ? !host.includes('{{$') : /^[\w.:-]+$/.test(host) && /^https?:\/\/./.test(target)
}

/** Judged by the environment at export; the light runtime reports credentials for Digest that come up later. */
function isDigest(credentials: string, { values }: LightFacts): boolean {
  const known = credentials.replace(/^\{\{([^{}]+)\}\}/, (_, name: string) => String(values.get(name.trim()) ?? ''))
  return /^digest\b/i.test(known)
}

export function isMultipart(contentType: string): boolean {
  return /^\s*multipart\//i.test(contentType)
}

function isLightBody(request: Request, facts: LightFacts): boolean {
  const { line, body, headers } = request
  const type = headers.find(({ name }) => /^content-type$/i.test(templateText(name)))
  // GraphQL with a field that names no media type would be sent beside the added field.
  const isNamed = line.method !== 'GRAPHQL' || type === undefined || /^\s*[\w-]/.test(templateText(type.value))
  const isKept = !facts.scripts.usesRequest || isTextKept(request)
  return isNamed && isKept && body.every((part) => isLightPart(part, facts))
}

function isLightPart(part: Request['body'][number], facts: LightFacts): boolean {
  if (part.kind === 'body-text' || isFileText(part)) return isLightTemplate(part.template, facts)
  return !part.substitutes && isLiteral(part.path)
}

function isLightTemplate(template: Template, facts: LightFacts): boolean {
  return template.parts.every((part) => part.type === 'text' || isLightExpression(part.expression, facts))
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
  const texts = body.flatMap((part) => ('template' in part ? (part.template as Template) : []))
  const templates = [line.target, ...headers.map(({ value }) => value), ...texts]
  const expressions = templates.flatMap(({ parts }) =>
    parts.map((part) => (part.type === 'text' ? '' : part.expression)),
  )
  return [...new Set(expressions)].flatMap((expression) => {
    const [, name, id] = tokenCall.exec(expression) ?? []
    return id === undefined ? [] : [[name === 'token' ? 'access' : 'id', id] as const]
  })
}

/** A part of an earlier request or response: `login.response.body.$.token`. A run of such characters is read once. */
const reference = /(?<![\w-])-*(\w[\w-]*)\.(request|response)\.(body|headers)(?:\.([^{}]*))?/

/** The requests whose responses the text refers to. @param names of requests */
export function referencedNames(text: string, names: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  const found = text.matchAll(new RegExp(reference, 'g'))
  return new Set([...found].flatMap(([, name = '']) => (names.has(name) ? name : [])))
}

function isLightExpression(expression: string, facts: LightFacts): boolean {
  const { names, requests, referenced } = facts
  if (names.has(expression) || isNeverDefined(expression, facts)) return true
  // Another `$` begins a path.
  if (/^\$[A-Za-z]/.test(expression)) return !expression.startsWith('$auth.') || tokenCall.test(expression)
  const [, name = '', side, part, path = ''] = reference.exec(expression) ?? []
  // Only the whole runtime knows about documents.
  if (!referenced.has(name) || !expression.startsWith(`${name}.`) || /^(?:\/|asXml\.)/.test(path)) return false
  return side === 'response' || (requests.get(name) ?? []).every((request) => isKeptPart(request, part, path))
}

/** Whether the light runtime has this part of the request as `run` sends it. */
function isKeptPart(request: Request, part: string | undefined, path: string): boolean {
  if (part === 'headers')
    return request.headers.some(({ name }) => templateText(name).toLowerCase() === path.toLowerCase())
  return isTextKept(request) && request.body.every(({ kind }) => kind === 'body-text')
}

/** Whether the body is sent as text: in another charset, only its bytes are known. */
function isTextKept({ headers }: Request): boolean {
  const type = headers.find(({ name }) => /^content-type$/i.test(templateText(name)))
  const text = type === undefined ? '' : templateText(type.value)
  return !text.includes('{{') && isUtf8(text)
}

/** Whether the expression has no value in `run` either, such as a path into a text, or code. */
function isNeverDefined(expression: string, { names, unset, requests, scripts }: LightFacts): boolean {
  if (/^[$[]/.test(expression) || scripts.setsAnyName) return false
  const [, request = ''] = /^([\w-]+)\.(?:request|response)\.(?:body|headers)(?![\w-])/.exec(expression) ?? []
  const [root] = /^[\p{L}_][\p{L}\p{N}_-]*/u.exec(expression) ?? []
  return !requests.has(request) && (root === undefined || !names.has(root) || unset.has(root))
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
