/**
 * Properties of the decoder that no list of messages can show: damaged messages, cut anywhere, under any limit.
 *
 * Rules: messages of the checklist are damaged at random places; the seed is fixed, so that a failure comes again.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Preset } from '../../src/message/index.ts'
import { expectSame } from '../helpers/same-value.ts'
import { withoutStackTraces } from '../helpers/stack-traces.ts'
import { toOctets } from '../message/octets.ts'
import { CHECKLIST } from './checklist.ts'
import type { Case } from './checklist-rows.ts'
import { observeDecoder, observeText } from './observation.ts'

withoutStackTraces()

const SEED = 9112
const RUNS = 1500

const SHORT: readonly Case[] = Object.values(CHECKLIST).flatMap((rules) =>
  rules.flatMap(({ cases }) => cases.filter(({ octets }) => octets.length < 400)),
)
const SPLINTERS = [
  ...[
    '\r\n',
    '\n',
    '\r',
    ' ',
    '\t',
    ':',
    ';',
    ',',
    '0',
    '5',
    '\0',
    '\x7f',
    '\xff',
    '"',
    '%',
    '#',
    '@',
    '\r\n\r\n',
    '0\r\n\r\n',
  ],
  ...[
    'Host: a\r\n',
    'Content-Length: 5\r\n',
    'Transfer-Encoding: chunked\r\n',
    'X: y\r\n z\r\n',
    'HTTP/1.1',
    'chunked',
  ],
]

interface Damage {
  /** Where, as a part of the message. */
  readonly at: number
  readonly dropped: number
  readonly inserted: string
}

const place = fc.double({ min: 0, max: 1, noNaN: true })
const damage: fc.Arbitrary<Damage> = fc.record({
  at: place,
  dropped: fc.nat({ max: 3 }),
  inserted: fc.oneof(
    fc.constant(''),
    fc.constantFrom(...SPLINTERS),
    fc.nat({ max: 255 }).map((octet) => String.fromCharCode(octet)),
  ),
})
const damaged: fc.Arbitrary<Case> = fc
  .tuple(fc.constantFrom(...SHORT), fc.array(damage, { maxLength: 3 }))
  .map(([example, damages]) => ({
    ...example,
    octets: damages.reduce((octets, { at, dropped, inserted }) => {
      const index = Math.floor(at * octets.length)
      return octets.slice(0, index) + inserted + octets.slice(index + dropped)
    }, example.octets),
  }))
const preset: fc.Arbitrary<Preset> = fc.constantFrom('lenient', 'strict', 'server')
const small = fc.nat({ max: 60 })
const limits = fc.record(
  {
    startLine: small,
    headerSection: small,
    headerCount: fc.nat({ max: 4 }),
    chunkExtensions: small,
    trailerSection: small,
    body: fc.nat({ max: 8 }),
  },
  { requiredKeys: [] },
)

function split(octets: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [0, ...places.map((at) => Math.floor(at * octets.length)).sort((a, b) => a - b), octets.length]
  return cuts.slice(1).map((end, index) => octets.slice(cuts[index], end))
}

describe('the decoder', () => {
  it('gives the same events and the same error however the input is split', () => {
    fc.assert(
      fc.property(damaged, preset, fc.array(place, { minLength: 1, maxLength: 4 }), (example, chosen, places) => {
        const octets = toOctets(example.octets)
        const { trace } = observeDecoder(example, chosen, [octets])
        expectSame(observeDecoder(example, chosen, split(octets, places)).trace, trace)
        const single = Array.from(octets, (octet) => Uint8Array.of(octet))
        expectSame(observeDecoder(example, chosen, single).trace, trace)
      }),
      { seed: SEED, numRuns: RUNS },
    )
  })

  it('reaches a limit at the same byte however the input is split', () => {
    fc.assert(
      fc.property(damaged, preset, limits, place, (example, chosen, allowed, at) => {
        const octets = toOctets(example.octets)
        const { trace } = observeDecoder(example, chosen, [octets], allowed)
        expectSame(observeDecoder(example, chosen, split(octets, [at]), allowed).trace, trace)
        const single = Array.from(octets, (octet) => Uint8Array.of(octet))
        expectSame(observeDecoder(example, chosen, single, allowed).trace, trace)
      }),
      { seed: SEED, numRuns: RUNS },
    )
  })
})

describe('the parser', () => {
  it.each(['strict', 'server'] as const)('and the decoder read the same first message under %s', (chosen) => {
    fc.assert(
      fc.property(damaged, (example) => {
        const octets = toOctets(example.octets)
        const text = observeText(example, chosen, octets)
        const decoded = observeDecoder(example, chosen, [octets])
        expect(decoded.ended).toBe(text.ended)
        if (!text.ended) return
        const { method, target, status, headers, body, keepAlive } = text.seen
        expect(decoded.seen).toMatchObject(
          Object.fromEntries(
            Object.entries({ method, target, status, headers, body, keepAlive }).filter(
              ([, value]) => value !== undefined,
            ),
          ),
        )
      }),
      { seed: SEED, numRuns: RUNS },
    )
  })

  it('throws only parse errors, and accepts under lenient what it accepts under strict', () => {
    fc.assert(
      fc.property(damaged, (example) => {
        const octets = toOctets(example.octets)
        const strict = observeText(example, 'strict', octets)
        observeText(example, 'server', octets)
        const lenient = observeText(example, 'lenient', octets)
        if (strict.ended) expect(lenient.failure).toBeUndefined()
      }),
      { seed: SEED, numRuns: RUNS },
    )
  })
})
