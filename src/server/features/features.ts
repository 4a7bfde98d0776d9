/**
 * What a server does beside answering files, from settings to the steps of its requests (hooks.ts).
 *
 * Rules: this is where the order of the steps is: health first, since whoever watches a server has no password; then a
 * preflight, which a browser sends without one; then the password, before anything can be learnt of the files. With a
 * page for an application there is no listing: every path that names no file belongs to the application.
 */
import { resolve } from 'node:path'
import { DirectoryLister } from '../listing/listed-directory.ts'
import { createListing } from '../listing/listing-answer.ts'
import type { Field } from '../semantics/answer.ts'
import type { Hooks } from '../semantics/hooks.ts'
import { parseRootPath, rootPathInUrls } from '../semantics/plan.ts'
import { defaultVisibility, type Visibility } from '../semantics/url-path.ts'
import { type Credentials, createBasicAuth } from './basic-auth.ts'
import { answerPreflight, corsFields } from './cors.ts'
import { DirectoryWatch } from './directory-watch.ts'
import { createFallbackPages } from './fallback-pages.ts'
import { answerHealth } from './health.ts'
import { LiveReload } from './live-reload.ts'

/** What is left out is off, or as it is for `serveDirectory`. */
export interface FeatureSettings {
  /** As in ServeOptions. */
  readonly directory: string
  /** As in ServeOptions. */
  readonly rootPath?: string | undefined
  /** As in ServeOptions: a listing shows what is served. */
  readonly visibility?: Partial<Visibility> | undefined
  /** Whether directories without an index file are shown. Default true. */
  readonly showsListings?: boolean
  /** As `parseApplicationPage` returns it; undefined: no single-page application. */
  readonly applicationPage?: readonly string[] | undefined
  /** On every answer, as `parseExtraField` returns them. */
  readonly fields?: readonly Field[]
  /** Of files; undefined: `no-cache`. */
  readonly cacheControl?: string | undefined
  /** As `parseOrigin` returns it; undefined: pages of other origins may not read. */
  readonly corsOrigin?: string | undefined
  /** Undefined: everybody is let in. */
  readonly credentials?: Credentials | undefined
  readonly answersHealth?: boolean
  readonly reloadsPages?: boolean
  /** Told what does not work as well as asked for, such as too many directories to watch. */
  readonly onWarning?: (text: string) => void
}

export interface Features {
  readonly steps: Partial<Hooks>
  /** Begins what runs beside the requests; once the server accepts them. */
  start(): void
  /** Ends what runs beside the requests; before the server is closed, so that no open stream holds it up. */
  close(): void
}

/** Throws HttpcliError `root-path` as serveDirectory does. */
export function createFeatures(settings: FeatureSettings): Features {
  const { applicationPage, corsOrigin, credentials, cacheControl, onWarning = () => undefined } = settings
  const visibility = { ...defaultVisibility, ...settings.visibility }
  const root = resolve(settings.directory)
  const live = settings.reloadsPages
    ? new LiveReload({ prefix: rootPathInUrls(parseRootPath(settings.rootPath ?? '/')) })
    : undefined
  let watch: DirectoryWatch | undefined
  const showsListings = settings.showsListings !== false && applicationPage === undefined
  return {
    steps: {
      health: settings.answersHealth ? answerHealth : undefined,
      before: [
        ...(corsOrigin === undefined ? [] : [answerPreflight]),
        ...(credentials === undefined ? [] : [createBasicAuth(credentials)]),
        ...(live === undefined ? [] : [live.answer]),
      ],
      listing: showsListings
        ? createListing({
            lister: new DirectoryLister({ root, visibility }),
            scriptPath: live?.scriptPath,
          })
        : undefined,
      missing: createFallbackPages({ applicationPage }),
      rewrite: live?.rewrite,
      fields: [
        ...(settings.fields ?? []),
        ...(corsOrigin === undefined ? [] : corsFields(corsOrigin)),
        ...(live === undefined ? [] : [liveVariance]),
      ],
      cacheControl,
    },
    start: () => {
      if (live !== undefined) watch = new DirectoryWatch(root, { onChange: live.reload, onWarning })
    },
    close: () => {
      watch?.close()
      live?.close()
    },
  }
}

/** Pages and what scripts fetch differ when pages have one line more. */
const liveVariance: Field = ['Vary', 'Accept, Sec-Fetch-Dest']
