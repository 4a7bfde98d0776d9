/**
 * Writes the pages of man/. Run after a change of an option or of the help; a test fails when that was forgotten.
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
