/**
 * The expression between braces around a cursor, closed or not.
 *
 * Rules: an expression contains neither braces nor line endings, as in template.ts of http-file.
 */
import type { Cursor } from './cursor.ts'
import { type Token, wordAt } from './token.ts'

export interface OpenExpression {
  /** The text from the braces to the cursor, without blanks at its beginning. */
  readonly typed: string
  /** The closing braces that are missing after the word. */
  readonly missingClose: string
}

/** Undefined unless `{{` is open before the cursor. */
export function openExpression({ before, after }: Cursor): OpenExpression | undefined {
  const open = /\{\{[ \t]*([^{}]*)$/.exec(before.slice(before.lastIndexOf('{{')))
  if (open === null || open.index !== 0) return undefined
  const rest = /^[^{}]*/.exec(after)?.[0] ?? ''
  const closing = /^\}{0,2}/.exec(after.slice(rest.length))?.[0] ?? ''
  // Braces after any other text close something else.
  const isNext = /^[\w$.-]*[ \t]*(?:\([^()]*\)?)?[ \t]*$/.test(rest)
  return { typed: open[1] ?? '', missingClose: isNext ? '}}'.slice(closing.length) : '}}' }
}

/** The closed expression under a cursor, with its braces. */
export function expressionAt(cursor: Cursor): (Token & { readonly expression: string }) | undefined {
  const token = wordAt(cursor, /\{\{[^{}]+\}\}/g)
  return token && { ...token, expression: token.text.slice(2, -2).trim() }
}
