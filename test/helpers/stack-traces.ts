/**
 * Errors without stack traces for the tests of one file, which make them by the ten thousand and compare none of them.
 *
 * Rules: the setting belongs to the whole process, which other files share: it is put back.
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
