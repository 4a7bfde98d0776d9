/** Run events as console text. */
import { describe, expect, it } from 'vitest'
import { HttpcliError } from '../../src/message/index.ts'
import { type ConsoleStyle, consoleText, summaryText } from '../../src/report/index.ts'
import type { RequestIdentity, RunEvent, RunSummary } from '../../src/runner/index.ts'

const pipe: ConsoleStyle = { isTerminal: false, colors: false }
const terminal: ConsoleStyle = { isTerminal: true, colors: true }
const request: RequestIdentity = {
  number: 1,
  name: '',
  method: 'GET',
  target: '{{host}}/x',
  file: 'a.http',
  line: 3,
  iteration: 0,
}
const failure = new HttpcliError('test-failed', 'status 500\nnot 200', {
  where: { file: 'a.http', line: 7, column: 3 },
  excerpt: '  client.assert(x)\n  ^^^^^^^^^^^^^',
})
const summary: RunSummary = {
  requests: 1,
  answered: 1,
  failed: 0,
  blocked: 0,
  badStatuses: 0,
  testsPassed: 0,
  testsFailed: 0,
  scriptsFailed: 0,
  isInterrupted: false,
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
    ['a passed test', { type: 'test-passed', request, name: 'ok' }, 'passed  ok\n'],
    [
      'a failed test with message, place and line',
      { type: 'test-failed', request, name: 'bad', error: failure },
      'FAILED  bad\n        status 500\n        not 200\n        at a.http:7:3\n            client.assert(x)\n            ^^^^^^^^^^^^^\n',
    ],
    [
      'a failed handler without an excerpt',
      { type: 'script-failed', request, error: new HttpcliError('script-failed', 'stopped') },
      'FAILED  a script\n        stopped\n',
    ],
    ['the summary', { type: 'run-finished', summary }, '\n1 request: 1 answered, 0 failed\n'],
    ['nothing for errors, which standard error gets', { type: 'error', request, error: failure }, ''],
    ['nothing at the end of a request', { type: 'request-finished', request }, ''],
  ])('shows %s', (_, event, text) => {
    expect(consoleText(event, pipe)).toBe(text)
  })
})

describe('on a terminal', () => {
  it.each<[string, RunEvent, string]>([
    ['headings in bold', { type: 'request-started', request }, '\x1b[1m### GET {{host}}/x\x1b[22m\n'],
    ['passed in green', { type: 'test-passed', request, name: 'ok' }, '\x1b[32mpassed\x1b[39m  ok\n'],
    [
      'no control characters of names',
      { type: 'test-passed', request, name: 'a\x1b[2Jb' },
      '\x1b[32mpassed\x1b[39m  a\\x1B[2Jb\n',
    ],
    ['no control characters of logs', { type: 'script-log', request, text: 'a\r\x07\n\tb' }, 'a\\x0D\\x07\n\tb\n'],
  ])('shows %s', (_, event, text) => {
    expect(consoleText(event, terminal)).toBe(text)
  })
})

describe('the summary', () => {
  it.each<[Partial<RunSummary>, string]>([
    [{ requests: 3, answered: 2, failed: 1 }, '3 requests: 2 answered, 1 failed'],
    [{ testsPassed: 1 }, '1 request: 1 answered, 0 failed; 1 test: 1 passed, 0 failed'],
    [{ testsPassed: 2, testsFailed: 1 }, '1 request: 1 answered, 0 failed; 3 tests: 2 passed, 1 failed'],
    [{ scriptsFailed: 2 }, '1 request: 1 answered, 0 failed; 2 scripts failed'],
    [{ requests: 0, answered: 0, isInterrupted: true }, '0 requests: 0 answered, 0 failed; interrupted'],
  ])('of %j counts what there is', (changes, text) => {
    expect(summaryText({ ...summary, ...changes })).toBe(text)
  })
})
