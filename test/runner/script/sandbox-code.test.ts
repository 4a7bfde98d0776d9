/** What runs inside the script engine is what its sources say. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sandboxCode } from '../../../scripts/generate-sandbox-code.ts'

it('the checked-in programs of the sandbox are those that scripts/generate-sandbox-code.ts makes', async () => {
  const file = new URL('../../../src/runner/script/sandbox-code.data.ts', import.meta.url)
  expect((await sandboxCode()) === readFileSync(file, 'utf8')).toBe(true)
})
