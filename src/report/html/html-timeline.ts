/**
 * The exchanges of a job over time, as a waterfall: a table of figures with a bar for each exchange.
 *
 * The bars are SVG and hidden from assistive technology, because the table has their figures. No script is needed.
 */
import type { ExchangeRecord, TimingRecord } from '../record/exchange-record.ts'
import { type JobRecord, type RequestRecord, requestLabel } from '../record/run-record.ts'
import { type Html, html } from './html-text.ts'

/** The phases of an exchange in order, each with its duration in milliseconds and a class of the style. */
export function phasesOf({
  queueMs,
  dnsMs,
  connectMs,
  tlsMs,
  sendMs,
  firstByteMs,
  totalMs,
}: TimingRecord): readonly (readonly [name: string, durationMs: number, tone: string])[] {
  return [
    ['queue', queueMs, 'soft'],
    ['DNS', dnsMs, 'idle'],
    ['connect', connectMs, 'warn'],
    ['TLS', tlsMs, 'idle'],
    ['send', sendMs, 'soft'],
    ['wait', Math.max(0, firstByteMs - sendMs), 'good'],
    ['receive', totalMs - firstByteMs, 'link'],
  ]
}

/** The maximum number of rows; the other requests are in the list of requests. */
const MAX_ROWS = 1000

/** @param idOf returns the anchor of a request on the page */
export function* timeline(job: JobRecord, idOf: (request: RequestRecord) => string): Generator<string> {
  const endAt = lastEnd(job)
  if (endAt === undefined) return
  const spanMs = Math.max(1, endAt - job.startedAt)
  yield html`<details class="timeline">
<summary>Timeline</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Timeline">
<table>
<thead><tr><th scope="col">Request</th><th scope="col">Start</th>${columns.map((name) => html`<th scope="col">${name}</th>`)}<td></td></tr></thead>
<tbody>
`.text
  let count = 0
  for (const request of job.requests) {
    for (const exchange of request.exchanges) {
      if (exchange.timing === undefined) continue
      if (count++ < MAX_ROWS) yield row(request, idOf(request), exchange, exchange.timing, job.startedAt, spanMs).text
    }
  }
  const left = count > MAX_ROWS ? html`<p class="hint">Left out: ${count - MAX_ROWS} more.</p>\n` : undefined
  yield html`</tbody>
</table>
<p class="hint">Times are milliseconds.</p>
${left}</div>
</details>
`.text
}

const columns = ['Queue', 'DNS', 'Connect', 'TLS', 'Send', 'Wait', 'Receive']

function lastEnd({ requests }: JobRecord): number | undefined {
  let endAt: number | undefined
  for (const { exchanges } of requests) {
    for (const { startedAt, timing } of exchanges) {
      if (timing !== undefined) endAt = Math.max(endAt ?? 0, startedAt + durationOf(timing))
    }
  }
  return endAt
}

function durationOf(timing: TimingRecord): number {
  return phasesOf(timing).reduce((sum, [, durationMs]) => sum + durationMs, 0)
}

function row(
  request: RequestRecord,
  id: string,
  { startedAt }: ExchangeRecord,
  timing: TimingRecord,
  zeroAt: number,
  spanMs: number,
): Html {
  const phases = phasesOf(timing)
  let atMs = Math.max(0, startedAt - zeroAt)
  const cells = phases.map(([, durationMs]) => html`<td>${durationMs.toFixed(1)}</td>`)
  const start = html`<td>${atMs.toFixed(1)}</td>`
  const rects = phases.flatMap(([, durationMs, tone]) => {
    const x = (100 * atMs) / spanMs
    atMs += durationMs
    // In a long run, the bar of a request is at least one pixel wide.
    const width = Math.max(durationMs > 0 ? 0.2 : 0, (100 * durationMs) / spanMs)
    return width === 0
      ? []
      : [html`<rect class="${tone}" x="${x.toFixed(2)}%" width="${width.toFixed(2)}%" height="100%"/>`]
  })
  return html`<tr><th scope="row"><a href="#${id}"><bdi>${requestLabel(request)}</bdi></a></th>${start}${cells}<td class="bars"><svg aria-hidden="true">${rects}</svg></td></tr>
`
}
