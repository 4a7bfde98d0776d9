import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { defaultLimits } from '../../../src/server/limits/limits.ts'
import { TimeoutSweep } from '../../../src/server/limits/timeouts.ts'

let clockMs: number

beforeEach(() => {
  clockMs = 0
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  vi.spyOn(performance, 'now').mockImplementation(() => clockMs)
  // The sockets of these tests have nothing to read.
  vi.spyOn(globalThis, 'setImmediate').mockImplementation(((report: () => void) => report()) as never)
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Clock and timers together, as they go in a process that has little to do. */
function pass(durationMs: number): void {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 10) {
    clockMs += 10
    vi.advanceTimersByTime(10)
  }
}

function listen(sweep: TimeoutSweep): { readonly beatsMs: number[]; onSweep(nowMs: number): void } {
  const beatsMs: number[] = []
  const listener = { beatsMs, onSweep: (nowMs: number) => void beatsMs.push(nowMs) }
  sweep.add(listener)
  return listener
}

describe('the sweep', () => {
  it('ticks several times within the shortest limit, on a clock that follows real time', () => {
    const sweep = new TimeoutSweep({ ...defaultLimits, headerTimeoutMs: 500 })
    const startMs = sweep.nowMs
    const { beatsMs } = listen(sweep)
    pass(1000)
    expect(beatsMs.map((beatMs) => Math.round(beatMs - startMs))).toEqual([
      100, 200, 300, 400, 500, 600, 700, 800, 900, 1000,
    ])
  })

  it('does not run while no connection is registered', () => {
    const sweep = new TimeoutSweep(defaultLimits)
    const first = listen(sweep)
    pass(defaultLimits.lingerTimeoutMs)
    sweep.delete(first)
    const restMs = sweep.nowMs
    pass(100_000)
    // Somebody who comes now has not been here all the time.
    expect(sweep.nowMs).toBe(restMs)
    const second = listen(sweep)
    pass(defaultLimits.lingerTimeoutMs / 5)
    expect(second.beatsMs).toHaveLength(1)
    expect(second.beatsMs[0]! - restMs).toBeCloseTo(defaultLimits.lingerTimeoutMs / 5)
  })

  it('counts little of the time in which the process was too busy to tick', () => {
    const sweep = new TimeoutSweep({ ...defaultLimits, headerTimeoutMs: 500 })
    const { beatsMs } = listen(sweep)
    const startMs = sweep.nowMs
    clockMs += 60_000
    vi.advanceTimersByTime(100)
    expect(beatsMs).toHaveLength(1)
    expect(beatsMs[0]! - startMs).toBe(200)
  })
})

it('the sweep runs after sockets with earlier data have been read', async () => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const client = connect((server.address() as { port: number }).port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  const [socket] = (await once(server, 'connection')) as [Socket]
  const seen: string[] = []
  socket.on('data', () => seen.push('read'))
  // The socket is watched from the next turn on.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  const sweep = new TimeoutSweep({ ...defaultLimits, headerTimeoutMs: 50 })
  await new Promise<void>((resolve) => {
    const listener = {
      onSweep: () => {
        seen.push('beat')
        sweep.delete(listener)
        resolve()
      },
    }
    sweep.add(listener)
    client.write('x')
    const startedMs = performance.now()
    while (performance.now() - startedMs < 100);
  })
  expect(seen).toEqual(['read', 'beat'])
})
