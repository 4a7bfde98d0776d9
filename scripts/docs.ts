/**
 * `npm run docs`: writes docs/api from the doc comments of the message library, one page for each file that exports
 * something, and an index.
 *
 * Rules: the source is dist/lib/message, where tsc has written every type and left out what is internal: build first.
 * The output follows from it alone, so that a test can hold the pages up to date without any tool installed.
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
