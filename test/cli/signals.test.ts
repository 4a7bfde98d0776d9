/** The first signal asks, the second one insists. */
import { EventEmitter } from 'node:events'
import { expect, it, vi } from 'vitest'
import { interruption } from '../../src/cli/signals.ts'

it.each([
  ['SIGINT', 'SIGINT'],
  ['SIGTERM', 'SIGTERM'],
  ['SIGINT', 'SIGTERM'],
])('aborts at the first signal (%s) and exits with 130 at the second (%s)', (first, second) => {
  const source = Object.assign(new EventEmitter(), { exit: vi.fn() })
  const signal = interruption(source)
  expect(signal.aborted).toBe(false)
  source.emit(first)
  expect(signal.aborted).toBe(true)
  expect(source.exit).not.toHaveBeenCalled()
  source.emit(second)
  expect(source.exit).toHaveBeenCalledWith(130)
})
