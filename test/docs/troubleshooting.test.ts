/** docs/troubleshooting.md has an entry for every error code of the sources, and for no other. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pageAt, projectRoot } from '../helpers/document.ts'
import { errorCodes } from './error-codes.ts'

/** Rows of tables that begin with a code: `| \`code\` | … |`. */
const entries = [...pageAt('docs/troubleshooting.md').text.matchAll(/^\| `([\w.-]+)` \| (.*) \|$/gm)].map(
  ([, code = '', cells = '']) => ({ code, cells: cells.split(' | ') }),
)

const codes = errorCodes(join(projectRoot, 'src'))

describe('docs/troubleshooting.md', () => {
  it('knows the codes of every room', () => {
    expect(codes.size).toBeGreaterThan(120)
    expect([...codes.keys()]).toEqual(
      expect.arrayContaining(['usage', 'connect-refused', 'HEADER_COLON', 'script-failed', 'keystore-password']),
    )
  })

  it.each([...codes])('has an entry for %s, which comes from %j', (code) => {
    expect(entries.map((entry) => entry.code)).toContain(code)
  })

  it('has no entry for a code that is gone', () => {
    expect(entries.map(({ code }) => code).filter((code) => !codes.has(code))).toEqual([])
  })

  it('has one entry a code, and each says something', () => {
    expect(new Set(entries.map(({ code }) => code)).size).toBe(entries.length)
    expect(entries.filter(({ cells }) => cells.some((cell) => cell.length < 3))).toEqual([])
  })
})
