/**
 * Converts links of a document to links of its page.
 *
 * Rules: a link to a document leads to its page; a link to another file of the project has no page and becomes plain
 * text. A link whose text is only the path of a document shows the title of the page, or the heading that it leads to.
 */
import { posix } from 'node:path'
import { type Outline, pagePath, type Token } from './outline.ts'

/** Outlines of all documents by path. */
export type Outlines = ReadonlyMap<string, Outline>

/** Schemas are copied to the site as files. */
const SCHEMAS = 'docs/schemas/'

/** Changes the links in `tokens`, which are those of the document `from`. */
export function adaptLinks(tokens: readonly Token[], from: string, outlines: Outlines): void {
  for (const { children } of tokens) {
    for (const [index, token] of (children ?? []).entries()) {
      if (token.type === 'link_open') adaptLink(children!.slice(index), from, outlines)
    }
  }
}

/** @param tokens from the start of the link on */
function adaptLink(tokens: readonly Token[], from: string, outlines: Outlines): void {
  const [open, text] = tokens as [Token, Token]
  const href = String(open.attrGet('href'))
  const target = targetOf(href, from, outlines)
  if (target === undefined) {
    const close = tokens.find(({ type }) => type === 'link_close')!
    open.tag = close.tag = 'span'
    open.attrs = []
    return
  }
  open.attrSet('href', target.href)
  if (target.name !== undefined && isPath(text.content, href)) {
    text.type = 'text'
    text.content = target.name
  }
}

interface Target {
  readonly href: string
  /** Title of the page, or text of the heading. */
  readonly name?: string
}

/** Undefined if the site has no such page. */
function targetOf(href: string, from: string, outlines: Outlines): Target | undefined {
  if (href.startsWith('#') || /^[a-z]+:/.test(href)) return { href }
  const [file = '', anchor] = href.split('#')
  const document = posix.join(posix.dirname(from), file)
  const folder = posix.dirname(pagePath(from))
  if (document.startsWith(SCHEMAS)) return { href: posix.relative(folder, document.slice('docs/'.length)) }
  const found = [document, `${document}/README.md`].find((each) => outlines.has(each))
  if (found === undefined) return undefined
  const { title, sections } = outlines.get(found)!
  const page = posix.relative(folder, pagePath(found))
  if (anchor === undefined) return { href: page, name: title }
  const heading = sections.find((section) => section.heading.anchor === anchor)?.heading
  return { href: `${page}#${anchor}`, name: heading?.text ?? title }
}

const isPath = (text: string, href: string): boolean =>
  text.endsWith('.md') || (text.includes('/') && href.startsWith(text))
