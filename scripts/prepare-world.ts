/**
 * Creates the script engine's program as it is shipped: with the world of scripts in it as memory, so that nothing has
 * to be evaluated when the first script runs.
 *
 * Rules: the same sources give the same bytes, because the clock and the random bytes that the engine sees are fixed.
 * No script sees any of them, because the world replaces both.
 */
import { compiledEngine, readEngineProgram } from '../src/runner/scripting/engine/engine-program.ts'
import { withPreparedWorld } from '../src/runner/scripting/engine/prepared-world.ts'
import { QuickJsMachine } from '../src/runner/scripting/engine/quickjs-machine.ts'
import { defaultScriptLimits } from '../src/runner/scripting/engine/script-engine.ts'

const fixedSources = {
  nowMs: () => 0,
  fillRandom: (bytes: Uint8Array) => {
    bytes.fill(0)
  },
}

export async function preparedEngineProgram(): Promise<Uint8Array> {
  // Imported here, because the scripts that use this module generate it first (scripts/generate.ts).
  const { coreCode } = await import('../src/runner/scripting/engine/sandbox-code.ts')
  const { memoryBytes } = defaultScriptLimits
  const { program } = await compiledEngine(memoryBytes, coreCode)
  const machine = new QuickJsMachine({ memoryBytes, program, core: coreCode, sources: fixedSources })
  return withPreparedWorld(await readEngineProgram(), coreCode, machine.prepared)
}
