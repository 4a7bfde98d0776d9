/** JUnit reports: valid XML, and their content. */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { DOMParser, type Document, type Element } from '@xmldom/xmldom'
import { describe, expect, it } from 'vitest'
import { junitReport } from '../../src/report/junit-report.ts'
import type { RunRecord } from '../../src/report/record/run-record.ts'
import { SomeError } from '../helpers/some-error.ts'
import { assertionError, connectError, identity, type RecordedJob, recordOf, requestEvents } from './events.ts'

const schema = fileURLToPath(new URL('junit.xsd', import.meta.url))
const hasXmllint = spawnSync('xmllint', ['--version']).status === 0
if (!hasXmllint)
  process.stderr.write('SKIPPED: xmllint is not installed, so JUnit reports are not held against the schema\n')

function xmlOf(record: RunRecord): string {
  return [...junitReport(record)].join('')
}

function parsed(record: RunRecord): Document {
  const complain = (_level: string, message: string): never => {
    throw new Error(message)
  }
  return new DOMParser({ onError: complain }).parseFromString(xmlOf(record), 'text/xml')
}

function elements(parent: Document | Element, name: string): readonly Element[] {
  return [...parent.getElementsByTagName(name)]
}

function attributes(element: Element | undefined): Record<string, string> {
  return Object.fromEntries([...(element?.attributes ?? [])].map(({ name, value }) => [name, value]))
}

const skipped: RecordedJob = {
  events: [
    { type: 'request-started', request: identity({ name: 'Begun' }) },
    { type: 'request-skipped', request: identity({ number: 2, name: 'Never' }), reason: 'interrupted' },
  ],
  isFinished: false,
}

const busy: RecordedJob = {
  job: { path: 'tests/v1.2/api.http', environment: 'dev' },
  events: [
    { type: 'warning', error: new SomeError('unverified', 'certificates are not checked') },
    ...requestEvents(identity({ name: 'Sign in', file: 'tests/v1.2/api.http' }), 'failed', [
      { status: 200 },
      { log: 'a line <b>' },
      { test: 'has a token' },
      { test: 'status == 200', error: assertionError, kind: 'assertion' },
    ]),
    ...requestEvents(identity({ number: 2, line: 30, target: 'http://h.test/x' }), 'error', [{ error: connectError }]),
    ...requestEvents(identity({ number: 3, line: 40, name: 'Plain' }), 'passed', [{ status: 204 }]),
    ...requestEvents(identity({ number: 4, line: 50, name: 'Missing' }), 'failed', [{ status: 404 }]),
    ...requestEvents(identity({ number: 5, line: 60, name: 'Odd' }), 'failed', [
      { test: 'fine' },
      { script: new SomeError('script-failed', 'oops') },
    ]),
    { type: 'request-skipped', request: identity({ number: 6, name: 'Later' }), reason: 'bail' },
    { type: 'error', request: undefined, error: new SomeError('output-failed', 'the cookies cannot be written') },
  ],
}

describe.skipIf(!hasXmllint)('every JUnit report is valid against the schema:', () => {
  it.each<[string, RunRecord]>([
    ['of a run that has all that there is', recordOf([busy, { ...busy, job: { row: { number: 2, of: 3 } } }])],
    ['of an interrupted run', recordOf([skipped], { isInterrupted: true })],
    ['of a run that crashed', recordOf([skipped], { failure: new TypeError('undefined is not a function') })],
    [
      'of a run that crashed before its first file',
      recordOf([], { failure: new SomeError('output-failed', 'no space') }),
    ],
    ['of a run without requests', recordOf([{ events: [] }])],
    ['of no job at all', recordOf([])],
    [
      'of texts that XML does not have',
      recordOf([
        {
          job: { path: 'a"<>&\u0001.http' },
          events: requestEvents(identity({ name: ']]>\u0000\ufffe\ud800\n\t"' }), 'failed', [
            { log: '\u001b[31m' },
            { test: '', error: new SomeError('test-failed', '\u0008 ]]> \ud83d \ufffe <a>&amp;') },
          ]),
        },
      ]),
    ],
  ])('%s', (_, record) => {
    const { status, stderr } = spawnSync('xmllint', ['--noout', '--schema', schema, '-'], { input: xmlOf(record) })
    expect([status, stderr.toString()]).toEqual([0, '- validates\n'])
  })
})

