/**
 * The head of an answer as octets: its own fields, those that every answer has, and the framing.
 *
 * Rules: fields that the server was given stand in the place of defaults, and what an answer says by itself (the policy of
 * a listing, the no-store of a stream) stands above both; but of Vary all parts count. An answer with a body says its length, also to HEAD; 204 and 304 have none. RFC 9112 sections 6.3 and 9.3, RFC 9110
 * sections 6.6.1 and 12.5.5.
 */
import { HeaderList, HttpResponse, reasonPhrase } from '../../message/index.ts'
import type { Answer, Field } from '../semantics/answer.ts'
import { bodyLength } from '../semantics/answer-body.ts'
import { EncodedAnswer } from './encoded-answer.ts'
import type { HttpClock } from './http-clock.ts'

/** What a head says about its connection. */
export interface ConnectionContext {
  readonly keepAlive: boolean
  /** Of the request, undefined where it could not be read. */
  readonly version: string | undefined
}

/** On an answer unless it or the one who started the server says otherwise. */
const defaultFields: readonly Field[] = [
  ['Cache-Control', 'no-cache'],
  ['X-Content-Type-Options', 'nosniff'],
]

export class HeadWriter {
  readonly #clock: HttpClock
  readonly #given: readonly Field[]
  readonly #givenNames: ReadonlySet<string>

  /** `given`: checked field lines for every answer. */
  constructor(clock: HttpClock, given: readonly Field[]) {
    this.#clock = clock
    this.#given = given
    this.#givenNames = new Set(given.map(([name]) => name.toLowerCase()))
  }

  /** All fields but Connection, Content-Length and Transfer-Encoding, Date first. */
  fields(answer: Answer, date: string = this.#clock.date()): readonly Field[] {
    const own = answer.fields
    const isOwn = (name: string) => own.some(([other]) => other.toLowerCase() === name.toLowerCase())
    const given = this.#given.filter(([name]) => name.toLowerCase() === 'vary' || !isOwn(name))
    const defaults = defaultFields.filter(([name]) => !isOwn(name) && !this.#givenNames.has(name.toLowerCase()))
    return mergeVary([['Date', date], ...own, ...defaults, ...given])
  }

  /** Status line and header section of an HTTP/1.1 answer, the empty line included. */
  encode(answer: Answer, { keepAlive, version }: ConnectionContext, date: string = this.#clock.date()): Buffer {
    const fields = [...this.fields(answer, date)]
    const { body } = answer
    const lengthBytes = body === undefined ? undefined : bodyLength(body)
    const isChunked = body !== undefined && lengthBytes === undefined && version === 'HTTP/1.1'
    if (lengthBytes !== undefined) fields.push(['Content-Length', String(lengthBytes)])
    if (isChunked) fields.push(['Transfer-Encoding', 'chunked'])
    // RFC 9112 section 9.3: to stay open is what 1.1 does unasked and what 1.0 wants to be told.
    if (!keepAlive) fields.push(['Connection', 'close'])
    else if (version === 'HTTP/1.0') fields.push(['Connection', 'keep-alive'])
    if (body !== undefined && lengthBytes === undefined && !isChunked) return encodeEndless(answer.status, fields)
    const head = new HttpResponse({ status: answer.status, headers: fields }).encodeHead()
    return Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  }

  /** The answer as octets that can be sent many times. Its body, where it has one, is in memory. */
  render(answer: Answer & { readonly body: Uint8Array | undefined }): EncodedAnswer {
    const date = this.#clock.date()
    const head = this.encode(answer, { keepAlive: true, version: 'HTTP/1.1' }, date)
    const octets = Buffer.allocUnsafeSlow(head.length + (answer.body?.length ?? 0))
    octets.set(head)
    if (answer.body !== undefined) octets.set(answer.body, head.length)
    return new EncodedAnswer(octets, head.length, date)
  }
}

/** For a body that ends with its connection: a message that knew of no body would say that its length is 0. */
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
