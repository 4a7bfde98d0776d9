/**
 * Applies `_headers` and `_redirects`.
 *
 * Rules: the first matching redirect applies; a file at the path takes precedence unless the redirect is forced. A
 * trailing slash makes no difference. All matching headers apply; a later one replaces an earlier one. Credentials are
 * required for any spelling of the path and for its compressed form; if several blocks cover a path, all of them must
 * be satisfied. The server asks again for the file that it found, whose name may differ from the path.
 */
import { createBasicAuth } from '../features/basic-auth.ts'
import { hostOf } from '../semantics/allowed-hosts.ts'
import { type Answer, type Field, textAnswer } from '../semantics/answer.ts'
import { ServerError } from '../semantics/errors.ts'
import type { Detour, PathRules, ServerRequest } from '../semantics/hooks.ts'
import type { UrlPath } from '../semantics/url-path.ts'
import type { Captures, LinearPattern } from './linear-pattern.ts'
import { type HeadersFile, parseHeaders } from './netlify-headers.ts'
import { isRedirect, parseRedirects, type QueryCondition, type RedirectRule } from './netlify-redirects.ts'
import { comparablePath } from './path-pattern.ts'
import {
  detourPath,
  fieldsByPath,
  isSamePath,
  type PathMemo,
  queryOf,
  type RuledSite,
  redirectTo,
} from './path-rules.ts'
import { RuleIndex } from './rule-index.ts'
import { RulesMistakes, type RulesSource } from './rules-error.ts'

/** Throws InvalidRulesError, or HttpcliError `rules-conflict` if both the rules and the options set passwords. */
export function createNetlifyRules(
  headers: RulesSource | undefined,
  redirects: RulesSource | undefined,
  site: RuledSite,
): PathRules {
  const mistakes = new RulesMistakes()
  const headersFile = headers === undefined ? { headers: [], credentials: [] } : parseHeaders(headers, mistakes)
  const redirectRules = redirects === undefined ? [] : parseRedirects(redirects, mistakes)
  mistakes.throwIfAny()
  if (headersFile.credentials.length > 0 && site.isPasswordRequired) {
    throw new ServerError('rules-conflict', `passwords in ${headers?.file} (Basic-Auth) and in --auth`, {
      hint: 'Use one of them: a client sends only one password.',
    })
  }
  return new NetlifyRules(headersFile, redirectRules, site)
}

interface Guard {
  readonly pattern: LinearPattern
  readonly authenticate: (request: ServerRequest) => Answer | undefined
}

class NetlifyRules implements PathRules {
  readonly #site: RuledSite
  readonly #redirects: RuleIndex<RedirectRule>
  readonly #fields: PathMemo<readonly Field[]>
  readonly #guards: RuleIndex<Guard>

  constructor(headersFile: HeadersFile, redirects: readonly RedirectRule[], site: RuledSite) {
    this.#site = site
    this.#redirects = new RuleIndex(redirects)
    this.#fields = fieldsByPath(headersFile.headers, site)
    this.#guards = new RuleIndex(
      headersFile.credentials.map(({ pattern, credentials }) => ({
        pattern,
        authenticate: createBasicAuth(...credentials),
      })),
    )
  }

  authenticate(request: ServerRequest, path: UrlPath): Answer | undefined {
    for (const { authenticate } of this.#guardsOf(path)) {
      const refusal = authenticate(request)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }

  #guardsOf({ names, isDirectory }: UrlPath): ReadonlySet<Guard> {
    // Some file systems ignore case or Unicode composition of names.
    const spellings = [names, names.map((name) => name.normalize('NFKC'))].map(comparablePath)
    const forms = spellings.flatMap((path) => [
      ...[path, path.replace(codingExtension, '')],
      ...(isDirectory ? [`${path}/index.html`] : []),
    ])
    return new Set([...new Set(forms)].flatMap((form) => this.#guards.matching(form)))
  }

  before(request: ServerRequest, path: UrlPath): Answer | Detour | undefined {
    return this.#follow(request, path, ({ isForced }) => isForced)
  }

  missing(request: ServerRequest, path: UrlPath): Answer | Detour | undefined {
    return this.#follow(request, path, () => true)
  }

  fields(path: UrlPath): readonly Field[] {
    return this.#fields.of(comparablePath(path.names))
  }

  allowsListing(): boolean {
    return true
  }

  isListed(): boolean {
    return true
  }

  #follow(request: ServerRequest, path: UrlPath, counts: (rule: RedirectRule) => boolean): Answer | Detour | undefined {
    const comparable = comparablePath(path.names)
    for (const rule of this.#redirects.candidates(comparable)) {
      const captures = this.#match(rule, request, comparable)
      if (captures === undefined) continue
      const encoded = rule.destination.path(captures)
      const target = rule.destination.origin === undefined ? detourPath(encoded, this.#site) : undefined
      if (isRedirect(rule.status)) {
        const query = rule.query.length > 0 ? '' : queryOf(request.target)
        const location = rule.destination.location(captures, this.#site.prefix, query)
        if (isSamePath(path, target) && hasQueryOf(rule, queryOf(location))) continue
        if (!counts(rule)) return undefined
        return redirectTo(location, rule.status)
      }
      if (!counts(rule)) return undefined
      if (target === undefined) return textAnswer(rule.status === 200 ? 404 : rule.status)
      return { path: target, status: rule.status, isOptional: false }
    }
    return undefined
  }

  #match({ pattern, from, query }: RedirectRule, request: ServerRequest, path: string): Captures | undefined {
    if (from !== undefined && !this.#isFor(from, request)) return undefined
    const captures = pattern.match(path)
    if (captures === undefined || query.length === 0) return captures
    const parameters = queryCaptures(query, new URLSearchParams(queryOf(request.target)))
    return parameters && new Map([...captures, ...parameters])
  }

  #isFor({ scheme, host }: NonNullable<RedirectRule['from']>, request: ServerRequest): boolean {
    return (scheme === 'https') === this.#site.isSecure && host.replace(/:\d+$/, '') === hostOf(request).toLowerCase()
  }
}

/** A request with this extension may be for the compressed form of a file. */
const codingExtension = /\.(?:br|gz|zst)$/i

/** Whether the rule would apply again to its own path with this query. */
function hasQueryOf({ query }: RedirectRule, found: string): boolean {
  return query.length === 0 || queryCaptures(query, new URLSearchParams(found)) !== undefined
}

/** Undefined unless the query is exactly what the rule requires. */
function queryCaptures(conditions: readonly QueryCondition[], query: URLSearchParams): Captures | undefined {
  if (query.size !== conditions.length) return undefined
  const captures = new Map<string, string>()
  for (const { name, value } of conditions) {
    const found = query.get(name)
    if (found === null || ('literal' in value && value.literal !== found)) return undefined
    if ('placeholder' in value) captures.set(value.placeholder, found)
  }
  return captures
}
