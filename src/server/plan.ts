/**
 * What a request asks of the server, judged from its head alone: no disk, no clock.
 *
 * Rules: a method that is not served is refused before its target is looked at; the root path (`--root-path`) is
 * compared by whole segments after decoding; a path that no file can have is not found, a broken one is a bad request.
 * RFC 9110 section 9, RFC 9112 section 3.2.
 */
import { HttpcliError } from '../message/index.ts'
import { parsePath, splitTarget, type UrlPath } from './url-path.ts'

/** What a plan is made of; a RequestHead of the message library is one. */
export interface PlannedRequest {
  readonly method: string
  readonly target: string
}

export type Plan =
  | { readonly type: 'file'; readonly path: UrlPath; readonly slashLocation: string }
  | { readonly type: 'options' }
  | { readonly type: 'refused'; readonly status: 400 | 404 | 405 }

const servedMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** `rootNames`: the names of the root path, as `parseRootPath` returns them. */
export function planRequest(request: PlannedRequest, rootNames: readonly string[]): Plan {
  if (!servedMethods.has(request.method)) return { type: 'refused', status: 405 }
  if (request.method === 'OPTIONS') return { type: 'options' }
  const target = splitTarget(request.target)
  if (target === undefined) return { type: 'refused', status: 400 }
  const path = parsePath(target.path)
  if (path === 'malformed') return { type: 'refused', status: 400 }
  if (path === 'unnameable' || !rootNames.every((name, index) => path.names[index] === name)) {
    return { type: 'refused', status: 404 }
  }
  // Every segment of the path is a name, so what is added to it never begins with two slashes: no other host.
  const slashLocation = `${target.path}/${target.query}`
  return { type: 'file', path: { ...path, names: path.names.slice(rootNames.length) }, slashLocation }
}

/** `/api/v1`, `api/v1/` and `/api/v1/` are one root path. Throws HttpcliError `root-path` where no request can match. */
export function parseRootPath(rootPath: string): readonly string[] {
  const withSlash = rootPath.startsWith('/') ? rootPath : `/${rootPath}`
  const path = /[?#\s]/.test(rootPath) ? 'malformed' : parsePath(withSlash)
  if (path === 'malformed' || path === 'unnameable') {
    throw new HttpcliError('root-path', `the root path ${JSON.stringify(rootPath)} is no path of plain names`, {
      hint: 'Write it like /docs or /api/v1; blanks and other special characters as percent escapes.',
    })
  }
  return path.names
}
