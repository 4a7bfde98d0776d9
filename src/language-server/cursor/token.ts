/** Words around a cursor, and their ranges in the document. */
import type { Range } from 'vscode-languageserver-protocol'
import type { Cursor } from './cursor.ts'

/**
 * The number of characters searched on each side of the cursor: lines of bodies may be long, and patterns are slow on
 * them.
 */
const MAX_CHARACTERS = 1000

export interface Token {
  /** The text before the cursor. */
  readonly typed: string
  /** The whole word. */
  readonly text: string
  readonly range: Range
}

/**
 * The word that completion replaces: the match before the cursor and the match after it. If nothing was typed, nothing
 * is replaced.
 * @param before matches the end of the line up to the cursor
 * @param after matches the beginning of the rest
 */
export function typedToken({ before, after, position }: Cursor, beforePattern: RegExp, afterPattern: RegExp): Token {
  const typed = beforePattern.exec(before.slice(-MAX_CHARACTERS))?.[0] ?? ''
  const rest = typed === '' ? '' : (afterPattern.exec(after)?.[0] ?? '')
  return tokenOf(position, typed, rest)
}

/** The word under a cursor, for hover; undefined between words. @param pattern global */
export function wordAt({ before, after, position }: Cursor, pattern: RegExp): Token | undefined {
  const near = before.slice(-MAX_CHARACTERS)
  const text = near + after.slice(0, MAX_CHARACTERS)
  for (const match of text.matchAll(pattern)) {
    if (match.index > near.length) return undefined
    const end = match.index + match[0].length
    if (end < near.length || match[0] === '') continue
    return tokenOf(position, text.slice(match.index, near.length), text.slice(near.length, end))
  }
  return undefined
}

function tokenOf({ line, character }: Cursor['position'], typed: string, rest: string): Token {
  return {
    typed,
    text: typed + rest,
    range: {
      start: { line, character: character - typed.length },
      end: { line, character: character + rest.length },
    },
  }
}
