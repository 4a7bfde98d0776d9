/**
 * Makes the script engine's program as it is shipped: with the world of scripts in it as memory, so that nothing of the
 * world is evaluated when the first script runs.
 *
 * Rules: the same sources give the same bytes: the clock and the random bytes that the engine sees are fixed. No script
 * sees any of them, because the world puts its own in their place.
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
  // Loaded now, because the scripts that use this module make it first (scripts/generate.ts).
  const { coreCode } = await import('../src/runner/scripting/engine/sandbox-code.ts')
  const { memoryBytes } = defaultScriptLimits
  const { program } = await compiledEngine(memoryBytes, coreCode)
  const machine = new QuickJsMachine({ memoryBytes, program, core: coreCode, sources: fixedSources })
  return withPreparedWorld(await readEngineProgram(), coreCode, machine.prepared)
}
