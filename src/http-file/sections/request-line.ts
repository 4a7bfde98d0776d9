/**
 * Parses the request line: `[METHOD] target [HTTP/version]`, the target possibly over several lines.
 *
 * Rules: tokens are split before variables are replaced, so a blank inside a variable's value never ends the target. A
 * target with blanks needs a method. Each line of a target is trimmed, then they are joined without a separator. The
 * version ends the last line, or is the last line. A known method alone lacks its target. An indented line continues
 * the target unless a version ended it or the line is a header. A line that continues the target has no blanks unless
 * it begins with `?` or `&`: elsewhere they are unlikely to be part of a URL. It does not begin with `??`.
 */
import { type Diagnostic, excerptOf, type Mistake, type ReportProblem } from '../syntax/diagnostic.ts'
import { isIndented, type SourceLine, spanIn, trimmedRange } from '../syntax/source-line.ts'
import type { Span, Template } from '../syntax/span.ts'
import type { NodeOf, RequestLineNode, RequestVersion } from '../syntax/syntax-tree.ts'
import { hasUnclosedBraces, joinTemplates, templateIn } from '../syntax/template.ts'

type RequestLine = Omit<RequestLineNode, keyof NodeOf<'request-line'>>

const versions: Readonly<Record<string, RequestVersion>> = {
  'HTTP/1.0': 'HTTP/1.0',
  'HTTP/1.1': 'HTTP/1.1',
  'HTTP/2': 'HTTP/2',
  'HTTP/2.0': 'HTTP/2',
  'HTTP/2 (Prior Knowledge)': 'HTTP/2 (Prior Knowledge)',
}

export const versionNames: readonly RequestVersion[] = [...new Set(Object.values(versions))]

export const methodNames: readonly string[] = [
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'PATCH', 'OPTIONS', 'TRACE'],
  ...['GRAPHQL', 'WEBSOCKET', 'GRPC', 'RSOCKET'],
]

const knownMethods: ReadonlySet<string> = new Set(methodNames)

/** Methods are case-sensitive (RFC 9110 section 9.1), and these are always sent in capitals. */
export const normalMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])

export function sentMethod(written: string): string {
  const capitals = written.toUpperCase()
  return normalMethods.has(capitals) ? capitals : written
}

