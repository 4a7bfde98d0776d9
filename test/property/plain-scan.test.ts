/**
 * The proof of differential.test.ts on a platform without WebAssembly, where the plain scan reads every head.
 *
 * Rules: with separate modules, since a program that was loaded stays.
 */
import { afterAll, beforeAll, describe, it, vi } from 'vitest'
import { withoutStackTraces } from '../helpers/stack-traces.ts'
import { combinations } from './path-comparison.ts'

const MESSAGES = 12_000
/** Others than those of the other test. */
const FIRST = 2_000_000

withoutStackTraces()
let comparison: typeof import('./path-comparison.ts')
beforeAll(async () => {
  vi.stubGlobal('WebAssembly', undefined)
  vi.resetModules()
  comparison = await import('./path-comparison.ts')
})
afterAll(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

describe.each(combinations)('without WebAssembly, the decoder of a %s in the preset %s', (role, preset) => {
  it('reports what the reference path reports', { timeout: 120_000 }, () => {
    const count = MESSAGES / combinations.length
    for (let number = FIRST; number < FIRST + count; number++) comparison.comparePaths(role, preset, number)
  })
})
