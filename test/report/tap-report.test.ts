/** TAP reports, read line by line as a consumer does, with a YAML parser for the diagnostics. */

import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { RunRecord } from '../../src/report/record/run-record.ts'
import { tapReport } from '../../src/report/tap-report.ts'
import { SomeError } from '../helpers/some-error.ts'
import { assertionError, connectError, identity, recordOf, requestEvents } from './events.ts'

interface Point {
  readonly line: string
  readonly diagnostics: Record<string, unknown> | undefined
}

function pointsOf(record: RunRecord): { readonly head: readonly string[]; readonly points: readonly Point[] } {
  const text = [...tapReport(record)].join('')
  const pattern = /^((?:not )?ok \d+ - .*)\n(?: {2}---\n((?: {2}.*\n)*?) {2}\.\.\.\n)?/gm
  const points = [...text.matchAll(pattern)].map(([, line = '', yaml]) => ({
    line,
    diagnostics: yaml === undefined ? undefined : (parse(yaml) as Record<string, unknown>),
  }))
  return { head: text.replace(pattern, '').trimEnd().split('\n'), points }
}

describe('a TAP report', () => {
  it('has a version, a plan, and a point for each case', () => {
    const { head, points } = pointsOf(
      recordOf([
        {
          events: [
            ...requestEvents(identity({ name: 'Sign in' }), 'passed', [{ status: 200 }, { test: 'has a token' }]),
            ...requestEvents(identity({ number: 2 }), 'error', [{ error: connectError }]),
            { type: 'request-skipped', request: identity({ number: 3, name: 'Later' }), reason: 'bail' },
          ],
        },
      ]),
    )
    expect(head).toEqual(['TAP version 13', '1..3'])
    expect(points).toEqual([
      { line: 'ok 1 - a.http > Sign in > has a token', diagnostics: { duration_ms: 20.5 } },
      {
        line: 'not ok 2 - a.http > GET {{host}}/x',
        diagnostics: {
          message: 'h port 9: connection refused',
          code: 'connect-refused',
          hint: 'check that the server is running.',
          at: 'a.http:3',
          severity: 'error',
          duration_ms: 20.5,
        },
      },
      {
        line: 'ok 3 - a.http > Later # SKIP not started, because of a failure before it (--bail)',
        diagnostics: undefined,
      },
    ])
  })

  it('says what was expected, what was found, and what else went wrong', () => {
    const script = new SomeError('script-failed', 'oops')
    const { points } = pointsOf(
      recordOf([
        {
          events: requestEvents(identity(), 'failed', [
            { test: 'bad', error: assertionError },
            { script },
            { script: new SomeError('script-failed', 'again: no "luck"') },
          ]),
        },
      ]),
    )
    expect(points[0]?.diagnostics).toEqual({
      message: 'status 500\nnot 200',
      code: 'test-failed',
      expected: '200',
      actual: '500',
      excerpt: '  client.assert(x)\n  ^^^^^^^^^^^^^',
      at: 'a.http:7:3',
      severity: 'fail',
      duration_ms: 20.5,
    })
    expect(points[1]?.diagnostics).toMatchObject({ message: 'oops', also: ['again: no "luck"'], severity: 'fail' })
  })

  it.each<[string, string]>([
    ['a # b', 'a \\# b'],
    ['a \\ b', 'a \\\\ b'],
    ['two\nlines # SKIP', 'two lines \\# SKIP'],
    ['not \u001b[31m red', 'not \ufffd[31m red'],
    ['two\u2028lines\u2029', 'two\ufffdlines\ufffd'],
    ['naïve ☃', 'naïve ☃'],
  ])('escapes the name %j', (name, escaped) => {
    const { points } = pointsOf(
      recordOf([{ events: requestEvents(identity({ name: 'R' }), 'passed', [{ test: name }]) }]),
    )
    expect(points[0]?.line).toBe(`ok 1 - a.http > R > ${escaped}`)
  })

  it.each(['a: b', '- x', "'", '"', '\\', '\u0000\u0007\u001b', '\u2028\u0085', '# no', 'a\r\nb', '...', '---', '😀'])(
    'returns the message %j through YAML',
    (message) => {
      const error = new SomeError('test-failed', message)
      const record = recordOf([{ events: requestEvents(identity(), 'failed', [{ test: 't', error }]) }])
      expect(pointsOf(record).points[0]?.diagnostics?.message).toBe(message)
    },
  )

  it.each<[string, RunRecord, string[]]>([
    ['bails out at the end of an interrupted run', recordOf([], { isInterrupted: true }), ['Bail out! interrupted']],
    [
      'says what ended the run',
      recordOf([], { failure: new Error('two\nlines\u2028') }),
      ['Bail out! two lines\ufffd'],
    ],
    ['plans nothing where nothing was run', recordOf([]), []],
  ])('%s', (_, record, more) => {
    expect(pointsOf(record).head).toEqual(['TAP version 13', '1..0 # no requests', ...more])
  })
})
