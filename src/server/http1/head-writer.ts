/**
 * Encodes the head of an answer: its own fields, the fields of every answer, and the framing.
 *
 * Rules: configured fields replace defaults, and fields of the answer itself (the policy of a listing, the no-store of
 * a stream) replace both; but Vary fields are merged. An answer with a body announces its length, even to HEAD; 204 and
 * 304 have no length. RFC 9112 sections 6.3 and 9.3, RFC 9110 sections 6.6.1 and 12.5.5.
 */
import { HeaderList, HttpResponse, reasonPhrase } from '../../message/index.ts'
import { type Answer, type Field, hasField } from '../semantics/answer.ts'
import { bodyLength } from '../semantics/answer-body.ts'
import { EncodedAnswer } from './encoded-answer.ts'
import type { Exchange } from './exchange.ts'
import type { HttpClock } from './http-clock.ts'

/** The connection's part of a head. */
export type ConnectionContext = Pick<Exchange, 'keepAlive' | 'version'>

/** Defaults for every answer, unless it or the user sets another value. */
const defaultFields: readonly Field[] = [
  ['Cache-Control', 'no-cache'],
  ['X-Content-Type-Options', 'nosniff'],
]

export class HeadWriter {
  readonly #clock: HttpClock
  readonly #configured: readonly Field[]
  readonly #configuredNames: ReadonlySet<string>

  /** `configured`: checked field lines for every answer. */
  constructor(clock: HttpClock, configured: readonly Field[]) {
    this.#clock = clock
    this.#configured = configured
    this.#configuredNames = new Set(configured.map(([name]) => name.toLowerCase()))
  }

  /** All fields but Connection, Content-Length and Transfer-Encoding, Date first. */
  fields(answer: Answer, date: string = this.#clock.date()): readonly Field[] {
    const own = answer.fields
    const configured = this.#configured.filter(([name]) => name.toLowerCase() === 'vary' || !hasField(own, name))
    const defaults = defaultFields.filter(
      ([name]) => !hasField(own, name) && !this.#configuredNames.has(name.toLowerCase()),
    )
    return mergeVary([['Date', date], ...own, ...defaults, ...configured])
  }

  /** Status line and header section of an HTTP/1.1 answer, including the empty line. */
  encode(answer: Answer, { keepAlive, version }: ConnectionContext, date: string = this.#clock.date()): Buffer {
    const fields = [...this.fields(answer, date)]
    const { body } = answer
    const lengthBytes = body === undefined ? undefined : bodyLength(body)
    const isChunked = body !== undefined && lengthBytes === undefined && version === 'HTTP/1.1'
    if (lengthBytes !== undefined) fields.push(['Content-Length', String(lengthBytes)])
    if (isChunked) fields.push(['Transfer-Encoding', 'chunked'])
    // RFC 9112 section 9.3: 1.1 stays open by default, 1.0 only with a field.
    if (!keepAlive) fields.push(['Connection', 'close'])
    else if (version === 'HTTP/1.0') fields.push(['Connection', 'keep-alive'])
    if (body !== undefined && lengthBytes === undefined && !isChunked) return encodeEndless(answer.status, fields)
    const head = new HttpResponse({ status: answer.status, headers: fields }).encodeHead()
    return Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  }

  /** The answer as bytes that can be sent many times. Its body, if any, is in memory. */
  render(answer: Answer & { readonly body: Uint8Array | undefined }): EncodedAnswer {
    const date = this.#clock.date()
    const head = this.encode(answer, { keepAlive: true, version: 'HTTP/1.1' }, date)
    const octets = Buffer.allocUnsafeSlow(head.length + (answer.body?.length ?? 0))
    octets.set(head)
    if (answer.body !== undefined) octets.set(answer.body, head.length)
    return new EncodedAnswer(octets, head.length, date)
  }
}

/** For a body that ends with its connection: a message without a body would get a length of 0. */
function encodeEndless(status: number, fields: readonly Field[]): Buffer {
  return Buffer.from(`HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n${HeaderList.of(fields)}\r\n`, 'latin1')
}

function mergeVary(fields: readonly Field[]): readonly Field[] {
  const isVary = ([name]: Field) => name.toLowerCase() === 'vary'
  const values = fields.filter(isVary).flatMap(([, value]) => value.split(/(?<![ \t])[ \t]*,[ \t]*/))
  if (values.length === 0) return fields
  const unique = values.filter((value, index) => {
    return values.findIndex((other) => other.toLowerCase() === value.toLowerCase()) === index
  })
  return [...fields.filter((field) => !isVary(field)), ['Vary', unique.includes('*') ? '*' : unique.join(', ')]]
}
