/** Places in a source, and text with variables in it: what every part of the syntax is made of. */

/** A stretch of the source. `length` counts UTF-16 units and may span lines. */
export interface Span {
  readonly offset: number
  readonly line: number
  readonly column: number
  readonly length: number
}

/** Text with `{{…}}` in it, in reading order. */
export interface Template {
  readonly parts: readonly TemplatePart[]
}

export type TemplatePart =
  | { readonly type: 'text'; readonly text: string }
  /** `expression` is what stands between the braces, trimmed; `span` covers the braces too. */
  | { readonly type: 'variable'; readonly expression: string; readonly span: Span }
