/** Words around a cursor, and their ranges in the document. */
import type { Range } from 'vscode-languageserver-protocol'
import type { Cursor } from './cursor.ts'

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
  const typed = beforePattern.exec(before)?.[0] ?? ''
  const rest = typed === '' ? '' : (afterPattern.exec(after)?.[0] ?? '')
  return tokenOf(position, typed, rest)
}

/** The word under a cursor, for hover; undefined between words. @param pattern global */
export function wordAt({ before, after, position }: Cursor, pattern: RegExp): Token | undefined {
  const line = before + after
  for (const match of line.matchAll(pattern)) {
    if (match.index > before.length) return undefined
    const end = match.index + match[0].length
    if (end < before.length || match[0] === '') continue
    return tokenOf(position, line.slice(match.index, before.length), line.slice(before.length, end))
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
