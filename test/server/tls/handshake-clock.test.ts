import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defaultLimits } from '../../../src/server/limits/limits.ts'
import { TimeoutSweep } from '../../../src/server/limits/timeouts.ts'
import { HandshakeClock } from '../../../src/server/tls/handshake-clock.ts'

let clockMs = 0
let timeouts = 0
let sweep: TimeoutSweep

beforeEach(() => {
  timeouts = 0
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  vi.spyOn(performance, 'now').mockImplementation(() => clockMs)
  // The sockets of these tests have nothing to read.
  vi.spyOn(globalThis, 'setImmediate').mockImplementation(((report: () => void) => report()) as never)
  sweep = new TimeoutSweep({ ...defaultLimits, handshakeTimeoutMs: 1000 })
  // Other connections keep the sweep going.
  sweep.add({ onSweep: () => undefined })
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

function pass(durationMs: number): void {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 10) {
    clockMs += 10
    vi.advanceTimersByTime(10)
  }
}

function startClock(): HandshakeClock {
  const clock = new HandshakeClock(sweep, 1000, () => (timeouts += 1))
  clock.start()
  return clock
}

it('the time for a handshake runs out, however often the server made the client wait', () => {
  const clock = startClock()
  pass(600)
  clock.stop()
  pass(5000)
  clock.start()
  pass(300)
  expect(timeouts).toBe(0)
  pass(400)
  expect(timeouts).toBeGreaterThan(0)
})

it('the time for a handshake does not run while the client waits for the server', () => {
  const clock = startClock()
  pass(900)
  clock.stop()
  pass(60_000)
  expect(timeouts).toBe(0)
})

it('the time for a handshake hardly runs while the process is too busy to read', () => {
  startClock()
  clockMs += 60_000
  pass(10)
  expect(timeouts).toBe(0)
})
