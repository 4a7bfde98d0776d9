/**
 * The hooks around the look-up of files, for everything that a server does in addition to serving files.
 *
 * Rules: a step is a plain function, configured once. It receives a request as text and returns an answer, or undefined
 * if it does not handle the request. A step that throws is answered by 500 and reported to `onError`.
 */
import type { Answer, Field } from './answer.ts'
import type { UrlPath } from './url-path.ts'

/** The request passed to steps. The message library's RequestHead implements it; HTTP/2 has its own class. */
export interface ServerRequest {
  readonly method: string
  /** As received. */
  readonly target: string
  /** The combined value of a field. */
  get(lowerCaseName: string): string | undefined
}

/** A directory that may be listed: it was requested with a slash and has no index file. */
export interface FoundDirectory {
  /** Absolute, resolved, and checked to be in the served directory. */
  readonly path: string
  /** The resolved path of the served directory at that time. */
  readonly root: string
  /** Below the served directory. */
  readonly names: readonly string[]
}

/** A file that answers instead of one that does not exist. */
export interface FallbackPage {
  readonly names: readonly string[]
  /** 404 is answered in full, regardless of preconditions. */
  readonly status: 200 | 404
  /** Whether another Accept could have led to another answer. */
  readonly isNegotiated: boolean
}

/** Changes the content of some small files, for the requests that it applies to. */
export interface Rewrite {
  appliesTo(request: ServerRequest, mediaType: string): boolean
  rewrite(content: Buffer): Buffer
  /** Added to the entity tag, so that the two representations are never confused. */
  readonly tag: string
}

/** A path whose file answers instead of the requested one. */
export interface Detour {
  readonly path: UrlPath
  /** The status of the answer; if it is not 200, the answer is complete, regardless of preconditions. */
  readonly status: number
  /** Whether the request continues with its own path if this one has no file. */
  readonly isOptional: boolean
  /** Taken if this one has no file. */
  readonly otherwise?: Detour | undefined
}

/** Rules for paths below the served directory, from a rules file. */
export interface PathRules {
  /** Asks for credentials if the path needs them. Called for the path of the request and for the file that answers. */
  authenticate(request: ServerRequest, path: UrlPath): Answer | undefined
  /** Called before files are looked up. */
  before(request: ServerRequest, path: UrlPath): Answer | Detour | undefined
  /** Called if no file was found; `directory`: instead of its listing. */
  missing(request: ServerRequest, path: UrlPath, directory: FoundDirectory | undefined): Answer | Detour | undefined
  /** Fields of the answer to `path`. `file`: the names of the file in the answer, if there is one. */
  fields(path: UrlPath, file: readonly string[] | undefined): readonly Field[]
  /** Whether a directory may be listed. */
  allowsListing(names: readonly string[]): boolean
  /** Whether a listing shows an entry. */
  isListed(name: string): boolean
}

/** Rules that change while the server runs. */
export interface RulesInUse {
  /** Undefined: none at the moment. */
  readonly current: PathRules | undefined
}

/**
 * `path`: undefined if the target is not a path. `isForwarded`: whether a backend answers the request unless a step
 * does.
 */
export type Step = (request: ServerRequest, path: UrlPath | undefined, isForwarded: boolean) => Answer | undefined

export interface Hooks {
  /** Answers the health check, even on a full server; before all other steps. */
  readonly health: ((request: ServerRequest) => Answer | undefined) | undefined
  /** In order, before method and target are checked; the first answer wins. */
  readonly before: readonly Step[]
  /** Answers a directory; without this step it is not found. */
  readonly listing: ((directory: FoundDirectory, request: ServerRequest) => Answer | Promise<Answer>) | undefined
  /** Called if nothing was found; `isRoute` as in `Plan`. A fallback page that does not exist either is a plain 404. */
  readonly missing: ((request: ServerRequest, isRoute: boolean) => FallbackPage | undefined) | undefined
  /** The answer instead of a short error text; `path` as in `before`. */
  readonly errorPage:
    | ((error: Answer, request: ServerRequest, path: UrlPath | undefined) => Answer | Promise<Answer>)
    | undefined
  readonly rewrite: Rewrite | undefined
  readonly rules: RulesInUse | undefined
  /** For every answer; they replace defaults of the same name, except Vary, which is merged. */
  readonly fields: readonly Field[]
  /**
   * Cache-Control of a file by its names below the served directory; undefined: `no-cache`. Everything else has
   * `no-cache` unless it sets another value.
   */
  readonly cacheControl: ((names: readonly string[]) => string | undefined) | undefined
}

export const noHooks: Hooks = Object.freeze({
  health: undefined,
  before: [],
  listing: undefined,
  missing: undefined,
  errorPage: undefined,
  rewrite: undefined,
  rules: undefined,
  fields: [],
  cacheControl: undefined,
})
