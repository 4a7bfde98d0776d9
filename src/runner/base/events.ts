/**
 * The events of a run, as they happen: the only input of reports and printers.
 *
 * Rules: for each request, events occur in the order of this file. The listener is awaited, so that a slow output slows
 * the run and nothing accumulates. `response` is emitted when the head has arrived; the listener may read the body, and
 * the runner reads the rest. Names and targets are as written, so that the value of a variable never gets into a
 * report. A request that uses arrays is reported once for each iteration. HTTP/2 and WebSocket have the same events. If
 * an attempt is repeated, its failure is reported only by `request-retried`: tests and errors are those of the last
 * attempt.
 */
import type { Framing, HeaderList, HttpcliError, Repair, ResponseHead } from '../../message/index.ts'
import type { RemoteAddress, Statistics } from '../../wire/index.ts'

/** The request that an event belongs to. */
export interface RequestIdentity {
  /** The number of the request in the run, from 1. */
  readonly number: number
  /** '' for an unnamed request. */
  readonly name: string
  /** GET by default. */
  readonly method: string
  /** As written, variables not replaced. */
  readonly target: string
  /** The file that contains it, as the user knows it: the file of the run, or an imported one. */
  readonly file: string
  /** The line of the request line, from 1. */
  readonly line: number
  /** The iteration of a request that uses arrays, from 0. */
  readonly iteration: number
  /** From `# @tag` and `# @tags`, in order, each once. */
  readonly tags: readonly string[]
}

/** A message to send: the request, or the one that follows a redirect or a challenge. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeaderList
  /** Why it is not the first: a redirect, or an authentication challenge. */
  readonly cause: 'redirect' | 'challenge' | undefined
}

/** A body to read, once. */
export interface RunBody extends AsyncIterable<Uint8Array> {
  readonly framing: Framing
  /** With its Content-Encoding decoded. */
  decoded(): AsyncIterable<Uint8Array>
  /** Empty until the body has been read to its end, and if reading stopped earlier. */
  readonly trailers: Promise<HeaderList>
}

/** The version of the answer to a gRPC call, whose status is that of gRPC. */
export const GRPC_VERSION = 'gRPC'

export interface RunResponse {
  /** `HTTP/1.1`, `HTTP/2`, …; `gRPC` for the answer to a call. */
  readonly version: string
  readonly status: number
  readonly reason: string
  readonly headers: HeaderList
  /** Repairs of the response. Those in chunks and trailers are added while the body is read. */
  readonly repairs: readonly Repair[]
  readonly body: RunBody | undefined
}

export type RunResponseHead = Omit<RunResponse, 'body' | 'repairs'>

/** The first bytes of a body, content codings decoded. More arrive while the body is read. */
export interface BodySample {
  readonly bytes: Uint8Array
  /** The size of the whole body; undefined until its end has been read. */
  readonly sizeBytes: number | undefined
}

/** The other properties of an answer, with the names of `wire`. */
export interface RunAnswer {
  readonly informational: readonly ResponseHead[]
  readonly receivedHeads: readonly Uint8Array[]
  readonly remote: RemoteAddress
  readonly excessBytes: () => number
  /** Resolves once the body has been read or abandoned. */
  readonly statistics: Promise<Statistics>
  /** Present if samples of bodies are requested and the response has a body. */
  readonly sample?: BodySample | undefined
  /** Call this when the listener needs no more of the body. */
  close(): void
}

export interface RunSummary {
  /** Each iteration of a request counts. */
  readonly requests: number
  /** Answered, with any status. */
  readonly answered: number
  /** Not sent, or without a complete answer. */
  readonly failed: number
  /** Not sent because a script before it failed. */
  readonly blocked: number
  /** Answered with a status of 400 or more, or a gRPC status other than 0, if that counts as a failure. */
  readonly badStatuses: number
  readonly testsPassed: number
  readonly testsFailed: number
  /** Scripts that did not finish. */
  readonly scriptsFailed: number
  /** Selected but never started, because of an earlier failure or an interruption. */
  readonly skipped: number
  /** Attempts that were repeated. */
  readonly retries: number
  readonly isInterrupted: boolean
  /** From the first step to the last, by the clock. */
  readonly durationMs: number
}

