/**
 * Parses the lines of a body into nodes.
 *
 * Rules: blank lines around the body do not belong to it, those inside do; comment lines are omitted; `< path` and `<@
 * path` at the start of a line include a file. A text node contains its lines joined by LF: typed text is sent with LF
 * regardless of the line endings of the file.
 */
import { blankNode, commentNode, nodeOf } from '../syntax/node.ts'
import { isBlank, isComment, type SourceLine, spanIn, trimmedRange } from '../syntax/source-line.ts'
import type { BodyFileNode, BodyTextNode, Part } from '../syntax/syntax-tree.ts'
import { joinTemplates, templateIn } from '../syntax/template.ts'

/** `<`, a blank, a path; `<@` may name a charset. Not `<tag>` and not `<?xml`. */
const filePattern = /^<(@([\w.-]*))?[ \t\f]+(?=\S)/

const LESS_THAN = 0x3c

export interface Body {
  readonly parts: readonly Part[]
  readonly content: readonly (BodyTextNode | BodyFileNode)[]
}

/** Every line becomes part of exactly one node. */
export function parseBody(lines: readonly SourceLine[]): Body {
  const isContent = (line: SourceLine): boolean => !isBlank(line) && !isComment(line)
  const first = lines.findIndex(isContent)
  const last = lines.findLastIndex(isContent)
  const parts: Part[] = []
  const content: (BodyTextNode | BodyFileNode)[] = []
  let index = 0
  while (index < lines.length) {
    const line = lines[index] as SourceLine
    if (isComment(line)) {
      parts.push(commentNode(line))
      index++
      continue
    }
    if (first === -1 || index < first || index > last) {
      const start = index
      while (index < lines.length && isBlank(lines[index] as SourceLine)) index++
      parts.push(blankNode(lines.slice(start, index)))
      continue
    }
    const file = fileNode(line)
    const node = file ?? textNode(lines, index, last)
    parts.push(node)
    content.push(node)
    index += file === undefined ? lineCount(lines, index, last) : 1
  }
  return { parts, content }
}

function isFile({ text, start, mark }: SourceLine): boolean {
  return mark === LESS_THAN && start === 0 && filePattern.test(text)
}

function fileNode(line: SourceLine): BodyFileNode | undefined {
  const match = isFile(line) ? filePattern.exec(line.text) : null
  if (match === null) return undefined
  const [start, end] = trimmedRange(line.text, match[0].length)
  return {
    kind: 'body-file',
    ...nodeOf([line]),
    path: templateIn(line, start, end),
    pathSpan: spanIn(line, start, end),
    substitutes: match[1] !== undefined,
    charset: match[2] === undefined || match[2] === '' ? undefined : match[2],
  }
}

/** The number of lines of text from `start` on: up to a comment, a file or the end of the content. */
function lineCount(lines: readonly SourceLine[], start: number, last: number): number {
  let index = start
  while (index <= last) {
    const line = lines[index] as SourceLine
    if (isComment(line) || isFile(line)) break
    index++
  }
  return index - start
}

function textNode(lines: readonly SourceLine[], start: number, last: number): BodyTextNode {
  const own = lines.slice(start, start + lineCount(lines, start, last))
  const template = joinTemplates(
    own.map((line) => templateIn(line, 0, line.text.length)),
    '\n',
  )
  return { kind: 'body-text', ...nodeOf(own), template }
}
