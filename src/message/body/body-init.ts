/**
 * Creates a body from a caller's value: strings, bytes, and the body types of the web platform.
 *
 * Rules: a string or bytes get no Content-Type, and a string is sent as UTF-8; a body with its own type sets
 * Content-Type. A value in memory has a length; streams and forms are sent chunked. Any other value is an error.
 */
import { typeName } from '../syntax/checked-input.ts'
import { HttpBuildError } from '../syntax/errors.ts'
import { type ByteSource, BytesBody, ChunkedBody, type MessageBody, StringBody } from './message-body.ts'

/** A body whose bytes are available without waiting. */
export interface ImmediateBody extends MessageBody {
  openEventsNow(): ReturnType<NonNullable<MessageBody['openEventsNow']>>
}

/** Bodies in memory: `eagerly()` returns the message, not a promise. */
export type MemoryBodyInit =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | URLSearchParams
  | StringBody
  | BytesBody
  | ImmediateBody

/** A value that can become a body. */
export type MessageBodyInit = MemoryBodyInit | MessageBody | Blob | FormData | ByteSource

/** @throws HttpBuildError `invalid-body` for a value that cannot be a body. */
export function toBody(body: MessageBodyInit): MessageBody {
  if (typeof body === 'string') return new StringBody(body)
  if (typeof body !== 'object' || body === null) throw invalidBody(body)
  if (body instanceof Uint8Array) return new BytesBody(body)
  if (ArrayBuffer.isView(body)) return new BytesBody(new Uint8Array(body.buffer, body.byteOffset, body.byteLength))
  if (body instanceof ArrayBuffer) return new BytesBody(new Uint8Array(body))
  if (isA('URLSearchParams', body)) {
    return new StringBody(String(body), 'application/x-www-form-urlencoded;charset=UTF-8')
  }
  if (isA('FormData', body)) return formBody(body as FormData)
  // A file stream of Node.js has a method open(), too, which does something else.
  if ('open' in body && typeof body.open === 'function' && !('pipe' in body)) return body
  if (isBlob(body)) return blobBody(body)
  if (Symbol.asyncIterator in body || Symbol.iterator in body || 'getReader' in body) {
    return new ChunkedBody(body as ByteSource)
  }
  throw invalidBody(body)
}

/** Not `instanceof`: the class may not exist here, or the object may come from another realm. */
function isA(name: string, value: object): boolean {
  return Object.prototype.toString.call(value) === `[object ${name}]`
}

function isBlob(value: object): value is Blob {
  return isA('Blob', value) || isA('File', value)
}

function blobBody(blob: Blob): MessageBody {
  return {
    ...(blob.type === '' ? {} : { contentType: blob.type }),
    contentLength: blob.size,
    open: () => new ChunkedBody(blob.stream()).open(),
  }
}

/** The platform writes the form's parts and picks the boundary. */
function formBody(form: FormData): MessageBody {
  const encoded = new Response(form)
  const contentType = encoded.headers.get('content-type') as string
  return new ChunkedBody(encoded.body as ReadableStream<Uint8Array>, contentType)
}

function invalidBody(value: unknown): HttpBuildError {
  return new HttpBuildError('invalid-body', `the body is ${typeName(value)}`, {
    hint: 'Give a string, bytes, a Blob, a stream, a form or a body such as StringBody; use JSON.stringify() for JSON',
  })
}
