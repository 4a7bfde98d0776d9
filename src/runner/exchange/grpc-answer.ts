/**
 * A gRPC answer in the form of a response: its status, its metadata, and JSON in place of messages.
 *
 * Rules: the status is the gRPC status, and trailers are listed with the fields, since a server may send the same
 * metadata in either. Content-Type says that the content is JSON. The content of an error without a message is the JSON
 * of its status, with its details.
 */
import { HeaderList, octetString, utf8Bytes } from '../../message/index.ts'
import type { Exchange } from '../../wire/index.ts'
import { GRPC_VERSION } from '../base/events.ts'
import type { GrpcStatus } from '../grpc/status.ts'
import type { ReceivedExchange } from './response-receiver.ts'

/** @param content undefined if it is reported by other events */
export function grpcAnswer(
  exchange: Exchange,
  trailers: HeaderList,
  { code, name, message }: Pick<GrpcStatus, 'code' | 'name' | 'message'>,
  content: string | undefined,
): ReceivedExchange {
  const received = exchange.response.headers
  const fields = trailers === received ? [...received] : [...received, ...trailers]
  const headers = HeaderList.of(fields.map(([field, value]) => [field, shownValue(field, value, message)] as const))
  const bytes = content === undefined ? undefined : utf8Bytes(content)
  return {
    ...exchange,
    protocol: GRPC_VERSION,
    response: { status: code, reason: name, headers, repairs: [], body: bytes && bodyOf(bytes) },
    informational: [],
    receivedHeads: [headOf(code, name, headers)],
    excessBytes: () => 0,
  }
}

function shownValue(field: string, value: string, message: string): string {
  if (field === 'content-type') return 'application/grpc+json'
  const isReadable = field === 'grpc-message' && !/[\x00-\x1f\x7f]/.test(message)
  return isReadable ? octetString(utf8Bytes(message)) : value
}

function headOf(code: number, name: string, headers: HeaderList): Uint8Array {
  const fields = [...headers].map(([field, value]) => `${field}: ${value}\r\n`)
  return Buffer.from(`${`${GRPC_VERSION} ${code} ${name}`.trimEnd()}\r\n${fields.join('')}\r\n`, 'latin1')
}

function bodyOf(bytes: Uint8Array): NonNullable<ReceivedExchange['response']['body']> {
  return {
    framing: { type: 'length', length: bytes.length },
    trailers: Promise.resolve(HeaderList.EMPTY),
    async *[Symbol.asyncIterator]() {
      yield bytes
    },
  }
}
