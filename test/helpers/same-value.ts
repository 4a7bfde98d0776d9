/**
 * Compares values that are the same thousands of times in one test: the matchers of the test runner take several times
 * as long as Node.js, and are needed only to describe a difference.
 */
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

export function expectSame(found: unknown, wanted: unknown, message?: string): void {
  if (!isDeepStrictEqual(found, wanted)) expect(found, message).toEqual(wanted)
}
