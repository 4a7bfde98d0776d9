/**
 * What happens in a run, as it happens: the only thing that reports and printers are given.
 *
 * Rules: events come in the order of this file for each request; a listener is waited for, so that a slow output slows
 * the run and nothing piles up. `response` comes at its head; the listener may read the body, what it leaves is read by
 * the runner. Names and targets are as they were written, so that no variable's value gets into a report by them.
 */
import type { Framing, HeaderList, ResponseHead, HttpcliError as RunError } from '../message/index.ts'
import type { RemoteAddress, Statistics } from '../wire/index.ts'

/** Which request of the file an event belongs to. */
export interface RequestIdentity {
  /** Counts the requests of the file from 1. */
  readonly number: number
  /** '' where it has none. */
  readonly name: string
  /** GET where the line has none. */
  readonly method: string
  /** As written, variables not replaced. */
  readonly target: string
  /** Of the request line, from 1. */
  readonly line: number
}

/** A body that is still to be read, once. */
export interface RunBody extends AsyncIterable<Uint8Array> {
  readonly framing: Framing
  /** With its Content-Encoding undone. */
  decoded(): AsyncIterable<Uint8Array>
}

export interface RunResponse {
  readonly version: string
  readonly status: number
  readonly reason: string
  readonly headers: HeaderList
  readonly body: RunBody | undefined
}

/** What else is known of a response. The same names as in `wire`. */
export interface RunAnswer {
  readonly informational: readonly ResponseHead[]
  readonly remote: RemoteAddress
  /** Resolves once the body has been read or given up. */
  readonly statistics: Promise<Statistics>
  /** The listener needs no more of the body. */
  close(): void
}

export interface RunSummary {
  readonly requests: number
  /** Answered, whatever the status. */
  readonly answered: number
  /** Not sent, or not answered completely. */
  readonly failed: number
  readonly testsPassed: number
  readonly testsFailed: number
  /** Scripts that did not come to their end. */
  readonly scriptsFailed: number
  readonly isInterrupted: boolean
}

export type RunEvent =
  | {
      readonly type: 'run-started'
      readonly path: string
      readonly environment: string | undefined
      readonly requests: number
    }
  /** Nothing fails by it. */
  | { readonly type: 'warning'; readonly error: RunError }
  | { readonly type: 'request-started'; readonly request: RequestIdentity }
  /** Octets on their way to the server, just before they are written. */
  | { readonly type: 'request-octets'; readonly request: RequestIdentity; readonly bytes: Uint8Array }
  /** A redirect is followed; the octets that come now are those of another request. */
  | { readonly type: 'redirected'; readonly request: RequestIdentity; readonly status: number; readonly url: string }
  | {
      readonly type: 'response'
      readonly request: RequestIdentity
      readonly response: RunResponse
      readonly answer: RunAnswer
    }
  | { readonly type: 'response-done'; readonly request: RequestIdentity; readonly statistics: Statistics }
  | { readonly type: 'script-log'; readonly request: RequestIdentity; readonly text: string }
  | { readonly type: 'test-passed'; readonly request: RequestIdentity; readonly name: string }
  | { readonly type: 'test-failed'; readonly request: RequestIdentity; readonly name: string; readonly error: RunError }
  | { readonly type: 'script-failed'; readonly request: RequestIdentity; readonly error: RunError }
  /** The request was not sent, or not answered completely. One event for each reason. Undefined: outside of a request. */
  | { readonly type: 'error'; readonly request: RequestIdentity | undefined; readonly error: unknown }
  | { readonly type: 'request-finished'; readonly request: RequestIdentity }
  | { readonly type: 'run-finished'; readonly summary: RunSummary }

/** Is waited for. What it throws ends the run. */
export type RunListener = (event: RunEvent) => void | Promise<void>
