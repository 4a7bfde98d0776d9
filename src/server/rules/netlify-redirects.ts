/**
 * `_redirects`: one rule a line, as Netlify reads it.
 *
 * A line is `from [name=value ...] to [status[!]]`, and `#` begins a comment. Conditions that only a platform can judge
 * (Country, Language, Role, Cookie, Signed) are refused, because a rule without its condition would be another rule; so is
 * a rewrite to another origin, which would be a proxy.
 */
import { Destination } from './destination.ts'
import type { LinearPattern } from './linear-pattern.ts'
import { parsePathPattern, placeholderName, splatName } from './path-pattern.ts'
import { linesOf, type RulesSource, rulesError, type Token } from './rules-error.ts'

/** A parameter of the query that a request must have: a value, or a placeholder for any. */
export interface QueryCondition {
  readonly name: string
  readonly value: { readonly literal: string } | { readonly placeholder: string }
}

export interface RedirectRule {
  readonly pattern: LinearPattern
  /** For requests to this host alone; undefined: to any. */
  readonly from: { readonly scheme: string; readonly host: string } | undefined
  /** The query must have exactly these; empty: any query will do. */
  readonly query: readonly QueryCondition[]
  readonly destination: Destination
  /** 200 and errors answer with a file, the others redirect. */
  readonly status: number
  /** Whether it counts also where a file is found. */
  readonly isForced: boolean
}

const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308]
const statuses: readonly number[] = [200, ...redirectStatuses, 404, 410]

/** What a platform knows of a request, and a file server does not. By lower-case name. */
const platformConditions: ReadonlySet<string> = new Set(['country', 'language', 'role', 'cookie', 'signed', 'sign'])

const form = 'Write a rule as: /from [name=value] /to [status], for example /old/* /new/:splat 301.'

/** Throws HttpcliError `rules-syntax`. */
export function parseRedirects(source: RulesSource): readonly RedirectRule[] {
  return linesOf(source.text)
    .filter(({ text }) => !text.startsWith('#'))
    .map((line) => parseRule(source, line))
}

function parseRule(source: RulesSource, line: Token): RedirectRule {
  const fail = ({ offset }: Token, message: string, hint: string = form) => rulesError(source, offset, message, hint)
  const tokens = tokensOf(line)
  const [from = line, ...others] = tokens
  const toIndex = others.findIndex(({ text }) => /^(?:\/|https?:)/i.test(text))
  const to = others[toIndex]
  if (to === undefined) throw fail(line, 'the rule has no destination: a path that begins with "/", or a URL')
  const { url, path } = splitFrom(from)
  if (!path.text.startsWith('/')) throw fail(from, `${JSON.stringify(from.text)} is not a path that begins with "/"`)
  for (const token of [path, to]) {
    if (token.text.startsWith('/.netlify/')) {
      throw fail(token, "paths below /.netlify/ belong to Netlify's platform: no file answers them")
    }
  }
  const pattern = parsePathPattern(path.text, { ignoresCase: false, endsAtAsterisk: true })
  if ('message' in pattern) throw fail({ ...path, offset: path.offset + pattern.index }, pattern.message)
  const query = others.slice(0, toIndex).map((token) => {
    const condition = conditionOf(token.text)
    if (condition === undefined) throw fail(token, `${JSON.stringify(token.text)} is not a query parameter: name=value`)
    return condition
  })
  const [statusToken, ...conditions] = others.slice(toIndex + 1)
  const { status, isForced } = statusOf(statusToken, fail)
  for (const condition of conditions) {
    const [name = ''] = condition.text.split('=')
    throw platformConditions.has(name.toLowerCase())
      ? fail(
          condition,
          `the condition ${name} cannot be judged by a file server`,
          'Remove the rule, or start with --no-rules.',
        )
      : fail(condition, `unexpected ${JSON.stringify(condition.text)} after the status`)
  }
  const destination = Destination.parse(to.text, namesIn(path.text, query))
  if (typeof destination === 'string') throw fail(to, destination)
  if (destination.origin !== undefined && !isRedirect(status)) {
    throw fail(to, `status ${status} with another origin would be a proxy`, proxyHint(path.text, destination.origin))
  }
  return { pattern, from: url, query, destination, status, isForced }
}

function tokensOf({ text, offset }: Token): readonly Token[] {
  const tokens = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ text: word, offset: offset + index }))
  const comment = tokens.findIndex((token) => token.text.startsWith('#'))
  return comment < 0 ? tokens : tokens.slice(0, comment)
}

/** `http://host/path` is for one host; everything else is a path. */
function splitFrom({ text, offset }: Token): { readonly url: RedirectRule['from']; readonly path: Token } {
  const [origin = '', scheme = '', host = ''] = /^(https?):\/\/([^/]+)/i.exec(text) ?? []
  if (origin === '') return { url: undefined, path: { text, offset } }
  const path = text.slice(origin.length)
  return {
    url: { scheme: scheme.toLowerCase(), host: host.toLowerCase() },
    path: { text: path === '' ? '/' : path, offset: offset + origin.length },
  }
}

function conditionOf(text: string): QueryCondition | undefined {
  const equals = text.indexOf('=')
  if (equals <= 0) return undefined
  const value = text.slice(equals + 1)
  const placeholder = placeholderName(value)
  return { name: text.slice(0, equals), value: placeholder === undefined ? { literal: value } : { placeholder } }
}

function statusOf(
  token: Token | undefined,
  fail: (token: Token, message: string) => Error,
): { readonly status: number; readonly isForced: boolean } {
  if (token === undefined) return { status: 301, isForced: false }
  const [, digits = '', mark = ''] = /^(\d+)(!?)$/.exec(token.text) ?? []
  const status = statuses.find((known) => String(known) === digits)
  if (status !== undefined) return { status, isForced: mark === '!' }
  const [name = ''] = token.text.split('=')
  if (platformConditions.has(name.toLowerCase())) {
    throw fail(token, `the condition ${name} cannot be judged by a file server`)
  }
  throw fail(token, `${JSON.stringify(token.text)} is not a status of a rule: expected one of ${statuses.join(', ')}`)
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

/** What to do instead of a rewrite to another origin. */
export function proxyHint(path: string, origin: string): string {
  const prefix = path.replace(/\/?[:*].*$/s, '')
  return `Forward the requests with --backend ${prefix === '' ? '/' : prefix}=${origin}, and remove the rule.`
}
