/** The watchdog ends a call that does not end by itself. */
import { describe, expect, it } from 'vitest'
import { guarded, TimeOverError } from '../../../src/runner/assertions/watchdog.ts'

describe('a guarded call', () => {
  it('that does not end is stopped, and the next one runs', () => {
    let count = 0
    expect(() =>
      guarded(() => {
        for (;;) count++
      }, 300),
    ).toThrow(TimeOverError)
    expect(count).toBeGreaterThan(0)
    guarded(() => {
      count = -1
    }, 60_000)
    expect(count).toBe(-1)
  })

  it('throws what it throws', () => {
    const error = new Error('own')
    expect(() =>
      guarded(() => {
        throw error
      }, 1000),
    ).toThrow(error)
    expect(Object.getOwnPropertySymbols(globalThis)).not.toContain(Symbol.for('httpcli.guarded'))
  })
})
