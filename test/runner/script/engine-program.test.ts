/** The engine's program with its table opened, and what ends a call that does not end. */
import { describe, expect, it } from 'vitest'
import { openTable, readEngineProgram, TABLE_NAME } from '../../../src/runner/script/engine-program.ts'
import { guarded, TimeOverError } from '../../../src/runner/script/watchdog.ts'

describe("the engine's program", () => {
  it('gets its table among the exports, once', () => {
    const program = Buffer.from(readEngineProgram())
    expect(program.subarray(0, 4).toString('latin1')).toBe('\0asm')
    expect(program.indexOf(TABLE_NAME)).toBe(program.lastIndexOf(TABLE_NAME))
    expect(program.includes(TABLE_NAME)).toBe(true)
  })

  it('without exports is refused', () => {
    expect(() => openTable(Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]))).toThrow('no exports')
  })
})

describe('a guarded call', () => {
  it('that does not end is ended, and the next one runs', () => {
    let count = 0
    expect(() =>
      guarded(() => {
        for (;;) count++
      }, 30),
    ).toThrow(TimeOverError)
    expect(count).toBeGreaterThan(0)
    guarded(() => {
      count = -1
    }, 30)
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
