/** Links between the documents lead somewhere: files exist, headings exist, and every page can be reached. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sitePages } from '../../scripts/site/pages.ts'
import { pictureNames } from '../../scripts/site/pictures.ts'
import { projectRoot } from '../helpers/document.ts'

const markdownIn = (folder: string): readonly string[] =>
  readdirSync(join(projectRoot, folder), { recursive: folder !== '.', encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))

const documents = [...markdownIn('.'), ...markdownIn('docs')].map((path) => ({
  path,
  text: readFileSync(join(projectRoot, path), 'utf8'),
}))

const pictures = new Map(pictureNames.map((name) => [name, '<svg></svg>']))
const { html } = sitePages(new Map(documents.map(({ path, text }) => [path, text])), pictures)

/** Links of a Markdown text; text in code is not a link. */
function linksOf(text: string): readonly string[] {
  const prose = text.replace(/^ *```.*?^ *```$/gms, '').replace(/`[^`\n]*`/g, (code) => '`'.repeat(code.length))
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
}

describe.each(documents)('$path', ({ path, text }) => {
  it('links to files that exist', () => {
    const files = linksOf(text).filter((link) => !/^[a-z]+:|^#/.test(link))
    const missing = files.filter((link) => !existsSync(join(projectRoot, dirname(path), link.replace(/#.*/, ''))))
    expect(missing).toEqual([])
  })
})

describe('the site', () => {
  it('has a page for each document', () => {
    expect(html.size).toBe(documents.length)
    expect(html.has('index.html')).toBe(true)
  })

  it.each([...html.keys()])('%s links to pages and headings that exist', (path) => {
    const links = [...html.get(path)!.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => href)
    const broken = links.filter((href) => {
      if (/^[a-z]+:/.test(href)) return false
      const [file = '', anchor] = href.split('#')
      const target = file === '' ? path : normalize(join(dirname(path), file))
      // Schemas are copied from beside the documents.
      if (target.startsWith('schemas/')) return !existsSync(new URL(`../../docs/${target}`, import.meta.url))
      const page = html.get(target)
      return page === undefined || (anchor !== undefined && !page.includes(`id="${anchor}"`))
    })
    expect(broken).toEqual([])
  })

  it('loads nothing from other sites', () => {
    for (const page of html.values()) expect(page).not.toMatch(/<(?:img|iframe)|<(?:script|link)[^>]+"(?:https?:)?\/\//)
  })

  it('has no inline code that a Content-Security-Policy would have to allow', () => {
    for (const page of html.values()) expect(page).not.toMatch(/<script>|<style|<[^>]* (?:style|on[a-z]+)=/)
  })

  it('shows each picture', () => {
    const shown = documents.flatMap(({ text }) =>
      [...text.matchAll(/^<!-- picture: (\S+) -->$/gm)].map(([, name]) => name),
    )
    expect(new Set(shown)).toEqual(new Set(pictureNames))
  })
})
