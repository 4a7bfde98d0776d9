/**
 * A run as TAP version 13, in pieces of text.
 *
 * Rules: one flat list of test points, so that every reader counts the same. A point is `<file> > <request> > <test>`.
 * In descriptions `#` and `\` are escaped, as in version 14. The header names version 13, because readers of 14 accept
 * it and readers of 13 refuse 14. Diagnostics are YAML, with strings in JSON syntax, which YAML 1.2 accepts. Requests
 * that did not start are skipped; an interrupted run bails out at its end.
 */
import { placeText } from './record/failure-record.ts'
import { rounded } from './record/json-number.ts'
import { oneLine } from './record/printable-text.ts'
import type { FailureRecord, RunRecord } from './record/run-record.ts'
import { countCases, type TestCase, testSuites } from './record/test-case.ts'

export function* tapReport(record: RunRecord): Generator<string> {
  let count = 0
  for (const job of record.jobs) for (const each of Object.values(countCases(job))) count += each
  yield `TAP version 13\n1..${count}${count === 0 ? ' # no requests' : ''}\n`
  let number = 0
  for (const { cases } of testSuites(record)) for (const testCase of cases) yield testPoint(testCase, ++number)
  if (record.crash !== undefined) yield `Bail out! ${printed(record.crash.message)}\n`
  else if (record.isInterrupted) yield 'Bail out! interrupted\n'
}

function testPoint(testCase: TestCase, number: number): string {
  const { outcome, reason } = testCase
  const path = [...testCase.group, testCase.name].filter((part, index, all) => part !== all[index - 1])
  const description = escapedDescription(path.join(' > '))
  if (outcome === 'skipped') return `ok ${number} - ${description} # SKIP ${escapedDescription(reason ?? '')}\n`
  if (outcome === 'passed') return `ok ${number} - ${description}${durationBlock(testCase)}\n`
  return `not ok ${number} - ${description}\n${failureBlock(testCase)}`
}

function durationBlock({ durationMs }: TestCase): string {
  return durationMs === 0 ? '' : `\n  ---\n  duration_ms: ${rounded(durationMs)}\n  ...`
}

function failureBlock({ outcome, durationMs, failures, file, line }: TestCase): string {
  const [first, ...others] = failures
  const place = first === undefined ? '' : placeText(first)
  const at = place !== '' ? place : file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}`
  const fields = [
    ...(first === undefined ? [] : failureFields(first)),
    ...(at === '' ? [] : [`at: ${scalar(at)}`]),
    ...(others.length === 0 ? [] : ['also:', ...others.map(({ message }) => `  - ${scalar(message)}`)]),
    `severity: ${outcome === 'error' ? 'error' : 'fail'}`,
    ...(durationMs === 0 ? [] : [`duration_ms: ${rounded(durationMs)}`]),
  ]
  return ['---', ...fields, '...'].map((text) => `  ${text}\n`).join('')
}

function failureFields({ message, code, expected, actual, excerpt, hint }: FailureRecord): readonly string[] {
  const texts = { message, code, expected, actual, excerpt, hint }
  return Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [`${name}: ${scalar(text)}`]))
}

/** A JSON string that also escapes the characters that YAML requires escaped or that a line reader splits at. */
function scalar(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function escapedDescription(text: string): string {
  return printed(text).replace(/[\\#]/g, '\\$&')
}

/** One line for every reader: some also split at U+2028 and U+2029. */
function printed(text: string): string {
  return oneLine(text).replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, '\ufffd')
}
