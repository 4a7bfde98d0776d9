/**
 * The plan for a request, from its head alone: no disk, no clock. The same head gives the same plan.
 *
 * Rules: an unsupported method is refused before its target is examined; the root path (`--root-path`) is compared by
 * whole segments after decoding; a path that no file can have gets a 404, an invalid path a 400. The fields that affect
 * the answer for a file are extracted here, so that they are read once. RFC 9110 sections 9, 10.1.1 and 13.1, RFC 9112
 * section 3.2.
 */

import { join } from 'node:path'
import type { BackendRoute, BackendRoutes } from '../backend/backend-routes.ts'
import type { CacheSlot } from '../files/file-cache.ts'
import type { ServedTree } from '../files/served-file.ts'
import type { AllowedHosts } from './allowed-hosts.ts'
import { type Answer, allowField, optionsAnswer, textAnswer } from './answer.ts'
import { acceptedCodings, type ContentCoding } from './coding-negotiation.ts'
import { ServerError } from './errors.ts'
import type { ServerRequest } from './hooks.ts'
import { type PathFault, parsePath, splitTarget, type TargetFault, type UrlPath, writtenNames } from './url-path.ts'

/** One served site: a directory, and its path in URLs. */
export interface PlannedSite extends ServedTree {
  /** As `parseRootPath` returns them. */
  readonly rootNames: readonly string[]
  readonly hosts: AllowedHosts
  /** Undefined: files only. */
  readonly backends?: BackendRoutes | undefined
}

/** A file by its names below the served directory. */
export interface NamedFile {
  readonly names: readonly string[]
  /** Absolute, links not resolved. */
  readonly path: string
  /** Where the cache has it, so that a request with the same text finds it without the key. */
  slot: CacheSlot | undefined
}

export interface Plan {
  readonly request: ServerRequest
  /** The answer to a request for a host that is not allowed; precedes every step. */
  readonly misdirected: Answer | undefined
  /** The answer if files are not consulted, unless a step answers first. */
  readonly refusal: Answer | undefined
  /** The backend for the request, unless there is a refusal. */
  readonly backend: BackendRoute | undefined
  /** Below the served directory; undefined if the target is not below it. */
  readonly path: UrlPath | undefined
  /** As `path`, but also a path that no file can have: rules apply to it. */
  readonly ruledPath: UrlPath | undefined
  /** Whether it may be a route of a single-page application: a path below the root that is not hidden. */
  readonly isRoute: boolean
  /** The requested file, `index.html` for a directory; undefined if `path` is. */
  readonly file: NamedFile | undefined
  /** The location to redirect to if the path is a directory. */
  readonly slashLocation: string
  /** Preconditions and ranges by lower-case field name, if there are any. */
  readonly conditions: ReadonlyMap<string, string> | undefined
  readonly codings: readonly ContentCoding[]
}

const indexName = 'index.html'

const servedMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * CONNECT requests a tunnel, and TRACE would reveal the fields that are added to the request (RFC 9110 section 9.3.8).
 */
const unforwardedMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE'])

const conditionNames = [
  'if-match',
  'if-unmodified-since',
  'if-none-match',
  'if-modified-since',
  'if-range',
  'range',
] as const

export function planRequest(request: ServerRequest, site: PlannedSite): Plan {
  const target = splitTarget(request.target)
  const path = typeof target === 'string' ? target : pathBelowRoot(target.path, site)
  const backend = typeof target === 'string' ? undefined : site.backends?.routeFor(target)
  const refusal = backend === undefined ? refusalOf(request, path) : refusalBeforeBackend(request)
  const known = typeof path === 'string' ? undefined : path
  return {
    request,
    // CONNECT names the host to connect to, not this server.
    misdirected: request.method === 'CONNECT' ? undefined : site.hosts.refusalOf(request),
    refusal,
    backend,
    path: known,
    ruledPath: known ?? (typeof target === 'string' ? undefined : writtenPath(target.path, site)),
    isRoute: known !== undefined || path === 'unportable',
    file: known && namedFile(site, known.isDirectory ? [...known.names, indexName] : known.names),
    // The path is resolved and begins with one slash and a name, so the location never begins with two slashes, which
    // would name another host.
    slashLocation: typeof target === 'string' ? '' : `${target.path}/${target.query}`,
    conditions: conditionsOf(request),
    codings: acceptedCodings(request.get('accept-encoding')),
  }
}

