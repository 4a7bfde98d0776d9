/** The generated code of the script engine and of its thread is what the sources say. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { generatedFiles } from '../../../../scripts/generate-sandbox-code.ts'

it.each(Object.entries(generatedFiles))('%s is what scripts/generate-sandbox-code.ts makes', async (name, make) => {
  const file = new URL(`../../../../src/runner/scripting/${name}`, import.meta.url)
  expect((await make()) === readFileSync(file, 'utf8')).toBe(true)
})
