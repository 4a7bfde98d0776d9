/**
 * Passes the events of one run to its listener: counted, and held back while an attempt may be repeated.
 *
 * Rules: an event is counted immediately, or when its attempt is known to be the last. Errors of the listener are kept
 * separate from errors of a request, because they end the run. Where the listener returns no promise, none is made: a
 * request has six events, and chains of async functions for them made a quarter of its 272 promises.
 */
import {
  GRPC_VERSION,
  type RequestIdentity,
  type RunEvent,
  type RunListener,
  type RunResponse,
} from '../base/events.ts'
import { Attempt } from './attempt.ts'
import type { RecordedBody } from './recorded-body.ts'
import { RunCounts } from './run-counts.ts'

/** A gRPC status is 0 for success ("gRPC status codes"). */
function isErrorStatus({ version, status }: RunResponse): boolean {
  return version === GRPC_VERSION ? status !== 0 : status >= 400
}

export class RunEventEmitter {
  readonly counts: RunCounts = new RunCounts()
  readonly #listener: RunListener
  readonly #shouldFailOnStatus: boolean
  #attempt: Attempt | undefined
  #listenerFailure: { readonly error: unknown } | undefined

  /** @param shouldFailOnStatus whether a status of 400 or more is a failure */
  constructor(listener: RunListener, shouldFailOnStatus: boolean) {
    this.#listener = listener
    this.#shouldFailOnStatus = shouldFailOnStatus
  }

  get listenerFailure(): { readonly error: unknown } | undefined {
    return this.#listenerFailure
  }

  /** @param body If the listener rethrows this body's error, that is not a listener failure. */
  emit(event: RunEvent, body?: RecordedBody): void | Promise<void> {
    if (this.#attempt === undefined) this.#count(event)
    else {
      if (this.#isBadStatus(event)) this.#attempt.noteStatus(event.response.status)
      if (this.#attempt.take(event)) return
    }
    return this.#send(event, body)
  }

  async fail(request: RequestIdentity | undefined, errors: readonly unknown[]): Promise<void> {
    this.counts.addFailure('failed')
    for (const error of errors) await this.emit({ type: 'error', request, error })
  }

  /** Results are held back until `endAttempt`. */
  beginAttempt(): Attempt {
    this.#attempt = new Attempt()
    return this.#attempt
  }

  /** Ends the attempt. @param isLast whether its results are those of the request */
  async endAttempt(isLast: boolean): Promise<void> {
    const attempt = this.#attempt
    this.#attempt = undefined
    if (attempt === undefined) return
    if (isLast) for (const event of attempt.uncounted) this.#count(event)
    for (const event of attempt.held) {
      if (isLast) await this.emit(event)
      else if (event.type === 'script-log') await this.#send(event)
    }
  }

  #isBadStatus(event: RunEvent): event is Extract<RunEvent, { readonly type: 'response' }> {
    return this.#shouldFailOnStatus && event.type === 'response' && isErrorStatus(event.response)
  }

  #count(event: RunEvent): void {
    this.counts.add(event)
    if (this.#isBadStatus(event)) this.counts.addFailure('badStatuses')
  }

  #send(event: RunEvent, body?: RecordedBody): void | Promise<void> {
    const fail = (error: unknown): void => {
      if (body?.error !== undefined && error === body.error) return
      this.#listenerFailure = { error }
      throw error
    }
    try {
      return this.#listener(event)?.catch(fail)
    } catch (error) {
      fail(error)
    }
  }
}