const methodPattern = /^([A-Za-z][A-Za-z0-9_-]*)[ \t\f]+(?=\S)/
const versionPattern = /(?:^|[ \t\f])(HTTP\/[^\s(]*(?:[ \t]*\([^()]*\))?)$/

/** `Name: value`; names that begin with `&` are pieces of a query. */
const fieldPattern = /^[ \t\f]*[!#$%'*+.^_`|~0-9A-Za-z-][!#$%&'*+.^_`|~0-9A-Za-z-]*:(?:[ \t\f]|$)/

/** Continues a URL even if not indented: no header begins like this. */
const queryPattern = /^[?&]/

/** Whether a line below a request line continues its target. @param before the line above it */
export function continuesTarget(line: SourceLine, before: SourceLine): boolean {
  if (endsTarget(before)) return false
  return isIndented(line) ? !isField(line) : queryPattern.test(line.text)
}

/** If headers are indented, a line that is indented no deeper begins another one. */
export function continuesHeader(line: SourceLine, _before: SourceLine, first: SourceLine): boolean {
  return isIndented(line) && !(isField(line) && line.start <= first.start)
}

/** Whether a line reads as a header, indented or not. */
function isField({ text }: SourceLine): boolean {
  return fieldPattern.test(text)
}

function endsTarget({ text }: SourceLine): boolean {
  const match = versionPattern.exec(text.slice(0, trimmedRange(text)[1]))
  return match !== null && Object.hasOwn(versions, (match[1] as string).replace(/[ \t]+/, ' '))
}

/** A piece of a line: the rest after its tokens were removed. */
interface Piece {
  readonly line: SourceLine
  readonly start: number
  readonly end: number
}

/** Parses a request line from its source lines, without comment lines. Problems go to `report`. */
export function parseRequestLine(lines: readonly SourceLine[], report: ReportProblem): RequestLine {
  const pieces = lines.map((line): Piece => {
    const [start, end] = trimmedRange(line.text)
    return { line, start, end }
  })
  const version = takeVersion(pieces, report)
  const method = takeMethod(pieces)
  const target = joinTemplates(
    pieces.map(({ line, start, end }) => templateIn(line, start, end)),
    '',
  )
  const targetSpan = spanOf(pieces)
  const problem = targetProblem(method, target)
  if (problem !== undefined) {
    const first = pieces[0] as Piece
    const whole = spanIn(first.line, trimmedRange(first.line.text)[0], first.end)
    report({ ...problem, span: whole, excerpt: excerptOf(first.line.text, whole.column, whole.length) })
  } else {
    reportContinuations(pieces, report)
  }
  return { method, target, targetSpan, version }
}

/** Removes the version from the last piece. A last line that is only a version is removed. */
function takeVersion(pieces: Piece[], report: ReportProblem): RequestVersion | undefined {
  const last = pieces.at(-1) as Piece
  const text = last.line.text.slice(last.start, last.end)
  const match = versionPattern.exec(text)
  if (match === null || (match.index === 0 && !/^[ \t\f]/.test(match[0]) && pieces.length === 1)) return undefined
  const written = match[1] as string
  const version = versions[written.replace(/[ \t]+/, ' ')]
  if (version === undefined) {
    const span = spanIn(last.line, last.end - written.length, last.end)
    report({
      code: 'unknown-version',
      message: /^HTTP\/3(?:\.0)?$/.test(written)
        ? `${written} is not supported`
        : `"${written}" is not an HTTP version`,
      hint: 'HTTP/1.0, HTTP/1.1, HTTP/2 and "HTTP/2 (Prior Knowledge)" are supported; a space in the target is written %20.',
      span,
      excerpt: excerptOf(last.line.text, span.column, span.length),
    })
  }
  const [, end] = trimmedRange(text.slice(0, text.length - written.length))
  pieces[pieces.length - 1] = { ...last, end: last.start + end }
  if (end === 0) pieces.pop()
  return version
}

/** Removes the method from the first piece, if there is one. */
function takeMethod(pieces: Piece[]): string | undefined {
  const first = pieces[0] as Piece
  const text = first.line.text.slice(first.start, first.end)
  if (knownMethods.has(text)) {
    pieces[0] = { ...first, start: first.end }
    return text
  }
  const match = methodPattern.exec(text)
  if (match === null) return undefined
  pieces[0] = { ...first, start: first.start + match[0].length }
  return match[1]
}

/** Reports lines below the target that probably do not belong to it. */
function reportContinuations(pieces: readonly Piece[], report: ReportProblem): void {
  const first = pieces.findIndex(({ start, end }) => end > start)
  for (const { line, start, end } of pieces.slice(first + 1)) {
    const text = line.text.slice(start, end)
    const problem = text.startsWith('??')
      ? continuationProblems.assertion
      : !queryPattern.test(text) && hasBlank(templateIn(line, start, end))
        ? continuationProblems.blank
        : undefined
    if (problem === undefined) continue
    const span = spanIn(line, start, end)
    report({ code: 'bad-continuation', ...problem, span, excerpt: excerptOf(line.text, span.column, span.length) })
  }
}

const continuationProblems: Readonly<Record<'assertion' | 'blank', Mistake>> = {
  assertion: {
    message: 'a line that begins with "??" does not continue the URL of the request line above it',
    hint: 'Write assertions as "# @assert status == 200"; a query begins with one "?".',
  },
  blank: {
    message: 'this line would continue the URL of the request line above it, but has a space',
    hint: 'Write a header as "Name: value", a body after an empty line, and a space in a URL as %20.',
  },
}

function spanOf(pieces: readonly Piece[]): Span {
  const first = pieces[0] as Piece
  const last = pieces.at(-1) as Piece
  const span = spanIn(first.line, first.start, first.end)
  return { ...span, length: last.line.offset + last.end - span.offset }
}

type TargetProblem = Omit<Diagnostic, 'span' | 'excerpt'>

function targetProblem(method: string | undefined, target: Template): TargetProblem | undefined {
  if (target.parts.length === 0) {
    return { code: 'missing-target', message: `expected a URL after ${method}`, hint: `Write "${method} https://…".` }
  }
  if (hasUnclosedBraces(target)) {
    return {
      code: 'unclosed-variable',
      message: '"{{" is not closed',
      hint: 'Close the variable with "}}"; literal braces in a URL are written %7B%7B.',
    }
  }
  if (method === CURL) return curlCommand
  const [first] = target.parts
  const [, quote = ''] = (first?.type === 'text' && /^(["'`<])\S/.exec(first.text)) || []
  if (quote !== '') return { ...notARequest, ...quotedUrl(quote) }
  if (method !== undefined) return isProse(method, target) ? notARequest : undefined
  const plain = target.parts.map((part) => (part.type === 'text' ? part.text : 'x')).join('')
  const [, word = ''] = /^([A-Za-z]+):[ \t\f]/.exec(plain) ?? []
  if (knownMethods.has(word)) return { ...notARequest, hint: `Write "${word} https://…", without the colon.` }
  return /^[^?/]*[ \t\f]|^[A-Za-z][\w-]*:[ \t\f]/.test(plain) ? notARequest : undefined
}

const notARequest: TargetProblem = {
  code: 'bad-request-line',
  message: 'this is not a request line: expected "METHOD URL", a URL, or a comment',
  hint: 'Begin comments with "#" or "//"; separate requests by "###".',
}

function quotedUrl(quote: string): Mistake {
  return { message: `the URL begins with ${quote}`, hint: 'Write GET https://…, without quotes or brackets.' }
}

/** The first word of a curl command, which the VS Code extension REST Client takes as a request. */
export const CURL = 'curl'

const curlCommand: TargetProblem = {
  ...notARequest,
  message: 'this is a curl command, expected a request',
  hint: "Paste the command after httpcli convert -t: httpcli convert -t 'curl …' prints its request.",
}

/** Whether these are words rather than a method and a URL: methods of other protocols are in capitals. */
function isProse(method: string, { parts }: Template): boolean {
  if (knownMethods.has(method.toUpperCase()) || !/[a-z]|^.$/.test(method)) return false
  return hasBlank({ parts })
}

function hasBlank({ parts }: Template): boolean {
  return parts.some((part) => part.type === 'text' && /[ \t\f]/.test(part.text))
}
