/**
 * Parses a header line and its indented continuation lines.
 *
 * Rules: `Name: value`, the value trimmed and otherwise sent as is; continuation lines are joined by one space (RFC
 * 9112 section 5.2 replaces line folds by spaces). A name without variables is a token (RFC 9110 section 5.1).
 */
import type { DiagnosticCode, Mistake } from '../syntax/diagnostic.ts'
import { type SourceLine, spanIn, trimmedRange } from '../syntax/source-line.ts'
import type { HeaderNode, NodeOf } from '../syntax/syntax-tree.ts'
import { hasUnclosedBraces, isLiteral, joinTemplates, templateIn, unclosedVariable } from '../syntax/template.ts'

/** An error and its place in the first line. */
export interface HeaderProblem extends Mistake {
  readonly code: DiagnosticCode
  readonly range: readonly [start: number, end: number]
  /** Whether the line begins a body, to which the lines below it belong. */
  readonly isBody?: boolean
}

const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Parses a header from its lines, without comment lines. */
export function parseHeader(lines: readonly SourceLine[]): Omit<HeaderNode, keyof NodeOf<'header'>> | HeaderProblem {
  const first = lines[0] as SourceLine
  const [start, end] = trimmedRange(first.text)
  const colon = indexOfColon(first.text)
  if (colon === -1) {
    return {
      code: 'bad-header',
      message: 'expected "Name: value", or an empty line before the body',
      hint: headerHint(first.text.slice(start, end)),
      range: [start, end],
      isBody: beginsBody(first),
    }
  }
  const nameEnd = trimmedRange(first.text.slice(0, colon))[1]
  const name = templateIn(first, start, nameEnd)
  if (colon <= start || (isLiteral(name) && !tokenPattern.test(first.text.slice(start, nameEnd)))) {
    return {
      code: 'bad-header-name',
      message: `${JSON.stringify(first.text.slice(start, colon))} is not a header name`,
      hint: headerHint(first.text.slice(start, end)),
      range: [start, Math.max(nameEnd, start + 1)],
      isBody: beginsBody(first),
    }
  }
  const ranges = lines.map((line, index) => trimmedRange(line.text, index === 0 ? colon + 1 : 0))
  const value = joinTemplates(
    lines.map((line, index) => templateIn(line, ...(ranges[index] as readonly [number, number]))),
    ' ',
  )
  const [valueStart, valueEnd] = ranges[0] as readonly [number, number]
  if (hasUnclosedBraces(value)) {
    const range = [valueStart, valueEnd] as const
    return { code: 'unclosed-variable', ...unclosedVariable, range }
  }
  return { name, nameSpan: spanIn(first, start, nameEnd), value, valueSpan: spanIn(first, valueStart, valueEnd) }
}

/** Whether a line that is not a header begins JSON, XML or GraphQL. */
function beginsBody({ text, start }: SourceLine): boolean {
  return /^(?:\{(?!\{)|\[|<[?!A-Za-z]|(?:query|mutation|subscription)\b.*[{(])/.test(text.slice(start))
}

/** Never repeats the value, which may be a secret. */
function headerHint(text: string): string {
  if (/^(?:-H|--header)[ \t='"]/.test(text)) return 'Write the header alone, without the option and its quotes.'
  const [, name] = /^([A-Za-z][\w-]*)[ \t]*=/.exec(text) ?? []
  if (name !== undefined) return `Write "${name}: …", with a colon.`
  return 'A body is separated from the headers by an empty line; requests are separated by "###".'
}

/** The first colon that is not inside `{{…}}`. */
function indexOfColon(text: string): number {
  if (!text.includes('{{')) return text.indexOf(':')
  const blanked = text.replace(/\{\{[^{}]*\}\}/g, (expression) => '_'.repeat(expression.length))
  return blanked.indexOf(':')
}
