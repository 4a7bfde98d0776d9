/**
 * Finds the end of a request without a body that is not followed by `###`.
 *
 * Rules: below the empty line after the headers, a request line begins the next request, and `@name = value` defines a
 * variable for the following ones, as in httpYac and Visual Studio. Comments directly above the line belong to it. A
 * Content-Type says that the request has a body: then the line is the body, and `check` warns about it.
 */
import { isBlank, isComment, isSeparator, type SourceLine } from '../syntax/source-line.ts'
import type { HeaderNode } from '../syntax/syntax-tree.ts'
import { templateText } from '../syntax/template.ts'
import { AT, definitionPattern } from './line-forms.ts'

const requestPattern =
  /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|GRAPHQL|WEBSOCKET|GRPC)[ \t]+(?:https?:\/\/|wss?:\/\/|grpcs?:\/\/|\{\{|\/)\S*/

/**
 * Index of the first line of the next request; undefined if a body or nothing follows.
 * @param from index of the first line below the headers
 * @param headers headers of the request above
 */
export function nextRequestAt(
  lines: readonly SourceLine[],
  from: number,
  headers: () => readonly HeaderNode[],
): number | undefined {
  let begin = from
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] as SourceLine
    if (isSeparator(line)) return undefined
    if (isBlank(line)) begin = index + 1
    else if (!isComment(line)) return beginsRequest(line, headers) ? begin : undefined
  }
  return undefined
}

function beginsRequest({ text, mark, start }: SourceLine, headers: () => readonly HeaderNode[]): boolean {
  const isVariable = mark === AT && start === 0 && definitionPattern(text).test(text)
  if (!isVariable && !requestPattern.test(text)) return false
  return !headers().some(({ name }) => /^content-type$/i.test(templateText(name)))
}

/** The first line from an index on that is not blank. */
export function lineBelowBlanks(lines: readonly SourceLine[], from: number): SourceLine | undefined {
  let index = from
  while (index < lines.length && isBlank(lines[index] as SourceLine)) index++
  return lines[index]
}
