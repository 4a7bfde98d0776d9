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

/** A path whose file is answered in the place of the one that was asked for. */
export interface Detour {
  readonly path: UrlPath
  /** Of the answer; one other than 200 is answered whole, whatever the preconditions say. */
  readonly status: number
  /** Whether the request goes on to its own path where no file is at this one. */
  readonly isOptional: boolean
}

/** Rules for paths below the served directory, as a rules file gives them. */
export interface PathRules {
  /** Asks for credentials where the path needs them. */
  authenticate(request: ServerRequest, path: UrlPath): Answer | undefined
  /** Before files are looked up. */
  before(request: ServerRequest, path: UrlPath): Answer | Detour | undefined
  /** Where no file was found; `directory`: in the place of its listing. */
  missing(request: ServerRequest, path: UrlPath, directory: FoundDirectory | undefined): Answer | Detour | undefined
  /** Fields of the answer to `path`. `file`: the names of the file that it is made of; undefined where there is none. */
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
 * `path`: undefined where the target is none. `isForwarded`: whether a backend answers the request unless a step does.
 */
export type Step = (request: ServerRequest, path: UrlPath | undefined, isForwarded: boolean) => Answer | undefined

export interface Hooks {
  /** Answers the health check, also on a full server; before all other steps. */
  readonly health: ((request: ServerRequest) => Answer | undefined) | undefined
  /** In order, before method and target are judged; the first answer wins. */
  readonly before: readonly Step[]
  /** Answers a directory; without this step it is not found. */
  readonly listing: ((directory: FoundDirectory, request: ServerRequest) => Answer | Promise<Answer>) | undefined
  /** Where nothing was found; `isRoute` as in `Plan`. A substitute that is not there either is a plain 404. */
  readonly missing: ((request: ServerRequest, isRoute: boolean) => Substitute | undefined) | undefined
  /** The answer in the place of a short error text; `path` as in `before`. */
  readonly errorPage:
    | ((error: Answer, request: ServerRequest, path: UrlPath | undefined) => Answer | Promise<Answer>)
    | undefined
  readonly rewrite: Rewrite | undefined
  readonly rules: RulesInUse | undefined
  /** On every answer; in place of a default of the same name, but for Vary, which is merged. */
  readonly fields: readonly Field[]
  /**
   * Cache-Control of a file by its names below the served directory; undefined: `no-cache`. Everything else says
   * `no-cache` unless it says otherwise itself.
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
