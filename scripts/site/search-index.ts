/** The search index: titles, headings and text of all pages, as a script, which pages opened as files may also load. */
import type { Outlines } from './links.ts'
import { searchWeight } from './navigation.ts'
import { pagePath } from './outline.ts'
import type { SearchPage } from './search-ranking.ts'

export function searchIndexScript(outlines: Outlines): string {
  const pages = [...outlines].map(
    ([path, { title, sections }]): SearchPage => ({
      path: pagePath(path),
      title,
      weight: searchWeight(path),
      sections: sections.map(({ heading, text }) => ({
        anchor: heading.anchor,
        heading: heading.text,
        text: text.trim(),
      })),
    }),
  )
  return `self.siteSearchPages = ${JSON.stringify(pages)}\n`
}
