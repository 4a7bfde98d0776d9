/**
 * Turns settings into the steps around file answers (hooks.ts).
 *
 * Rules: this file defines the order of the steps: health first, since monitoring sends no password; then a preflight,
 * which a browser sends without a password; then the password, before anything about the files is revealed. With an
 * application page no directory is listed: every path without a file belongs to the application.
 */
import { resolve } from 'node:path'
import { createErrorPages } from '../listing/error-page.ts'
import { DirectoryLister } from '../listing/listed-directory.ts'
import { createListing } from '../listing/listing-answer.ts'
import type { Field } from '../semantics/answer.ts'
import type { Hooks, RulesInUse } from '../semantics/hooks.ts'
import { parseRootPath, rootPathInUrls } from '../semantics/plan.ts'
import { defaultVisibility, type Visibility } from '../semantics/url-path.ts'
import { type Credentials, createBasicAuth } from './basic-auth.ts'
import { answerPreflight, corsFields } from './cors.ts'
import { DirectoryWatch } from './directory-watch.ts'
import { createFallbackPages } from './fallback-pages.ts'
import { answerHealth } from './health.ts'
import { LiveReload } from './live-reload.ts'

/** Settings that are omitted are off, or as in `serveDirectory`. */
export interface FeatureSettings {
  /** See ServeOptions. */
  readonly directory: string
  /** See ServeOptions. */
  readonly rootPath?: string | undefined
  /** See ServeOptions: a listing shows what is served. */
  readonly visibility?: Partial<Visibility> | undefined
  /** Whether directories without an index file are listed. Default true. */
  readonly allowsListings?: boolean
  /** As `parseApplicationPage` returns it; undefined: no single-page application. */
  readonly applicationPage?: readonly string[] | undefined
  /** For every answer, as `parseExtraField` returns them. */
  readonly fields?: readonly Field[]
  /** See Hooks. */
  readonly cacheControl?: Hooks['cacheControl']
  /** As `parseOrigin` returns it; undefined: pages of other origins have no access. */
  readonly corsOrigin?: string | undefined
  /** Undefined: no password. */
  readonly credentials?: Credentials | undefined
  /** Rules for paths, whose files are watched. */
  readonly rules?: WatchedRules | undefined
  readonly hasHealthPath?: boolean
  readonly hasLiveReload?: boolean
  /** Called with restrictions, such as too many directories to watch, and when rules change. */
  readonly onWarning?: (text: string) => void
}

export interface WatchedRules extends RulesInUse {
  /** `note`: called with a line for each change. */
  watch(note: (text: string) => void): void
  close(): void
}

export interface Features {
  readonly steps: Partial<Hooks>
  /** Starts background work. Call this once the server accepts requests. */
  start(): void
  /** Ends background work. Call this before the server is closed, so that no open stream delays it. */
  close(): void
}

/** Throws HttpcliError `root-path` as serveDirectory does. */
export function createFeatures(settings: FeatureSettings): Features {
  const { applicationPage, corsOrigin, credentials, cacheControl, rules, onWarning = () => undefined } = settings
  const visibility = { ...defaultVisibility, ...settings.visibility }
  const root = resolve(settings.directory)
  const prefix = rootPathInUrls(parseRootPath(settings.rootPath ?? '/'))
  const live = settings.hasLiveReload ? new LiveReload({ prefix }) : undefined
  let watch: DirectoryWatch | undefined
  const allowsListings = settings.allowsListings !== false && applicationPage === undefined
  return {
    steps: {
      health: settings.hasHealthPath ? answerHealth : undefined,
      before: [
        ...(corsOrigin === undefined ? [] : [answerPreflight]),
        ...(credentials === undefined ? [] : [createBasicAuth(credentials)]),
        ...(live === undefined ? [] : [live.answer]),
        ...(rules === undefined ? [] : [authenticateBy(rules)]),
      ],
      listing: allowsListings
        ? createListing({
            lister: new DirectoryLister({ visibility }),
            scriptPath: live?.scriptPath,
            isListed: rules === undefined ? undefined : (name) => rules.current?.isListed(name) !== false,
          })
        : undefined,
      errorPage: createErrorPages({ root, visibility, prefix, allowsListings, rules, scriptPath: live?.scriptPath }),
      missing: createFallbackPages({ applicationPage }),
      rewrite: live?.rewrite,
      rules,
      fields: [
        ...(settings.fields ?? []),
        ...(corsOrigin === undefined ? [] : corsFields(corsOrigin)),
        ...(live === undefined ? [] : [liveVariance]),
      ],
      cacheControl,
    },
    start: () => {
      if (live !== undefined) watch = new DirectoryWatch(root, { onChange: live.reload, onWarning })
      rules?.watch(onWarning)
    },
    close: () => {
      rules?.close()
      watch?.close()
      live?.close()
    },
  }
}

function authenticateBy(rules: RulesInUse): Hooks['before'][number] {
  return (request, path) => path && rules.current?.authenticate(request, path)
}

/** With live reload, a page differs from the same file fetched by a script. */
const liveVariance: Field = ['Vary', 'Accept, Sec-Fetch-Dest']
