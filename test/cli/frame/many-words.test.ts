/** Command lines as long as a system allows: the words of a pattern that matches many files. */
import { expect, it } from 'vitest'
import { parseArguments } from '../../../src/cli/frame/argv.ts'
import { run } from '../../../src/cli/options/run.ts'

it('any number of words may follow --', () => {
  const words = Array.from({ length: 200_000 }, (_, index) => `${index}.http`)
  const parsed = parseArguments(run, ['--', ...words])
  expect(parsed.type === 'arguments' && parsed.arguments.positionals.length).toBe(200_000)
})
