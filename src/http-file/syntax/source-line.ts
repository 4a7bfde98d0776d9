/**
 * Splits a text into lines.
 *
 * Rules: a line ends with LF, CRLF or a lone CR, and each line records its line ending, so that no byte is lost. White
 * space is space, tab and form feed; nothing else is trimmed, in particular not U+00A0 or U+FEFF.
 */
import type { Span } from './span.ts'

export interface SourceLine {
  /** The whole text that contains the line. */
  readonly source: string
  /** Without the line ending. */
  readonly text: string
  readonly end: '\n' | '\r\n' | '\r' | ''
  /** Offset of the first character in the whole source. */
  readonly offset: number
  /** Line number, from 1. */
  readonly number: number
  /** Index of the first character that is not white space; the length of the text for a blank line. */
  readonly start: number
  /** The code of that character, -1 for a blank line: it identifies most forms of lines. */
  readonly mark: number
}

/** Splits a source into lines. `from` is where the first begins (after a byte order mark). */
export function linesOf(source: string, from = 0): SourceLine[] {
  const lines: SourceLine[] = []
  const hasReturns = source.includes('\r')
  const ends = /\r\n?|\n/g
  let offset = from
  while (offset < source.length) {
    let stop = hasReturns ? -1 : source.indexOf('\n', offset)
    let end: SourceLine['end'] = '\n'
    if (hasReturns) {
      ends.lastIndex = offset
      const match = ends.exec(source)
      stop = match?.index ?? -1
      end = (match?.[0] ?? '') as SourceLine['end']
    }
    if (stop === -1) {
      stop = source.length
      end = ''
    }
    lines.push(lineOf(source, offset, stop, end, lines.length + 1))
    offset = stop + end.length
  }
  return lines
}

export function lineOf(
  source: string,
  offset: number,
  stop: number,
  end: SourceLine['end'],
  number: number,
): SourceLine {
  const text = source.slice(offset, stop)
  let start = 0
  while (start < text.length && isSpace(text.charCodeAt(start))) start++
  return { source, text, end, offset, number, start, mark: start < text.length ? text.charCodeAt(start) : -1 }
}

/** The place of a piece of a line: `from` and `to` are indices into its text. */
export function spanIn(line: SourceLine, from: number, to: number): Span {
  return { offset: line.offset + from, line: line.number, column: from + 1, length: to - from }
}

export function isBlank({ mark }: SourceLine): boolean {
  return mark === -1
}

export function isIndented({ start, mark }: SourceLine): boolean {
  return start > 0 && mark !== -1
}

const NUMBER_SIGN = 0x23
const SLASH = 0x2f

/** A comment begins with `#` or `//`, with or without indent. */
export function isComment({ text, start, mark }: SourceLine): boolean {
  return mark === NUMBER_SIGN || (mark === SLASH && text.charCodeAt(start + 1) === SLASH)
}

/** `###` at the start of a line. */
export function isSeparator({ text, mark }: SourceLine): boolean {
  return mark === NUMBER_SIGN && text.startsWith('###')
}

/** The indices of the first character that is not white space and of the one after the last, from an index on. */
export function trimmedRange(text: string, from = 0): readonly [start: number, end: number] {
  let start = from
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return [start, end]
}

/** The text between these indices. */
export function trimmed(text: string): string {
  const [start, end] = trimmedRange(text)
  return text.slice(start, end)
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0c
}
