/**
 * The proof of differential.test.ts on a platform without WebAssembly, where the plain scan reads every head.
 *
 * Rules: in a file of its own, since a program that was loaded stays.
 */
import { afterAll, beforeAll, describe, it, vi } from 'vitest'
import { combinations, comparePaths } from './path-comparison.ts'

const MESSAGES = 12_000
/** Others than those of the other test. */
const FIRST = 2_000_000

beforeAll(() => {
  vi.stubGlobal('WebAssembly', undefined)
})
afterAll(() => {
  vi.unstubAllGlobals()
})

describe.each(combinations)('without WebAssembly, the decoder of a %s in the preset %s', (role, preset) => {
  it('tells of octets what the reference path tells of them', { timeout: 120_000 }, () => {
    const count = MESSAGES / combinations.length
    for (let number = FIRST; number < FIRST + count; number++) comparePaths(role, preset, number)
  })
})
