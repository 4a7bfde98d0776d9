/**
 * What every foreign format is read into, and what request files are written from.
 *
 * Rules: every text is one of a request file: `{{name}}` in it is a variable. What stands for itself in the foreign
 * format goes through `literal` (literal-text.ts) first. Nothing here knows how a line of a request file looks.
 */
import type { JsonValue, RequestVersion } from '../../http-file/index.ts'

/** A part of the source that has no equivalent, and where it stands. */
export interface Loss {
  /** A line (`line 3`), or a path into a document (`item[0].request.auth`). */
  readonly place: string
  /** What is missing in the result; one line. */
  readonly message: string
}

export interface NamedValue {
  readonly name: string
  readonly value: string
}

/** An entry of a list that the source has switched off: written as a comment. */
export interface Entry extends NamedValue {
  readonly isDisabled?: boolean
}

export type PartContent = { readonly text: string } | { readonly path: string }

export interface MultipartEntry {
  readonly name: string
  readonly content: PartContent
  /** What the server is told; undefined: the last name of the path, '' for none. */
  readonly fileName?: string
  readonly contentType?: string
  readonly isDisabled?: boolean
}

export type BodyDraft =
  /** Sent exactly so. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly path: string }
  /** Not yet encoded. */
  | { readonly type: 'form'; readonly entries: readonly Entry[] }
  | { readonly type: 'multipart'; readonly parts: readonly MultipartEntry[] }
  /** `variables` is the text of a JSON object or ''. */
  | { readonly type: 'graphql'; readonly query: string; readonly variables: string }
  /** Octets that are no text; they need a file of their own. */
  | { readonly type: 'octets'; readonly octets: Uint8Array }
  | { readonly type: 'messages'; readonly messages: readonly string[] }

export interface RequestDraft {
  readonly name: string
  /** Lines of comment, without the mark. */
  readonly comments: readonly string[]
  readonly tags: readonly NamedValue[]
  readonly variables: readonly NamedValue[]
  readonly scripts: readonly string[]
  readonly method: string
  readonly url: string
  /** `name=value` of query parameters that are switched off. */
  readonly disabledQuery: readonly string[]
  readonly version: RequestVersion | undefined
  readonly headers: readonly Entry[]
  readonly body: BodyDraft | undefined
  readonly handlers: readonly string[]
  /** Where the body of the response goes; it is overwritten. */
  readonly responseFile: string | undefined
}

/** A draft with nothing but what is given. */
export function draftOf(known: Partial<RequestDraft> & Pick<RequestDraft, 'url'>): RequestDraft {
  return {
    name: '',
    comments: [],
    tags: [],
    variables: [],
    scripts: [],
    method: 'GET',
    disabledQuery: [],
    version: undefined,
    headers: [],
    body: undefined,
    handlers: [],
    responseFile: undefined,
    ...known,
  }
}

export interface EnvironmentVariable {
  readonly name: string
  readonly value: JsonValue
  /** Belongs into the private environment file. */
  readonly isSecret: boolean
}

export interface EnvironmentDraft {
  readonly name: string
  readonly variables: readonly EnvironmentVariable[]
}

/** A whole source, read. */
export interface Conversion {
  /** Of the collection or document; '' where it has none. */
  readonly title: string
  /** Lines of comment at the top of the file. */
  readonly comments: readonly string[]
  /** Variables that belong into the request file itself, because scripts set them. */
  readonly variables: readonly NamedValue[]
  /** Run before and behind every request. */
  readonly scripts: readonly string[]
  readonly handlers: readonly string[]
  readonly requests: readonly RequestDraft[]
  readonly environments: readonly EnvironmentDraft[]
  readonly losses: readonly Loss[]
}

/** A conversion of requests alone. */
export function conversionOf(known: Partial<Conversion>): Conversion {
  return {
    title: '',
    comments: [],
    variables: [],
    scripts: [],
    handlers: [],
    requests: [],
    environments: [],
    losses: [],
    ...known,
  }
}
