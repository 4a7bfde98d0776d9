/**
 * Errors without stack traces, for test files that create tens of thousands of errors and read no trace.
 *
 * Rules: the setting belongs to the whole process, which other files share, so it is restored.
 */
import { afterAll, beforeAll } from 'vitest'

export function withoutStackTraces(): void {
  const { stackTraceLimit } = Error
  beforeAll(() => {
    Error.stackTraceLimit = 0
  })
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit
  })
}
