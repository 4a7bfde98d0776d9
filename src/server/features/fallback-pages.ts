/**
 * What is answered in the place of a path that is not there: the page of a single-page application, or `404.html`.
 *
 * Rules: the application's page answers navigations only: HTML asked for by name, whatever the path looks like, since a
 * route may hold dots. What a page loads (a script, a picture) is not asked for as HTML, so where it is missing it stays
 * missing. `404.html` of the served directory answers the rest, and the status stays 404.
 */
import { ServerError } from '../semantics/errors.ts'
import type { Hooks, ServerRequest, Substitute } from '../semantics/hooks.ts'
import { acceptsByName } from '../semantics/negotiation.ts'
import { parsePath } from '../semantics/url-path.ts'

export interface FallbackSettings {
  /** Below the served directory, as `parseApplicationPage` returns it; undefined: there is no application. */
  readonly applicationPage: readonly string[] | undefined
}

const notFoundPage: Substitute = { names: ['404.html'], status: 404, isNegotiated: false }

/** The step that is asked where nothing was found. */
export function createFallbackPages({ applicationPage }: FallbackSettings): NonNullable<Hooks['missing']> {
  const application: Substitute | undefined =
    applicationPage === undefined ? undefined : { names: applicationPage, status: 200, isNegotiated: true }
  return (request, isRoute) => {
    if (application === undefined || !isRoute) return notFoundPage
    return isNavigation(request) ? application : { ...notFoundPage, isNegotiated: true }
  }
}

/** A wildcard is what scripts and tools send; only a browser that opens a page names the type. */
function isNavigation(request: ServerRequest): boolean {
  return acceptsByName(request.get('accept'), 'text/html')
}

/** A path below the served directory, with or without a slash in front. Throws HttpcliError `application-page`. */
export function parseApplicationPage(text: string): readonly string[] {
  const encoded = text.replace(/^\/+/, '').split('/').map(encodeURIComponent).join('/')
  const path = parsePath(`/${encoded}`)
  if (typeof path === 'string' || path.isDirectory || path.names.length === 0) {
    const message = `${JSON.stringify(text)} is not the path of a file below the served directory`
    throw new ServerError('application-page', message, { hint: 'Write it like index.html or app/index.html.' })
  }
  return path.names
}
