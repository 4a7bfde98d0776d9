/**
 * What can be put around the look-up of files: the seams at which a server is given more than files.
 *
 * Rules: a step is a plain function, configured once. It gets a request as text and gives an answer, or undefined where
 * the request is not its business. A step that throws is answered by 500 and told to `onError`.
 */
import type { Answer, Field } from './answer.ts'
import type { UrlPath } from './url-path.ts'

/** A request as steps see it. The message library's RequestHead is one; HTTP/2 makes its own. */
export interface ServerRequest {
  readonly method: string
  /** As received. */
  readonly target: string
  /** The combined value of a field. */
  get(lowerCaseName: string): string | undefined
}

/** A directory that may be shown: asked for with a slash, and without an index file. */
export interface FoundDirectory {
  /** Absolute, resolved, and checked to lie in the served directory. */
  readonly path: string
  /** Below the served directory. */
  readonly names: readonly string[]
}

/** A file to be answered in the place of one that is not there. */
export interface Substitute {
  readonly names: readonly string[]
  /** 404 is answered whole, whatever the preconditions say. */
  readonly status: 200 | 404
  /** Whether another Accept could have led to another answer. */
  readonly isNegotiated: boolean
}

/** Changes what small files of some kind say, for the requests that it applies to. */
export interface Rewrite {
  appliesTo(request: ServerRequest, mediaType: string): boolean
  rewrite(content: Buffer): Buffer
  /** Goes into the entity tag, so that the two representations are never taken for each other. */
  readonly tag: string
}

export interface Hooks {
  /** Answers the health check, also on a full server; before all other steps. */
  readonly health: ((request: ServerRequest) => Answer | undefined) | undefined
  /** In order, before method and target are judged; the first answer wins. `path`: undefined where the target is none. */
  readonly before: readonly ((request: ServerRequest, path: UrlPath | undefined) => Answer | undefined)[]
  /** Answers a directory; without this step it is not found. */
  readonly listing: ((directory: FoundDirectory, request: ServerRequest) => Answer | Promise<Answer>) | undefined
  /** Where nothing was found; `isRoute` as in `Plan`. A substitute that is not there either is a plain 404. */
  readonly missing: ((request: ServerRequest, isRoute: boolean) => Substitute | undefined) | undefined
  readonly rewrite: Rewrite | undefined
  /** On every answer; in place of a default of the same name, but for Vary, which is merged. */
  readonly fields: readonly Field[]
  /** Cache-Control of files; undefined: `no-cache`. Everything else says `no-cache` unless it says otherwise itself. */
  readonly cacheControl: string | undefined
}

export const noHooks: Hooks = Object.freeze({
  health: undefined,
  before: [],
  listing: undefined,
  missing: undefined,
  rewrite: undefined,
  fields: [],
  cacheControl: undefined,
})
