/**
 * One request on the report page: a line that opens, and the details below it.
 *
 * Rules: outcomes are words, not only colours. Bars depict figures beside them, so they are hidden from screen readers.
 * Bars are SVG, because the page's policy does not allow inline styles, which the figures would need. A binary body is
 * shown by type and size only. Redirects and answered challenges are shown in order.
 */
import type {
  BodyRecord,
  ExchangeRecord,
  MessageRecord,
  RemoteRecord,
  TimingRecord,
} from '../record/exchange-record.ts'
import { placeText } from '../record/failure-record.ts'
import { shownDuration, shownSize } from '../record/printable-text.ts'
import { type FailureRecord, type RequestRecord, requestLabel, type TestRecord } from '../record/run-record.ts'
import { skipTexts } from '../record/test-case.ts'
import { type Html, html } from './html-text.ts'
import { phasesOf } from './html-timeline.ts'

interface Shown {
  readonly word: string
  /** A class of the style. */
  readonly tone: 'good' | 'bad' | 'warn' | 'idle'
}

const outcomes: Readonly<Record<RequestRecord['outcome'], Shown>> = {
  passed: { word: 'passed', tone: 'good' },
  failed: { word: 'failed', tone: 'bad' },
  error: { word: 'error', tone: 'bad' },
  skipped: { word: 'skipped', tone: 'idle' },
  interrupted: { word: 'cut off', tone: 'bad' },
}

/** Open if it needs attention. */
export function requestDetails(request: RequestRecord, id: string, slowestMs: number): Html {
  const { outcome, durationMs } = request
  const isOpen = outcome !== 'passed' && outcome !== 'skipped'
  const state = outcome === 'interrupted' ? 'error' : outcome
  return html`<details class="request ${state}" id="${id}"${isOpen ? html` open` : undefined}>
<summary>${lineContent(request)}<span class="figures">${figures(request)}${durationBar(durationMs, slowestMs, outcomes[outcome].tone)}</span></summary>
<div class="details">
${request.errors.map(failureBlock)}${request.failures.map(failureBlock)}${testList(request.tests)}${facts(request)}${logBlock(request.logs)}${exchangeBlocks(request.exchanges)}${messageBlock(request.messages)}</div>
</details>
`
}

/** Replaces a request whose details are elsewhere on the page. */
export function requestLink(request: RequestRecord, id: string): Html {
  return html`<div class="row ${request.outcome}">${outcomeWord(request)}<span class="title"><a href="#${id}"><bdi>${requestLabel(request)}</bdi></a></span><span class="figures">${figures(request)}</span></div>
`
}

function lineContent(request: RequestRecord): Html {
  const { name, method, target, retries } = request
  const below = name === '' ? undefined : html`<span class="target"><bdi>${method} ${target}</bdi></span>`
  const again = retries.length === 0 ? undefined : html` <span class="warn">(attempt ${retries.length + 1})</span>`
  return html`${outcomeWord(request)}<span class="title"><bdi>${requestLabel(request)}</bdi>${again}${below}</span>`
}

function outcomeWord({ outcome }: RequestRecord): Html {
  const { word, tone } = outcomes[outcome]
  return html`<span class="outcome ${tone}">${word}</span>`
}

function figures({ status, durationMs, outcome }: RequestRecord): string {
  const parts = [
    ...(status === undefined ? [] : [String(status)]),
    ...(outcome === 'skipped' ? [] : [shownDuration(durationMs)]),
  ]
  return parts.join(' · ')
}

function durationBar(durationMs: number, slowestMs: number, tone: string): Html {
  const share = slowestMs === 0 ? 0 : (100 * durationMs) / slowestMs
  return html`<svg class="bar" aria-hidden="true"><rect class="soft" width="100%" height="100%"/><rect class="${tone}" width="${share.toFixed(1)}%" height="100%"/></svg>`
}

function facts(request: RequestRecord): Html {
  const { url, status, reason, file, line, tags, bytesReceived, timing, captured, retries, skipReason } = request
  const { remote, trace } = request.exchanges.at(-1) ?? {}
  const rows: readonly (readonly [name: string, value: Html | undefined])[] = [
    ['Skipped', skipReason === undefined ? undefined : html`${skipTexts[skipReason]}`],
    ['Sent to', url === undefined ? undefined : html`<bdi><code>${url}</code></bdi>`],
    ['Connected to', remote === undefined ? undefined : html`${remoteText(remote)}`],
    ['Trace', trace === undefined ? undefined : html`<code>${trace.traceId}</code>, span <code>${trace.spanId}</code>`],
    ['Status', status === undefined ? undefined : html`${[status, reason].join(' ').trim()}`],
    ['Defined in', html`<code>${file}:${line}</code>`],
    ['Tags', tags.length === 0 ? undefined : html`${tags.join(', ')}`],
    ['Received', bytesReceived === undefined ? undefined : html`${shownSize(bytesReceived)}`],
    ['Captured', captured.length === 0 ? undefined : html`${captured.join(', ')}`],
    [
      'Retried',
      retries.length === 0
        ? undefined
        : html`${retries.map(({ attempt, reason: why }) => html`attempt ${attempt}: ${why}<br>`)}`,
    ],
    ['Time', timing === undefined ? undefined : phases(timing)],
  ]
  const shown = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [html`<dt>${name}</dt><dd>${value}</dd>\n`],
  )
  return html`<dl>
${shown}</dl>
`
}

