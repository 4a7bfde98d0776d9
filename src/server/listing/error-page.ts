/**
 * Errors as small pages for users: the request, the error, links to the parent directories and, if the path was not
 * found, similar names.
 *
 * Rules: clients that prefer HTML get a page, all others one line of text; Vary says so to caches. Names come only from
 * a listing that the same client could request. None are suggested if listings are off, if the directory has an index
 * file, or if a rule answers instead or asks for a password. RFC 9110 sections 12.5.1 and 15.5.
 */
import { reasonPhrase } from '../../message/index.ts'
import { failureOf, openServedFile, type ServedDirectory, ServedFile } from '../files/served-file.ts'
import type { RuledSite } from '../rules/path-rules.ts'
import { type Answer, type Field, hasField } from '../semantics/answer.ts'
import type { Hooks, RulesInUse, ServerRequest } from '../semantics/hooks.ts'
import { acceptsHtmlByName, rankVariants } from '../semantics/negotiation.ts'
import type { UrlPath } from '../semantics/url-path.ts'
import { DirectoryLister, type ListedEntry } from './listed-directory.ts'

export interface ErrorPageSettings extends Pick<RuledSite, 'root' | 'visibility' | 'prefix'> {
  readonly allowsListings: boolean
  readonly rules: RulesInUse | undefined
  /** Path of a script of this server that pages load, such as the one that reloads them. */
  readonly scriptPath: string | undefined
}

const htmlForm = { name: 'html', mediaType: 'text/html; charset=utf-8' }
const textForm = { name: 'text', mediaType: 'text/plain; charset=utf-8' }

/** The number of entries compared with a name. Reading more would make a missing name expensive. */
const comparedEntries = 2_000

/** Clients that do not prefer HTML get the error text unchanged. */
export function createErrorPages(settings: ErrorPageSettings): NonNullable<Hooks['errorPage']> {
  const lister = new DirectoryLister(settings, comparedEntries)
  return (error, request, path) => {
    if (!prefersHtml(request)) return { ...error, fields: [...error.fields, ['Vary', 'Accept']] }
    return renderPage(error, request, path, settings, lister)
  }
}

/** Scripts and tools send a wildcard; browsers name the type. */
function prefersHtml(request: ServerRequest): boolean {
  const accept = request.get('accept')
  return acceptsHtmlByName(accept) && rankVariants(accept, [htmlForm, textForm])[0] === htmlForm
}

async function renderPage(
  error: Answer,
  request: ServerRequest,
  path: UrlPath | undefined,
  settings: ErrorPageSettings,
  lister: DirectoryLister,
): Promise<Answer> {
  // Loaded on demand: most servers answer few errors.
  const { errorHtml, errorPolicy, nearestNames } = await import('./error-html.ts')
  const listed =
    error.status === 404 && path !== undefined ? await listedParent(request, path, settings, lister) : undefined
  const html = errorHtml({
    status: `${error.status} ${reasonPhrase(error.status)}`,
    problem: error.problem ?? '',
    target: request.target,
    names: path?.names,
    isDirectory: path?.isDirectory ?? false,
    prefix: settings.prefix,
    nearest: listed === undefined ? [] : nearestNames(listed.missing, listed.entries),
    parent: listed?.names ?? [],
    scriptPath: settings.scriptPath,
  })
  const own: readonly Field[] = [
    ['Content-Type', htmlForm.mediaType],
    ['Content-Security-Policy', errorPolicy(settings.scriptPath !== undefined)],
    ['Vary', 'Accept'],
  ]
  const others = error.fields.filter(([name]) => name.toLowerCase() === 'vary' || !hasField(own, name))
  return { status: error.status, fields: [...own, ...others], body: Buffer.from(html) }
}

interface ListedParent {
  /** Names of the directory, below the served one. */
  readonly names: readonly string[]
  readonly missing: string
  readonly entries: readonly { readonly name: string; readonly type: 'directory' | 'file' }[]
}

/** The deepest existing directory of a path, as the client could list it; undefined if it could not. */
async function listedParent(
  request: ServerRequest,
  { names }: UrlPath,
  settings: ErrorPageSettings,
  lister: DirectoryLister,
): Promise<ListedParent | undefined> {
  if (!settings.allowsListings) return undefined
  for (let depth = names.length - 1; depth >= 0; depth--) {
    const parent = names.slice(0, depth)
    const found = openServedFile(settings, parent, Date.now())
    if (found instanceof ServedFile) found.close()
    if (typeof found === 'string' || found instanceof ServedFile) continue
    const rules = settings.rules?.current
    const directory = { ...found, names: parent }
    const path: UrlPath = { names: parent, isDirectory: true }
    const isRuled =
      rules !== undefined &&
      (!rules.allowsListing(parent) ||
        rules.authenticate(request, path) !== undefined ||
        rules.before(request, path) !== undefined ||
        rules.missing(request, path, directory) !== undefined)
    if (isRuled) return undefined
    const entries = await entriesOf(found, depth, lister)
    if (entries === undefined || entries.some(({ name }) => indexPattern.test(name))) return undefined
    return {
      names: parent,
      missing: names[depth]!,
      entries: entries.filter(({ name }) => rules?.isListed(name) !== false),
    }
  }
  return undefined
}

/** Undefined if the directory cannot be read: the error to report is another one. */
async function entriesOf(
  directory: ServedDirectory,
  depth: number,
  lister: DirectoryLister,
): Promise<readonly ListedEntry[] | undefined> {
  try {
    return (await lister.list(directory, depth)).entries
  } catch (error) {
    if (failureOf(error) === undefined) throw error
    return undefined
  }
}

/** Files that answer a directory instead of its listing. */
const indexPattern = /^index\.html(?:\.(?:br|gz|zst))?$/i