describe('a JUnit report', () => {
  const report = parsed(recordOf([busy]))
  const suite = elements(report, 'testsuite')[0] as Element
  const cases = elements(suite, 'testcase')

  it('has a suite for the file, with its totals', () => {
    expect(attributes(suite)).toEqual({
      name: 'tests/v1.2/api.http',
      package: 'tests/v1.2/api.http',
      id: '0',
      hostname: 'box',
      timestamp: '2026-11-21T10:33:10',
      tests: '9',
      failures: '3',
      errors: '2',
      skipped: '1',
      time: expect.stringMatching(/^\d+\.\d{3}$/),
    })
    const counted = (name: string): number => elements(suite, name).length
    expect([cases.length, counted('failure'), counted('error'), counted('skipped')]).toEqual([9, 3, 2, 1])
  })

  it('has a case for each test, each request without tests, and each other failure', () => {
    const rows = cases.map((each) => {
      const { name, classname, time } = attributes(each)
      return `${classname} | ${name} | ${time} | ${[...each.childNodes].find(({ nodeType }) => nodeType === 1)?.nodeName ?? 'passed'}`
    })
    expect(rows).toEqual([
      'tests/v1.2/api.http.Sign in | has a token | 0.021 | passed',
      'tests/v1.2/api.http.Sign in | status == 200 | 0.000 | failure',
      'tests/v1.2/api.http.GET http://h_test/x | GET http://h.test/x | 0.021 | error',
      'tests/v1.2/api.http.Plain | Plain | 0.021 | passed',
      'tests/v1.2/api.http.Missing | Missing | 0.021 | failure',
      'tests/v1.2/api.http.Odd | fine | 0.021 | passed',
      'tests/v1.2/api.http.Odd | Odd | 0.000 | failure',
      'tests/v1.2/api.http.Later | Later | 0.000 | skipped',
      'tests/v1.2/api.http | run | 0.000 | error',
    ])
  })

  it('says what failed and where, in the text as well, since some readers ignore attributes', () => {
    const failure = elements(report, 'failure')[0]
    expect(attributes(failure)).toEqual({ message: 'status 500\nnot 200', type: 'test-failed' })
    expect(failure?.textContent).toBe('status 500\nnot 200\nat a.http:7:3\n    client.assert(x)\n    ^^^^^^^^^^^^^')
  })

  it('names the line of the request if an error has no place', () => {
    expect(elements(report, 'error')[0]?.textContent).toBe(
      'h port 9: connection refused\nhint: check that the server is running.\nat a.http:30',
    )
  })

  it('has the environment, script logs, and warnings', () => {
    const properties = elements(report, 'property').map((each) => Object.values(attributes(each)).join('='))
    expect(properties).toEqual(['generator=httpcli 2.0.0', 'environment=dev'])
    expect(elements(report, 'system-out')[0]?.textContent).toBe('### Sign in\na line <b>\n')
    expect(elements(report, 'system-err')[0]?.textContent).toBe('warning: certificates are not checked\n')
  })

  it('distinguishes entries of the same name: passes, rows, iterations, tests', () => {
    const events = [
      ...requestEvents(identity({ name: 'Same' }), 'passed', [{ test: 'ok' }, { test: 'ok' }]),
      ...requestEvents(identity({ number: 2, name: 'Same' }), 'passed', [{ test: 'ok' }]),
      ...requestEvents(identity({ number: 3, name: 'Same', iteration: 1 }), 'passed', [{ test: 'ok' }]),
    ]
    const jobs = [1, 2].map((number) => ({ job: { row: { number, of: 2 } }, events }))
    const repeated = parsed(recordOf(jobs))
    const keys = elements(repeated, 'testcase').map((each) => {
      const { name, classname } = attributes(each)
      return `${classname} | ${name}`
    })
    expect(new Set(keys).size).toBe(8)
    expect(keys.slice(0, 5)).toEqual([
      'a.http (row 1 of 2).Same | ok',
      'a.http (row 1 of 2).Same | ok (2)',
      'a.http (row 1 of 2).Same | ok (3)',
      'a.http (row 1 of 2).Same (round 2) | ok',
      'a.http (row 2 of 2).Same | ok',
    ])
  })

  it('has a name for each test', () => {
    const tests = requestEvents(identity(), 'passed', [{ test: '' }, { test: ' \t' }])
    const named = elements(parsed(recordOf([{ events: tests }])), 'testcase')
    expect(named.map((each) => attributes(each).name)).toEqual(['unnamed', 'unnamed (2)'])
  })

  it('numbers thousands of cases with one name', () => {
    const results = Array.from({ length: 20_000 }, () => ({ test: 'ok' }))
    const xml = xmlOf(recordOf([{ events: requestEvents(identity(), 'passed', results) }]))
    expect(xml).toContain('name="ok (20000)"')
    expect(xml.match(/<testcase /g)).toHaveLength(20_000)
  })

  it('reports the interrupted and the unstarted requests of an interrupted run', () => {
    const cut = parsed(recordOf([skipped], { isInterrupted: true }))
    expect(attributes(elements(cut, 'error')[0]).type).toBe('interrupted')
    expect(attributes(elements(cut, 'skipped')[0]).message).toBe('not started, because the run was interrupted')
    expect(elements(cut, 'property').map((each) => attributes(each).name)).toContain('interrupted')
  })

  it.each<[string, readonly RecordedJob[]]>([
    ['before its first file', []],
    ['after requests that passed', [{ events: requestEvents(identity(), 'passed', [{ status: 200 }]) }]],
  ])('has an error for what ended the run early, %s', (_, jobs) => {
    const crashed = parsed(recordOf(jobs, { failure: new SomeError('output-failed', 'no space left') }))
    const suites = elements(crashed, 'testsuite')
    expect(suites.map((each) => attributes(each).errors)).toEqual([...jobs.map(() => '0'), '1'])
    expect(attributes(suites.at(-1))).toMatchObject({ name: 'httpcli', id: String(jobs.length), tests: '1' })
    expect(attributes(elements(crashed, 'error')[0])).toEqual({ message: 'no space left', type: 'output-failed' })
  })
})
