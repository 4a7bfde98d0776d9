/**
 * The intermediate form: every foreign format is read into it, and request files are written from it.
 *
 * Rules: every text is a text of a request file: `{{name}}` in it is a variable. Literal text of the foreign format
 * goes through `literal` (literal-text.ts) first. Drafts know nothing of the syntax of request files.
 */
import type { JsonValue, RequestVersion } from '../../http-file/index.ts'

/** A part of the source without an equivalent, and its place. */
export interface Loss {
  /** A line (`line 3`), or a path into a document (`item[0].request.auth`). */
  readonly place: string
  /** What the result lacks, in one line. */
  readonly message: string
}

export interface NamedValue {
  readonly name: string
  readonly value: string
}

/** An entry of a list that the source has disabled: written as a comment. */
export interface Entry extends NamedValue {
  readonly isDisabled?: boolean
}

export type PartContent = { readonly text: string } | { readonly path: string }

export interface MultipartEntry {
  readonly name: string
  readonly content: PartContent
  /** The file name sent to the server: empty for none; undefined for the last segment of the path. */
  readonly fileName?: string
  readonly contentType?: string
  readonly isDisabled?: boolean
}

export type BodyDraft =
  /** Sent unchanged. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly path: string }
  /** Not yet encoded. */
  | { readonly type: 'form'; readonly entries: readonly Entry[] }
  /** Without a disposition the parts are those of a form. */
  | { readonly type: 'multipart'; readonly parts: readonly MultipartEntry[]; readonly disposition?: 'attachment' }
  /** `variables` is the text of a JSON object or ''. */
  | { readonly type: 'graphql'; readonly query: string; readonly variables: string }
  /** Bytes that are not text; they need a separate file. */
  | { readonly type: 'octets'; readonly octets: Uint8Array }
  | { readonly type: 'messages'; readonly messages: readonly string[] }

/** The body of a request in another tool. */
export interface ConvertedBody {
  readonly body: BodyDraft | undefined
  /** Used if no header sets one. */
  readonly contentType: string | undefined
  /** The parts without an equivalent. */
  readonly lost: readonly string[]
}

export const emptyBody: ConvertedBody = { body: undefined, contentType: undefined, lost: [] }

export interface RequestDraft {
  readonly name: string
  /** Lines of comment, without the mark. */
  readonly comments: readonly string[]
  readonly tags: readonly NamedValue[]
  readonly variables: readonly NamedValue[]
  readonly scripts: readonly string[]
  readonly method: string
  readonly url: string
  /** Disabled query parameters as `name=value`. */
  readonly disabledQuery: readonly string[]
  readonly version: RequestVersion | undefined
  readonly headers: readonly Entry[]
  readonly body: BodyDraft | undefined
  readonly handlers: readonly string[]
  /** The file that the response body is saved to, replacing an existing one. */
  readonly responseFile: string | undefined
}

/** A tag of the same name for each value. */
export function tagsOf(name: string, values: readonly string[]): readonly NamedValue[] {
  return values.map((value) => ({ name, value }))
}

/** A draft with the given members; all others are empty. */
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
  /** Belongs in the private environment file. */
  readonly isSecret: boolean
}

export interface EnvironmentDraft {
  readonly name: string
  readonly variables: readonly EnvironmentVariable[]
}

/** A whole source, read. */
export interface Conversion {
  /** The title of the collection or document; or ''. */
  readonly title: string
  /** Lines of comment at the top of the file. */
  readonly comments: readonly string[]
  /** Variables that belong in the request file itself, because scripts set them. */
  readonly variables: readonly NamedValue[]
  /** Run before and after every request. */
  readonly scripts: readonly string[]
  readonly handlers: readonly string[]
  readonly requests: readonly RequestDraft[]
  readonly environments: readonly EnvironmentDraft[]
  readonly losses: readonly Loss[]
}

/** A conversion with requests only. */
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
