/** Places in a source, and text with variables: the elements of the syntax. */

/** A range of the source. `length` counts UTF-16 units and may span lines. */
export interface Span {
  readonly offset: number
  readonly line: number
  readonly column: number
  readonly length: number
}

/** Text that may contain `{{…}}`, in reading order. */
export interface Template {
  readonly parts: readonly TemplatePart[]
}

export type TemplatePart =
  | { readonly type: 'text'; readonly text: string }
  /** `expression` is the text between the braces, trimmed; `span` includes the braces. */
  | { readonly type: 'variable'; readonly expression: string; readonly span: Span }
