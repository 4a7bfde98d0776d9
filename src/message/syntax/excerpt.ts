/**
 * The position of a byte as line and column, and the line around it for people.
 *
 * Rules: lines end at LF; columns count bytes from 1; control characters are shown as escapes, so an excerpt is always
 * exactly two lines and safe to print to a terminal.
 */
import { checkType } from './checked-input.ts'
import type { Position } from './errors.ts'
import { CR, hexDigits, LF, octetString } from './octets.ts'

const BEFORE = 60
const AFTER = 40

/** Line and column of an offset. */
export function positionAt(bytes: Uint8Array, offset: number): Position {
  let line = 1
  let lineStart = 0
  const end = Math.min(offset, bytes.length)
  for (let i = 0; i < end; i++) {
    if (bytes[i] === LF) {
      line++
      lineStart = i + 1
    }
  }
  return { offset, line, column: offset - lineStart + 1 }
}

/** The line that contains the offset (part of it if it is long), and below it a caret under the byte. */
export function excerptAt(bytes: Uint8Array, offset: number): string {
  let start = Math.min(offset, bytes.length)
  while (start > 0 && bytes[start - 1] !== LF) start--
  let end = Math.min(offset, bytes.length)
  while (end < bytes.length && bytes[end] !== LF) end++
  // The line's own CRLF is not part of the error, unless the caret points at it.
  if (end > start && end > offset && bytes[end - 1] === CR && bytes[end] === LF) end--
  return excerptOf(octetString(bytes, start, end), offset - start)
}

/**
 * A line (part of it if it is long), and below it a caret under the character at `column`, an index from 0. `show`
 * makes a piece of the line safe to print; by default the line is a binary string.
 */
export function excerptOf(line: string, column: number, show: (text: string) => string = visible): string {
  checkType(line, 'string', 'the line')
  const from = Math.max(0, column - BEFORE)
  const to = Math.min(line.length, column + AFTER)
  const before = (from > 0 ? '…' : '') + show(line.slice(from, column))
  const after = show(line.slice(column, to)) + (to < line.length ? '…' : '')
  return `${before}${after}\n${' '.repeat(before.length)}^`
}

const named: Readonly<Record<string, string>> = { '\0': '\\0', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

/** Control characters and bytes above 0x7E as escapes: safe to print anywhere. */
export function visible(octets: string): string {
  return checkType(octets, 'string', 'the text').replace(
    /[^ -~]/g,
    (character) => named[character] ?? `\\x${hexDigits(character.charCodeAt(0))}`,
  )
}
