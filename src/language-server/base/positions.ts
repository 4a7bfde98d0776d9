/**
 * Converts positions of this project to positions of the protocol and back.
 *
 * Rules: both count UTF-16 units; lines and columns start at 1 here and at 0 there.
 */
import type { Position, Range } from 'vscode-languageserver-protocol'
import type { Span } from '../../http-file/index.ts'
import type { SourcePlace } from '../../message/index.ts'

const LF = 0x0a
const CR = 0x0d

/** Offsets of a text's lines. */
export class LineIndex {
  readonly text: string
  readonly #starts: readonly number[]

  constructor(text: string) {
    this.text = text
    const starts = [0]
    // This runs on each key press: a loop creates no garbage.
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) starts.push(at + 1)
    }
    this.#starts = starts
  }

  get lineCount(): number {
    return this.#starts.length
  }

  /** A position after the end of a line or of the text means its end. */
  offsetAt({ line, character }: Position): number {
    const start = this.#starts[line]
    if (start === undefined) return line < 0 ? 0 : this.text.length
    return Math.min(start + Math.max(0, character), start + this.lineText(line).length)
  }

  positionAt(offset: number): Position {
    const inside = Math.max(0, Math.min(offset, this.text.length))
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] as number) <= inside) low = middle
      else high = middle - 1
    }
    return { line: low, character: inside - (this.#starts[low] as number) }
  }

  /** The text of a line without its line ending; empty after the last line. */
  lineText(line: number): string {
    const start = this.#starts[line]
    if (start === undefined) return ''
    return this.text.slice(start, this.#starts[line + 1]).replace(/[\r\n]+$/, '')
  }

  rangeOf({ offset, length }: Pick<Span, 'offset' | 'length'>): Range {
    return { start: this.positionAt(offset), end: this.positionAt(offset + length) }
  }
}

/** The range of an error; one character if its end is unknown. */
export function rangeOfPlace({ line, column, end }: SourcePlace): Range {
  const start = { line: line - 1, character: column - 1 }
  if (end === undefined) return { start, end: { line: line - 1, character: column } }
  return { start, end: { line: end.line - 1, character: end.column - 1 } }
}

export const startOfFile: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }
