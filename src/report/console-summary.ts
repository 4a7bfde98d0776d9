/**
 * The end of a run on the console: a list of failures with their places, and a summary line.
 *
 * Rules: the summary is one line that begins with the number of requests. Failures are listed again if a run has more
 * than one request, so that they are easy to find; the list is short enough to read.
 */
import type { RequestIdentity, RunEvent, RunSummary } from '../runner/index.ts'
import type { Mask } from '../secrets/index.ts'
import { type ConsoleStyle, painted, shown } from './console-text.ts'
import { failureRecord, placeText } from './record/failure-record.ts'
import { counted, oneLine, shortened, shownDuration } from './record/printable-text.ts'
import { errorStatus, jobLabel, type ReportedJob, requestLabel } from './record/run-record.ts'

const MAX_LISTED = 50
const MAX_LINE_CHARACTERS = 300

export class FailureList {
  readonly #mask: Mask
  readonly #lines: { readonly job: number; readonly text: string }[] = []
  #count = 0

  constructor(mask: Mask) {
    this.#mask = mask
  }

  /** Returns the listener for the events of the job. */
  begin(job: ReportedJob): (event: RunEvent) => void {
    let isReported = false
    const add = (request: RequestIdentity | undefined, what: string, error?: unknown): void => {
      isReported = true
      this.#add(job, request, what, error)
    }
    return (event) => {
      switch (event.type) {
        case 'request-started':
          isReported = false
          return
        case 'test-failed':
          return add(event.request, event.name, event.error)
        case 'script-failed':
          return add(event.request, `a script: ${event.error.message}`, event.error)
        case 'error':
          return add(event.request, failureRecord(event.error, (text) => text).message, event.error)
        case 'request-finished':
          if (event.outcome === 'failed' && !isReported)
            add(event.request, `its status is ${errorStatus(event.request)}`)
          return
      }
    }
  }

  /** Empty if nothing failed. */
  text(style: Omit<ConsoleStyle, 'columns'>): string {
    if (this.#count === 0) return ''
    const lines = this.#lines.toSorted((a, b) => a.job - b.job).map(({ text }) => `  ${shown(text, style)}\n`)
    const more = this.#count - this.#lines.length
    const rest = more === 0 ? '' : `  and ${more} more\n`
    return `${painted('red', 'Failed:', style)}\n${lines.join('')}${rest}\n`
  }

  #add(job: ReportedJob, request: RequestIdentity | undefined, what: string, error: unknown): void {
    this.#count++
    if (this.#lines.length >= MAX_LISTED) return
    const failure = failureRecord(error, (text) => text)
    const own = placeText(failure)
    const place = own !== '' ? own : request === undefined ? job.path : `${request.file}:${request.line}`
    const pass = jobLabel({ ...job, path: '' }).trim()
    const where = pass === '' ? place : `${place} ${pass}`
    const label = request === undefined ? '' : `${requestLabel(request)}: `
    this.#lines.push({
      job: job.number,
      text: shortened(oneLine(this.#mask(`${where}  ${label}${what}`)), MAX_LINE_CHARACTERS),
    })
  }
}

/** `3 requests: 2 answered, 1 failed; 4 tests: 3 passed, 1 failed; 2 files; 1.24 s`. */
export function summaryText(summary: RunSummary, files: number = 1): string {
  const { requests, answered, failed, blocked, badStatuses, testsPassed, testsFailed, scriptsFailed } = summary
  const tests = testsPassed + testsFailed
  const parts = [
    `${counted(requests, 'request')}: ${answered} answered, ${failed} failed`,
    ...(summary.skipped === 0 ? [] : [`${summary.skipped} skipped`]),
    ...(summary.retries === 0 ? [] : [`${summary.retries} retried`]),
    ...(blocked === 0 ? [] : [`${blocked} not sent because a script failed`]),
    ...(badStatuses === 0 ? [] : [`${badStatuses} with an error status`]),
    ...(tests === 0 ? [] : [`${counted(tests, 'test')}: ${testsPassed} passed, ${testsFailed} failed`]),
    ...(scriptsFailed === 0 ? [] : [`${counted(scriptsFailed, 'script')} failed`]),
    ...(summary.isInterrupted ? ['interrupted'] : []),
    ...(files === 1 ? [] : [`${files} files`]),
    shownDuration(summary.durationMs),
  ]
  return parts.join('; ')
}

/** The summary, coloured by the outcome of the run. */
export function paintedSummary(summary: RunSummary, files: number, style: Omit<ConsoleStyle, 'columns'>): string {
  const { failed, blocked, badStatuses, testsFailed, scriptsFailed, skipped, isInterrupted } = summary
  const isGood = failed + blocked + badStatuses + testsFailed + scriptsFailed + skipped === 0 && !isInterrupted
  return painted(isGood ? 'green' : 'red', summaryText(summary, files), style)
}
