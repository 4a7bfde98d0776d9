/**
 * The content of `# @assert` and `# @capture`, as data.
 *
 * Rules: a subject names one part of the response and its filters; a predicate says what must be true of it. Texts are
 * templates, since they may contain variables; nothing is looked up or computed here. Errors that do not depend on
 * variables are errors of the file.
 */
import type { Span, Template } from './span.ts'

export type SubjectKind =
  | 'status'
  | 'version'
  | 'reason'
  | 'url'
  | 'ip'
  | 'redirects'
  | 'locations'
  | 'duration'
  | 'size'
  | 'header'
  | 'cookie'
  | 'certificate'
  | 'body'
  | 'jsonpath'
  | 'xpath'
  | 'variable'
  | 'text'

/** One of several values: by its index, from the end if negative, or all as a list. */
export type Selection = number | 'all'

/** Filters without arguments. */
export type PlainFilter =
  | ('length' | 'count' | 'bytes' | 'sha512' | 'sha256' | 'sha1' | 'md5' | 'lower' | 'upper' | 'first' | 'last')
  | ('toInt' | 'toFloat' | 'toString' | 'toHex' | 'urlEncode' | 'urlDecode' | 'htmlEscape' | 'htmlUnescape')
  | ('base64Encode' | 'base64Decode' | 'base64UrlSafeEncode' | 'base64UrlSafeDecode')
  | ('daysAfterNow' | 'daysBeforeNow')

export type TextFilter =
  | ('split' | 'replace' | 'replaceRegex' | 'nth' | 'jsonpath' | 'xpath')
  | ('toDate' | 'format' | 'decode' | 'urlQueryParam')

/** A transformation of a value before it is checked. */
export type Filter =
  | { readonly type: PlainFilter }
  | { readonly type: TextFilter; readonly texts: readonly Template[] }
  /** The first group of the first match; the whole match if the pattern has no group. */
  | { readonly type: 'regex'; readonly pattern: Template; readonly flags: string }

export interface Subject {
  readonly kind: SubjectKind
  /** The name of a header, cookie or variable; a path; the attribute of a certificate; the text itself. */
  readonly argument: Template | undefined
  readonly argumentSpan: Span
  readonly selection: Selection | undefined
  /** Of a cookie, in lower case: `value`, `secure`, `max-age`, … */
  readonly attribute: string | undefined
  readonly filters: readonly Filter[]
  /** As written. */
  readonly text: string
}

/** `is…`: types and states of a value. */
export type ValueTest =
  | 'string'
  | 'number'
  | 'integer'
  | 'float'
  | 'boolean'
  | 'array'
  | 'object'
  | 'null'
  | 'true'
  | 'false'
  | 'empty'
  | 'date'
  | 'uuid'
  | 'ipv4'
  | 'ipv6'

export type Comparison = 'equals' | 'less' | 'at-most' | 'more' | 'at-least'
export type TextPredicate = 'contains' | 'starts-with' | 'ends-with'

export type Predicate =
  | { readonly type: Comparison | TextPredicate; readonly isNegated: boolean; readonly value: ExpectedValue }
  | { readonly type: 'matches'; readonly isNegated: boolean; readonly pattern: Template; readonly flags: string }
  | { readonly type: 'in'; readonly isNegated: boolean; readonly values: ExpectedList }
  | { readonly type: 'is'; readonly isNegated: boolean; readonly test: ValueTest }
  | { readonly type: 'exists'; readonly isNegated: boolean }

/**
 * `bare`: words without quotes, read as JSON if they are JSON. `quoted`: a text. `json`: an array or object. `loose`:
 * as JSON or as the text itself, including quotes: either may match.
 */
export interface ExpectedValue {
  readonly form: 'bare' | 'quoted' | 'json' | 'loose'
  readonly template: Template
}

/** The text between the brackets, separated by commas. */
export interface ExpectedList {
  readonly items: readonly ExpectedValue[]
}

export interface Assertion {
  readonly subject: Subject
  readonly predicate: Predicate
  /** As written, without the tag. */
  readonly text: string
  readonly span: Span
}

export interface Capture {
  readonly name: string
  readonly subject: Subject
  /** As written, without the tag. */
  readonly text: string
  readonly span: Span
}
