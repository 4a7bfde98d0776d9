/** The totals of a run for a report, added up from its jobs and requests. */
import { rounded } from './json-number.ts'
import type { RecordCounts, ReportedJob, RequestRecord } from './run-record.ts'

export class RunTally {
  readonly #counts: { -readonly [Name in keyof RecordCounts]: number } = {
    requests: 0,
    passed: 0,
    failed: 0,
    errors: 0,
    skipped: 0,
    tests: 0,
    testsFailed: 0,
    retries: 0,
  }
  readonly #paths: Set<string> = new Set()
  #repeatsFiles = false
  #slowestMs = 0

  get counts(): RecordCounts {
    return this.#counts
  }

  /** Whether a file occurs more than once on the command line. */
  get repeatsFiles(): boolean {
    return this.#repeatsFiles
  }

  get slowestMs(): number {
    return this.#slowestMs
  }

  /** A file that occurs twice has two first jobs. */
  addJob({ path, pass, row }: ReportedJob): void {
    if ((pass?.number ?? 1) > 1 || (row?.number ?? 1) > 1) return
    this.#repeatsFiles ||= this.#paths.has(path)
    this.#paths.add(path)
  }

  addRequest({ outcome, tests, retries, durationMs }: RequestRecord): void {
    const counts = this.#counts
    counts.requests++
    counts[outcome === 'error' || outcome === 'interrupted' ? 'errors' : outcome]++
    counts.tests += tests.length
    counts.testsFailed += tests.filter(({ failure }) => failure !== undefined).length
    counts.retries += retries.length
    this.#slowestMs = Math.max(this.#slowestMs, rounded(durationMs))
  }
}
