/** Every sentence of docs/security-model.md names a test that exists. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pageAt, projectRoot } from '../helpers/document.ts'

const rows = pageAt('docs/security-model.md')
  .text.split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (Sentence|-)/.test(line))
  .map((line) => line.slice(2, -2).split(' | '))

describe('docs/security-model.md', () => {
  it('has a sentence for each side', () => {
    expect(rows.length).toBeGreaterThan(60)
  })

  it.each(rows.map((cells) => ({ sentence: cells[0], cells })))('$sentence', ({ cells }) => {
    expect(cells.length).toBe(2)
    const [sentence = '', test = ''] = cells
    expect(sentence).toMatch(/\.$/)
    const [, path = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(test) ?? []
    expect(existsSync(join(projectRoot, 'test', path)), path).toBe(true)
    const source = readFileSync(join(projectRoot, 'test', path), 'utf8')
    expect(source.replaceAll("\\'", "'")).toContain(title)
  })
})
