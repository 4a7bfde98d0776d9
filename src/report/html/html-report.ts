/**
 * A run as one HTML page, in pieces of text.
 *
 * Rules: self-contained: style and script are inside, nothing is fetched. Failed requests come first and are open, the
 * others are closed; in the list of its file, a failed request is a link to its details. The page can be read without
 * script and without style. WHATWG HTML; dates are UTC, because a page does not know where it was made.
 */
import { counted, shownDuration } from '../record/printable-text.ts'
import {
  type FailureRecord,
  isUnsuccessful,
  type JobRecord,
  jobLabel,
  type RecordCounts,
  type RequestRecord,
  type RunRecord,
} from '../record/run-record.ts'
import { requestDetails, requestLink } from './html-request.ts'
import { reportPolicy, reportScript, reportStyle } from './html-style.ts'
import { Html, html } from './html-text.ts'
import { timeline } from './html-timeline.ts'

/** From this number on, the browser lays out only the visible rows. */
const LARGE_REQUESTS = 500

export function* htmlReport(record: RunRecord): Generator<string> {
  const { slowestMs, jobCount } = record
  yield pageBegin(record).text
  yield* failures(record)
  for (const job of record.jobs) {
    yield jobBegin(job, jobCount).text
    yield* timeline(job, (request) => requestId(job, request))
    for (const request of job.requests) {
      const id = requestId(job, request)
      yield isUnsuccessful(request) ? requestLink(request, id).text : requestDetails(request, id, slowestMs).text
    }
    yield '</section>\n'
  }
  yield html`</main>
<footer>Made by ${record.generator} on ${record.hostname}.</footer>
<script>${new Html(reportScript)}</script>
</body>
</html>
`.text
}

function pageBegin(record: RunRecord): Html {
  const { counts, shard, startedAt, durationMs, isInterrupted, crash } = record
  const { files, environments, hasErrors } = jobFacts(record)
  const isGood = counts.failed + counts.errors === 0 && !isInterrupted && !hasErrors
  const verdict = isInterrupted ? 'Interrupted' : isGood ? 'Passed' : 'Failed'
  const title = files.length === 1 ? (files[0] as string) : counted(files.length, 'file')
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Html(reportPolicy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${verdict}: ${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(reportStyle)}</style>
</head>
<body${counts.requests > LARGE_REQUESTS ? html` class="large"` : undefined}>
<header>
<h1><bdi>${title}</bdi></h1>
<p class="verdict ${isGood ? 'good' : 'bad'}">${verdict}${isGood ? '' : `: ${failureText(counts)}`}</p>
<p class="facts">${momentElement(startedAt)}, ${shownDuration(durationMs)}${
    environments.length === 0 ? '' : `, environment ${environments.join(', ')}`
  }${shard === undefined ? '' : `, shard ${shard.number} of ${shard.of}`}</p>
${isInterrupted ? html`<p class="notice">The run ended early${crash === undefined ? '' : `: ${crash.message}`}. This report shows what was known by then.</p>\n` : undefined}<dl class="counts">
${countTiles(counts)}</dl>
${shareBar(counts)}
<div class="tools" hidden role="search"><input type="search" placeholder="Filter ( / )" aria-label="Filter requests" autocomplete="off" spellcheck="false"><button type="button" aria-pressed="false">Not passed</button><button type="button">Open or close all</button></div>
</header>
<main>
`
}

function failureText({ failed, errors, skipped, requests }: RecordCounts): string {
  const parts = [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(errors === 0 ? [] : [`${errors} not answered`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ]
  return `${parts.join(', ') || 'see below'}, of ${counted(requests, 'request')}`
}

function countTiles(counts: RecordCounts): readonly Html[] {
  const { requests, passed, failed, errors, skipped, tests, testsFailed, retries } = counts
  const tiles: readonly (readonly [name: string, count: number, tone: string])[] = [
    ['Requests', requests, ''],
    ['Passed', passed, 'good'],
    ['Failed', failed, failed === 0 ? '' : 'bad'],
    ['Errors', errors, errors === 0 ? '' : 'bad'],
    ['Skipped', skipped, skipped === 0 ? '' : 'idle'],
    ['Tests', tests, ''],
    ['Tests failed', testsFailed, testsFailed === 0 ? '' : 'bad'],
    ...(retries === 0 ? [] : [['Retries', retries, 'warn'] as const]),
  ]
  return tiles.map(([name, count, tone]) => html`<div><dt>${name}</dt><dd class="${tone}">${count}</dd></div>\n`)
}

/** The shares of passed, failed, unanswered and skipped requests, side by side. */
function shareBar({ requests, passed, failed, errors, skipped }: RecordCounts): Html {
  if (requests === 0) return html`<p>No request was sent.</p>`
  const tones = ['good', 'bad', 'warn', 'idle']
  const shares = [passed, failed, errors, skipped].map((count) => (100 * count) / requests)
  const rects = shares.map((share, index) => {
    const start = shares.slice(0, index).reduce((sum, each) => sum + each, 0)
    return html`<rect class="${tones[index]}" x="${start.toFixed(2)}%" width="${share.toFixed(2)}%" height="100%"/>`
  })
  return html`<svg class="share" aria-hidden="true">${rects}</svg>`
}

interface JobFacts {
  readonly files: readonly string[]
  readonly environments: readonly string[]
  /** Errors outside a request. */
  readonly hasErrors: boolean
}

function jobFacts({ jobs }: RunRecord): JobFacts {
  const files = new Set<string>()
  const environments = new Set<string>()
  let hasErrors = false
  for (const { job, errors } of jobs) {
    files.add(job.path)
    if (job.environment !== undefined) environments.add(job.environment)
    hasErrors ||= errors.length > 0
  }
  return { files: [...files], environments: [...environments], hasErrors }
}

function* failures({ jobs, jobCount, slowestMs }: RunRecord): Generator<string> {
  let hasStarted = false
  for (const job of jobs) {
    if (!job.hasFailures && job.errors.length === 0) continue
    if (!hasStarted) yield '<section aria-labelledby="failures">\n<h2 id="failures">What failed</h2>\n'
    hasStarted = true
    if (jobCount > 1) yield html`<h3><bdi>${jobLabel(job.job)}</bdi></h3>\n`.text
    for (const failure of job.errors) yield html`<p class="notice">${noticeText(failure)}</p>\n`.text
    for (const request of job.requests) {
      if (isUnsuccessful(request)) yield requestDetails(request, requestId(job, request), slowestMs).text
    }
  }
  if (hasStarted) yield '</section>\n'
}

function noticeText({ message, hint }: FailureRecord): string {
  return hint === undefined ? message : `${message}. ${hint}`
}

function jobBegin({ job, durationMs, requestCount, warnings }: JobRecord, jobCount: number): Html {
  const id = `file-${job.number}`
  const title = jobCount === 1 ? html`All requests` : html`<bdi>${jobLabel(job)}</bdi>`
  const notes = warnings.map(({ message }) => html`<p class="notice">Warning: ${message}</p>\n`)
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title} <small>${counted(requestCount, 'request')}, ${shownDuration(durationMs)}</small></h2>
${notes}`
}

function requestId({ job }: JobRecord, { number, iteration }: RequestRecord): string {
  return `request-${job.number}-${number}-${iteration}`
}

function momentElement(epochMs: number): Html {
  const text = new Date(epochMs).toISOString()
  return html`<time datetime="${text}">${text.slice(0, 19).replace('T', ' ')} UTC</time>`
}
