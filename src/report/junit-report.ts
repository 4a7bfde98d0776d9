/**
 * A run as JUnit XML, in pieces of text.
 *
 * Rules: JUnit XML has no standard, only schemas of its readers. The output is valid for the schema of Apache Ant
 * (JUnit.xsd) and for that of Jenkins (junit-10.xsd), and has no element or attribute that only one of them has. So
 * positions are in the text of a failure, not in attributes. A suite is a pass over a file; the class of a test case is
 * `<file>.<request>`, because Jenkins uses the text before the last dot as the package and GitLab identifies cases by
 * class and name. An error that ended the run early is the only case of a last suite, because readers decide by cases
 * whether a run passed. Times are seconds, dates are UTC without a zone. Characters that XML 1.0 does not allow
 * (section 2.2) become U+FFFD.
 */
import { withReferences } from '../secrets/index.ts'
import { failureLines } from './record/failure-record.ts'
import { oneLine, shortened } from './record/printable-text.ts'
import { type FailureRecord, type JobRecord, jobLabel, type RunRecord, requestLabel } from './record/run-record.ts'
import { countCases, type TestCase, testSuites } from './record/test-case.ts'

export function* junitReport(record: RunRecord): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
  let index = 0
  for (const { job, cases } of testSuites(record)) {
    const { startedAt, durationMs } = job
    const { environment } = job.job
    yield suiteBegin(
      record,
      { label: jobLabel(job.job), environment, counts: countCases(job), startedAt, durationMs },
      index,
    )
    for (const testCase of cases) yield caseElement(testCase)
    yield '    <system-out>'
    yield* logTexts(job)
    yield '</system-out>\n'
    index++
    yield `    <system-err>${content(warningText(job))}</system-err>\n`
    yield '  </testsuite>\n'
  }
  if (record.crash !== undefined) yield crashSuite(record, record.crash, index)
  yield '</testsuites>\n'
}

interface Suite extends Pick<JobRecord, 'startedAt' | 'durationMs'> {
  readonly label: string
  readonly environment: string | undefined
  readonly counts: ReturnType<typeof countCases>
}

function suiteBegin(record: RunRecord, suite: Suite, index: number): string {
  const { label, environment, counts, startedAt, durationMs } = suite
  const { passed, failed, error, skipped } = counts
  const attributes = {
    name: label,
    package: label,
    id: index,
    hostname: record.hostname === '' ? 'localhost' : record.hostname,
    timestamp: new Date(startedAt).toISOString().slice(0, 19),
    tests: passed + failed + error + skipped,
    failures: failed,
    errors: error,
    skipped,
    time: seconds(durationMs),
  }
  const properties = {
    generator: record.generator,
    ...(environment === undefined ? {} : { environment }),
    ...(record.isInterrupted ? { interrupted: 'true' } : {}),
  }
  const lines = Object.entries(properties).map(
    ([name, value]) => `      <property${attributeText({ name, value })}/>\n`,
  )
  return `  <testsuite${attributeText(attributes)}>\n    <properties>\n${lines.join('')}    </properties>\n`
}

function crashSuite(record: RunRecord, crash: FailureRecord, index: number): string {
  const { startedAt, durationMs } = record
  const counts = { passed: 0, failed: 0, error: 1, skipped: 0 }
  const label = 'httpcli'
  const suite = { label, environment: undefined, counts, startedAt, durationMs }
  const { file, line } = crash
  const only = caseElement({
    group: [label],
    name: 'run',
    outcome: 'error',
    durationMs: 0,
    file,
    line,
    failures: [crash],
  })
  const end = '    <system-out></system-out>\n    <system-err></system-err>\n  </testsuite>\n'
  return suiteBegin(record, suite, index) + only + end
}

function caseElement(testCase: TestCase): string {
  const { group, name, outcome, durationMs } = testCase
  const [file = '', request] = group
  // Jenkins splits at the last dot.
  const classname = request === undefined ? file : `${file}.${request.replaceAll('.', '_')}`
  const begin = `    <testcase${attributeText({ name: oneLine(name), classname: oneLine(classname), time: seconds(durationMs) })}`
  if (outcome === 'passed') return `${begin}/>\n`
  return `${begin}>\n      ${resultElement(testCase)}\n    </testcase>\n`
}

/** The limit of the attribute, which is shown in tables; the text has more. */
const MAX_MESSAGE_CHARACTERS = 500

function resultElement({ outcome, failures, reason, file, line }: TestCase): string {
  if (outcome === 'skipped') return `<skipped${attributeText({ message: reason ?? '' })}/>`
  const element = outcome === 'error' ? 'error' : 'failure'
  const [first] = failures
  const message = shortened(failures.map((failure) => failure.message).join('\n'), MAX_MESSAGE_CHARACTERS)
  const lines = failures.flatMap(failureLines)
  // Readers search the text for positions of the form ` <file>:<line>`.
  const hasPlace = failures.some((failure) => failure.file !== undefined && failure.line !== undefined)
  if (!hasPlace && file !== undefined) lines.push(`at ${file}${line === undefined ? '' : `:${line}`}`)
  const type = first?.code ?? element
  return `<${element}${attributeText({ message, type })}>${content(lines.join('\n'))}</${element}>`
}

function* logTexts({ requests }: JobRecord): Generator<string> {
  let separator = ''
  for (const request of requests) {
    if (request.logs.length === 0) continue
    yield content([`${separator}### ${requestLabel(request)}`, ...request.logs, ''].join('\n'))
    separator = '\n'
  }
}

function warningText({ warnings }: JobRecord): string {
  return warnings.map(({ message }) => `warning: ${message}\n`).join('')
}

function seconds(durationMs: number): string {
  return (durationMs / 1000).toFixed(3)
}

function attributeText(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${attribute(String(value))}"`)
    .join('')
}

/** Writes newlines and tabs as references, because a parser would turn them into spaces. */
function attribute(text: string): string {
  return content(text).replaceAll('\t', '&#9;').replaceAll('\n', '&#10;')
}

/** CR would be read as LF. */
function content(text: string): string {
  return withReferences(allowed(text)).replaceAll('\r', '&#13;')
}

/** XML 1.0, section 2.2: no control characters, no U+FFFE and U+FFFF. */
function allowed(text: string): string {
  return text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
}
