/** The pages of the documentation site, as text. */
import { type Content, contentOf, type Pictures } from './content.ts'
import { layout } from './layout.ts'
import type { Outlines } from './links.ts'
import { assertNavigationMatches, readingOrder } from './navigation.ts'
import { pagePath } from './outline.ts'

export interface SitePages {
  /** HTML by path in the site. */
  readonly html: ReadonlyMap<string, string>
  /** By path in the project, in reading order. */
  readonly outlines: Outlines
}

/**
 * @param sources the text of each document, by its path in the project
 * @throws BuildError for a document that is missing in the navigation, and for one with wrong headings or pictures.
 */
export function sitePages(sources: ReadonlyMap<string, string>, pictures: Pictures): SitePages {
  assertNavigationMatches(sources.keys())
  const contents = readingOrder.map((path): [string, Content] => [path, contentOf(path, sources.get(path)!)])
  const outlines = new Map(contents.map(([path, { outline }]) => [path, outline]))
  const pages = contents.map(([path, content], index): [string, string] => {
    const [previous, next] = [readingOrder[index - 1], readingOrder[index + 1]]
    return [pagePath(path), layout({ path, content: content.html(outlines, pictures), previous, next }, outlines)]
  })
  return { html: new Map(pages), outlines }
}
