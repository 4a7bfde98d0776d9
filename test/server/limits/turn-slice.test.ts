import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { countArrival, isTurnOver, nextTurn } from '../../../src/server/limits/turn-slice.ts'

/** Time passes with each reading of the clock, so that a busy machine takes nothing from a turn. It never goes back. */
let nowMs = performance.now()

beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => {
    nowMs += 0.01
    return nowMs
  })
})

afterEach(() => void vi.restoreAllMocks())

const immediate = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Uses up what is left of the turn. */
function work(): void {
  while (!isTurnOver());
}

describe('long work', () => {
  it('shares a turn: once used up, it is over for all', async () => {
    await immediate()
    expect(isTurnOver()).toBe(false)
    work()
    expect(isTurnOver()).toBe(true)
    await immediate()
    await immediate()
    expect(isTurnOver()).toBe(false)
  })

  it('continues one by one, in order, with other work in between', async () => {
    const order: string[] = []
    const worker = async (name: string) => {
      for (let piece = 1; piece <= 2; piece++) {
        work()
        order.push(`${name}${piece}`)
        await nextTurn('long')
      }
    }
    const workers = Promise.all(['a', 'b', 'c'].map(worker))
    let turns = 0
    const other = (async () => {
      for (; order.length < 6; turns++) await immediate()
    })()
    await workers
    await other
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2'])
    expect(turns).toBeGreaterThanOrEqual(3)
  })
})

/** Long work for ever, in pieces that take a whole turn each; how many were done. */
function workOnAndOn(): { readonly pieces: () => number; stop(): Promise<void> } {
  let pieces = 0
  let isOver = false
  const done = (async () => {
    while (!isOver) {
      work()
      pieces += 1
      await nextTurn('long')
    }
  })()
  return {
    pieces: () => pieces,
    stop: () => {
      isOver = true
      return done
    },
  }
}

describe('work that starts', () => {
  it('runs before earlier long work', async () => {
    const order: string[] = []
    const queue = (name: string, kind: 'start' | 'long') => nextTurn(kind).then(() => order.push(name))
    // Long work that was done a moment ago is not due.
    await nextTurn('long')
    await Promise.all([queue('long', 'long'), queue('start', 'start')])
    expect(order).toEqual(['start', 'long'])
  })

  it('alternates between the latest and the earliest', async () => {
    const order: number[] = []
    await Promise.all([1, 2, 3, 4, 5, 6].map((number) => nextTurn('start').then(() => order.push(number))))
    expect([
      [1, 6, 2, 5, 3, 4],
      [6, 1, 5, 2, 4, 3],
    ]).toContainEqual(order)
  })

  it('leaves every few turns some time for long work', async () => {
    const long = workOnAndOn()
    for (let count = 0; count < 100; count++) {
      await nextTurn('start')
      work()
    }
    expect(long.pieces()).toBeGreaterThanOrEqual(10)
    await long.stop()
  })
})

describe('while clients connect', () => {
  it('turns are short, and long work still continues', async () => {
    let pieces = 0
    let isOver = false
    const worker = async () => {
      while (!isOver) {
        await nextTurn('long')
        pieces += 1
      }
    }
    const workers = Promise.all(Array.from({ length: 100 }, worker))
    let turns = 0
    for (const startedMs = performance.now(); performance.now() - startedMs < 100; turns++) {
      countArrival()
      await immediate()
    }
    isOver = true
    await workers
    // A turn of three milliseconds would be full of such pieces.
    expect(pieces).toBeLessThan(turns + 100)
    expect(pieces).toBeGreaterThan(100)
  })
})
