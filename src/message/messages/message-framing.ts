/**
 * Makes the headers and the content of a message that is built or changed here agree.
 *
 * Rules: every message that leaves the library is framed correctly (RFC 9112 section 6). A body sets its Content-Type;
 * its length or `chunked` replaces framing fields that no longer apply; a framing field that a caller sets must be
 * true.
 */
import type { Content } from '../body/content.ts'
import type { MessageBody } from '../body/message-body.ts'
import { determineFraming, type FramedMessage, type Framing, type FramingContext } from '../head/framing.ts'
import type { HeaderList } from '../head/headers.ts'
import { HttpBuildError } from '../syntax/errors.ts'
import { byteCount } from '../syntax/octets.ts'
import { ParserOptions } from '../syntax/options.ts'
import type { HttpVersion } from '../syntax/start-line.ts'

const framingFields = ['content-length', 'transfer-encoding']

/** `request` also covers messages framed like a request. A response may also end with its connection. */
type MessageType = 'request' | 'response'

/** The headers for a new body: its Content-Type, if any, and its framing, each at its old position if there was one. */
export function headersForBody(
  headers: HeaderList,
  body: MessageBody,
  type: MessageType,
  version: HttpVersion,
): HeaderList {
  const typed = body.contentType === undefined ? headers : headers.with('Content-Type', body.contentType)
  if (body.contentLength !== undefined) {
    return typed.without('transfer-encoding', 'trailer').with('Content-Length', String(body.contentLength))
  }
  if (version === 'HTTP/1.1') return typed.without('content-length').with('Transfer-Encoding', 'chunked')
  // RFC 9112 section 6.1: HTTP/1.0 has no chunks. There a response ends with its connection; a request cannot.
  if (type === 'response') return typed.without(...framingFields, 'trailer').with('Connection', 'close')
  throw new HttpBuildError('chunked-in-http-1.0', 'a body of unknown length cannot be sent in an HTTP/1.0 request', {
    hint: 'Use HTTP/1.1, or a body whose length is known',
  })
}

/** The headers of a message without a body: no field describes one. */
export function headersWithoutBody(headers: HeaderList): HeaderList {
  return headers.without(...framingFields, 'content-type', 'content-encoding', 'trailer', 'expect')
}

export function headersWithoutFraming(headers: HeaderList): HeaderList {
  return headers.without(...framingFields)
}

/** Whether a field declares where content ends. */
export function hasFramingField(headers: HeaderList): boolean {
  return framingFields.some((name) => headers.has(name))
}

/** A message that the strict parser would reject is refused before it is written. */
const ownFields: FramingContext = {
  options: ParserOptions.STRICT,
  isLenient: false,
  repairField: () => undefined,
  failField(_code, _field, message): never {
    throw framingError(message)
  },
}

/** @throws HttpBuildError `framing` if the framing fields are wrong or contradict each other. */
export function checkFramingFields(headers: HeaderList, type: MessageType, version: HttpVersion): Framing | undefined {
  const message: FramedMessage =
    type === 'request' ? { type, version } : { type, version, status: 200, requestMethod: 'GET' }
  return determineFraming(message, headers, ownFields).framing
}

/**
 * The framing that the headers declare, checked against the content.
 * @param receivedCodings Transfer-Encoding of content that was received with it and ends with its connection
 * @throws HttpBuildError `framing` if they contradict each other or the content.
 */
export function framingOf(
  headers: HeaderList,
  content: Content | undefined,
  type: MessageType,
  version: HttpVersion,
  receivedCodings?: string,
): Framing | undefined {
  const declared = checkFramingFields(headers, type, version)
  if (declared === undefined || declared.type === 'close') {
    const codings = headers.get('transfer-encoding')
    if (codings !== receivedCodings && codings !== undefined) {
      throw framingError('the last transfer coding is not chunked')
    }
    return content === undefined ? undefined : { type: 'close' }
  }
  if (declared.type === 'chunked') {
    if (content === undefined) throw framingError('Transfer-Encoding without a body')
    return declared
  }
  const actual = content === undefined ? 0 : content.lengthBytes
  if (actual === undefined || actual === declared.length) return declared
  throw framingError(`Content-Length says ${byteCount(declared.length)}, the body has ${actual}`)
}

export function framingError(problem: string): HttpBuildError {
  return new HttpBuildError('framing', problem, {
    hint: 'Omit Content-Length and Transfer-Encoding: they follow from the body',
  })
}
