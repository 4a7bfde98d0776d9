/**
 * Headers and content of a message that is built or changed here, made to agree.
 *
 * Rules: what leaves the library is always framed rightly (RFC 9112 section 6). A body brings its Content-Type; its
 * length or chunked takes the place of framing fields that no longer hold; a framing field that a caller sets by hand
 * must be true.
 */
import type { Content } from '../body/content.ts'
import { BytesBody, type MessageBody, StringBody } from '../body/message-body.ts'
import type { Framing } from '../head/framing.ts'
import type { HeaderList } from '../head/headers.ts'
import { HttpcliError } from '../syntax/errors.ts'
import { parseDecimal } from '../syntax/grammar.ts'
import { equalsIgnoringCase } from '../syntax/octets.ts'
import type { HttpVersion } from '../syntax/start-line.ts'

/** What a caller may give as a body. A string is sent as UTF-8, and like octets without a Content-Type. */
export type BodyInit = MessageBody | string | Uint8Array

export function toBody(body: BodyInit): MessageBody {
  if (typeof body === 'string') return new StringBody(body)
  return body instanceof Uint8Array ? new BytesBody(body) : body
}

/** The headers for a new body: Content-Type where the body has one, then its framing, each at its old place if any. */
export function headersForBody(headers: HeaderList, body: MessageBody, version: HttpVersion): HeaderList {
  const typed = body.contentType === undefined ? headers : headers.with('Content-Type', body.contentType)
  if (body.contentLength !== undefined) {
    return typed.without('transfer-encoding', 'trailer').with('Content-Length', String(body.contentLength))
  }
  if (version === 'HTTP/1.0') {
    throw new HttpcliError('chunked-in-http-1.0', 'a body of unknown length cannot be sent in an HTTP/1.0 message', {
      hint: 'use HTTP/1.1, or a body whose length is known',
    })
  }
  return typed.without('content-length').with('Transfer-Encoding', 'chunked')
}

/** The headers without a body: nothing that describes one. */
export function headersWithoutBody(headers: HeaderList): HeaderList {
  return headers.without('content-length', 'transfer-encoding', 'content-type', 'content-encoding', 'trailer', 'expect')
}

/**
 * The framing that the headers tell, checked against the content.
 * @throws HttpcliError `framing` where they contradict each other or the content.
 */
export function framingOf(
  headers: HeaderList,
  content: Content | undefined,
  version: HttpVersion,
): Framing | undefined {
  const encodings = headers.list('transfer-encoding')
  const lengths = headers.list('content-length')
  if (encodings.length > 0 && lengths.length > 0) throw framingError('both Content-Length and Transfer-Encoding')
  if (encodings.length > 0) {
    if (version === 'HTTP/1.0') throw framingError('Transfer-Encoding in an HTTP/1.0 message')
    const chunked = encodings.findIndex((coding) => equalsIgnoringCase(coding, 'chunked'))
    if (chunked === -1 || chunked !== encodings.length - 1) {
      throw framingError('Transfer-Encoding is not one chunked at its end')
    }
    if (content === undefined) throw framingError('Transfer-Encoding without a body')
    return { type: 'chunked' }
  }
  if (lengths.length === 0) return content === undefined ? undefined : { type: 'close' }
  const length = lengths.length === 1 ? parseDecimal(lengths[0] as string) : undefined
  if (length === undefined) throw framingError(`Content-Length "${lengths.join(', ')}" is not one number of octets`)
  const actual = content === undefined ? 0 : content.lengthBytes
  if (actual !== undefined && actual !== length) {
    throw framingError(`Content-Length says ${length} octets, the body has ${actual}`)
  }
  return { type: 'length', length }
}

function framingError(problem: string): HttpcliError {
  return new HttpcliError('framing', problem, { hint: 'leave the framing fields to withBody()' })
}
