/**
 * Applies `serve.json`.
 *
 * Rules: redirects come first, `cleanUrls` and `trailingSlash` before the others; the first match applies, and the
 * query stays. If the path has no extension, a rewrite takes precedence over files; otherwise it applies only if no
 * file is found. Its destination is rewritten again by the other rewrites. Headers belong to the file that answers,
 * regardless of the requested path.
 */
import { type Dir, opendirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { statOrUndefined } from '../files/precompressed-files.ts'
import { failureOf } from '../files/served-file.ts'
import type { Answer, Field } from '../semantics/answer.ts'
import type { Detour, FoundDirectory, PathRules, ServerRequest } from '../semantics/hooks.ts'
import { isVisibleName, type UrlPath } from '../semantics/url-path.ts'
import { encodeSegment } from './destination.ts'
import type { Captures } from './linear-pattern.ts'
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
import type { PathChoice, Redirecting, Rewriting, ServeJson } from './serve-json.ts'

/** The status of redirects for `cleanUrls` and `trailingSlash`. */
const tidyStatus = 301

export class ServeRules implements PathRules {
  readonly #settings: ServeJson
  readonly #site: RuledSite
  readonly #redirects: RuleIndex<Redirecting>
  readonly #rewrites: RuleIndex<Rewriting>
  readonly #fields: PathMemo<readonly Field[]>

  constructor(settings: ServeJson, site: RuledSite) {
    this.#settings = settings
    this.#site = site
    this.#redirects = new RuleIndex(settings.redirects)
    this.#rewrites = new RuleIndex(settings.rewrites)
    this.#fields = fieldsByPath(settings.headers, site)
  }

  authenticate(): undefined {
    return undefined
  }

  before(request: ServerRequest, path: UrlPath): Answer | Detour | undefined {
    return this.#redirect(request, path) ?? (hasExtension(path) ? undefined : this.#rewrite(path))
  }

  missing(_: ServerRequest, path: UrlPath, directory: FoundDirectory | undefined): Detour | undefined {
    const otherwise =
      directory !== undefined ? this.#singleFile(directory) : hasExtension(path) ? this.#rewrite(path) : undefined
    const file = this.#withoutSlash(path, directory)
    return file === undefined ? otherwise : { ...optionalDetour(file), otherwise }
  }

  fields(path: UrlPath, file: readonly string[] | undefined): readonly Field[] {
    return this.#fields.of(comparablePath(file ?? path.names))
  }

  allowsListing(names: readonly string[]): boolean {
    return applies(this.#settings.directoryListing, comparablePath(names))
  }

  isListed(name: string): boolean {
    return !this.#settings.unlisted.some((pattern) => pattern.match(`/${name}`) !== undefined)
  }

  #redirect(request: ServerRequest, path: UrlPath): Answer | undefined {
    const query = queryOf(request.target)
    const tidy = this.#tidyPath(path)
    if (tidy !== undefined) return redirectTo(`${this.#site.prefix}${encodePath(tidy)}${query}`, tidyStatus)
    const comparable = comparablePath(path.names)
    for (const { pattern, destination, status } of this.#redirects.candidates(comparable)) {
      const captures = pattern.match(comparable)
      if (captures === undefined) continue
      const isLocal = destination.origin === undefined
      if (isLocal && isSamePath(path, detourPath(destination.path(captures), this.#site))) continue
      return redirectTo(destination.location(captures, this.#site.prefix, query), status)
    }
    return undefined
  }

  /** The path in the form of `cleanUrls` and `trailingSlash`; undefined if it already has this form. */
  #tidyPath({ names, isDirectory }: UrlPath): UrlPath | undefined {
    const { cleanUrls, trailingSlash } = this.#settings
    const last = names.at(-1)
    if (last === undefined) return undefined
    const stem = last.replace(/\.html$/, '')
    if (!isDirectory && (stem !== last || last === 'index') && applies(cleanUrls, comparablePath(names))) {
      if (stem === 'index') return { names: names.slice(0, -1), isDirectory: true }
      if (stem !== '') return { names: [...names.slice(0, -1), stem], isDirectory: trailingSlash === true }
    }
    if (trailingSlash === true && !isDirectory && !last.includes('.')) return { names, isDirectory: true }
    if (trailingSlash === false && isDirectory && !this.#isDirectory(names)) return { names, isDirectory: false }
    return undefined
  }

  /** A directory keeps its slash, so that relative links in its pages work. */
  #isDirectory(names: readonly string[]): boolean {
    try {
      return statSync(join(this.#site.root, ...names), { throwIfNoEntry: false })?.isDirectory() ?? false
    } catch {
      // The look-up will report the error.
      return true
    }
  }

  /** The file for a path with a slash; for a directory, only the page of its name beside it. */
  #withoutSlash({ names, isDirectory }: UrlPath, directory: FoundDirectory | undefined): readonly string[] | undefined {
    const { cleanUrls, trailingSlash } = this.#settings
    if (!isDirectory || names.length === 0) return undefined
    if (trailingSlash !== true && !applies(cleanUrls, comparablePath(names))) return undefined
    if (directory === undefined) return names
    const page = [...names.slice(0, -1), `${names.at(-1)}.html`]
    return statOrUndefined(join(this.#site.root, ...page))?.isFile() ? page : undefined
  }

  #rewrite(path: UrlPath): Detour | undefined {
    let result: UrlPath | undefined
    const applied = new Set<Rewriting>()
    for (;;) {
      const comparable = comparablePath((result ?? path).names)
      const rewrites = this.#rewrites.candidates(comparable).filter((rewriting) => !applied.has(rewriting))
      const found = firstMatch(rewrites, comparable)
      const next = found && detourPath(found.rewriting.destination.path(found.captures), this.#site)
      if (found === undefined || next === undefined) break
      applied.add(found.rewriting)
      result = next
    }
    return result && { path: result, status: 200, isOptional: true }
  }

  #singleFile({ path, names }: FoundDirectory): Detour | undefined {
    if (!this.#settings.renderSingle) return undefined
    let directory: Dir
    try {
      directory = opendirSync(path)
    } catch (error) {
      // The listing reports it.
      if (failureOf(error) === undefined) throw error
      return undefined
    }
    try {
      let only: string | undefined
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        if (!isVisibleName(entry.name, names.length, this.#site.visibility)) continue
        if (only !== undefined || entry.isDirectory()) return undefined
        only = entry.name
      }
      return only === undefined ? undefined : optionalDetour([...names, only])
    } finally {
      directory.closeSync()
    }
  }
}

function optionalDetour(names: readonly string[]): Detour {
  return { path: { names, isDirectory: false }, status: 200, isOptional: true }
}

function firstMatch(
  rewrites: readonly Rewriting[],
  path: string,
): { readonly rewriting: Rewriting; readonly captures: Captures } | undefined {
  for (const rewriting of rewrites) {
    const captures = rewriting.pattern.match(path)
    if (captures !== undefined) return { rewriting, captures }
  }
  return undefined
}

function applies(choice: PathChoice, path: string): boolean {
  return typeof choice === 'boolean' ? choice : choice.some((pattern) => pattern.match(path) !== undefined)
}

function hasExtension({ names }: UrlPath): boolean {
  return names.at(-1)?.includes('.', 1) ?? false
}

function encodePath({ names, isDirectory }: UrlPath): string {
  return `/${names.map((name) => `${encodeSegment(name)}/`).join('')}`.replace(/(?<=.)\/$/, isDirectory ? '/' : '')
}
