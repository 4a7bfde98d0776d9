/** JSON reports read back: without loss, in any layout and any pieces, and never if something is wrong. */

import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergedRun } from '../../../src/report/reading/merged-run.ts'
import { readSchema } from '../../helpers/json-output.ts'
import { identity, recordOf, requestEvents } from '../events.ts'
import { formatNames, fullRecord, fullText, problemOf, stored, textOf } from './reports.ts'

type Json = { [name: string]: Json } | Json[] | string | number | boolean | null

describe('a report that is read back', () => {
  it.each(formatNames)('produces the same %s report', async (format) => {
    const record = mergedRun([await stored(fullText())])
    expect(textOf(record, format)).toBe(textOf(fullRecord(), format))
  })

  it.each([1, 2, 3, 7, 64])('may arrive in pieces of %i bytes', async (pieceBytes) => {
    expect(textOf(mergedRun([await stored(fullText(), pieceBytes)]))).toBe(fullText())
  })

  it.each([
    ['without white space', (text: string) => JSON.stringify(JSON.parse(text))],
    ['with tabs and CRLF', (text: string) => JSON.stringify(JSON.parse(text), null, '\t').replaceAll('\n', '\r\n')],
    ['with a byte order mark', (text: string) => `\ufeff${text}`],
    ['with its fields in another order', (text: string) => JSON.stringify(reversed(JSON.parse(text) as Json))],
  ])('may be written %s', async (_name, rewrite) => {
    const again = textOf(mergedRun([await stored(rewrite(fullText()), 5)]), 'html')
    expect(again).toBe(textOf(fullRecord(), 'html'))
  })

  it('keeps what a later version might add', async () => {
    const text = fullText().replace('"tags": [', '"later": {"requests": [{"a": 1}]},\n          "tags": [')
    expect(textOf(mergedRun([await stored(text)]))).toContain('"later": {')
  })

  it('may contain any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 40 }), async (name, pieceBytes) => {
        const record = () => recordOf([{ events: requestEvents(identity({ name }), 'passed', [{ log: name }]) }])
        const text = textOf(record())
        expect(textOf(mergedRun([await stored(text, pieceBytes)]))).toBe(text)
      }),
      { numRuns: 200 },
    )
  })
})

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, each]) => [name, reversed(each)])
      .reverse(),
  ) as Json
}

describe('what is not a report', () => {
  it('is a report truncated anywhere', async () => {
    const text = JSON.stringify(JSON.parse(fullText()))
    for (let length = 0; length < text.length; length += 13) {
      const problem = await problemOf(text.slice(0, length))
      expect(problem, `${length} characters`).toMatch(length === 0 ? /empty/ : /truncated|not JSON/)
    }
    expect(await problemOf(text)).toBeUndefined()
  })

  it.each([
    ['nothing', '', 'it is empty'],
    ['white space', ' \n', 'it is empty'],
    ['text', 'no report', 'it is not JSON'],
    ['brackets', ']]}', 'it is not JSON'],
    ['a list', '[]', 'it is not a JSON report of httpcli run: expected an object'],
    [
      'another document',
      '{"log": {"version": "1.2"}}',
      'it is not a JSON report of httpcli run: version is not a whole',
    ],
    ['two reports', `${fullText()}${fullText()}`, 'it is not JSON'],
    ['a report of a later version', fullText().replace('"version": 1', '"version": 2'), 'it has version 2, and this'],
    [
      'a later version whose requests are others',
      fullText().replace('"version": 1', '"version": 2').replaceAll('"outcome"', '"result"'),
      'it has version 2, and this httpcli reads version 1',
    ],
    [
      'a request without its outcome',
      fullText().replace('"outcome"', '"result"'),
      'jobs[0].requests[0].outcome is not one of passed, failed',
    ],
    ['a gap between requests', '{"jobs": [{}{}]}', 'it is not JSON'],
    [
      'an abyss',
      fullText().replace('"outcome"', `"later": ${'['.repeat(100_000)}${']'.repeat(100_000)}, "outcome"`),
      'it is nested too deeply',
    ],
    ['a broken request', fullText().replace('"outcome":', '"outcome"'), 'it is not JSON'],
  ])('is %s', async (_name, text, problem) => {
    await expect(stored(text)).rejects.toThrow(problem)
  })

  it('is what the schema rejects, whichever value is wrong', async () => {
    const accepts = new Ajv2020({ strict: false }).compile(readSchema('run-report'))
    const report = JSON.parse(fullText()) as Json
    let refused = 0
    for (const change of changesOf(report)) {
      const text = JSON.stringify(change)
      const isAccepted = accepts(JSON.parse(text))
      const problem = await problemOf(text, 65_536)
      if (isAccepted !== (problem === undefined)) expect(`${problem}: ${text}`).toBe(isAccepted ? '' : 'a problem')
      if (!isAccepted) refused++
    }
    expect(refused).toBeGreaterThan(500)
  }, 60_000)
})

/** The value with one place changed, for each place: left out, of another type, empty. */
function* changesOf(value: Json): Generator<Json> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      const changed = (to: Json | undefined): Json => {
        if (Array.isArray(value)) return value.map((each, index) => (String(index) === key ? (to as Json) : each))
        const { [key]: _, ...others } = value
        return to === undefined ? others : { ...others, [key]: to }
      }
      yield changed(undefined)
      for (const to of [null, 'x', -1, 1.5, [], {}, [0], ['a', 1]]) yield changed(to)
      for (const to of changesOf(inner)) yield changed(to)
    }
  }
}
