/**
 * Runs the RFC checklist: every case as a complete text in the three presets, and through the decoder whole and cut.
 *
 * Rules: the table decides; this file only compares. The lenient decoder may not accept what the lenient text refuses.
 */
import { describe, expect, it } from 'vitest'
import type { Preset } from '../../src/message/index.ts'
import { expectSame } from '../helpers/same-value.ts'
import { withoutStackTraces } from '../helpers/stack-traces.ts'
import { toOctets } from '../message/octets.ts'
import { CHECKLIST } from './checklist.ts'
import type { Case, Outcome, View } from './checklist-rows.ts'
import { cuts, type Observation, observeDecoder, observeText } from './observation.ts'

withoutStackTraces()

const PRESETS: readonly Preset[] = ['lenient', 'strict', 'server']
/** Properties that only a complete message has, not the events of a decoder. */
const NOT_IN_EVENTS: readonly (keyof View)[] = ['form', 'url', 'line', 'upgrade', 'repairs']

function compare(observed: Observation, outcome: Outcome, leaveOut: readonly (keyof View)[] = []): void {
  if (outcome === 'free') return
  if ('reject' in outcome) {
    expect(observed.failure, 'it is accepted').toBeDefined()
    expect(observed.failure?.code, `the code at ${observed.failure?.at}`).toBe(outcome.reject)
    if (outcome.status !== 'any') expect(observed.failure?.status).toBe(outcome.status)
    return
  }
  expect(observed.failure, 'it is refused').toBeUndefined()
  expect(observed.ended, 'the message ends').toBe(true)
  const expected: Record<string, unknown> = { body: '', repairs: [], ...outcome.accept }
  if (Array.isArray(expected.repairs)) expected.repairs = expected.repairs.toSorted()
  if (expected.repairs === 'any') delete expected.repairs
  for (const key of leaveOut) delete expected[key]
  const seen = Object.fromEntries(Object.keys(expected).map((key) => [key, observed.seen[key as keyof View]]))
  expect(seen).toEqual(expected)
}

function compareCuts(example: Case, preset: Preset): void {
  const octets = toOctets(example.octets)
  const whole = observeDecoder(example, preset, [octets])
  for (const [title, pieces] of cuts(octets)) {
    expectSame(observeDecoder(example, preset, pieces).trace, whole.trace, title)
  }
}

describe.each(Object.entries(CHECKLIST))('RFC checklist: %s', (_group, rules) => {
  describe.each(rules)('$rule (RFC $rfc)', ({ cases }) => {
    for (const example of cases) {
      const name = `${example.role}, ${example.title}`
      it.each(PRESETS)(`%s text: ${name}`, (preset) => {
        compare(observeText(example, preset, toOctets(example.octets)), example[preset])
      })
      it.each(['strict', 'server'] as const)(`%s decoder: ${name}`, (preset) => {
        const observed = observeDecoder(example, preset, [toOctets(example.octets)])
        compare(observed, example.decoder ?? example[preset], NOT_IN_EVENTS)
      })
      it.each(PRESETS)(`%s decoder, split at every byte: ${name}`, (preset) => compareCuts(example, preset))

      const { lenient } = example
      if (lenient !== 'free' && 'reject' in lenient) {
        it(`lenient decoder: ${name}`, () => {
          compare(observeDecoder(example, 'lenient', [toOctets(example.octets)]), lenient)
        })
      }
    }
  })
})

const everyCase = Object.values(CHECKLIST).flatMap((rules) => rules.flatMap(({ cases }) => cases))
/** ASCII is where one character per byte and UTF-8 are the same. */
const ascii = everyCase.filter(({ octets }) => /^[\x00-\x7f]*$/.test(octets))

describe('RFC checklist: text and bytes', () => {
  it.each(ascii)('give the same result: $role, $title', (example) => {
    for (const preset of PRESETS) {
      expect(observeText(example, preset, example.octets)).toEqual(
        observeText(example, preset, toOctets(example.octets)),
      )
    }
  })
})
