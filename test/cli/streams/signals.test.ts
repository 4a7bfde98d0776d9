/** The first signal asks, the second one insists. */
import { EventEmitter } from 'node:events'
import { expect, it, vi } from 'vitest'
import { Interruption } from '../../../src/cli/streams/signals.ts'

it.each([
  ['SIGINT', 'SIGINT'],
  ['SIGTERM', 'SIGTERM'],
  ['SIGINT', 'SIGTERM'],
  ['SIGHUP', 'SIGHUP'],
])('aborts at the first signal (%s) and exits with 130 at the second (%s)', (first, second) => {
  const source = Object.assign(new EventEmitter(), { exit: vi.fn() })
  const interruption = new Interruption(source, () => undefined)
  expect(interruption.signal.aborted).toBe(false)
  source.emit(first)
  expect(interruption.signal.aborted).toBe(true)
  expect(interruption.hasHappened).toBe(true)
  expect(source.exit).not.toHaveBeenCalled()
  source.emit(second)
  expect(source.exit).toHaveBeenCalledWith(130)
})

it('exits with 130 at once if nothing uses the signal', () => {
  const source = Object.assign(new EventEmitter(), { exit: vi.fn() })
  const interruption = new Interruption(source, () => undefined)
  source.emit('SIGINT')
  expect(source.exit).toHaveBeenCalledWith(130)
  expect(interruption.hasHappened).toBe(false)
})
