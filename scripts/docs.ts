/**
 * `npm run docs`: writes docs/api from the doc comments of the message library, one page for each file that exports
 * something, and an index.
 *
 * Rules: the source is dist/lib/message, where tsc has written all types and omitted internal ones, so build first. The
 * output depends on nothing else, so that a test can verify that the pages are up to date without further tools.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiPages } from './api-pages.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'docs/api')
const pages = apiPages(join(root, 'dist/lib'))

mkdirSync(target, { recursive: true })
for (const name of readdirSync(target)) if (!pages.has(name)) rmSync(join(target, name))
for (const [name, text] of pages) writeFileSync(join(target, name), text)
process.stdout.write(`${pages.size} pages written to docs/api\n`)
