/**
 * The error for wrong use of a connection by the program; errors of the peer are HttpParseErrors.
 *
 * Rules: a refused event has not been sent and has changed nothing, so a server can still answer 500 instead.
 */
import {
  HttpBuildError,
  HttpcliError,
  type HttpcliErrorDetails,
  type LocalProtocolErrorCode,
} from '../syntax/errors.ts'

/**
 * A call of an `HttpConnection` that HTTP does not allow. Nothing was written. An error of the peer is an
 * `HttpParseError`.
 */
export class LocalProtocolError extends HttpBuildError {
  declare readonly code: LocalProtocolErrorCode

  constructor(code: LocalProtocolErrorCode, message: string, details?: HttpcliErrorDetails) {
    super(code, message, details)
  }
}

/** Restates a finding as an error of the program. @internal */
export function localFault(code: LocalProtocolErrorCode, error: unknown): unknown {
  if (!(error instanceof HttpcliError) || error instanceof LocalProtocolError) return error
  const { message, hint, excerpt } = error
  return new LocalProtocolError(code, message, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
    ...(excerpt === undefined ? {} : { excerpt }),
  })
}
