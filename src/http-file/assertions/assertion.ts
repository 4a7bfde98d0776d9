/**
 * Reads `# @assert subject predicate value` and `# @capture name = subject` from the lines of their tags.
 *
 * Rules: to every other tool these are comments; here an unreadable line is an error of the file, because a check that
 * is silently skipped is worse than none.
 */
import type { Assertion, Capture } from '../syntax/assertion-tree.ts'
import { type DiagnosticCode, excerptOf, type ReportProblem } from '../syntax/diagnostic.ts'
import { isAssertionLine } from '../syntax/foreign-lines.ts'
import { lineOf, type SourceLine, spanIn, trimmedRange } from '../syntax/source-line.ts'
import type { TagNode } from '../syntax/syntax-tree.ts'
import { found, TagCursor, TagProblem } from '../syntax/tag-cursor.ts'
import { unicodePattern } from '../syntax/unicode-pattern.ts'
import { readNots, readPredicate } from './assertion-predicates.ts'
import { readSubject } from './assertion-subjects.ts'
import { readForeignAssertion } from './foreign-assertion.ts'

/** @param report receives errors; after one, the result is undefined */
export type TagParser<Result> = (tag: TagNode, line: SourceLine, report: ReportProblem) => Result | undefined

const tagPattern = /^[ \t\f]*(?:\?\?|(?:#|\/\/)[ \t\f]*@[\w-]+)/

export function parseAssertion(tag: TagNode, line: SourceLine, report: ReportProblem): Assertion | undefined {
  return parse(line, 'bad-assertion', report, (cursor) => {
    if (isAssertionLine(line)) return { ...readForeignAssertion(cursor), text: tag.value, span: valueSpan(cursor, tag) }
    const isDenied = readNots(cursor)
    const subject = readSubject(cursor)
    return {
      subject,
      predicate: readPredicate(cursor, subject, isDenied),
      text: tag.value,
      span: valueSpan(cursor, tag),
    }
  })
}

const capturedName = unicodePattern(String.raw`^[\p{L}\p{N}_.-]+(?=[ \t\f]*[=:])`)

export function parseCapture(tag: TagNode, line: SourceLine, report: ReportProblem): Capture | undefined {
  return parse(line, 'bad-capture', report, (cursor) => {
    const name = cursor.take(capturedName(cursor.rest))?.[0]
    const hint = 'Write "# @capture token = $.access_token".'
    if (name === undefined || cursor.take(/^[=:](?!=)/) === undefined) {
      throw cursor.problem(
        `expected "name = subject" with a name of letters, digits, "_", "-" and ".", ${found(cursor)}`,
        hint,
      )
    }
    const subject = readSubject(cursor)
    if (!cursor.isAtEnd) {
      throw new TagProblem('text after the subject: expected the end of the line', [cursor.at, cursor.end])
    }
    return { name, subject, text: tag.value, span: valueSpan(cursor, tag) }
  })
}

/** An assertion alone, as after `# @assert`; one of httpYac begins with `??`. @throws SyntaxError */
export function readAssertion(text: string, lineNumber: number): Assertion {
  const isForeign = text.startsWith('??')
  const value = isForeign ? text.slice('??'.length).trim() : text
  return readAlone(value, isForeign ? text : `# @assert ${text}`, lineNumber, parseAssertion)
}

/** A capture alone, as after `# @capture`. @throws SyntaxError */
export function readCapture(text: string, lineNumber: number): Capture {
  return readAlone(text, `# @capture ${text}`, lineNumber, parseCapture)
}

function readAlone<Result>(value: string, written: string, lineNumber: number, read: TagParser<Result>): Result {
  const line = lineOf(written, 0, written.length, '', lineNumber)
  const tag = { kind: 'tag', name: '', value, text: written, span: spanIn(line, 0, written.length) } as const
  const result = read(tag, line, ({ message }) => {
    throw new SyntaxError(message)
  })
  return result as Result
}

function parse<Result>(
  line: SourceLine,
  code: DiagnosticCode,
  report: ReportProblem,
  read: (cursor: TagCursor) => Result,
): Result | undefined {
  const start = tagPattern.exec(line.text)?.[0].length ?? 0
  const cursor = new TagCursor(line, trimmedRange(line.text, start))
  try {
    return read(cursor)
  } catch (problem) {
    if (!(problem instanceof TagProblem)) throw problem
    const { message, range, hint } = problem
    const span = spanIn(line, ...range)
    const excerpt = excerptOf(line.text, span.column, span.length)
    report({ code, message, span, excerpt, ...(hint === undefined ? {} : { hint }) })
    return undefined
  }
}

function valueSpan({ line, end }: TagCursor, { value }: TagNode): TagNode['span'] {
  return spanIn(line, end - value.length, end)
}
