/**
 * What happens in a run, as it happens: the only thing that reports and printers are given.
 *
 * Rules: events come in the order of this file for each request; a listener is waited for, so that a slow output slows
 * the run and nothing piles up. `response` comes at its head; the listener may read the body, what it leaves is read by
 * the runner. Names and targets are as they were written, so that no variable's value gets into a report by them. A
 * request that uses arrays is told once for each round. HTTP/2 and WebSocket are told with the same events. What an attempt
 * failed with that is made again is told by `request-retried` alone: tests and errors are those of the last attempt.
 */
import type { Framing, HeaderList, HttpcliError, Repair, ResponseHead } from '../../message/index.ts'
import type { RemoteAddress, Statistics } from '../../wire/index.ts'

/** Which request of the run an event belongs to. */
export interface RequestIdentity {
  /** Counts the requests of the run from 1. */
  readonly number: number
  /** '' where it has none. */
  readonly name: string
  /** GET where the line has none. */
  readonly method: string
  /** As written, variables not replaced. */
  readonly target: string
  /** The file that it stands in, as the user knows it: that of the run, or one that was imported. */
  readonly file: string
  /** Of the request line, from 1. */
  readonly line: number
  /** Which round of a request that uses arrays, from 0. */
  readonly iteration: number
  /** From `# @tag` and `# @tags`, in their order, each once. */
  readonly tags: readonly string[]
}

/** What goes out: the request, or what a redirect or a challenge made of it. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeaderList
  /** Why it is not the first: a redirect, or a server that asked for authentication. */
  readonly cause: 'redirect' | 'challenge' | undefined
}

/** A body that is still to be read, once. */
export interface RunBody extends AsyncIterable<Uint8Array> {
  readonly framing: Framing
  /** With its Content-Encoding undone. */
  decoded(): AsyncIterable<Uint8Array>
  /** Empty until the body has been read to its end, and where it was stopped before. */
  readonly trailers: Promise<HeaderList>
}

export interface RunResponse {
  /** `HTTP/1.1`, `HTTP/2`, … */
  readonly version: string
  readonly status: number
  readonly reason: string
  readonly headers: HeaderList
  /** What was repaired in it. Repairs in chunks and trailers are added while the body is read. */
  readonly repairs: readonly Repair[]
  readonly body: RunBody | undefined
}

/** The head of a response. */
export type RunResponseHead = Omit<RunResponse, 'body' | 'repairs'>

/** The first bytes of a body, its content codings decoded. It fills while the body is read. */
export interface BodySample {
  readonly bytes: Uint8Array
  /** Of the whole body; undefined while its end has not been read. */
  readonly sizeBytes: number | undefined
}

/** What else is known of a response. The same names as in `wire`. */
export interface RunAnswer {
  readonly informational: readonly ResponseHead[]
  readonly receivedHeads: readonly Uint8Array[]
  readonly remote: RemoteAddress
  readonly excessBytes: () => number
  /** Resolves once the body has been read or given up. */
  readonly statistics: Promise<Statistics>
  /** Where samples of bodies are wanted, and there is a body. */
  readonly sample?: BodySample | undefined
  /** The listener needs no more of the body. */
  close(): void
}

export interface RunSummary {
  /** Each round of a request counts. */
  readonly requests: number
  /** Answered, whatever the status. */
  readonly answered: number
  /** Not sent, or not answered completely. */
  readonly failed: number
  /** Not sent because a script before it failed. */
  readonly blocked: number
  /** Answered with a status of 400 or more, where that was asked for. */
  readonly badStatuses: number
  readonly testsPassed: number
  readonly testsFailed: number
  /** Scripts that did not come to their end. */
  readonly scriptsFailed: number
  /** Chosen and never started, because of a failure before them or an interruption. */
  readonly skipped: number
  /** Attempts that were made again. */
  readonly retries: number
  readonly isInterrupted: boolean
  /** From the first step to the last, by the clock. */
  readonly durationMs: number
}

/** `failed`: a test, an assertion, a script or, where that was asked for, the status. `error`: not sent, not answered. */
export type RequestOutcome = 'passed' | 'failed' | 'error'

/** Why a request was never started. */
export type SkipReason = 'bail' | 'interrupted'

/** What was checked: by `client.test` of a script, or by `# @assert`, whose name is the assertion as written. */
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
      /** As far as it is known before: arrays may make more of them. */
      readonly requests: number
    }
  /** Nothing fails by it. */
  | { readonly type: 'warning'; readonly error: HttpcliError }
  /** What only those want to know who look closely. */
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'request-started'; readonly request: RequestIdentity }
  /** Its first octets are about to be written; a connection is there. */
  | { readonly type: 'request-sent'; readonly request: RequestIdentity; readonly sent: SentRequest }
  /** In place of `request-sent`: no connection was there to send it over. */
  | { readonly type: 'request-unsent'; readonly request: RequestIdentity; readonly sent: SentRequest }
  /** Octets on their way to the server, just before they are written. Of HTTP/2 the head as text, then the content. */
  | { readonly type: 'request-octets'; readonly request: RequestIdentity; readonly bytes: Uint8Array }
  /** A response that is followed by another request: a redirect, or a challenge that is answered. */
  | {
      readonly type: 'hop-finished'
      readonly request: RequestIdentity
      readonly response: RunResponseHead
      readonly remote: RemoteAddress
      readonly statistics: Statistics
    }
  /** A redirect is followed; what is sent now is another request. */
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
      /** Of the whole response. */
      readonly repairs: readonly Repair[]
      readonly trailers: HeaderList
    }
  /** The response, or its body, is in a file. `path` is absolute. */
  | { readonly type: 'response-saved'; readonly request: RequestIdentity; readonly path: string }
  | { readonly type: 'script-log'; readonly request: RequestIdentity; readonly text: string }
  | (CheckedTest & { readonly type: 'test-passed' })
  | (CheckedTest & {
      readonly type: 'test-failed'
      readonly error: HttpcliError
      /** As text, where something was compared. */
      readonly expected?: string
      readonly actual?: string
    })
  /** A value of the response is in a variable. The value itself is never told. */
  | { readonly type: 'captured'; readonly request: RequestIdentity; readonly name: string }
  | { readonly type: 'script-failed'; readonly request: RequestIdentity; readonly error: HttpcliError }
  /** The request was not sent, or not answered completely. One event for each reason. Undefined: outside of a request. */
  | { readonly type: 'error'; readonly request: RequestIdentity | undefined; readonly error: unknown }
  | {
      readonly type: 'request-retried'
      readonly request: RequestIdentity
      /** The one that failed, from 1. */
      readonly attempt: number
      /** All attempts that are made at most. */
      readonly of: number
      readonly reason: string
      /** Where it was not answered. */
      readonly error?: unknown
    }
  | {
      readonly type: 'request-finished'
      readonly request: RequestIdentity
      /** With all its attempts and scripts. */
      readonly durationMs: number
      readonly outcome: RequestOutcome
    }
  /** In place of all other events of the request. */
  | { readonly type: 'request-skipped'; readonly request: RequestIdentity; readonly reason: SkipReason }
  | { readonly type: 'run-finished'; readonly summary: RunSummary }

/** Is waited for. What it throws ends the run. */
export type RunListener = (event: RunEvent) => void | Promise<void>