/** `failed`: a test, an assertion, a script or, if requested, the status. `error`: not sent, not answered. */
export type RequestOutcome = 'passed' | 'failed' | 'error'

/** Why a request was never started. */
export type SkipReason = 'bail' | 'interrupted'

/** A test: of `client.test` in a script, or of `# @assert`, whose name is the assertion as written. */
export interface CheckedTest {
  readonly request: RequestIdentity
  readonly kind: 'test' | 'assertion'
  readonly name: string
}

export type RunEvent =
  | {
      readonly type: 'run-started'
      readonly path: string
      readonly environment: string | undefined
      /** As far as known in advance: arrays may add requests. */
      readonly requests: number
    }
  /** A message that fails nothing. */
  | { readonly type: 'warning'; readonly error: HttpcliError }
  /** A detail for verbose output. */
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'request-started'; readonly request: RequestIdentity }
  /** The first bytes are about to be written; the connection is open. */
  | { readonly type: 'request-sent'; readonly request: RequestIdentity; readonly sent: SentRequest }
  /** Emitted instead of `request-sent` if no connection could be opened. */
  | { readonly type: 'request-unsent'; readonly request: RequestIdentity; readonly sent: SentRequest }
  /** Bytes sent to the server, just before they are written. For HTTP/2 the head as text, then the content. */
  | { readonly type: 'request-octets'; readonly request: RequestIdentity; readonly bytes: Uint8Array }
  /** A response that another request follows: a redirect, or a challenge that is answered. */
  | {
      readonly type: 'hop-finished'
      readonly request: RequestIdentity
      readonly response: RunResponseHead
      readonly remote: RemoteAddress
      readonly statistics: Statistics
    }
  /** A redirect is followed; the next message is another request. */
  | { readonly type: 'redirected'; readonly request: RequestIdentity; readonly status: number; readonly url: string }
  | {
      readonly type: 'response'
      readonly request: RequestIdentity
      readonly response: RunResponse
      readonly answer: RunAnswer
    }
  /** A message over a WebSocket. */
  | {
      readonly type: 'message'
      readonly request: RequestIdentity
      readonly direction: 'sent' | 'received'
      readonly data: string | Uint8Array
    }
  | {
      readonly type: 'response-done'
      readonly request: RequestIdentity
      readonly statistics: Statistics
      /** Repairs of the whole response. */
      readonly repairs: readonly Repair[]
      readonly trailers: HeaderList
      /** The number of bytes that came after the end of the response and belong to no message. */
      readonly excessBytes: number
    }
  /** The response, or its body, has been saved to a file. `path` is absolute. */
  | { readonly type: 'response-saved'; readonly request: RequestIdentity; readonly path: string }
  | { readonly type: 'script-log'; readonly request: RequestIdentity; readonly text: string }
  | (CheckedTest & { readonly type: 'test-passed' })
  | (CheckedTest & {
      readonly type: 'test-failed'
      readonly error: HttpcliError
      /** As text, if values were compared. */
      readonly expected?: string
      readonly actual?: string
    })
  /** A variable received a value from the response. The value itself is never reported. */
  | { readonly type: 'captured'; readonly request: RequestIdentity; readonly name: string }
  | { readonly type: 'script-failed'; readonly request: RequestIdentity; readonly error: HttpcliError }
  /** The request was not sent, or not answered completely. One event for each reason. Undefined outside a request. */
  | { readonly type: 'error'; readonly request: RequestIdentity | undefined; readonly error: unknown }
  | {
      readonly type: 'request-retried'
      readonly request: RequestIdentity
      /** The failed attempt, from 1. */
      readonly attempt: number
      /** The maximum number of attempts. */
      readonly of: number
      readonly reason: string
      /** Undefined if the attempt was answered. */
      readonly error?: unknown
    }
  | {
      readonly type: 'request-finished'
      readonly request: RequestIdentity
      /** Including all attempts and scripts. */
      readonly durationMs: number
      readonly outcome: RequestOutcome
    }
  /** Replaces all other events of the request. */
  | { readonly type: 'request-skipped'; readonly request: RequestIdentity; readonly reason: SkipReason }
  | { readonly type: 'run-finished'; readonly summary: RunSummary }

/** Awaited. Its errors end the run. */
export type RunListener = (event: RunEvent) => void | Promise<void>
