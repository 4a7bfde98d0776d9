/** The end of a run on the console. */

import { describe, expect, it } from 'vitest'
import { FailureList, paintedSummary, summaryText } from '../../src/report/index.ts'
import type { RunSummary } from '../../src/runner/index.ts'
import { SomeError } from '../helpers/some-error.ts'
import { assertionError, connectError, identity, requestEvents, summary } from './events.ts'

const plain = { isTerminal: false, colors: false }

describe('the totals', () => {
  it.each<[Partial<RunSummary>, string]>([
    [{ requests: 3, answered: 2, failed: 1 }, '3 requests: 2 answered, 1 failed; 12 ms'],
    [{ testsPassed: 1 }, '1 request: 1 answered, 0 failed; 1 test: 1 passed, 0 failed; 12 ms'],
    [
      { testsPassed: 2, testsFailed: 1, durationMs: 1236 },
      '1 request: 1 answered, 0 failed; 3 tests: 2 passed, 1 failed; 1.24 s',
    ],
    [{ scriptsFailed: 2 }, '1 request: 1 answered, 0 failed; 2 scripts failed; 12 ms'],
    [{ skipped: 2, retries: 1 }, '1 request: 1 answered, 0 failed; 2 skipped; 1 retried; 12 ms'],
    [{ badStatuses: 1 }, '1 request: 1 answered, 0 failed; 1 with an error status; 12 ms'],
    [{ blocked: 1 }, '1 request: 1 answered, 0 failed; 1 not sent because a script failed; 12 ms'],
    [{ durationMs: 125_000 }, '1 request: 1 answered, 0 failed; 2 min 5 s'],
    [{ requests: 0, answered: 0, isInterrupted: true }, '0 requests: 0 answered, 0 failed; interrupted; 12 ms'],
  ])('of %j count what exists', (changes, text) => {
    expect(summaryText({ ...summary, ...changes })).toBe(text)
  })

  it('count the files if there are several', () => {
    expect(summaryText(summary, 50)).toBe('1 request: 1 answered, 0 failed; 50 files; 12 ms')
  })

  it.each<[Partial<RunSummary>, string]>([
    [{}, '\x1b[32m'],
    [{ failed: 1 }, '\x1b[31m'],
    [{ skipped: 1 }, '\x1b[31m'],
    [{ testsFailed: 1 }, '\x1b[31m'],
    [{ isInterrupted: true }, '\x1b[31m'],
  ])('of %j have the colour of the outcome', (changes, color) => {
    expect(paintedSummary({ ...summary, ...changes }, 1, { isTerminal: true, colors: true }).slice(0, 5)).toBe(color)
  })
})

describe('the list of failures', () => {
  it('has each with its place, in job order', () => {
    const list = new FailureList((text) => text)
    const second = list.begin({ number: 2, path: 'b.http', environment: undefined, row: { number: 2, of: 9 } })
    const first = list.begin({ number: 1, path: 'a.http', environment: undefined })
    const late = identity({ file: 'b.http', name: 'Late' })
    for (const event of requestEvents(late, 'error', [{ error: connectError }])) second(event)
    const events = [
      ...requestEvents(identity(), 'failed', [{ test: 'fine' }, { test: 'bad', error: assertionError }]),
      ...requestEvents(identity({ number: 2, line: 9 }), 'failed', [{ status: 404 }]),
      ...requestEvents(identity({ number: 3 }), 'passed', [{ status: 200 }]),
    ]
    for (const event of events) first(event)
    expect(list.text(plain)).toBe(
      'Failed:\n' +
        '  a.http:7:3  GET {{host}}/x: bad\n' +
        '  a.http:9  GET {{host}}/x: its status is 400 or more\n' +
        '  b.http:3 (row 2 of 9)  Late: h port 9: connection refused\n\n',
    )
  })

  it('is empty if nothing failed', () => {
    const list = new FailureList((text) => text)
    for (const event of requestEvents(identity(), 'passed')) {
      list.begin({ number: 1, path: 'a.http', environment: undefined })(event)
    }
    expect(list.text(plain)).toBe('')
  })

  it('masks secrets before it shortens, so that no part of one is left', () => {
    const list = new FailureList((text) => text.replaceAll('s3cret'.repeat(60), '***'))
    const error = new SomeError('script-failed', 's3cret'.repeat(60))
    for (const event of requestEvents(identity(), 'error', [{ error }])) {
      list.begin({ number: 1, path: 'a.http', environment: undefined })(event)
    }
    expect(list.text(plain)).toBe('Failed:\n  a.http:3  GET {{host}}/x: ***\n\n')
  })

  it('is short enough to read, and says what it omits', () => {
    const list = new FailureList((text) => text)
    const listener = list.begin({ number: 1, path: 'a.http', environment: undefined })
    for (let number = 1; number <= 60; number++) {
      for (const event of requestEvents(identity({ number }), 'error', [{ error: connectError }])) listener(event)
    }
    const lines = list.text(plain).trimEnd().split('\n')
    expect(lines).toHaveLength(52)
    expect(lines.at(-1)).toBe('  and 10 more')
  })
})
