/**
 * A run for GitHub Actions: annotations as workflow commands, and a summary in Markdown.
 *
 * An annotation is a line of output that begins with `::error` or `::warning`. Each failed test case has one at its
 * place. https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
import { shownDuration } from './record/printable-text.ts'
import type { FailureRecord, RunRecord } from './record/run-record.ts'
import { type TestCase, testSuites } from './record/test-case.ts'

/** @param pathOf returns the path of a file in annotations, relative to the root of the repository */
export function* githubCommands(record: RunRecord, pathOf: (file: string) => string): Generator<string> {
  for (const { job, cases } of testSuites(record)) {
    for (const testCase of cases) {
      if (isFailed(testCase)) yield command('error', placeOf(testCase, pathOf), title(testCase), message(testCase))
    }
    for (const warning of job.warnings) {
      yield command(
        'warning',
        placeOf({ failures: [warning], file: undefined, line: undefined }, pathOf),
        '',
        warning.message,
      )
    }
  }
  if (record.crash !== undefined) yield command('error', {}, 'httpcli', record.crash.message)
  else if (record.isInterrupted) yield command('error', {}, 'httpcli', 'the run was interrupted')
}

/** @param maxBytes the maximum size of the text; failures that do not fit are counted */
export function githubSummary(record: RunRecord, maxBytes: number): string {
  const { counts, durationMs, isInterrupted, crash } = record
  const { requests, passed, failed, errors, skipped, tests, testsFailed } = counts
  const rows: string[] = []
  let leftBytes = maxBytes - RESERVED_BYTES
  let left = 0
  for (const { cases } of testSuites(record)) {
    for (const testCase of cases) {
      if (!isFailed(testCase)) continue
      const row = `| ${escaped(title(testCase))} | ${escaped(placeText(testCase))} | ${escaped(message(testCase))} |\n`
      leftBytes -= Buffer.byteLength(row)
      if (leftBytes < 0 || left > 0) left++
      else rows.push(row)
    }
  }
  const hasFailed = rows.length + left > 0 || crash !== undefined
  // A run that ended with a crash also counts as interrupted.
  const verdict = isInterrupted && crash === undefined ? 'Interrupted' : hasFailed ? 'Failed' : 'Passed'
  return [
    `## httpcli run: ${verdict}\n\n`,
    crash === undefined ? '' : `${escaped(crash.message)}\n\n`,
    '| Requests | Passed | Failed | Errors | Skipped | Tests | Tests failed | Time |\n',
    '|--:|--:|--:|--:|--:|--:|--:|--:|\n',
    `| ${[requests, passed, failed, errors, skipped, tests, testsFailed, shownDuration(durationMs)].join(' | ')} |\n\n`,
    ...(rows.length === 0 ? [] : ['| Failed | Where | Message |\n|---|---|---|\n', ...rows, '\n']),
    left === 0 ? '' : `${left === 1 ? '1 more failure is' : `${left} more failures are`} left out.\n\n`,
  ].join('')
}

/** Space for everything other than the rows of failures. */
const RESERVED_BYTES = 8 * 1024

function isFailed({ outcome }: TestCase): boolean {
  return outcome === 'failed' || outcome === 'error'
}

function title({ group, name }: TestCase): string {
  return [...group.slice(1), name].filter((part, index, all) => part !== all[index - 1]).join(': ')
}

function message({ failures }: TestCase): string {
  return failures.flatMap(failureLines).join('\n')
}

function failureLines(failure: FailureRecord): readonly string[] {
  const { expected, actual, hint } = failure
  return [
    failure.message,
    ...(expected === undefined || failure.message.includes(expected) ? [] : [`expected: ${expected}`]),
    ...(actual === undefined || failure.message.includes(actual) ? [] : [`actual: ${actual}`]),
    ...(hint === undefined ? [] : [hint]),
  ]
}

interface Place {
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly col?: number | undefined
}

/** The place of the failure if known, otherwise of its request. */
function placeOf(testCase: Pick<TestCase, 'failures' | 'file' | 'line'>, pathOf: (file: string) => string): Place {
  const place: Partial<FailureRecord> | undefined = testCase.failures.find(({ file }) => file !== undefined)
  const { file, line, column } = place ?? { ...testCase, column: undefined }
  return file === undefined ? {} : { file: pathOf(file), line, col: column }
}

function placeText(testCase: TestCase): string {
  const { file, line } = placeOf(testCase, (path) => path)
  return file === undefined ? '' : line === undefined ? file : `${file}:${line}`
}

function command(name: 'error' | 'warning', place: Place, title: string, text: string): string {
  const properties = Object.entries({ ...place, title: title === '' ? undefined : title })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${escapedProperty(String(value))}`)
  return `::${name}${properties.length === 0 ? '' : ` ${properties.join(',')}`}::${escapedData(text)}\n`
}

function escapedData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapedProperty(text: string): string {
  return escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

/** A text escaped for a cell of a Markdown table. */
function escaped(text: string): string {
  return text
    .replace(/[\\`*_~[\]|#!@:]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/\r\n|[\r\n]/g, '<br>')
}
