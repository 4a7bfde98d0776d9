import { describe, expect, it } from 'vitest'
import { isTurnOver, nextTurn } from '../../../src/server/limits/turn-slice.ts'

const immediate = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Uses up what is left of the turn. */
function work(): void {
  while (!isTurnOver());
}

describe('long work', () => {
  it('shares a turn: what one has used up is over for all', async () => {
    await immediate()
    expect(isTurnOver()).toBe(false)
    work()
    expect(isTurnOver()).toBe(true)
    await immediate()
    await immediate()
    expect(isTurnOver()).toBe(false)
  })

  it('goes on one by one, in order, with others between', async () => {
    const order: string[] = []
    const worker = async (name: string) => {
      for (let piece = 1; piece <= 2; piece++) {
        work()
        order.push(`${name}${piece}`)
        await nextTurn()
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
