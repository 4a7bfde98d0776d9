/**
 * A position in the value of a tag, which advances as the value is read.
 *
 * Rules: blanks between words do not matter. Errors are thrown as a `TagProblem`, which the reader of the tag catches:
 * it never leaves this room.
 */
import { endOfQuoted } from './quoted-text.ts'
import { type SourceLine, spanIn, trimmedRange } from './source-line.ts'
import type { Span, Template } from './span.ts'
import { templateIn } from './template.ts'

/** An error and its place in the line. */
export class TagProblem extends Error {
  readonly range: readonly [start: number, end: number]
  readonly hint: string | undefined

  constructor(message: string, range: readonly [start: number, end: number], hint?: string) {
    super(message)
    this.range = range
    this.hint = hint
  }
}

/** A piece of the line as a template, and its place. */
export interface TemplateAt {
  readonly template: Template
  readonly span: Span
}

export class TagCursor {
  readonly line: SourceLine
  readonly end: number
  /** Index into the text of the line. */
  at: number

  constructor(line: SourceLine, range: readonly [start: number, end: number]) {
    this.line = line
    this.at = range[0]
    this.end = range[1]
  }

  get rest(): string {
    return this.line.text.slice(this.at, this.end)
  }

  get isAtEnd(): boolean {
    return this.at >= this.end
  }

  skipBlanks(): void {
    this.at = trimmedRange(this.line.text.slice(0, this.end), this.at)[0]
  }

  /** Matches the pattern here and skips the blanks after the match. The pattern begins with `^`. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    const match = pattern.exec(this.rest)
    if (match === null) return undefined
    this.at += match[0].length
    this.skipBlanks()
    return match
  }

  /** Takes a text in quotes, in which a backslash escapes the next character. @returns the place of the text */
  takeQuoted(quote: string = '"'): readonly [start: number, end: number] | undefined {
    const { at, rest } = this
    const length = rest.startsWith(quote) ? endOfQuoted(rest, 0) : -1
    if (length === -1) return undefined
    this.at += length
    this.skipBlanks()
    return [at + 1, at + length - 1]
  }

  /** Matches the pattern here, as a template. */
  takeTemplate(pattern: RegExp): TemplateAt | undefined {
    const match = pattern.exec(this.rest)
    if (match === null) return undefined
    const range = [this.at, this.at + match[0].length] as const
    this.at = range[1]
    this.skipBlanks()
    return this.piece(range)
  }

  /** A piece of the line as a template. */
  piece([start, end]: readonly [start: number, end: number]): TemplateAt {
    return { template: templateIn(this.line, start, end), span: spanIn(this.line, start, end) }
  }

  /** The word at this place, for messages: at least one character, if any is left. */
  get wordRange(): readonly [start: number, end: number] {
    const length = /^\S+/.exec(this.rest)?.[0].length ?? 0
    return [this.at, this.at + length]
  }

  /** An error at the word at this place. */
  problem(message: string, hint?: string): TagProblem {
    return new TagProblem(message, this.isAtEnd ? [this.end, this.end] : this.wordRange, hint)
  }
}

/** `found "x"`, or `found the end of the line`. */
export function found(cursor: TagCursor): string {
  const [start, end] = cursor.wordRange
  return start === end ? 'found the end of the line' : `found ${JSON.stringify(cursor.line.text.slice(start, end))}`
}

/** The text between quotes at this place; a backslash before a quote or a backslash is omitted. */
export function readQuoted(cursor: TagCursor): TemplateAt | undefined {
  const start = cursor.at
  const double = cursor.takeQuoted()
  const single = double === undefined ? cursor.take(/^'([^']*)'/)?.[1] : undefined
  if (double === undefined && single === undefined) return undefined
  const { template, span } = cursor.piece(double ?? [start + 1, start + 1 + (single as string).length])
  const parts = template.parts.map((part) =>
    part.type === 'text' ? { ...part, text: part.text.replace(/\\(["\\])/g, '$1') } : part,
  )
  return { template: { parts }, span }
}
