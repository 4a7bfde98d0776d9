/**
 * Writes the pages of man/. Run this after changing an option or the help; otherwise a test fails.
 *
 * Run: npx tsx scripts/generate-man-page.ts
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { manPages, releaseDate } from './man-page.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')

mkdirSync(join(root, 'man'), { recursive: true })
for (const [name, page] of manPages(version, releaseDate(version, changelog))) {
  writeFileSync(join(root, 'man', name), page)
}
