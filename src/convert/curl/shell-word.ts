/**
 * The words and commands that every kind of command line is split into.
 *
 * Rules: a word records where it begins, so that errors and losses have a place. Text that no shell would change is
 * literal; `{{name}}` in a word represents a variable of the shell.
 */
import type { PartContent } from '../draft/draft.ts'
import type { TextPlace } from '../draft/errors.ts'
import { literal } from '../draft/literal-text.ts'

/** `line` and `column` are those of its first character. */
export interface ShellWord extends TextPlace {
  readonly text: string
  /** A shell would compute this: the text is as written, and its braces belong to the shell. */
  readonly isCode?: boolean
}

export function draftText({ text, isCode }: Pick<ShellWord, 'text' | 'isCode'>): string {
  return isCode === true ? literal(text) : text
}

export interface ShellCommand {
  readonly words: readonly ShellWord[]
  /** `name=value` before the command, or alone. */
  readonly assignments: readonly { readonly name: string; readonly value: string }[]
  /** Comment lines directly before it. */
  readonly comments: readonly string[]
  /** Standard input from a here-document or a file. */
  readonly input: PartContent | undefined
  /** Whether it reads the output of the previous command. */
  readonly isPiped: boolean
  /** Shell syntax that was left out. */
  readonly notes: readonly { readonly line: number; readonly message: string }[]
}

/** The command line is invalid. */
export class ShellSyntaxError extends Error {
  readonly line: number
  readonly column: number

  constructor(message: string, place: TextPlace) {
    super(message)
    this.line = place.line
    this.column = place.column
  }
}

/** Line and column, both from 1, of an index into a text. */
export function placeAt(text: string, index: number): TextPlace {
  const before = text.slice(0, index)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: index - lineStart + 1 }
}

/** Converts ascending indexes to places: each character of the text is read once. */
export class PlaceCounter {
  readonly #text: string
  #line = 1
  #lineStart = 0
  #lineEnd: number

  constructor(text: string) {
    this.#text = text
    this.#lineEnd = text.indexOf('\n')
  }

  /** As `placeAt` does. `index` is not less than that of the previous call. */
  at(index: number): TextPlace {
    while (this.#lineEnd !== -1 && this.#lineEnd < index) {
      this.#line++
      this.#lineStart = this.#lineEnd + 1
      this.#lineEnd = this.#text.indexOf('\n', this.#lineStart)
    }
    return { line: this.#line, column: index - this.#lineStart + 1 }
  }
}
