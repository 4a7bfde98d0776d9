/**
 * Semantic tokens of a request file.
 *
 * Rules: tokens never overlap and never span lines, because not every client allows that; a variable splits the text
 * around it. Bodies have tokens only for variables, scripts have none: clients colour them by their languages.
 */
import type { Part, SeparatorNode } from '../../http-file/index.ts'
import type { Analysis } from '../workspace/analysis.ts'
import { partsAt, type SectionAt, sectionsOf } from '../workspace/place-at.ts'
import { legend, type TokenKind, tokenTypes } from './token-legend.ts'

interface Token {
  readonly kind: TokenKind
  readonly offset: number
  readonly length: number
  readonly isDeclaration?: boolean
}

/** @param range a range of offsets; sections outside it are omitted */
export function semanticTokens(
  { file, lines, text }: Analysis,
  [start, end]: readonly [start: number, end: number],
): number[] {
  const data: number[] = []
  let line = 0
  let character = 0
  for (const section of sectionsOf(file)) {
    if (section.end < start || section.offset > end) continue
    for (const token of tokensOf(section, text)) {
      const at = lines.positionAt(token.offset)
      const isNewLine = at.line !== line
      data.push(at.line - line, isNewLine ? at.character : at.character - character, token.length)
      data.push(legend.tokenTypes.indexOf(tokenTypes[token.kind]), token.isDeclaration === true ? 1 : 0)
      line = at.line
      character = at.character
    }
  }
  return data
}

function tokensOf(section: SectionAt, text: string): readonly Token[] {
  return partsAt(section).flatMap(({ part, offset, end }) => {
    const own = partTokens(part)
    const hasVariables = part.kind !== 'comment' && part.kind !== 'script' && part.text.includes('{{')
    return (hasVariables ? divided(own, variablesIn(text, offset, end)) : own).flatMap((token) => inLines(token, text))
  })
}

const expressionPattern = /\{\{[ \t]*([^{}\r\n \t][^{}\r\n]*)\}\}/g

function variablesIn(text: string, offset: number, end: number): readonly Token[] {
  return [...text.slice(offset, end).matchAll(expressionPattern)].map(({ index, 0: whole, 1: expression = '' }) => ({
    kind: /^\$(?![.[])/.test(expression) ? 'dynamicVariable' : 'variable',
    offset: offset + index,
    length: whole.length,
  }))
}

/** The tokens, split by the variables in them. Both are in the order of the text. */
function divided(tokens: readonly Token[], variables: readonly Token[]): readonly Token[] {
  const pieces: Token[] = []
  let next = 0
  for (const token of tokens) {
    let at = token.offset
    const end = token.offset + token.length
    for (let variable = variables[next]; variable !== undefined && variable.offset < end; variable = variables[next]) {
      if (variable.offset > at) pieces.push({ ...token, offset: at, length: variable.offset - at })
      pieces.push(variable)
      at = Math.max(at, variable.offset + variable.length)
      next++
    }
    if (at < end) pieces.push({ ...token, offset: at, length: end - at })
  }
  return [...pieces, ...variables.slice(next)]
}

/** The token in pieces that do not span lines, without surrounding blanks. */
function inLines(token: Token, text: string): readonly Token[] {
  return [...text.slice(token.offset, token.offset + token.length).matchAll(/\S(?:[^\r\n]*\S)?/g)].map(
    ({ index, 0: piece }) => ({ ...token, offset: token.offset + index, length: piece.length }),
  )
}

function partTokens(part: Part | SeparatorNode): readonly Token[] {
  const { span } = part
  switch (part.kind) {
    case 'separator': {
      const markLength = /^#+/.exec(part.text)?.[0].length ?? 0
      const nameOffset = span.offset + part.text.indexOf(part.name, markLength)
      return [
        { kind: 'mark', offset: span.offset, length: markLength },
        { kind: 'requestName', offset: nameOffset, length: part.name.length, isDeclaration: true },
      ]
    }
    case 'comment':
      return [{ kind: 'comment', ...span }]
    case 'tag':
      return inTurn(part, /^(#|\/\/|\?\?)[ \t\f]*(@[\w-]+)?[ \t\f]*=?[ \t\f]*(.*)$/ds, ['comment', 'tag', 'tagValue'])
    case 'variable':
      return [
        { kind: 'variable', ...part.nameSpan, isDeclaration: true },
        ...inTurn(part, /^@[^=]*(=)[ \t\f]*(.*)$/ds, ['mark', 'headerValue']),
      ]
    case 'directive': {
      const kind = part.target.type === 'request' ? 'requestName' : 'path'
      return [
        { kind: 'directive', offset: span.offset, length: part.directive.length },
        { kind, ...part.target.span },
      ]
    }
    case 'request-line': {
      const { method, version, targetSpan } = part
      const end = span.offset + span.length
      return [
        ...(method === undefined ? [] : [{ kind: 'method' as const, offset: span.offset, length: method.length }]),
        { kind: 'target', ...targetSpan },
        ...(version === undefined
          ? []
          : [{ kind: 'version' as const, ...between(targetSpan.offset + targetSpan.length, end) }]),
      ]
    }
    case 'header': {
      const valueEnd = span.offset + span.length
      return [
        { kind: 'headerName', ...part.nameSpan },
        { kind: 'headerValue', ...between(part.valueSpan.offset, valueEnd) },
      ]
    }
    case 'script':
      return part.source.type === 'file' ? inTurn(part, /^([<>=])[ \t\f]*(.*)$/ds, ['mark', 'path']) : scriptMarks(part)
    case 'body-file':
    case 'redirect':
    case 'reference':
      return inTurn(part, /^([<>]+(?:@[\w.-]*)?!?)[ \t\f]*(.*)$/ds, ['mark', 'path'])
    case 'message-separator':
      return [{ kind: 'mark', ...span }]
    default:
      return []
  }
}

function between(offset: number, end: number): { readonly offset: number; readonly length: number } {
  return { offset, length: Math.max(0, end - offset) }
}

/** A token for each group of a pattern that matches the text of a part without its indent and line end. */
function inTurn({ span, text }: Part | SeparatorNode, pattern: RegExp, kinds: readonly TokenKind[]): readonly Token[] {
  const indent = /^[ \t\f]*/.exec(text)?.[0].length ?? 0
  const match = pattern.exec(text.slice(indent, indent + span.length))
  return kinds.flatMap((kind, index) => {
    const [start, end] = match?.indices?.[index + 1] ?? [0, 0]
    return start === end ? [] : [{ kind, offset: span.offset + start, length: end - start }]
  })
}

/** `< {%` and `%}` */
function scriptMarks({ span, source }: Extract<Part, { kind: 'script' }>): readonly Token[] {
  if (source.type === 'file') return []
  const codeEnd = source.span.offset + source.span.length
  const end = span.offset + span.length
  return [
    { kind: 'mark', ...between(span.offset, source.span.offset) },
    { kind: 'mark', ...between(codeEnd, Math.min(end, codeEnd + 2)) },
  ]
}
