/**
 * All tables of the parser and a slice of the property tests, in as little time as can be: what a mutant of the parser
 * has to get past.
 *
 * Rules: no separate cases; tables and comparisons are those of test/conformance.
 */
import { describe, expect, it } from 'vitest'
import type { Preset, Role } from '../../src/message/index.ts'
import { CHECKLIST } from '../conformance/checklist.ts'
import { type ConnectionCase, report } from '../conformance/connection-rows.ts'
import { CONNECTIONS } from '../conformance/connections.ts'
import { observeText } from '../conformance/observation.ts'
import { CONTAINED, REFUSED } from '../conformance/smuggling-vectors.ts'
import { toOctets } from '../message/octets.ts'
import { type Look, octetsOf, traceOf, wholeTraceOf } from '../property/decoder-trace.ts'
import { makeConnection } from '../property/message-maker.ts'
import { Random } from '../property/random.ts'

Error.stackTraceLimit = 0

const presets: readonly Preset[] = ['lenient', 'strict', 'server']
const roles: readonly Role[] = ['server', 'client']

function expectTold(example: ConnectionCase, preset: Preset, pieces: readonly Uint8Array[]): void {
  const { reported, fields } = report(example, preset, pieces)
  const expected = example.reported[preset]
  if (reported.join('\n') !== expected.join('\n')) expect(reported, example.title).toEqual(expected)
  if (example.fields !== undefined) expect(fields).toEqual(example.fields)
}

describe.each(Object.entries(CONNECTIONS))('connections: %s', (_group, cases) => {
  it.each(presets)('in the preset %s', (preset) => {
    for (const example of cases) {
      if (example.octets.length > 5000) continue
      const octets = toOctets(example.octets)
      const middle = octets.length >> 1
      expectTold(example, preset, [octets.slice()])
      expectTold(example, preset, [octets.slice(0, middle), octets.slice(middle)])
      if (octets.length < 300)
        expectTold(
          example,
          preset,
          Array.from(octets, (octet) => Uint8Array.of(octet)),
        )
    }
  })
})

describe.each(Object.entries(CHECKLIST))('checklist: %s', (_group, rules) => {
  it.each(presets)('as a text in the preset %s', (preset) => {
    for (const example of rules.flatMap(({ cases }) => cases)) {
      const outcome = example[preset]
      if (outcome === 'free') continue
      const { seen, failure } = observeText(example, preset, toOctets(example.octets))
      if ('reject' in outcome) {
        expect(failure?.code, example.title).toBe(outcome.reject)
      } else {
        const { repairs = [], ...view } = outcome.accept
        expect(seen, example.title).toMatchObject(view)
        if (repairs !== 'any') expect(seen.repairs, example.title).toEqual(repairs.toSorted())
      }
    }
  })
})

describe('smuggling', () => {
  it('is refused', () => {
    for (const { title, octets } of Object.values(REFUSED).flat()) {
      const look: Look = { role: 'server', options: { preset: 'server' }, methods: [], isThorough: false }
      const { reported } = traceOf(look, [octetsOf(octets)])
      if (!reported.includes('\nerror [') || reported.includes('"/smuggled"')) expect(reported, title).toBe('an error')
    }
  })

  it('is contained', () => {
    for (const { title, octets } of CONTAINED) {
      const look: Look = { role: 'server', options: { preset: 'server' }, methods: [], isThorough: false }
      const { reported } = traceOf(look, [octetsOf(octets)])
      expect(reported.includes('\nerror ['), title).toBe(false)
    }
  })
})

describe.each(roles)('made messages for a %s', (role) => {
  it.each(presets)('are reported alike by both paths in the preset %s', (preset) => {
    for (let number = 1; number <= 80; number++) {
      const random = new Random(number)
      const limits = number % 8 === 0 ? { startLine: 40, headerSection: 90, headerCount: 3, body: 9 } : {}
      const options = { preset, limits }
      const look: Look = { role, options, methods: number % 5 === 0 ? ['HEAD'] : [], isThorough: number % 4 === 0 }
      const reference: Look = { ...look, options: { ...options, fastPath: false } }
      const octets = octetsOf(makeConnection(random, role))
      const at = random.below(octets.length + 1)
      const pieces = [octets.slice(0, at), octets.slice(at)]
      const { reported } = traceOf(reference, [octets])
      if (reported !== traceOf(look, [octets]).reported) expect.fail('the paths differ')
      if (reported !== traceOf(look, pieces).reported) expect.fail('where it is cut matters')
      if (number % 2 === 0 && wholeTraceOf(reference, octets) !== wholeTraceOf(look, octets))
        expect.fail('texts differ')
    }
  })
})
