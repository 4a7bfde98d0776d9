/**
 * Chooses the backend for a request, and the target to send to it.
 *
 * Rules: the choice depends only on the resolved path, and the resolved path is forwarded, so a backend never sees a
 * resource other than the one that was checked. Prefixes are compared by whole segments after decoding; the longest one
 * wins. A segment that would become `..` when a backend decodes it (`..%2f`, `..%5c`) or drops its parameters (`..;x`)
 * is refused. RFC 3986 sections 3.3 and 5.2.4.
 */
import type { TargetParts, UrlPath } from '../semantics/url-path.ts'
import type { Backend } from './backend-setting.ts'

export interface BackendRoute {
  readonly backend: Backend
  /** The requested path, decoded, even if no file can have this name. */
  readonly path: UrlPath
  /** Path and query for the backend. */
  readonly target: string
  /** Whether the backend could read a segment of the path as `..`: such a request is refused. */
  readonly isAmbiguous: boolean
}

export class BackendRoutes {
  /** Longest prefix first. */
  readonly #backends: readonly Backend[]

  constructor(backends: readonly Backend[]) {
    this.#backends = backends.toSorted((one, other) => other.prefixNames.length - one.prefixNames.length)
  }

  /** `target`: resolved. Undefined if files answer the request. */
  routeFor({ path, query }: TargetParts): BackendRoute | undefined {
    const segments = path.split('/').slice(1)
    const names = segments.map(decoded)
    const backend = this.#backends.find(({ prefixNames }) => prefixNames.every((name, index) => names[index] === name))
    if (backend === undefined) return undefined
    const { basePath, isStripped, prefixNames } = backend
    const kept = isStripped ? `/${segments.slice(prefixNames.length).join('/')}` : path
    const isDirectory = names.at(-1) === ''
    const requestedPath = { names: isDirectory ? names.slice(0, -1) : names, isDirectory }
    return {
      backend,
      path: requestedPath,
      target: escaped(`${basePath}${kept}${query}`),
      isAmbiguous: segments.some(mayClimb),
    }
  }
}

/** Escapes characters that browsers leave unescaped; all of them are ASCII. */
function escaped(target: string): string {
  return target.replace(/(?:%(?![0-9A-Fa-f]{2})|[^\w\-.~!$&'()*+,;=:@/?%])+/g, encodeURIComponent)
}

/** A name that is not valid UTF-8 is compared as written. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/**
 * Whether the segment is `..` after decoding, alone or before a character at which some servers end a segment: a slash,
 * a backslash, the semicolon of parameters.
 */
function mayClimb(segment: string): boolean {
  const name = segment.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
  return /(?:^|[/\\])\.\.?(?:[/\\;]|$)/.test(name)
}