/** Anything less would be shown as 0.0. */
const LEAST_SHOWN_MS = 0.05

/** The phases of the exchange, side by side, and as text. */
function phases(timing: TimingRecord): Html {
  const taken = phasesOf(timing).filter(([, durationMs]) => durationMs >= LEAST_SHOWN_MS)
  const wholeMs = taken.reduce((sum, [, durationMs]) => sum + durationMs, 0)
  let startMs = 0
  const rects = taken.map(([, durationMs, tone]) => {
    const start = (100 * startMs) / wholeMs
    startMs += durationMs
    return html`<rect class="${tone}" x="${start.toFixed(1)}%" width="${((100 * durationMs) / wholeMs).toFixed(1)}%" height="100%"/>`
  })
  const text = taken.map(([name, durationMs]) => `${name} ${durationMs.toFixed(1)} ms`).join(', ')
  return html`<svg class="phases" aria-hidden="true">${rects}</svg>${text}`
}

function failureBlock(failure: FailureRecord): Html {
  const { message, excerpt, hint } = failure
  const place = placeText(failure)
  return html`<p class="message bad">${message}</p>
${place === '' ? undefined : html`<p class="hint">at <code>${place}</code></p>\n`}${
  excerpt === undefined ? undefined : preformatted(excerpt)
}${hint === undefined ? undefined : html`<p class="hint">${hint}</p>\n`}`
}

/** @param label what the text is, for screen readers */
function preformatted(text: string, label?: string): Html {
  // A browser drops the first line feed after the tag.
  return html`<pre tabindex="0"${label === undefined ? undefined : html` aria-label="${label}"`}>\n${text}</pre>\n`
}

function testList(tests: readonly TestRecord[]): Html | undefined {
  if (tests.length === 0) return undefined
  const rows = tests.map(({ name, failure }) =>
    failure === undefined
      ? html`<li><span class="outcome good">passed</span> <bdi>${name}</bdi></li>\n`
      : html`<li><span class="outcome bad">failed</span> <bdi>${name}</bdi>\n${failureBlock(failure)}</li>\n`,
  )
  return html`<ul class="tests">
${rows}</ul>
`
}

function logBlock(logs: readonly string[]): Html | undefined {
  return logs.length === 0 ? undefined : html`<p class="hint">Logged by scripts</p>\n${preformatted(logs.join('\n'))}`
}

function exchangeBlocks(exchanges: readonly ExchangeRecord[]): readonly Html[] {
  return exchanges.map((exchange, index) => {
    const number = exchanges.length === 1 ? '' : ` ${index + 1} of ${exchanges.length}`
    const cause = exchange.cause === undefined ? '' : ` (${causes[exchange.cause]})`
    const unsent = exchange.isUnsent === true ? ' (not sent)' : ''
    return html`<p class="hint">Request${number}${cause}${unsent}</p>
${preformatted(requestHead(exchange), `Request head${number}`)}${bodyBlock(exchange.body, 'Request body')}${responseBlock(exchange, number)}`
  })
}

function messageBlock(messages: readonly MessageRecord[]): Html | undefined {
  if (messages.length === 0) return undefined
  const lines = messages.map(({ direction, body }) => `${direction}: ${body.text ?? `binary, ${sizeText(body)}`}`)
  return html`<p class="hint">Messages over the WebSocket</p>\n${preformatted(lines.join('\n'))}`
}

/** `127.0.0.1 port 80`, or the path of a socket. */
function remoteText(remote: RemoteRecord): string {
  return 'path' in remote ? `socket ${remote.path}` : `${remote.address} port ${remote.port}`
}

const causes = { redirect: 'after a redirect', challenge: 'with the credentials that the server required' } as const

function requestHead({ method, url, headers, response }: ExchangeRecord): string {
  const line = `${method} ${targetOf(url)} ${response?.version ?? 'HTTP/1.1'}`
  return [line, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n')
}

/** The target as in a request line; the whole URL if masking made it invalid. */
function targetOf(url: string): string {
  return /^\w+:\/\/[^/?#]*(\/.*)$/s.exec(url)?.[1] ?? url
}

function responseBlock({ response }: ExchangeRecord, number: string): Html | undefined {
  if (response === undefined) return html`<p class="hint">No response</p>\n`
  const { version, status, reason, headers, body } = response
  const lines = [`${version} ${status} ${reason}`.trimEnd(), ...headers.map(([name, value]) => `${name}: ${value}`)]
  return html`<p class="hint">Response${number}</p>
${preformatted(lines.join('\n'), `Response head${number}`)}${bodyBlock(body, 'Response body')}`
}

function bodyBlock(body: BodyRecord | undefined, title: string): Html | undefined {
  if (body === undefined || body.sizeBytes === 0) return undefined
  const { text, isTruncated } = body
  if (text === undefined) return html`<p class="hint">${title}: binary, ${sizeText(body)}</p>\n`
  const shown = isTruncated ? `the first ${shownSize(Buffer.byteLength(text))} of ` : ''
  return html`<p class="hint">${title}: ${shown}${sizeText(body)}</p>
${preformatted(text, title)}`
}

function sizeText({ mediaType, sizeBytes }: BodyRecord): string {
  return [sizeBytes === undefined ? 'size not known' : shownSize(sizeBytes), mediaType]
    .filter((part) => part !== '')
    .join(', ')
}
