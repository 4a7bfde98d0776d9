/**
 * The proof that the fast path changes nothing: path-comparison.ts over many messages.
 *
 * Rules: 15,000 messages in a normal run. DIFFERENTIAL_MESSAGES=1000000 (with a longer --testTimeout) looks at more,
 * DIFFERENTIAL_FIRST=n begins elsewhere.
 */
import { describe, it } from 'vitest'
import { withoutStackTraces } from '../helpers/stack-traces.ts'
import { combinations, comparePaths } from './path-comparison.ts'

withoutStackTraces()

const MESSAGES = Number(process.env.DIFFERENTIAL_MESSAGES ?? 15_000)
const FIRST = Number(process.env.DIFFERENTIAL_FIRST ?? 1)

describe.each(combinations)('the decoder of a %s in the preset %s', (role, preset) => {
  it('reports what the reference path reports, however messages are split', {
    timeout: 120_000 + MESSAGES,
  }, () => {
    const count = Math.ceil(MESSAGES / combinations.length)
    for (let number = FIRST; number < FIRST + count; number++) comparePaths(role, preset, number)
  })
})
