/** docs/troubleshooting.md has an entry for every error code of the sources, and for no other. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorTable } from '../../src/cli/failures/error-table.ts'
import { pageAt, projectRoot } from '../helpers/document.ts'

/** Rows of tables that begin with a code, by section: `| \`code\` | … |`. */
const sections = pageAt('docs/troubleshooting.md').text.split(/^## /m)
const entries = sections.flatMap((text) => {
  const section = anchorOf(text.split('\n', 1)[0] as string)
  return [...text.matchAll(/^\| `([\w.-]+)` \| (.*) \|$/gm)].map(([, code = '', cells = '']) => ({
    code,
    section,
    cells: cells.split(' | '),
  }))
})

/** As in links to headings. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}

describe('docs/troubleshooting.md', () => {
  it('has one entry for each code, in the section that the error table names', () => {
    expect(entries.map(({ code, section }) => `${section}: ${code}`).sort()).toEqual(
      Object.entries(errorTable)
        .map(([code, { section }]) => `${section}: ${code}`)
        .sort(),
    )
  })

  it('says something in each entry', () => {
    expect(entries.filter(({ cells }) => cells.some((cell) => cell.length < 3))).toEqual([])
  })
})

describe('the error table', () => {
  const source = join(projectRoot, 'src')
  /** The uses of codes in the sources: unions only list them, and so does the table. */
  const text = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('error-table.ts'))
    .map((file) => readFileSync(join(source, file), 'utf8').replace(/^(?: *\||export type \w+ =) '.*/gm, ''))
    .join('\n')

  it.each(Object.keys(errorTable))('has %s, which the sources use', (code) => {
    expect(text.includes(`'${code}'`)).toBe(true)
  })
})
