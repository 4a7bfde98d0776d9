/**
 * The status of a gRPC call, from its trailers.
 *
 * Rules: `grpc-status` is a number; `grpc-message` is UTF-8 in percent escapes.
 */
import type { HeaderList } from '../../message/index.ts'
import { unescapedText } from '../base/percent-text.ts'

export const OK = 0
export const NOT_FOUND = 5
export const DEADLINE_EXCEEDED = 4
export const UNIMPLEMENTED = 12

/** By number. */
const names: readonly string[] = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED'],
  ...['INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
]

export interface GrpcStatus {
  readonly code: number
  /** `NOT_FOUND`; an empty text for a number that gRPC does not define. */
  readonly name: string
  readonly message: string
  /** The value of `grpc-status-details-bin`. */
  readonly details: string | undefined
}

/** Undefined if the fields have no status. */
export function grpcStatus(trailers: HeaderList): GrpcStatus | undefined {
  const written = trailers.first('grpc-status')
  if (written === undefined || !/^\d{1,9}$/.test(written)) return undefined
  const code = Number(written)
  return {
    code,
    name: names[code] ?? '',
    message: unescapedText(trailers.first('grpc-message') ?? ''),
    details: trailers.first('grpc-status-details-bin'),
  }
}

/** `NOT_FOUND: no such user`, for messages. */
export function statusText({ code, name, message }: GrpcStatus): string {
  return `${name === '' ? code : name}${message === '' ? '' : `: ${message}`}`
}
