/** Every input of the corpus holds every invariant: what a fuzzer once found stays repaired. */
import { describe, expect, it } from 'vitest'
import { withoutStackTraces } from '../helpers/stack-traces.ts'
import { octetsOf } from '../property/decoder-trace.ts'
import { kept, seeds } from './corpus.ts'
import { brokenInvariant } from './invariants.ts'

withoutStackTraces()

/** Inputs in groups, since a test for each of thousands costs more than the inputs. */
const GROUP = 100
const inputs = [...seeds(), ...kept()]
const groups = Array.from({ length: Math.ceil(inputs.length / GROUP) }, (_, index) => index * GROUP)

describe('the corpus', () => {
  it('contains what fuzzers found', () => {
    expect(kept().length).toBeGreaterThan(100)
  })

  it.each(groups)('keeps every invariant, from input %i on', (first) => {
    for (const { role, octets } of inputs.slice(first, first + GROUP)) {
      expect(brokenInvariant(role, octetsOf(octets)), JSON.stringify(octets)).toBeUndefined()
    }
  })
})
