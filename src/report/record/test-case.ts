/**
 * A run as a flat list of test cases, as CI systems count them.
 *
 * Rules: one case for each test and assertion. A request has a separate case if it has no tests, or if anything else in
 * it failed. `failed` is a failed test, assertion, script or `--fail`; `error` is a request that was not sent or not
 * answered, so that a broken network can be distinguished from a broken service. Group and name together are unique,
 * because CI systems drop the second of two equal cases: a repeated name gets a number. A test with an empty name is
 * called `unnamed`, because some systems refuse a case without a name.
 */
import {
  type FailureRecord,
  type JobRecord,
  jobLabel,
  type ReportErrorCode,
  type RequestRecord,
  type RunRecord,
  requestLabel,
  type TestRecord,
} from './run-record.ts'

export interface TestCase {
  /** The groups that contain it, from the outside in: file (with pass and row), request. */
  readonly group: readonly string[]
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'error' | 'skipped'
  /** The time of the request; only its first case has it, so that sums are correct. */
  readonly durationMs: number
  readonly file: string | undefined
  readonly line: number | undefined
  /** Set if it failed: the first one is the cause of the others. */
  readonly failures: readonly FailureRecord[]
  /** Set if it was skipped. */
  readonly reason?: string
}

export interface TestSuite {
  readonly job: JobRecord
  /** In order; can be read once. */
  readonly cases: Iterable<TestCase>
}

/** Yields the cases of each job. Each suite must be read before the next one. */
export function* testSuites({ jobs, repeatsFiles }: RunRecord): Generator<TestSuite> {
  let counts = new Map<string, number>()
  for (const job of jobs) {
    // The label of a job is part of the names, so names can be equal only if a file occurs twice on the command line.
    if (!repeatsFiles) counts = new Map()
    yield { job, cases: namedCases(job, counts) }
  }
}

export function countCases(job: JobRecord): Readonly<Record<TestCase['outcome'], number>> {
  const counts = { passed: 0, failed: 0, error: 0, skipped: 0 }
  for (const { outcome } of casesOfJob(job)) counts[outcome]++
  return counts
}

function* namedCases(job: JobRecord, counts: Map<string, number>): Generator<TestCase> {
  for (const testCase of casesOfJob(job)) yield withOwnName(testCase, counts)
}

function* casesOfJob(job: JobRecord): Generator<TestCase> {
  const file = jobLabel(job.job)
  for (const request of job.requests) yield* casesOfRequest(request, [file, requestLabel(request)])
  for (const failure of job.errors) {
    yield {
      group: [file],
      name: 'run',
      outcome: 'error',
      durationMs: 0,
      file: failure.file ?? job.job.path,
      line: failure.line,
      failures: [failure],
    }
  }
}

function casesOfRequest(request: RequestRecord, group: readonly string[]): readonly TestCase[] {
  const { file, line, durationMs, tests } = request
  const base = { group, file, line, durationMs }
  const tested = tests.map(
    (test, index): TestCase => ({ ...base, ...testResult(test), durationMs: index === 0 ? durationMs : 0 }),
  )
  const own = ownResult(request)
  if (own === undefined) return tested
  return [...tested, { ...base, ...own, name: group.at(-1) as string, durationMs: tests.length === 0 ? durationMs : 0 }]
}

function testResult(test: TestRecord): Pick<TestCase, 'name' | 'outcome' | 'failures'> {
  const { failure } = test
  const name = test.name.trim() === '' ? 'unnamed' : test.name
  return failure === undefined
    ? { name, outcome: 'passed', failures: [] }
    : { name, outcome: 'failed', failures: [failure] }
}

/** The result of the request itself; undefined if its tests cover everything. */
function ownResult(request: RequestRecord): Pick<TestCase, 'outcome' | 'failures' | 'reason'> | undefined {
  const { outcome, errors, failures, tests, skipReason } = request
  if (outcome === 'skipped') return { outcome, failures: [], reason: skipTexts[skipReason ?? 'interrupted'] }
  if (outcome === 'interrupted') return { outcome: 'error', failures: [interruption, ...errors] }
  if (errors.length > 0) return { outcome: 'error', failures: [...errors, ...failures] }
  if (failures.length > 0) return { outcome: 'failed', failures }
  return tests.length === 0 ? { outcome: 'passed', failures: [] } : undefined
}

const interruption: FailureRecord = {
  code: 'interrupted' satisfies ReportErrorCode,
  message: 'the run was interrupted before the request had ended',
}

/** Why a request was not started. */
export const skipTexts: Readonly<Record<'bail' | 'interrupted', string>> = {
  bail: 'not started, because of a failure before it (--bail)',
  interrupted: 'not started, because the run was interrupted',
}

/** @param counts the last number tried for a name, so that thousands of equal names do not each count from 1 */
function withOwnName(testCase: TestCase, counts: Map<string, number>): TestCase {
  const wanted = keyOf(testCase, testCase.name)
  for (let count = (counts.get(wanted) ?? 0) + 1; ; count++) {
    const name = count === 1 ? testCase.name : `${testCase.name} (${count})`
    const key = keyOf(testCase, name)
    if (counts.has(key)) continue
    counts.set(key, 1)
    counts.set(wanted, count)
    return { ...testCase, name }
  }
}

function keyOf({ group }: TestCase, name: string): string {
  return JSON.stringify([...group, name])
}
