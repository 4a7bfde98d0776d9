/**
 * Parses `_redirects`: one rule per line, as in Netlify.
 *
 * A line is `from [name=value ...] to [status[!]]`, and `#` begins a comment. Conditions that only a platform can
 * evaluate (Country, Language, Role, Cookie, Signed) are refused, because a rule without its condition would mean
 * something else. A rewrite to another origin is also refused, because it would be a proxy.
 */
import { Destination } from './destination.ts'
import type { LinearPattern } from './linear-pattern.ts'
import { parsePathPattern, placeholderName, splatName } from './path-pattern.ts'
import { linesOf, RulesMistake, type RulesMistakes, type RulesSource, type Token } from './rules-error.ts'

/** A required query parameter: a value, or a placeholder for any value. */
export interface QueryCondition {
  readonly name: string
  readonly value: { readonly literal: string } | { readonly placeholder: string }
}

export interface RedirectRule {
  readonly pattern: LinearPattern
  /** The rule applies only to requests to this host; undefined: to any host. */
  readonly from: { readonly scheme: string; readonly host: string } | undefined
  /** The query must consist of exactly these parameters; empty: any query. */
  readonly query: readonly QueryCondition[]
  readonly destination: Destination
  /** 200 and error statuses answer with a file, the others redirect. */
  readonly status: number
  /** Whether it applies even if a file is found. */
  readonly isForced: boolean
}

const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308]
const statuses: readonly number[] = [200, ...redirectStatuses, 404, 410]

/** Properties of a request that a platform knows and a file server does not, by lower-case name. */
const platformConditions: ReadonlySet<string> = new Set(['country', 'language', 'role', 'cookie', 'signed', 'sign'])

const form = 'Write a rule as: /from [name=value] /to [status], for example /old/* /new/:splat 301.'

/** Invalid rules are omitted and added to `mistakes`. */
export function parseRedirects(source: RulesSource, mistakes: RulesMistakes): readonly RedirectRule[] {
  const attempt: Attempt = (read) => mistakes.attempt(source, read)
  return linesOf(source.text)
    .filter(({ text }) => !text.startsWith('#'))
    .flatMap((line) => attempt(() => parseRule(line, attempt)) ?? [])
}

/** Returns the result of `read`, or undefined for a mistake, which is collected. */
type Attempt = <Result>(read: () => Result) => Result | undefined

function mistakeAt({ offset }: Token, message: string, hint: string = form): RulesMistake {
  return new RulesMistake(message, hint, () => offset)
}

/** Each part is read, so that all errors of a line are found. Undefined if the line has an error. */
function parseRule(line: Token, attempt: Attempt): RedirectRule | undefined {
  const [from = line, ...others] = tokensOf(line)
  const toIndex = others.findIndex(({ text }) => /^(?:\/|https?:)/i.test(text))
  const to = others[toIndex]
  if (to === undefined) throw mistakeAt(line, 'the rule has no destination: a path that begins with "/", or a URL')
  const { url, path } = splitFrom(from)
  const pattern = attempt(() => patternOf(from, path))
  const conditions = others.slice(0, toIndex).map((token) => attempt(() => conditionOf(token)))
  const query = conditions.filter((condition) => condition !== undefined)
  const [statusToken, ...unexpected] = others.slice(toIndex + 1)
  const status = attempt(() => statusOf(statusToken))
  for (const token of unexpected) attempt(() => refuseAfterStatus(token))
  // A placeholder may come from a condition that could not be read.
  if (query.length < conditions.length) return undefined
  const destination = attempt(() => destinationOf(to, path, query, status?.status))
  if (pattern === undefined || status === undefined || destination === undefined || unexpected.length > 0) {
    return undefined
  }
  return { pattern, from: url, query, destination, ...status }
}

function patternOf(from: Token, path: Token): LinearPattern {
  if (!path.text.startsWith('/')) {
    throw mistakeAt(from, `${JSON.stringify(from.text)} is not a path that begins with "/"`)
  }
  refusePlatformPath(path)
  const pattern = parsePathPattern(path.text, { isCaseInsensitive: false, isAsteriskLast: true })
  if ('message' in pattern) throw mistakeAt({ ...path, offset: path.offset + pattern.index }, pattern.message)
  return pattern
}

function refusePlatformPath(token: Token): void {
  if (token.text.startsWith('/.netlify/')) {
    throw mistakeAt(token, "paths below /.netlify/ belong to Netlify's platform: no file answers them")
  }
}

