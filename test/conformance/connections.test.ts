/** Runs the connection cases in every preset: whole, and in two pieces at every byte, and byte by byte. */
import { describe, expect, it } from 'vitest'
import type { Preset } from '../../src/message/index.ts'
import { withoutStackTraces } from '../helpers/stack-traces.ts'
import { toOctets } from '../message/octets.ts'
import { report } from './connection-rows.ts'
import { CONNECTIONS } from './connections.ts'
import { cuts } from './observation.ts'

withoutStackTraces()

const PRESETS: readonly Preset[] = ['lenient', 'strict', 'server']

describe.each(Object.entries(CONNECTIONS))('%s', (_group, cases) => {
  describe.each(PRESETS)('in the preset %s', (preset) => {
    it.each(cases)('$role: $title', (example) => {
      const octets = toOctets(example.octets)
      const { reported, fields } = report(example, preset, [octets.slice()])
      expect(reported).toEqual(example.reported[preset])
      if (example.fields !== undefined) expect(fields).toEqual(example.fields)
      for (const [title, pieces] of cuts(octets)) {
        const again = report(example, preset, pieces).reported
        // Thousands of cuts: they are compared at length only where they differ.
        if (again.join('\n') !== reported.join('\n')) expect(again, title).toEqual(reported)
      }
    })
  })
})
