/**
 * A text cut into lines.
 *
 * Rules: a line ends with LF, CRLF or a lone CR, and each line knows which, so that no byte is lost. White space is
 * space, tab and form feed; nothing else is trimmed, in particular not U+00A0 or U+FEFF.
 */
import type { Span } from './syntax-tree.ts'

export interface SourceLine {
  /** Without the line end. */
  readonly text: string
  readonly end: '\n' | '\r\n' | '\r' | ''
  /** Of the first character, in the whole source. */
  readonly offset: number
  /** From 1. */
  readonly number: number
}

/** Cuts a source into lines. `offset` is where the text begins in the source (behind a byte order mark). */
export function linesOf(text: string, offset = 0): SourceLine[] {
  const lines: SourceLine[] = []
  const ends = /\r\n|\n|\r/g
  let start = 0
  while (start < text.length) {
    const match = ends.exec(text)
    const stop = match?.index ?? text.length
    const end = (match?.[0] ?? '') as SourceLine['end']
    lines.push({ text: text.slice(start, stop), end, offset: offset + start, number: lines.length + 1 })
    start = stop + end.length
  }
  return lines
}

/** The place of a piece of a line: `from` and `to` are indexes into its text. */
export function spanIn(line: SourceLine, from: number, to: number): Span {
  return { offset: line.offset + from, line: line.number, column: from + 1, length: to - from }
}

export function isBlank(text: string): boolean {
  return /^[ \t\f]*$/.test(text)
}

export function isIndented(text: string): boolean {
  return /^[ \t\f]/.test(text)
}

/** A comment begins with `#` or `//`, with or without indent. */
export function isComment(text: string): boolean {
  return /^[ \t\f]*(?:#|\/\/)/.test(text)
}

/** Index of the first and behind the last character that is not white space, from an index on. */
export function trimmedRange(text: string, from = 0): readonly [start: number, end: number] {
  let start = from
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return [start, end]
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0c
}
