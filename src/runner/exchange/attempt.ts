/**
 * One attempt of a request that may be retried, and the conditions of retries.
 *
 * Rules: failed transfers and failed tests are retried; a request that cannot be built, or a refused certificate, would
 * fail again. The method does not matter: the user enabled retries for this request. Events of an attempt are passed on
 * as they occur, except results, which count only for the last attempt; logs are always passed on.
 */
import { type HttpcliError, HttpParseError } from '../../message/index.ts'
import { WireError } from '../../wire/index.ts'
import type { RunEvent } from '../base/events.ts'
import type { RetryTag } from '../request/request-tags.ts'
import { isCounted } from './run-counts.ts'

/** The maximum number of retries, and the delay before each. */
export interface RetryPolicy {
  readonly count: number
  readonly intervalMs: number
}

const DEFAULT_INTERVAL_MS = 1000
const noRetry: RetryPolicy = { count: 0, intervalMs: DEFAULT_INTERVAL_MS }

/** The request's tag overrides the default. */
export function retryPolicy(tag: RetryTag | undefined, general: RetryPolicy = noRetry): RetryPolicy {
  if (tag === undefined) return general
  return { count: tag.count, intervalMs: tag.intervalMs ?? general.intervalMs }
}

/** Held back until it is known whether the attempt is the last. */
const resultTypes: ReadonlySet<RunEvent['type']> = new Set([
  'test-passed',
  'test-failed',
  'script-failed',
  'script-log',
  'captured',
])

export class Attempt {
  readonly #held: RunEvent[] = []
  readonly #uncounted: RunEvent[] = []
  #failure: { readonly reason: string; readonly error?: unknown } | undefined
  #isHopeless = false

  /** Records an event. @returns whether it is held back */
  take(event: RunEvent): boolean {
    const isHeld = resultTypes.has(event.type)
    if (isHeld) this.#held.push(event)
    else if (isCounted(event)) this.#uncounted.push(event)
    const reason = reasonOf(event)
    if (reason !== undefined) this.#failure ??= { reason }
    return isHeld
  }

  /** Records a status that counts as a failure. */
  noteStatus(status: number): void {
    this.#failure ??= { reason: `the status is ${status}` }
  }

  /** @returns whether another attempt could succeed */
  noteError(error: unknown): boolean {
    this.#isHopeless = !isPassing(error)
    if (!isPassing(error)) return false
    this.#failure = { reason: error.message, error }
    return true
  }

  /** Why the attempt should be repeated; undefined if it should not. */
  get failure(): { readonly reason: string; readonly error?: unknown } | undefined {
    return this.#isHopeless ? undefined : this.#failure
  }

  /** Events that were held back. */
  get held(): readonly RunEvent[] {
    return this.#held
  }

  /** Events that were passed on but not counted yet; those that count nothing are not kept, such as uploaded bytes. */
  get uncounted(): readonly RunEvent[] {
    return this.#uncounted
  }
}

function reasonOf(event: RunEvent): string | undefined {
  if (event.type === 'test-failed') return `the ${event.kind} ${JSON.stringify(event.name)} failed`
  if (event.type === 'script-failed') return `a script failed: ${event.error.message}`
  return undefined
}

function isPassing(error: unknown): error is HttpcliError {
  if (!(error instanceof WireError || error instanceof HttpParseError)) return false
  return !(error as HttpcliError).code.startsWith('certificate-')
}
