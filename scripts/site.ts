/**
 * `npm run docs:site`: the documents as a static site in dist/site, which `httpcli serve dist/site` shows.
 *
 * Rules: one page for each Markdown file of docs/, README.md as the start page, and the schemas. Nothing is loaded from
 * other sites, everything can be read without scripts, and the pages also work from the disk (file://). Pictures of the
 * terminal come from the built command, everything else from the documents.
 *
 * Run: npm run build && npm run docs:site [-- target directory]
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { orReport } from './build-error.ts'
import { browserScripts } from './site/browser-scripts.ts'
import { sitePages } from './site/pages.ts'
import { makePictures } from './site/pictures.ts'
import { searchIndexScript } from './site/search-index.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = process.argv[2] ?? join(root, 'dist/site')

function documents(): ReadonlyMap<string, string> {
  const paths = [
    ...['README.md', 'CHANGELOG.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'],
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name.replaceAll('\\', '/')}`),
  ]
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

await orReport('docs:site', async () => {
  const { html, outlines } = sitePages(documents(), await makePictures())
  const files = new Map([
    ...html,
    ...(await browserScripts()),
    ['search-index.js', searchIndexScript(outlines)] as const,
  ])
  rmSync(target, { recursive: true, force: true })
  for (const [path, text] of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    writeFileSync(join(target, path), text)
  }
  for (const name of ['style.css', 'favicon.svg']) cpSync(join(root, 'scripts/site/assets', name), join(target, name))
  cpSync(join(root, 'docs/schemas'), join(target, 'schemas'), { recursive: true })
  process.stdout.write(`${html.size} pages written to ${target}\n`)
})
