/** Mistakes in files of rules and of media types, with file, line, column and the line itself. */
import { HttpcliError, type SourcePlace } from '../../message/index.ts'

/** A text with its place, so that a mistake in it can be reported there. */
export interface Token {
  readonly text: string
  /** Of its first character in the file. */
  readonly offset: number
}

export interface RulesSource {
  /** As messages show it. */
  readonly file: string
  readonly text: string
}

/** HttpcliError with the code, by default `rules-syntax`. */
export function rulesError(
  source: RulesSource,
  offset: number,
  message: string,
  hint: string,
  code: string = 'rules-syntax',
): HttpcliError {
  const where = placeOf(source, offset)
  const line = source.text.split(lineEnd)[where.line - 1] ?? ''
  const shown = line.replace(/[\0-\x1f\x7f]/g, ' ')
  const excerpt = `${shown}\n${' '.repeat(where.column - 1)}^`
  return new HttpcliError(code, message, { where, excerpt, hint })
}

/** The same for a line that holds a password, which is not shown. */
export function secretRulesError(source: RulesSource, offset: number, message: string, hint: string): HttpcliError {
  return new HttpcliError('rules-syntax', message, { where: placeOf(source, offset), hint })
}

function placeOf({ file, text }: RulesSource, offset: number): SourcePlace {
  const lines = text.slice(0, offset).split(lineEnd)
  return { file, line: lines.length, column: (lines.at(-1) as string).length + 1 }
}

const lineEnd = /\r\n|\n|\r/

/** The lines of a file with their places, without their ends and the white space around them; empty ones are left out. */
export function linesOf(text: string): readonly (Token & { readonly isIndented: boolean })[] {
  return [...text.matchAll(/[^\n]+/g)].flatMap(({ 0: line, index }) => {
    const trimmed = line.trim()
    if (trimmed === '') return []
    const start = line.length - line.trimStart().length
    return [{ text: trimmed, offset: index + start, isIndented: start > 0 }]
  })
}
