/**
 * The frame of a page: head, header with search, table of contents, previous and next page, navigation.
 *
 * Rules: a page is complete without scripts; elements that need one (search, copy buttons) are hidden or absent until
 * it runs. Nothing is loaded from other sites, and there are no inline scripts, styles or handlers.
 */
import { posix } from 'node:path'
import { escaped } from './escaped.ts'
import type { Outlines } from './links.ts'
import { documentsBelow, navigation } from './navigation.ts'
import { type Outline, pagePath } from './outline.ts'

export interface PageParts {
  /** Path of the document: `docs/send.md`. */
  readonly path: string
  readonly content: string
  readonly previous: string | undefined
  readonly next: string | undefined
}

const NAME = 'httpcli'

export function layout({ path, content, previous, next }: PageParts, outlines: Outlines): string {
  const outline = outlines.get(path)!
  const link = linkFrom(path)
  const asset = (name: string): string => posix.relative(posix.dirname(pagePath(path)), name)
  const relation = (name: 'prev' | 'next', target: string | undefined): string =>
    target === undefined ? '' : `<link rel="${name}" href="${link(target)}">\n`
  const title = outline.title.startsWith(NAME) ? outline.title : `${outline.title} – ${NAME}`
  const end = content.indexOf('</h1>') + '</h1>'.length
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(outline.description)}">
<title>${escaped(title)}</title>
<link rel="icon" href="${asset('favicon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${asset('style.css')}">
${relation('prev', previous)}${relation('next', next)}<script src="${asset('site.js')}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="${link('README.md')}">${NAME}</a>
<search hidden>
<input type="search" class="field" aria-label="Search the documentation" placeholder="Search ( / )" autocomplete="off" spellcheck="false">
<div class="results" hidden><p role="status"></p><ol></ol></div>
</search>
<a class="to-pages" href="#pages">All pages</a>
</header>
<main id="content" tabindex="-1">
${content.slice(0, end)}
${tableOfContents(outline)}${content.slice(end)}${neighbours(previous, next, link, outlines)}</main>
<nav id="pages" class="pages" aria-label="All pages">
${groups(path, link, outlines)}
</nav>
</body>
</html>
`
}

type Link = (document: string) => string

function linkFrom(path: string): Link {
  const folder = posix.dirname(pagePath(path))
  return (document) => posix.relative(folder, pagePath(document))
}

/** Headings of the second and third level; none for a page with only one. */
function tableOfContents({ sections }: Outline): string {
  const headings = sections.map(({ heading }) => heading).filter(({ level }) => level > 1)
  if (headings.length < 2) return ''
  const rows = headings.map(
    ({ level, text, anchor }) => `<li class="level-${level}"><a href="#${anchor}">${escaped(text)}</a></li>`,
  )
  return `<nav class="contents" aria-label="On this page">
<details>
<summary>On this page</summary>
<ul>
${rows.join('\n')}
</ul>
</details>
</nav>
`
}

function neighbours(previous: string | undefined, next: string | undefined, link: Link, outlines: Outlines): string {
  const row = (name: string, relation: string, target: string | undefined): string =>
    target === undefined
      ? ''
      : `<a class="${relation}" rel="${relation}" href="${link(target)}"><span>${name}</span> ${escaped(outlines.get(target)!.title)}</a>\n`
  return `<nav class="neighbours" aria-label="Previous and next page">
${row('Previous', 'prev', previous)}${row('Next', 'next', next)}</nav>
`
}

function groups(path: string, link: Link, outlines: Outlines): string {
  const item = (document: string, name: string, children = ''): string => {
    const current = document === path ? ' aria-current="page"' : ''
    return `<li><a href="${link(document)}"${current}>${escaped(name)}</a>${children}</li>`
  }
  const below = (document: string): string => {
    const documents = documentsBelow[document] ?? []
    if (document !== path && !documents.includes(path)) return ''
    const items = documents.map((each) => item(each, outlines.get(each)!.title))
    return items.length === 0 ? '' : `\n<ul class="below">\n${items.join('\n')}\n</ul>\n`
  }
  return navigation
    .map(({ title, documents }) => {
      const items = documents.map(([document, name]) => item(document, name, below(document)))
      const id = `group-${title.toLowerCase()}`
      return `<p id="${id}">${title}</p>\n<ul aria-labelledby="${id}">\n${items.join('\n')}\n</ul>`
    })
    .join('\n')
}
