/**
 * The exchanges of a request on the report page: heads as sent and received, and the beginning of bodies.
 *
 * A binary body is shown by type and size only. Redirects and answered challenges are shown in order.
 */
import type { BodyRecord, ExchangeRecord, MessageRecord, RemoteRecord } from '../record/exchange-record.ts'
import { shownSize } from '../record/printable-text.ts'
import { type Html, html } from './html-text.ts'

export function exchangeBlocks(exchanges: readonly ExchangeRecord[]): readonly Html[] {
  return exchanges.map((exchange, index) => {
    const number = exchanges.length === 1 ? '' : ` ${index + 1} of ${exchanges.length}`
    const cause = exchange.cause === undefined ? '' : ` (${causes[exchange.cause]})`
    const unsent = exchange.isUnsent === true ? ' (not sent)' : ''
    return html`<p class="hint">Request${number}${cause}${unsent}</p>
<pre tabindex="0" aria-label="Request head${number}">${requestHead(exchange)}</pre>
${bodyBlock(exchange.body, 'Request body')}${responseBlock(exchange, number)}`
  })
}

export function messageBlock(messages: readonly MessageRecord[]): Html | undefined {
  if (messages.length === 0) return undefined
  const lines = messages.map(({ direction, body }) => `${direction}: ${body.text ?? `binary, ${sizeText(body)}`}`)
  return html`<p class="hint">Messages over the WebSocket</p>\n<pre tabindex="0">${lines.join('\n')}</pre>\n`
}

/** `127.0.0.1 port 80`, or the path of a socket. */
export function remoteText(remote: RemoteRecord): string {
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
<pre tabindex="0" aria-label="Response head${number}">${lines.join('\n')}</pre>
${bodyBlock(body, 'Response body')}`
}

function bodyBlock(body: BodyRecord | undefined, title: string): Html | undefined {
  if (body === undefined || body.sizeBytes === 0) return undefined
  const { text, isTruncated } = body
  if (text === undefined) return html`<p class="hint">${title}: binary, ${sizeText(body)}</p>\n`
  const shown = isTruncated ? `the first ${shownSize(Buffer.byteLength(text))} of ` : ''
  return html`<p class="hint">${title}: ${shown}${sizeText(body)}</p>
<pre tabindex="0" aria-label="${title}">${text}</pre>
`
}

function sizeText({ mediaType, sizeBytes }: BodyRecord): string {
  return [sizeBytes === undefined ? 'size not known' : shownSize(sizeBytes), mediaType]
    .filter((part) => part !== '')
    .join(', ')
}
