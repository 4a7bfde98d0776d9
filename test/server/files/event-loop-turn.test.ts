import { describe, expect, it } from 'vitest'
import { EventLoopTurn } from '../../../src/server/files/event-loop-turn.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('EventLoopTurn', () => {
  it('has one number within a turn, and another in the next', async () => {
    const turn = new EventLoopTurn()
    const first = turn.current
    await Promise.resolve()
    expect(turn.current).toBe(first)
    await nextTurn()
    expect(turn.current).not.toBe(first)
  })

  it('gets a new number when renewed', () => {
    const turn = new EventLoopTurn()
    const first = turn.current
    turn.renew()
    expect(turn.current).not.toBe(first)
  })

  it('gets a new number when more sockets had data than one poll reports', () => {
    const turn = new EventLoopTurn()
    const first = turn.current
    for (let count = 1; count < 1_024; count++) turn.countArrival()
    expect(turn.current).toBe(first)
    turn.countArrival()
    expect(turn.current).not.toBe(first)
  })

  it('counts the sockets of each turn separately', async () => {
    const turn = new EventLoopTurn()
    for (let round = 0; round < 3; round++) {
      const first = turn.current
      for (let count = 0; count < 600; count++) turn.countArrival()
      expect(turn.current).toBe(first)
      await nextTurn()
    }
  })
})
