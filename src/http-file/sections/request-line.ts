/**
 * The request line: `[METHOD] target [HTTP/version]`, the target perhaps over several lines.
 *
 * Rules: tokens are taken before variables are replaced, so a blank inside a variable's value never ends the target.
 * A method is needed as soon as the target holds blanks. Each line of a target is trimmed, then joined with nothing
 * between. The version ends the last line, or is the last line. Lone names of known methods are a missing target.
 */
import { type Diagnostic, excerptOf } from '../syntax/diagnostic.ts'
import { type SourceLine, spanIn, trimmedRange } from '../syntax/source-line.ts'
import type { Span, Template } from '../syntax/span.ts'
import type { RequestVersion } from '../syntax/syntax-tree.ts'
import { hasUnclosedBraces, joinTemplates, templateIn } from '../syntax/template.ts'

export interface RequestLine {
  readonly method: string | undefined
  readonly target: Template
  readonly targetSpan: Span
  readonly version: RequestVersion | undefined
}

const versions: Readonly<Record<string, RequestVersion>> = {
  'HTTP/1.0': 'HTTP/1.0',
  'HTTP/1.1': 'HTTP/1.1',
  'HTTP/2': 'HTTP/2',
  'HTTP/2.0': 'HTTP/2',
  'HTTP/2 (Prior Knowledge)': 'HTTP/2 (Prior Knowledge)',
}

const knownMethods: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'PATCH', 'OPTIONS', 'TRACE'],
  ...['GRAPHQL', 'WEBSOCKET', 'GRPC', 'RSOCKET'],
])

const methodPattern = /^([A-Za-z][A-Za-z0-9_-]*)[ \t\f]+(?=\S)/
const versionPattern = /(?:^|[ \t\f])(HTTP\/[^\s(]*(?:[ \t]+\(Prior Knowledge\))?)$/

/** A piece of a line: what is left of it after tokens are taken off. */
interface Piece {
  readonly line: SourceLine
  readonly start: number
  readonly end: number
}

/** Reads a request line from its source lines, comment lines already left out. Problems go to `report`. */
export function parseRequestLine(lines: readonly SourceLine[], report: (problem: Diagnostic) => void): RequestLine {
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
  }
  return { method, target, targetSpan, version }
}

/** Takes the version off the last piece. A last line that is nothing but a version goes altogether. */
function takeVersion(pieces: Piece[], report: (problem: Diagnostic) => void): RequestVersion | undefined {
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
      message: `"${written}" is no HTTP version`,
      hint: 'HTTP/1.0, HTTP/1.1, HTTP/2 and "HTTP/2 (Prior Knowledge)" are known; a blank in the target is written %20.',
      span,
      excerpt: excerptOf(last.line.text, span.column, span.length),
    })
  }
  const [, end] = trimmedRange(text.slice(0, text.length - written.length))
  pieces[pieces.length - 1] = { ...last, end: last.start + end }
  if (end === 0) pieces.pop()
  return version
}

/** Takes the method off the first piece, where there is one. */
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

function spanOf(pieces: readonly Piece[]): Span {
  const first = pieces[0] as Piece
  const last = pieces.at(-1) as Piece
  const span = spanIn(first.line, first.start, first.end)
  return { ...span, length: last.line.offset + last.end - span.offset }
}

function targetProblem(
  method: string | undefined,
  target: Template,
): Pick<Diagnostic, 'code' | 'message' | 'hint'> | undefined {
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
  if (method !== undefined) return undefined
  const plain = target.parts.map((part) => (part.type === 'text' ? part.text : 'x')).join('')
  if (/^[^?/]*[ \t\f]|^[A-Za-z][\w-]*:[ \t\f]/.test(plain)) {
    return {
      code: 'bad-request-line',
      message: 'this is no request line: expected "METHOD URL", a URL, or a comment',
      hint: 'Begin comments with "#" or "//"; separate requests by "###".',
    }
  }
  return undefined
}