export function withPath(plan: Plan, path: UrlPath, site: PlannedSite): Plan {
  return {
    ...plan,
    path,
    ruledPath: path,
    file: namedFile(site, path.isDirectory ? [...path.names, indexName] : path.names),
  }
}

export function namedFile({ root }: ServedTree, names: readonly string[]): NamedFile {
  return { names, path: join(root, ...names), slot: undefined }
}

const faultTexts: Readonly<Record<TargetFault, string>> = {
  malformed: 'the target is not a path, or has a broken percent escape',
  'above-root': 'the path leads above the root',
}

function pathBelowRoot(path: string, { rootNames, visibility }: PlannedSite): UrlPath | PathFault {
  const parsed = parsePath(path, visibility, rootNames.length)
  if (typeof parsed === 'string' && parsed !== 'unportable') return parsed
  if (!isBelow(path, rootNames)) return 'unnameable'
  return parsed === 'unportable' ? parsed : { ...parsed, names: parsed.names.slice(rootNames.length) }
}

/** Undefined if it is not below the root path. */
function writtenPath(path: string, { rootNames }: PlannedSite): UrlPath | undefined {
  const names = isBelow(path, rootNames) ? writtenNames(path) : undefined
  return names && { names: names.slice(rootNames.length), isDirectory: path.endsWith('/') }
}

/** Compared after decoding, as `/%61pi` is `/api`. */
function isBelow(path: string, rootNames: readonly string[]): boolean {
  if (rootNames.length === 0) return true
  const leading = parsePath(path.split('/', rootNames.length + 1).join('/'))
  return typeof leading === 'object' && rootNames.every((name, index) => leading.names[index] === name)
}

function refusalOf(request: ServerRequest, path: UrlPath | PathFault): Answer | undefined {
  if (!servedMethods.has(request.method)) {
    return textAnswer(405, 'this server answers GET, HEAD and OPTIONS', [allowField])
  }
  const unmet = unmetExpectation(request)
  if (unmet !== undefined) return unmet
  if (request.method === 'OPTIONS') return optionsAnswer()
  return path === 'malformed' || path === 'above-root' ? textAnswer(400, faultTexts[path]) : undefined
}

/** Max-Forwards counts the servers that forward OPTIONS: at 0 this one answers (RFC 9110 section 7.6.2). */
function refusalBeforeBackend(request: ServerRequest): Answer | undefined {
  const { method } = request
  if (unforwardedMethods.has(method)) return textAnswer(405, `${method} is not forwarded`, [allowField])
  if (method === 'OPTIONS' && request.get('max-forwards') === '0') return optionsAnswer()
  return unmetExpectation(request)
}

function unmetExpectation(request: ServerRequest): Answer | undefined {
  const expectation = request.get('expect')
  if (expectation === undefined || /^(?:[ \t,]|100-continue(?![^ \t,]))*$/i.test(expectation)) return undefined
  return textAnswer(417, 'the only supported expectation is 100-continue')
}

function conditionsOf(request: ServerRequest): ReadonlyMap<string, string> | undefined {
  const found = conditionNames.flatMap((name) => {
    const value = request.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return found.length === 0 ? undefined : new Map(found)
}

/**
 * `/api/v1`, `api/v1/` and `/api/v1/` are the same root path. Throws HttpcliError `root-path` if no request can match.
 */
export function parseRootPath(rootPath: string): readonly string[] {
  const withSlash = rootPath.startsWith('/') ? rootPath : `/${rootPath}`
  const path = /[?#\s]/.test(rootPath) ? 'malformed' : parsePath(withSlash)
  if (typeof path === 'string') {
    throw new ServerError('root-path', `the root path ${JSON.stringify(rootPath)} is not a path of plain names`, {
      hint: 'Write it like /docs or /api/v1; spaces and other special characters as percent escapes.',
    })
  }
  return path.names
}

/** The names of a root path as URLs write them: `/api/v1`; empty for the root itself. */
export function rootPathInUrls(rootNames: readonly string[]): string {
  return rootNames.map((name) => `/${encodeURIComponent(name)}`).join('')
}
