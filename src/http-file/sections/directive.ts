/**
 * Parses `import file`, `run file`, `run #name`, each optionally followed by `(@name = value, …)`.
 *
 * Rules: a name may contain blanks and brackets; a final bracket that begins with `@` contains overrides, possibly over
 * several lines. A comma ends a value only if another `@name =` follows, so values may contain commas.
 */
import type { DiagnosticCode } from '../syntax/diagnostic.ts'
import { type SourceLine, spanIn, trimmedRange } from '../syntax/source-line.ts'
import type { DirectiveNode, Override } from '../syntax/syntax-tree.ts'
import { templateIn } from '../syntax/template.ts'
import { unicodePattern } from '../syntax/unicode-pattern.ts'
import type { HeaderProblem } from './header.ts'
import { definitionPattern } from './line-forms.ts'

/** An error and its place in one of the lines. */
export interface DirectiveProblem extends HeaderProblem {
  readonly line: SourceLine
}

export type Directive = Pick<DirectiveNode, 'directive' | 'target' | 'overrides'>

const directivePattern = /^[ \t\f]*(import|run)(?:[ \t\f]+|$)/
const overridesPattern = /\((?=[ \t\f]*(?:@|$))/

export function isDirective(text: string): boolean {
  return directivePattern.test(text)
}

/** The number of lines in the directive: more than one if its overrides are not closed on the first. */
export function directiveLineCount(lines: readonly SourceLine[], index: number): number {
  const first = lines[index] as SourceLine
  if (!overridesPattern.test(first.text) || endsOverrides(first.text)) return 1
  for (let at = index + 1; at < lines.length; at++) {
    const { text } = lines[at] as SourceLine
    if (!/^[ \t\f]*(?:[@)]|$)/.test(text)) return 1
    if (endsOverrides(text)) return at - index + 1
  }
  return 1
}

function endsOverrides(text: string): boolean {
  return /\)[ \t\f]*$/.test(text)
}

export function parseDirective(lines: readonly SourceLine[]): Directive | DirectiveProblem {
  const first = lines[0] as SourceLine
  const match = directivePattern.exec(first.text) as RegExpExecArray
  const directive = match[1] as Directive['directive']
  const bracket = overridesPattern.exec(first.text)
  const [start, end] = trimmedRange(first.text.slice(0, bracket?.index ?? first.text.length), match[0].length)
  const problem = (code: DiagnosticCode, message: string, hint: string): DirectiveProblem => {
    return { code, message, hint, line: first, range: trimmedRange(first.text) }
  }
  if (start === end || first.text.slice(start, end) === '#') {
    const wanted = directive === 'import' ? 'a path' : 'a path, or "#" and the name of a request'
    return problem('missing-target', `expected ${wanted} after ${directive}`, `Write "${directive} requests.http".`)
  }
  const isRequest = first.text[start] === '#'
  if (directive === 'import' && (isRequest || bracket !== null)) {
    const hint = 'Import the file, then write "run #name (@variable = value)".'
    return problem('bad-import', 'import takes the path of a request file and nothing else', hint)
  }
  const overrides = bracket === null ? [] : parseOverrides(lines, bracket.index + 1)
  if ('code' in overrides) return overrides
  const [nameStart] = isRequest ? trimmedRange(first.text.slice(0, end), start + 1) : [start]
  const span = spanIn(first, start, end)
  const target = isRequest
    ? ({ type: 'request', name: first.text.slice(nameStart, end), span } as const)
    : ({ type: 'file', path: templateIn(first, start, end), span } as const)
  return { directive, target, overrides }
}

/** `from` is the index after the bracket in the first line. */
function parseOverrides(lines: readonly SourceLine[], from: number): readonly Override[] | DirectiveProblem {
  const overrides: Override[] = []
  for (const [index, line] of lines.entries()) {
    const start = index === 0 ? from : 0
    const isLast = index === lines.length - 1
    const close = line.text.lastIndexOf(')')
    if (isLast && (!endsOverrides(line.text) || close < start)) {
      return overrideProblem(line, start, line.text.length, 'the variables are not closed: expected ")"')
    }
    const end = isLast ? close : line.text.length
    for (const [pieceStart, pieceEnd] of pieces(line.text, start, end)) {
      const text = line.text.slice(pieceStart, pieceEnd)
      const match = definitionPattern(text).exec(text)
      if (match === null) return overrideProblem(line, pieceStart, pieceEnd, 'expected "@name = value"')
      const [valueStart, valueEnd] = trimmedRange(line.text.slice(0, pieceEnd), pieceStart + match[0].length)
      overrides.push({ name: match[1] as string, value: templateIn(line, valueStart, valueEnd) })
    }
  }
  return overrides
}

const separatorPattern = unicodePattern(String.raw`,(?=[ \t\f]*(?:@[\p{L}\p{N}_.-]+[ \t\f]*=|$))`, 'g')

/** The texts between the commas that separate overrides; a comma at the end of a line is also a separator. */
function pieces(text: string, start: number, end: number): readonly (readonly [start: number, end: number])[] {
  const found: (readonly [number, number])[] = []
  let from = start
  const written = text.slice(start, end)
  for (const match of written.matchAll(separatorPattern(written))) {
    found.push([from, start + match.index])
    from = start + match.index + 1
  }
  found.push([from, end])
  return found.filter(([pieceStart, pieceEnd]) => text.slice(pieceStart, pieceEnd).trim() !== '')
}

function overrideProblem(line: SourceLine, start: number, end: number, message: string): DirectiveProblem {
  const hint = 'Variables of a call are written (@name = value, @other = value).'
  return { code: 'bad-override', message, hint, line, range: trimmedRange(line.text.slice(0, end), start) }
}
