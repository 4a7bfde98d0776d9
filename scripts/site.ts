/**
 * `npm run docs:site`: the documents as a static site in dist/site, which `httpcli serve dist/site` shows.
 *
 * Rules: one page for each Markdown file of docs/ and docs/api, README.md as the start page, and the schemas; nothing
 * is loaded from elsewhere, and everything can be read without scripts. The output follows from the documents alone.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sitePages } from './site-pages.ts'
import { siteStyle } from './site-style.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = process.argv[2] ?? join(root, 'dist/site')

const markdownOf = (folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)

const sources = new Map(
  [
    'README.md',
    'CHANGELOG.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...markdownOf('docs'),
    ...markdownOf('docs/api'),
  ].map((path) => [path, readFileSync(join(root, path), 'utf8')] as const),
)

rmSync(target, { recursive: true, force: true })
const pages = sitePages(sources)
for (const [path, html] of pages) {
  mkdirSync(dirname(join(target, path)), { recursive: true })
  writeFileSync(join(target, path), html)
}
writeFileSync(join(target, 'style.css'), siteStyle)
cpSync(join(root, 'docs/schemas'), join(target, 'schemas'), { recursive: true })
process.stdout.write(`${pages.size} pages written to ${target}\n`)
