/** One gRPC call over HTTP/2: its request, and the messages and trailers of its response. */
import { type HeaderList, HttpRequest } from '../../message/index.ts'
import type { Exchange } from '../../wire/index.ts'
import { RunError } from '../base/errors.ts'
import { FrameReader } from './frames.ts'
import { grpcStatus, OK } from './status.ts'

/** The request of a call. @param frames framed messages, in order */
export function callRequest(url: string, fields: HeaderList, frames: () => AsyncIterable<Uint8Array>): HttpRequest {
  return new HttpRequest({ method: 'POST', url, headers: fields, body: { open: frames } })
}

/** Whether a response comes from a gRPC server. */
export function isGrpc({ response }: Exchange): boolean {
  const type = response.headers.first('content-type') ?? ''
  return response.status === 200 && /^application\/grpc(?:[+;]|$)/i.test(type)
}

/**
 * The messages of a response.
 * @returns its trailers; for a response without messages, the fields of its head
 * @throws HttpcliError `grpc-message`; errors of the body
 */
export async function* receivedMessages({ request, response }: Exchange): AsyncGenerator<Uint8Array, HeaderList> {
  const { body, headers } = response
  if (body === undefined) return headers
  const place = (request.url as URL).host
  const reader = new FrameReader(place, headers.first('grpc-encoding') ?? '')
  for await (const bytes of body) yield* reader.push(bytes)
  const trailers = await body.trailers
  const last = trailers.has('grpc-status') ? trailers : headers
  // A server that fails within a message says why in its status.
  if ((grpcStatus(last)?.code ?? OK) === OK) reader.end()
  return last
}

export function notGrpc({ request, response }: Exchange): RunError {
  const { status, reason, headers } = response
  const type = headers.first('content-type')
  const found = `${status} ${reason}`.trimEnd() + (type === undefined ? '' : `, Content-Type ${type}`)
  const place = (request.url as URL).host
  return new RunError('grpc-refused', `${place} did not answer with gRPC: HTTP status ${found}`, {
    hint: 'Check the host, the port, and whether a proxy in between supports gRPC.',
  })
}
