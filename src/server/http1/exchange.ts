/**
 * A request of HTTP/1 that is being answered, and its possible errors.
 */
import { HttpcliError, HttpParseError } from '../../message/index.ts'
import type { AnsweredRequest } from '../access-log.ts'
import { type AnswerBody, bodyLength } from '../semantics/answer-body.ts'
import { ServerError } from '../semantics/errors.ts'

/** Bytes that a client may send ahead while it is being answered: two reads of the platform. */
export const maximumWaitingBytes = 131_072

/** The request and the properties that its answer depends on. */
export interface Exchange {
  readonly line: string | undefined
  readonly isHead: boolean
  /** Undefined if the request could not be parsed. */
  readonly version: string | undefined
  readonly keepAlive: boolean
  readonly startedMs: number
  readonly backend?: AnsweredRequest['backend']
}

/**
 * The phase of a connection. `idle`: no request has started. `head`, `content`: part of a request has arrived.
 * `answer`: a request is being answered, or has to wait for other clients. `forward`: a backend answers it. `closing`:
 * nothing more is read.
 */
export type Phase = 'idle' | 'head' | 'content' | 'answer' | 'forward' | 'closing'

/** The outcome of a request, for the log. */
export function answeredRequest(
  { line: requestLine, startedMs, backend }: Exchange,
  remoteAddress: string,
  status: number,
  bodyBytes: number,
  answeredMs: number,
): AnsweredRequest {
  const entry = { remoteAddress, answeredMs, requestLine, status, bodyBytes, durationMs: answeredMs - startedMs }
  return backend === undefined ? entry : { ...entry, backend }
}

export function isEndless(body: AnswerBody | undefined, { version, keepAlive }: Exchange): boolean {
  return keepAlive && version !== 'HTTP/1.1' && body !== undefined && bodyLength(body) === undefined
}

export function timeoutError(part: 'head' | 'body'): HttpcliError {
  return new ServerError('request-timeout', `the ${part} of the request did not arrive in time`)
}

/** The status for an invalid request; undefined if the error is not the client's. */
export function statusOfUnreadable(error: unknown): number | undefined {
  if (error instanceof HttpParseError) return error.status
  return error instanceof HttpcliError && error.code === 'request-timeout' ? 408 : undefined
}
