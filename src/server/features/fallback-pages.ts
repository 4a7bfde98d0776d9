/**
 * Answers for a path that does not exist: the page of a single-page application, or `404.html`.
 *
 * Rules: the application's page answers only navigations, which are requests that accept HTML by name; the form of the
 * path does not matter, since a route may contain dots. Resources of a page (scripts, images) are not requested as
 * HTML, so a missing resource is still a 404. All other requests get `404.html` of the served directory, with status
 * 404.
 */
import { ServerError } from '../semantics/errors.ts'
import type { FallbackPage, Hooks, ServerRequest } from '../semantics/hooks.ts'
import { acceptsHtmlByName } from '../semantics/negotiation.ts'
import { parsePath } from '../semantics/url-path.ts'

export interface FallbackSettings {
  /** Path below the served directory, as `parseApplicationPage` returns it; undefined without an application. */
  readonly applicationPage: readonly string[] | undefined
}

const notFoundPage: FallbackPage = { names: ['404.html'], status: 404, isNegotiated: false }

/** Returns the step that runs if nothing was found. */
export function createFallbackPages({ applicationPage }: FallbackSettings): NonNullable<Hooks['missing']> {
  const application: FallbackPage | undefined =
    applicationPage === undefined ? undefined : { names: applicationPage, status: 200, isNegotiated: true }
  return (request, isRoute) => {
    if (application === undefined || !isRoute) return notFoundPage
    return isNavigation(request) ? application : { ...notFoundPage, isNegotiated: true }
  }
}

/** Scripts and tools send a wildcard; only a browser that opens a page names the type. */
function isNavigation(request: ServerRequest): boolean {
  return acceptsHtmlByName(request.get('accept'))
}

/** A path below the served directory, with or without a leading slash. Throws HttpcliError `application-page`. */
export function parseApplicationPage(text: string): readonly string[] {
  const encoded = text.replace(/^\/+/, '').split('/').map(encodeURIComponent).join('/')
  const path = parsePath(`/${encoded}`)
  if (typeof path === 'string' || path.isDirectory || path.names.length === 0) {
    const message = `${JSON.stringify(text)} is not the path of a file below the served directory`
    throw new ServerError('application-page', message, { hint: 'Write it like index.html or app/index.html.' })
  }
  return path.names
}
