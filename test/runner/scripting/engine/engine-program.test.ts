/** The engine's program with the limit of its memory. */
import { describe, expect, it } from 'vitest'
import { readEngineProgram, withMaximum } from '../../../../src/runner/scripting/engine/engine-program.ts'

const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
const memorySection = (...content: number[]): number[] => [5, content.length, ...content]

describe("the engine's program", () => {
  it('gets a maximum, and keeps everything else', () => {
    const [before, after] = [
      [...header, 0, 1, 0],
      [0, 1, 0],
    ]
    expect([...withMaximum(Uint8Array.from([...before, ...memorySection(1, 0, 21), ...after]), 300)]).toEqual([
      ...before,
      ...memorySection(1, 1, 21, 0xac, 0x02),
      ...after,
    ])
  })

  it('as bundled differs only by the maximum', async () => {
    const program = await readEngineProgram()
    expect(withMaximum(program, 127).length - withMaximum(program, 128).length).toBe(-1)
  })

  it.each([
    ['no memory', []],
    ['a maximum already', memorySection(1, 1, 21, 22)],
    ['two memories', memorySection(2, 0, 21, 0, 1)],
  ])('with %s is refused', (_, sections) => {
    expect(() => withMaximum(Uint8Array.from([...header, ...sections]), 300)).toThrow('no memory that can be limited')
  })
})
