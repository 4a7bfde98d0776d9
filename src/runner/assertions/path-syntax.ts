/**
 * Checks paths of assertions and captures before anything is sent.
 *
 * Rules: a path with variables is checked once they have values. JSONPath by RFC 9535, XPath 1.0.
 */
import parseJsonPath from 'jsonpath-rfc9535/parser'
import {
  type Assertion,
  type Capture,
  excerptAt,
  isLiteral,
  type Span,
  type Template,
  templateText,
} from '../../http-file/index.ts'
import type { FileDiagnostic } from '../base/error-codes.ts'

type Check = Assertion | Capture

type Parser = (path: string) => unknown

/** @param checks whose subjects are paths. @param text the file that holds them */
export async function wrongPaths(checks: readonly Check[], text: string): Promise<readonly FileDiagnostic[]> {
  const parseXPath = checks.some(({ subject }) => subject.kind === 'xpath') ? await loadXPathParser() : undefined
  return checks.flatMap(({ subject: { kind, argument, argumentSpan } }) => {
    const path = isLiteral(argument as Template) ? templateText(argument as Template) : undefined
    const problem = path === undefined ? undefined : problemOf(path, kind === 'xpath' ? parseXPath : undefined)
    if (problem === undefined) return []
    const { message, index } = problem
    const span = index === undefined ? argumentSpan : placeIn(argumentSpan, index)
    return [{ code: 'bad-assertion', message, span, excerpt: excerptAt(text, span) }]
  })
}

interface Problem {
  readonly message: string
  /** In the path, if known. */
  readonly index: number | undefined
}

/** The library's types lack this. */
async function loadXPathParser(): Promise<Parser> {
  const { parse } = (await import('xpath')) as unknown as { readonly parse: Parser }
  return parse
}

/** @param parseXPath undefined for a JSONPath */
function problemOf(path: string, parseXPath: Parser | undefined): Problem | undefined {
  try {
    if (parseXPath === undefined) parseJsonPath(path)
    else parseXPath(path)
    return undefined
  } catch (error) {
    if (parseXPath !== undefined) return { message: `${path} is not an XPath`, index: undefined }
    // The library's message would list every possible character.
    const { found = null, location } = error as ParserError
    const what = found === null ? 'it ends too early' : `unexpected ${JSON.stringify(found)}`
    return { message: `${path} is not a JSONPath: ${what}`, index: location?.start.offset }
  }
}

/** Converts an error of the library. */
interface ParserError {
  readonly found?: string | null
  readonly location?: { readonly start: { readonly offset: number } }
}

function placeIn({ offset, line, column, length }: Span, index: number): Span {
  const at = Math.min(index, length)
  return { offset: offset + at, line, column: column + at, length: 1 }
}