function refuseAfterStatus(token: Token): never {
  const [name = ''] = token.text.split('=')
  if (!platformConditions.has(name.toLowerCase())) {
    throw mistakeAt(token, `unexpected ${JSON.stringify(token.text)} after the status`)
  }
  const hint = 'Remove the rule, or start with --no-rules.'
  throw mistakeAt(token, `the condition ${name} cannot be evaluated by a file server`, hint)
}

/** `status`: undefined if it could not be read. */
function destinationOf(
  to: Token,
  path: Token,
  query: readonly QueryCondition[],
  status: number | undefined,
): Destination {
  refusePlatformPath(to)
  const destination = Destination.parse(to.text, namesIn(path.text, query))
  if (typeof destination === 'string') throw mistakeAt(to, destination)
  if (destination.origin === undefined || status === undefined || isRedirect(status)) return destination
  const hint = proxyHint(path.text, to.text)
  throw mistakeAt(to, `status ${status} with another origin would be a proxy`, hint)
}

function tokensOf({ text, offset }: Token): readonly Token[] {
  const tokens = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ text: word, offset: offset + index }))
  const comment = tokens.findIndex((token) => token.text.startsWith('#'))
  return comment < 0 ? tokens : tokens.slice(0, comment)
}

/** `http://host/path` applies to one host; everything else is a path. */
function splitFrom({ text, offset }: Token): { readonly url: RedirectRule['from']; readonly path: Token } {
  const [origin = '', scheme = '', host = ''] = /^(https?):\/\/([^/]+)/i.exec(text) ?? []
  if (origin === '') return { url: undefined, path: { text, offset } }
  const path = text.slice(origin.length)
  return {
    url: { scheme: scheme.toLowerCase(), host: host.toLowerCase() },
    path: { text: path === '' ? '/' : path, offset: offset + origin.length },
  }
}

/** Names and values are decoded, because they are compared with decoded ones. */
function conditionOf(token: Token): QueryCondition {
  const [parameter, ...others] = new URLSearchParams(token.text)
  if (parameter === undefined || others.length > 0 || token.text.indexOf('=') <= 0) {
    throw mistakeAt(token, `${JSON.stringify(token.text)} is not a query parameter: name=value`)
  }
  const [name, literal] = parameter
  const placeholder = placeholderName(token.text.slice(token.text.indexOf('=') + 1))
  return { name, value: placeholder === undefined ? { literal } : { placeholder } }
}

function statusOf(token: Token | undefined): Pick<RedirectRule, 'status' | 'isForced'> {
  if (token === undefined) return { status: 301, isForced: false }
  const [, digits = '', mark = ''] = /^(\d+)(!?)$/.exec(token.text) ?? []
  const status = statuses.find((known) => String(known) === digits)
  if (status !== undefined) return { status, isForced: mark === '!' }
  const [name = ''] = token.text.split('=')
  if (platformConditions.has(name.toLowerCase())) {
    throw mistakeAt(token, `the condition ${name} cannot be evaluated by a file server`)
  }
  throw mistakeAt(
    token,
    `${JSON.stringify(token.text)} is not a status of a rule: expected one of ${statuses.join(', ')}`,
  )
}

export function isRedirect(status: number): boolean {
  return redirectStatuses.includes(status)
}

function namesIn(path: string, query: readonly QueryCondition[]): ReadonlySet<string> {
  return new Set([
    ...path.split('/').flatMap((segment) => placeholderName(segment) ?? []),
    ...(path.endsWith('*') ? [splatName] : []),
    ...query.flatMap(({ value }) => ('placeholder' in value ? [value.placeholder] : [])),
  ])
}

/** The alternative to a rewrite to another origin. */
export function proxyHint(path: string, destination: string): string {
  const backend = equalBackend(path, destination) ?? '<prefix>=<url>'
  return `Forward the requests with --backend ${backend}, and remove the rule.`
}

/** The backend that gets the same requests as the destination of the rule; undefined if there is none. */
function equalBackend(path: string, destination: string): string | undefined {
  const [, prefix, rest] = /^((?:\/[^/:*=]+)*)(?:\/(:\w+[*+]?|\*+))?\/?$/.exec(path) ?? []
  const [, origin, base = '', filled] =
    /^(https?:\/\/[^/?#]+)((?:\/[^/:?#,]+)*)(?:\/(:\w+[*+]?)?)?$/i.exec(destination) ?? []
  if (prefix === undefined || origin === undefined || (rest === undefined) !== (filled === undefined)) return undefined
  if (base.endsWith(prefix)) return `${prefix || '/'}=${origin}${base.slice(0, base.length - prefix.length)}`
  return rest === undefined ? undefined : `${prefix}=${origin}${base},strip`
}
