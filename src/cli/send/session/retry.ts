/**
 * Retries a transfer until it succeeds, or until all tries are used.
 *
 * Rules: failed transfers are retried, except for certificate errors and requests that cannot be sent at all, and so
 * are responses whose status is that of a temporary condition. Retry-After is respected, up to a limit. The method does
 * not matter: the user enabled retries for this request. A transfer whose body fails is repeated only if the body goes
 * to a file: what has been printed cannot be taken back.
 */
import { HttpcliError } from '../../../message/index.ts'
import { type Exchange, WireError } from '../../../wire/index.ts'

/** The tries that are left, for all transfers of a command. */
export interface Tries {
  left: number
}

export interface RetrySettings {
  readonly tries: Tries
  readonly intervalMs: number
  /** Resolves after this time; rejects when the command ends. */
  readonly wait: (milliseconds: number) => Promise<void>
  readonly onRetry: (reason: string, waitMs: number, left: number) => Promise<void>
  /** Called if tries are left, but the last response is final. */
  readonly onNotRetried: (reason: string) => Promise<void>
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
}

/** Statuses of a temporary condition (RFC 9110 section 15, RFC 6585). */
const passingStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
/** If a server asks for a longer wait, the request is not retried. */
const MAX_WAIT_MS = 120_000

/**
 * @returns the first final response; the last one if the body can be read only once, which prevents a retry
 * @throws the error of the last try.
 */
export async function withRetries(settings: RetrySettings, start: () => Promise<Exchange>): Promise<Exchange> {
  const { tries, intervalMs, nowMs } = settings
  let failure: unknown
  /** The last response, which stays open until it is known that another try is possible. */
  let refused: Exchange | undefined
  for (;;) {
    let reason: string
    let waitMs = intervalMs
    try {
      const result = await start()
      refused?.close()
      refused = undefined
      const { status, headers } = result.response
      if (!passingStatuses.has(status) || tries.left === 0) return result
      const askedMs = retryAfterMs(headers.first('retry-after'), nowMs())
      if (askedMs > MAX_WAIT_MS) {
        const asked = `Retry-After asks for a wait of ${Math.ceil(askedMs / 1000)} s`
        await settings.onNotRetried(`the status is ${status}, and ${asked}`)
        return result
      }
      waitMs = Math.max(intervalMs, askedMs)
      reason = `the status is ${status}`
      refused = result
    } catch (error) {
      // A body that can be read only once cannot be sent again, so the earlier result is the outcome.
      const isBodyUsed = error instanceof HttpcliError && error.code === 'body-used'
      if (isBodyUsed && refused !== undefined) {
        await settings.onNotRetried(error.message)
        return refused
      }
      refused?.close()
      refused = undefined
      if (isBodyUsed && failure !== undefined) throw failure
      if (!mayRetry(error, tries)) throw error
      failure = error
      reason = error.message
    }
    try {
      await useTry(settings, reason, waitMs)
    } catch (error) {
      refused?.close()
      throw error
    }
  }
}

/** Whether a transfer that ended with this error is repeated. */
export function mayRetry(error: unknown, tries: Tries): error is WireError {
  return tries.left > 0 && isPassing(error)
}

/** Reports the next try and waits for it. */
export async function useTry({ tries, onRetry, wait }: RetrySettings, reason: string, waitMs: number): Promise<void> {
  await onRetry(reason, waitMs, tries.left)
  tries.left--
  await wait(waitMs)
}

const hopeless =
  /^(?:certificate-|aborted$|no-host$|unsupported-scheme$|tls-configuration$|proxy-invalid$|redirect-|too-many-redirects$)/

function isPassing(error: unknown): error is WireError {
  return error instanceof WireError && !hopeless.test(error.code)
}

/** Seconds or a date (RFC 9110 section 10.2.3); 0 for anything else. */
function retryAfterMs(value: string | undefined, nowMs: number): number {
  if (value === undefined) return 0
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const timeMs = Date.parse(value)
  return Number.isNaN(timeMs) ? 0 : Math.max(0, timeMs - nowMs)
}
