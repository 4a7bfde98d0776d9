/** Run events as console text. */

import { describe, expect, it } from 'vitest'
import { type ConsoleStyle, ConsoleText } from '../../src/report/index.ts'
import { shortened } from '../../src/report/record/printable-text.ts'
import type { RunEvent } from '../../src/runner/index.ts'
import { SomeError } from '../helpers/some-error.ts'
import { assertionError, connectError, exchangeEvents, identity, requestEvents, summary } from './events.ts'

const pipe: ConsoleStyle = { isTerminal: false, colors: false, columns: 80 }
const terminal: ConsoleStyle = { isTerminal: true, colors: true, columns: 80 }
const request = identity()

function textOf(style: ConsoleStyle, ...events: RunEvent[]): string {
  const text = new ConsoleText(style, (each) => each)
  return events.map((event) => text.text(event)).join('')
}

describe('on a pipe', () => {
  it.each<[string, RunEvent, string]>([
    ['the first heading', { type: 'request-started', request }, '### GET {{host}}/x\n'],
    [
      'a later heading with a name',
      { type: 'request-started', request: { ...request, number: 2, name: 'Sign in' } },
      '\n### Sign in: GET {{host}}/x\n',
    ],
    [
      'which round of a request it is',
      { type: 'request-started', request: { ...request, number: 3, iteration: 2 } },
      '\n### GET {{host}}/x (round 3)\n',
    ],
    ['a log line as it is', { type: 'script-log', request, text: 'a\tb\x1b[0m' }, 'a\tb\x1b[0m\n'],
    ['a passed test', { type: 'test-passed', request, kind: 'test', name: 'ok' }, 'passed  ok\n'],
    ['a name of two lines as one', { type: 'test-passed', request, kind: 'test', name: 'a\r\n\tb' }, 'passed  a b\n'],
    [
      'a failed test with message, place and line',
      { type: 'test-failed', request, kind: 'assertion', name: 'bad', error: assertionError },
      'FAILED  bad\n        status 500\n        not 200\n        at a.http:7:3\n            client.assert(x)\n            ^^^^^^^^^^^^^\n',
    ],
    [
      'a failed handler without an excerpt',
      { type: 'script-failed', request, error: new SomeError('script-failed', 'stopped') },
      'FAILED  a script\n        stopped\n',
    ],
    [
      'an attempt that is made again',
      { type: 'request-retried', request, attempt: 1, of: 3, reason: 'status 503' },
      'retry   attempt 1 of 3: status 503\n',
    ],
    ['nothing for errors, which standard error gets', { type: 'error', request, error: assertionError }, ''],
    ['nothing at the end of a request', { type: 'request-finished', request, durationMs: 1, outcome: 'passed' }, ''],
    ['nothing at the end of a job', { type: 'run-finished', summary }, ''],
  ])('shows %s', (_, event, text) => {
    expect(textOf(pipe, event)).toBe(text)
  })

  it('shortens a message of megabytes, and says by how much', () => {
    const error = new SomeError('script-failed', `begin${'x'.repeat(5_000_000)}end`)
    const text = textOf(pipe, { type: 'script-failed', request, error })
    expect(text.length).toBeLessThan(2200)
    expect(text).toMatch(/^FAILED {2}a script\n {8}beginx+ \.\.\. 4998008 characters left out \.\.\. x+end\n$/)
  })

  it('shows no line for a request: the heading and the response are enough', () => {
    expect(textOf(pipe, ...requestEvents(request, 'passed', [{ status: 200 }]))).toBe('### GET {{host}}/x\n')
  })
})

describe('on a terminal', () => {
  it.each<[string, RunEvent, string]>([
    ['headings in bold', { type: 'request-started', request }, '\x1b[1m### GET {{host}}/x\x1b[22m\n'],
    ['passed in green', { type: 'test-passed', request, kind: 'test', name: 'ok' }, '\x1b[32mpassed\x1b[39m  ok\n'],
    [
      'no control characters of names',
      { type: 'test-passed', request, kind: 'test', name: 'a\x1b[2Jb\u202e' },
      '\x1b[32mpassed\x1b[39m  a\\x1B[2Jb\\u{202E}\n',
    ],
    ['no control characters of logs', { type: 'script-log', request, text: 'a\r\x07\n\tb' }, 'a\\x0D\\x07\n\tb\n'],
  ])('shows %s', (_, event, text) => {
    expect(textOf(terminal, event)).toBe(text)
  })

  it('shows no control characters from messages', () => {
    const error = new SomeError('script-failed', 'a\x1b]0;title\x07b')
    expect(textOf(terminal, { type: 'script-failed', request, error })).toContain('a\\x1B]0;title\\x07b')
  })

  it.each<[number, string]>([
    [200, '\x1b[32m200\x1b[39m'],
    [301, '\x1b[32m301\x1b[39m'],
    [404, '\x1b[33m404\x1b[39m'],
    [500, '\x1b[31m500\x1b[39m'],
  ])('shows a line with status %d in its colour, method, URL, time and size', (status, shown) => {
    const text = textOf(terminal, ...exchangeEvents(request, status, 'http://h/long'))
    expect(text).toBe(`${shown}  GET http://h/long  \x1b[2m10 ms  1.2 kB\x1b[22m\n`)
  })

  it('shows a line for a request that was not answered', () => {
    const plain = { ...terminal, colors: false }
    expect(textOf(plain, ...requestEvents(request, 'error', [{ error: connectError }]))).toBe(
      '### GET {{host}}/x\nno answer  GET {{host}}/x  21 ms\n',
    )
  })

  it('says so if a response was truncated', () => {
    const [sent, response] = exchangeEvents(request, 200, 'http://h/x') as [RunEvent, RunEvent]
    const end: RunEvent[] = [
      { type: 'error', request, error: connectError },
      { type: 'request-finished', request, durationMs: 5, outcome: 'error' },
    ]
    expect(textOf(terminal, sent, response, ...end)).toBe(
      '\x1b[31m200 truncated\x1b[39m  GET http://h/x  \x1b[2m5 ms\x1b[22m\n',
    )
  })

  it('shows no line for a request that was only checked', () => {
    const plain = { ...terminal, colors: false }
    expect(textOf(plain, ...requestEvents(request, 'error'))).toBe('### GET {{host}}/x\n')
  })

  it('shows a line for each attempt that was answered', () => {
    const plain = { ...terminal, colors: false }
    const events = requestEvents(request, 'passed', [{ status: 503 }, { retry: 'status 503' }, { status: 200 }])
    expect(textOf(plain, ...events)).toMatch(
      /^### .*\n503 {2}GET .*\nretry {3}attempt 1 of 3: status 503\n200 {2}GET .*\n$/,
    )
  })

  it.each([40, 80])('keeps the line of a request within %d columns', (columns) => {
    const url = `http://host.test/${'path/'.repeat(40)}end`
    const text = textOf({ isTerminal: true, colors: false, columns }, ...exchangeEvents(request, 200, url))
    expect(text.trimEnd().length).toBeLessThanOrEqual(columns)
    expect(text).toMatch(/^200 {2}GET http.*\.\.\..*end {2}10 ms {2}1\.2 kB\n$/)
  })
})

describe('a text that is shortened', () => {
  it.each([
    ['a'.repeat(103), 'a'.repeat(103)],
    ['a'.repeat(203), `${'a'.repeat(75)} ... 103 characters left out ... ${'a'.repeat(25)}`],
  ])('never becomes longer: %s', (text, expected) => {
    expect(shortened(text, 100)).toBe(expected)
  })
})
