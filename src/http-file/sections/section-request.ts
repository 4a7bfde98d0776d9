/**
 * The parts of a section put together to its request.
 *
 * Rules: nothing is copied: the request points at the parts. Tags count wherever in the section they stand, in the body
 * and behind the handlers too, since a comment may stand anywhere.
 */
import { parseAssertion, parseCapture } from '../assertions/assertion.ts'
import type { Diagnostic } from '../syntax/diagnostic.ts'
import type { SourceLine } from '../syntax/source-line.ts'
import type { Part, PartOf, Request, RequestLineNode, SeparatorNode, TagNode } from '../syntax/syntax-tree.ts'

type TagParser<Check> = (tag: TagNode, line: SourceLine, report: (problem: Diagnostic) => void) => Check | undefined

/**
 * @param tagLine the line that holds a tag
 * @param report takes what is wrong with a tag
 */
export function requestOf(
  line: RequestLineNode,
  content: Pick<Request, 'body' | 'messages'>,
  parts: readonly Part[],
  separator: SeparatorNode | undefined,
  tagLine: (tag: TagNode) => SourceLine,
  report: (problem: Diagnostic) => void,
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
    ...content,
    handlers: listed(scripts.filter((script) => script.phase === 'handler')),
    redirects: partsOf(parts, 'redirect'),
    references: partsOf(parts, 'reference'),
    assertions: checks('assert', parseAssertion),
    captures: checks('capture', parseCapture),
  }
}

/** The parts of one kind. */
export function partsOf<Kind extends Part['kind']>(parts: readonly Part[], kind: Kind): readonly PartOf<Kind>[] {
  return listed(parts.filter((part): part is PartOf<Kind> => part.kind === kind))
}

const none: readonly never[] = []

/** Most lists of most sections are empty and need no memory of their own; those that grew give back their spare room. */
function listed<Item>(items: readonly Item[]): readonly Item[] {
  return items.length === 0 ? none : items.slice()
}
