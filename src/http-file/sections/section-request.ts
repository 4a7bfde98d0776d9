/**
 * Assembles the request of a section from its parts.
 *
 * Rules: nothing is copied: the request refers to the parts. Tags count anywhere in the section, including in the body
 * and after the handlers, since comments are allowed anywhere.
 */
import { parseAssertion, parseCapture, type TagParser } from '../assertions/assertion.ts'
import type { ReportProblem } from '../syntax/diagnostic.ts'
import type { SourceLine } from '../syntax/source-line.ts'
import type { Part, PartOf, Request, RequestLineNode, SeparatorNode, TagNode } from '../syntax/syntax-tree.ts'

/**
 * @param tagLine the line of a tag
 * @param report receives errors in tags
 */
export function requestOf(
  line: RequestLineNode,
  content: Pick<Request, 'body' | 'messages'>,
  parts: readonly Part[],
  separator: SeparatorNode | undefined,
  tagLine: (tag: TagNode) => SourceLine,
  report: ReportProblem,
): Request {
  const tags = partsOf(parts, 'tag')
  const scripts = partsOf(parts, 'script')
  const checks = <Check>(name: string, parse: TagParser<Check>): readonly Check[] => {
    const own = tags.filter((tag) => tag.name === name)
    return listed(own.flatMap((tag) => parse(tag, tagLine(tag), report) ?? []))
  }
  return {
    name: tags.find((tag) => tag.name === 'name')?.value ?? separator?.name ?? '',
    line,
    tags,
    preRequestScripts: listed(scripts.filter((script) => script.phase === 'pre-request')),
    headers: partsOf(parts, 'header'),
    body: listed(content.body),
    messages: listed(content.messages),
    handlers: listed(scripts.filter((script) => script.phase === 'handler')),
    redirects: partsOf(parts, 'redirect'),
    references: partsOf(parts, 'reference'),
    assertions: checks('assert', parseAssertion),
    captures: checks('capture', parseCapture),
  }
}

export function partsOf<Kind extends Part['kind']>(parts: readonly Part[], kind: Kind): readonly PartOf<Kind>[] {
  return listed(parts.filter((part): part is PartOf<Kind> => part.kind === kind))
}

const none: readonly never[] = []

/** Most lists of most sections are empty and share one array; copying a list that grew releases its spare capacity. */
function listed<Item>(items: readonly Item[]): readonly Item[] {
  return items.length === 0 ? none : items.slice()
}
