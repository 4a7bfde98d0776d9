/** The trial of all runtimes, as far as it goes without fetching one. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('begins its work after all its constants are set', () => {
  const text = readFileSync(fileURLToPath(new URL('../../scripts/try-runtimes.ts', import.meta.url)), 'utf8')
  const start = text.indexOf('\nawait orReport(')
  expect(start).toBeGreaterThan(0)
  expect(text.slice(start)).not.toMatch(/^(?:const|let|class) /m)
})
