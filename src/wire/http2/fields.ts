/**
 * Translates heads of HTTP/2 to those of messages, and back.
 *
 * Rules: fields that concern an HTTP/1.1 connection are not sent (RFC 9113 section 8.2.2), Host becomes `:authority`,
 * names are in lower case. The message library decodes a received head as that of an HTTP/1.1 response, so that the
 * same rules apply to it; the stream says where its content ends. Values are binary strings in both directions.
 */
import type { OutgoingHttpHeaders } from 'node:http2'
import {
  HeaderList,
  HttpDecoder,
  HttpParseError,
  type HttpRequest,
  octetsOf,
  type ResponseHead,
} from '../../message/index.ts'
import { WireError } from '../base/errors.ts'
import { originForm } from '../http1/origin-form.ts'

/** RFC 9113 section 8.2.2, except for `TE: trailers`; and Expect, since nothing waits for 100 (Continue) here. */
const connectionFields: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])

/** RFC 9113 section 8.3.1. */
export function requestFields(request: HttpRequest): OutgoingHttpHeaders {
  const url = request.url as URL
  // Without a prototype: "constructor" and "__proto__" are names like any other.
  const fields: Record<string, string | string[]> = Object.assign(Object.create(null), {
    ':method': request.method,
    ':scheme': url.protocol.slice(0, -1),
    ':authority': request.headers.first('host') ?? url.host,
    ':path': originForm(request),
  })
  for (const [name, value] of request.headers) {
    const key = name.toLowerCase()
    if (isLeftOut(key, value)) continue
    const known = fields[key]
    fields[key] = known === undefined ? value : [...(typeof known === 'string' ? [known] : known), value]
  }
  return fields
}

function isLeftOut(name: string, value: string): boolean {
  return connectionFields.has(name) && !(name === 'te' && value.toLowerCase() === 'trailers')
}

/** The head of a request as text; its fields are those that are sent. */
export function requestText(request: HttpRequest): Uint8Array {
  const lines = [`${request.method} ${originForm(request)} HTTP/2`, `host: ${request.headers.first('host') ?? ''}`]
  for (const [name, value] of request.headers) {
    if (!isLeftOut(name.toLowerCase(), value)) lines.push(`${name.toLowerCase()}: ${value}`)
  }
  return octetsOf(`${lines.join('\r\n')}\r\n\r\n`)
}

/** The head of a response as text. */
export function responseText(raw: RawFields): Uint8Array {
  const lines = pairsOf(raw).map(([name, value]) => `${name}: ${value}\r\n`)
  return octetsOf(`HTTP/2 ${statusOf(raw)}\r\n${lines.join('')}\r\n`)
}

/** Names and values alternating, as the platform returns them. */
export type RawFields = readonly string[]

/** @throws WireError `invalid-response`. */
export function responseHead(raw: RawFields, place: string): ResponseHead {
  const status = statusOf(raw)
  const lines = pairsOf(raw).map(([name, value]) => `${name}: ${value}\r\n`)
  const decoder = new HttpDecoder('client')
  // Content and Transfer-Encoding do not concern this decoder: the stream has its own frames.
  decoder.expect('GET')
  try {
    for (const event of decoder.push(octetsOf(`HTTP/1.1 ${status} \r\n${lines.join('')}\r\n`))) {
      if (event.type === 'response' || event.type === 'informational') return event.head
    }
  } catch (cause) {
    if (!(cause instanceof HttpParseError)) throw cause
    throw new WireError('invalid-response', `the response of ${place} is not valid HTTP: ${cause.message}`, { cause })
  }
  throw new WireError('invalid-response', `the response of ${place} has no status`)
}

function statusOf(raw: RawFields): string {
  return raw[raw.indexOf(':status') + 1] ?? ''
}

/** The fields without pseudo-header fields. */
export function fieldList(raw: RawFields): HeaderList {
  return HeaderList.of(pairsOf(raw))
}

function pairsOf(raw: RawFields): readonly (readonly [name: string, value: string])[] {
  const pairs: (readonly [string, string])[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] as string
    if (!name.startsWith(':')) pairs.push([name, raw[i + 1] as string])
  }
  return pairs
}
