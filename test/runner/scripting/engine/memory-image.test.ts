/** Snapshots of the engine's memory: what they contain, and what comes back. */
import { beforeAll, describe, expect, it } from 'vitest'
import { compiledEngine, type EngineProgram } from '../../../../src/runner/scripting/engine/engine-program.ts'
import { MemoryImage } from '../../../../src/runner/scripting/engine/memory-image.ts'
import { QuickJsMachine } from '../../../../src/runner/scripting/engine/quickjs-machine.ts'
import { coreCode } from '../../../../src/runner/scripting/engine/sandbox-code.ts'

const MIB = 1024 * 1024
const memoryBytes = 64 * MIB

/** Values of scripts are kept in the global object, which the image contains. */
const assigning = (value: string): string => `(() => { globalThis.kept = ${value} })`

describe('an image of the memory', () => {
  let program: EngineProgram
  beforeAll(async () => {
    program = (await compiledEngine(memoryBytes, coreCode)).program
  })
  const machine = (): QuickJsMachine => new QuickJsMachine({ memoryBytes, program, core: coreCode })

  it('omits memory that was freed', () => {
    const tested = machine()
    const before = tested.initial.sizeBytes
    tested.runProgram(assigning('new Uint8Array(6e6).fill(1)'))
    expect(tested.capture().sizeBytes).toBeGreaterThan(before + 6e6)
    tested.runProgram(assigning('undefined'))
    expect(tested.capture().sizeBytes).toBeLessThan(before + MIB)
  })

  it.each([
    ['in the memory of a new engine', 6e6],
    ['in memory that has grown', 30e6],
  ])('restores values %s, also after others have overwritten them', (_, sizeBytes) => {
    const tested = machine()
    tested.runProgram(assigning(`new Uint8Array(${sizeBytes}).fill(7)`))
    const image = tested.capture()
    for (let round = 0; round < 3; round++) {
      tested.runProgram(assigning(`Array.from({ length: 10_000 }, () => new Uint8Array(50).fill(9))`))
      tested.restore(image)
      tested.runProgram('(() => { for (let i = 0; i < kept.length; i += 4096) if (kept[i] !== 7) throw new Error() })')
    }
  })

  it('is complete when it reuses the memory of a discarded image', () => {
    const tested = machine()
    tested.runProgram(assigning('1'))
    tested.discard(tested.capture())
    tested.runProgram(assigning('new Uint8Array(1e5).fill(7)'))
    const [first, second] = [tested.capture(), tested.capture()]
    tested.discard(first)
    tested.runProgram(assigning('undefined'))
    tested.capture()
    tested.restore(second)
    tested.runProgram('(() => { if (kept.length !== 1e5 || kept[99] !== 7) throw new Error() })')
  })

  it('contains the whole memory if the state of the allocator is damaged', () => {
    const memory = { buffer: new ArrayBuffer(2 * MIB), grow: () => 0 }
    const heap = { startByte: MIB, endByte: 2 * MIB, freePointer: 4096 }
    expect(MemoryImage.of(memory, heap).sizeBytes).toBe(MIB)
  })
})
