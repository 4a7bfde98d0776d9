/**
 * docs/rfc-map.md names files, tests and titles of tests that exist; files that read the same grammar name each other.
 */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pageAt, projectRoot } from '../helpers/document.ts'

const rows = pageAt('docs/rfc-map.md')
  .text.split('\n')
  .filter((line) => /^\| [\d ]+\.?[\d.]* \|/.test(line))
  .map((line) => line.slice(2, -2).split(' | '))

const shared = pageAt('docs/rfc-map.md')
  .text.split('\n')
  .map((line) => line.slice(2, -2).split(' | '))
  .filter(([grammar, , files]) => grammar?.startsWith('`') && files?.includes('`, `'))
  .map(([grammar, , files]) => ({ grammar, files: (files as string).replaceAll('`', '').split(', ') }))

describe('docs/rfc-map.md', () => {
  it('has many rules', () => {
    expect(rows.length).toBeGreaterThan(70)
  })

  it.each(rows.map((cells) => ({ rule: `${cells[0]}: ${cells[1]}`, cells })))('$rule', ({ cells }) => {
    expect(cells.length).toBe(5)
    const [, , done, file, test] = cells as [string, string, string, string, string]
    expect(done.length).toBeGreaterThan(3)
    expect(existsSync(join(projectRoot, 'src', file.replaceAll('`', ''))), file).toBe(true)
    const [, path = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(test) ?? []
    const source = readFileSync(join(projectRoot, path.replace(/^c\//, 'test/conformance/')), 'utf8')
    expect(source.replaceAll("\\'", "'")).toContain(title)
  })

  it('has grammar that is read in several files', () => {
    expect(shared.length).toBeGreaterThan(5)
  })

  it.each(shared)('$grammar: each file names the others', ({ files }) => {
    for (const file of files) {
      const text = readFileSync(join(projectRoot, 'src', file), 'utf8')
      const names = new Set(text.match(/[\w-]+\.(ts|wat)\b/g))
      const others = files.map((path) => basename(path)).filter((name) => name !== basename(file))
      expect(
        others.filter((name) => !names.has(name)),
        file,
      ).toEqual([])
    }
  })
})
