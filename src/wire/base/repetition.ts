/**
 * Sends a request a second time if the first attempt ended without an answer and may be repeated.
 *
 * Rules: once, because a server that fails twice is likely to fail again (RFC 9110 section 9.2.2); the bytes of the
 * request are reported once.
 */
import { HttpcliError } from '../../message/index.ts'
import type { WireOptions } from './options.ts'

/** RFC 9110 section 9.2.2. */
export const idempotentMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PUT',
  'DELETE',
  'QUERY',
])

/** A request on its way. */
export interface Attempt<Answer> {
  /** Waits for the final head. */
  head(): Promise<Answer>
  close(): void
  /** Whether the request may be sent again after `head` failed with this error. */
  mayBeRepeated(error: unknown): boolean
  /** The number of bytes of the request reported to `onRequestBytes`. */
  readonly reportedBytes: number
}

/** @param start the second call is for the repetition */
export async function answered<Answer>(
  options: WireOptions,
  start: (options: WireOptions, isRepetition: boolean) => Promise<Attempt<Answer>>,
): Promise<Answer> {
  const first = await start(options, false)
  try {
    return await first.head()
  } catch (failure) {
    first.close()
    if (!first.mayBeRepeated(failure)) throw failure
    return await answeredAgain(() => start(withoutReported(first.reportedBytes, options), true), failure)
  }
}

/** @param failure the error of the first attempt, thrown if the body can be read only once */
async function answeredAgain<Answer>(start: () => Promise<Attempt<Answer>>, failure: unknown): Promise<Answer> {
  let second: Attempt<Answer> | undefined
  try {
    second = await start()
    return await second.head()
  } catch (error) {
    second?.close()
    throw error instanceof HttpcliError && error.code === 'body-used' ? failure : error
  }
}

/** Skips the bytes that have already been reported. */
function withoutReported(reportedBytes: number, options: WireOptions): WireOptions {
  const { onRequestBytes } = options
  if (onRequestBytes === undefined) return options
  let skippedBytes = reportedBytes
  return {
    ...options,
    onRequestBytes: (bytes) => {
      const rest = bytes.subarray(Math.min(skippedBytes, bytes.length))
      skippedBytes -= bytes.length - rest.length
      return rest.length === 0 ? undefined : onRequestBytes(rest)
    },
  }
}
