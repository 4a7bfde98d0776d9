/**
 * The fields of an answer in the form of HTTP/2: names in lower case, with the status as a pseudo field.
 *
 * Rules: the fields of an answer that is sent many times are cached as long as their Date is current. A repeated field
 * stays repeated, except where the platform sends only one line: then its values are combined as a recipient would do.
 * RFC 9110 section 5.3, RFC 9113 sections 8.2 and 8.3.2.
 */
import type { OutgoingHttpHeaders } from 'node:http2'
import type { HeadWriter } from '../http1/head-writer.ts'
import type { Answer } from '../semantics/answer.ts'
import { bodyLength } from '../semantics/answer-body.ts'

interface Kept {
  readonly date: string
  readonly fields: OutgoingHttpHeaders
}

/** Shared by all connections of a server. */
export class Http2Fields {
  readonly #heads: HeadWriter
  readonly #kept = new WeakMap<Answer, Kept>()

  constructor(heads: HeadWriter) {
    this.#heads = heads
  }

  /** `date`: the current value of Date. */
  of(answer: Answer, date: string): OutgoingHttpHeaders {
    const kept = this.#kept.get(answer)
    if (kept?.date === date) return kept.fields
    const fields = this.#make(answer, date)
    if (answer.rendition !== undefined) this.#kept.set(answer, { date, fields })
    return fields
  }

  #make(answer: Answer, date: string): OutgoingHttpHeaders {
    const fields = addFields({ ':status': answer.status }, this.#heads.fields(answer, date))
    const lengthBytes = answer.body === undefined ? undefined : bodyLength(answer.body)
    if (lengthBytes !== undefined) fields['content-length'] = String(lengthBytes)
    return fields
  }
}

/** The fields of responses, and others that a backend may send, for which the platform refuses a list. */
const singleFields: ReadonlySet<string> = new Set([
  ...['access-control-allow-credentials', 'access-control-max-age', 'access-control-request-method', 'age'],
  ...['authorization', 'content-encoding', 'content-language', 'content-length', 'content-location', 'content-md5'],
  ...['content-range', 'content-type', 'date', 'dnt', 'etag', 'expires', 'from', 'host', 'if-match'],
  ...['if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since', 'last-modified', 'location'],
  ...['max-forwards', 'proxy-authorization', 'range', 'referer', 'retry-after', 'tk', 'upgrade-insecure-requests'],
  ...['user-agent', 'x-content-type-options'],
])

/** Adds fields with names in lower case; a repeated name becomes a list, as the platform requires. */
export function addFields(
  fields: OutgoingHttpHeaders,
  pairs: Iterable<readonly [name: string, value: string]>,
): OutgoingHttpHeaders {
  for (const [name, value] of pairs) {
    const key = name.toLowerCase()
    // The platform refuses it: it has a meaning only in a request of HTTP/1.1 (RFC 7540 section 3.2.1).
    if (key === 'http2-settings') continue
    const earlier = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (earlier === undefined) fields[key] = value
    else if (!singleFields.has(key)) fields[key] = [earlier, value].flat().map(String)
    else if (earlier !== value) fields[key] = `${earlier}, ${value}`
  }
  return fields
}
