/**
 * The fault of the program that uses a connection, apart from those of its peer, which are HttpParseError.
 *
 * Rules: what is refused has not been sent and has changed nothing, so a server can still answer 500 in its place.
 */
import { HttpcliError, type HttpcliErrorDetails } from '../syntax/errors.ts'

/** What the program did wrong. The set is closed. */
export type LocalProtocolErrorCode =
  /** An event whose turn it is not: content before its head, a second response. */
  | 'out-of-turn'
  /** A head that cannot be written: method, target, status, a field, its framing. */
  | 'invalid-head'
  /** More or fewer octets than the head announced, or than a chunk has. */
  | 'content-mismatch'
  /** A trailer section where none may be, or a field that may not stand in one (RFC 9110 section 6.5.1). */
  | 'invalid-trailer'

/**
 * What a program asked an `HttpConnection` to do and HTTP does not allow. Nothing was written. What the peer does wrong
 * is an `HttpParseError`.
 */
export class LocalProtocolError extends HttpcliError {
  declare readonly code: LocalProtocolErrorCode

  constructor(code: LocalProtocolErrorCode, message: string, details?: HttpcliErrorDetails) {
    super(code, message, details)
  }
}

/** The same finding, as the fault of the program. @internal */
export function localFault(code: LocalProtocolErrorCode, error: unknown): unknown {
  if (!(error instanceof HttpcliError) || error instanceof LocalProtocolError) return error
  const { message, hint, excerpt } = error
  return new LocalProtocolError(code, message, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
    ...(excerpt === undefined ? {} : { excerpt }),
  })
}
