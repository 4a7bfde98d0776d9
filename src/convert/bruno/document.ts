/**
 * The content of a file of a Bruno collection, read from either form: Bru or YAML.
 *
 * Rules: texts are as written, including Bruno's templates. Places are reported with losses.
 */
import type { JsonValue } from '../../http-file/index.ts'
import type { EnvironmentVariable } from '../draft/draft.ts'

export interface BrunoEntry {
  readonly name: string
  readonly value: string
  readonly isDisabled: boolean
}

export interface BrunoPart extends BrunoEntry {
  /** For a file part: each path becomes a part. */
  readonly paths: readonly string[] | undefined
  readonly contentType: string
}

/** A post-response variable, or an assertion. */
export interface BrunoCheck {
  readonly place: string
  /** Code: `res.body.id`. */
  readonly expression: string
  /** The name of the variable; or the operator and its value: `eq 200`. */
  readonly target: string
}

export interface BrunoBody {
  /** `none`, `json`, `formUrlEncoded` and so on, as in Bruno. */
  readonly mode: string
  readonly text: string
  readonly graphqlVariables: string
  readonly parts: readonly BrunoPart[]
}

export interface BrunoScript {
  readonly place: string
  readonly code: string
}

/** A request, a folder or the whole collection. */
export interface BrunoDocument {
  /** `http`, `graphql`, `grpc`, `ws`, `folder`, `collection` and so on. */
  readonly type: string
  readonly name: string
  /** The order among its siblings. */
  readonly sequence: number | undefined
  readonly tags: readonly string[]
  readonly method: string
  readonly url: string
  readonly query: readonly BrunoEntry[]
  readonly pathParameters: readonly BrunoEntry[]
  readonly headers: readonly BrunoEntry[]
  /** `inherit`, `none`, `basic` and so on; '' if not set. */
  readonly authType: string
  readonly auth: ReadonlyMap<string, string>
  readonly body: BrunoBody
  readonly variables: readonly EnvironmentVariable[]
  readonly captures: readonly BrunoCheck[]
  readonly assertions: readonly BrunoCheck[]
  readonly scriptsBefore: readonly BrunoScript[]
  readonly scriptsAfter: readonly BrunoScript[]
  readonly docs: string
  readonly settings: ReadonlyMap<string, string>
  /** Unsupported blocks, with their places. */
  readonly unknown: readonly { readonly place: string; readonly name: string }[]
}

const emptyBody: BrunoBody = { mode: 'none', text: '', graphqlVariables: '', parts: [] }

export const emptyDocument: BrunoDocument = {
  type: '',
  name: '',
  sequence: undefined,
  tags: [],
  method: '',
  url: '',
  query: [],
  pathParameters: [],
  headers: [],
  authType: '',
  auth: new Map(),
  body: emptyBody,
  variables: [],
  captures: [],
  assertions: [],
  scriptsBefore: [],
  scriptsAfter: [],
  docs: '',
  settings: new Map(),
  unknown: [],
}

/** A value with a type: the text if it is not a value of that type. */
export function typedValue(text: string, type: string): JsonValue {
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true'
  if (type !== 'object') return text
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}

/** The sequence number, by Bruno's rules. */
export function sequenceOf(text: string): number | undefined {
  const value = Number(text)
  return text !== '' && Number.isInteger(value) && value > 0 ? value : undefined
}
