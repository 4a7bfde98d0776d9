/** Switches of V8: which are set when, and that taking them back leaves V8 as it was. */
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { EngineTuning, platformEngine } from '../../../src/cli/run/engine-tuning.ts'

const SMALL = 100
const SOME = 10_000
const LARGE = 1_000_000

const forRequests = ['--interrupt-budget=400000', '--semi-space-growth-factor=1', '--heap-growing-percent=30']
const defaults = ['--interrupt-budget=67584', '--semi-space-growth-factor=2', '--heap-growing-percent=0']
const forScripts = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--wasm-lazy-validation']

/** An engine that records which switches are set. */
function recordingEngine(version: number) {
  const flags: string[] = []
  return { version, flags, setFlagsFromString: (flag: string) => void flags.push(flag) }
}

describe('V8 flags', () => {
  it('are set for the size of the files', () => {
    const set = (sizeBytes: number): readonly string[] => {
      const engine = recordingEngine(11)
      new EngineTuning(engine).tuneForRequests(sizeBytes)
      return engine.flags
    }
    expect(set(SMALL)).toEqual([])
    expect(set(SOME)).toEqual(forRequests)
    expect(set(LARGE)).toEqual(['--semi-space-growth-factor=1', '--heap-growing-percent=30'])
  })

  it('are not set while the engine loads; those for scripts are set from then on', () => {
    const engine = recordingEngine(11)
    const tuning = new EngineTuning(engine)
    tuning.tuneForRequests(SOME)
    const onStarted = tuning.onEngineLoad()
    expect(engine.flags.splice(0)).toEqual([...forRequests, ...defaults])
    onStarted()
    expect(engine.flags).toEqual([...forRequests, ...forScripts])
  })

  it('are set when the last of several concurrent loads has finished', () => {
    const engine = recordingEngine(12)
    const tuning = new EngineTuning(engine)
    const ends = [tuning.onEngineLoad(), tuning.onEngineLoad()]
    ends[1]?.()
    expect(engine.flags).toEqual([])
    ends[0]?.()
    expect(engine.flags).toEqual(['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'])
    const onStarted = tuning.onEngineLoad()
    expect(engine.flags.splice(0).slice(2)).toEqual(['--wasm-tier-up', '--wasm-dynamic-tiering'])
    onStarted()
    expect(engine.flags).toEqual(['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'])
  })

  it.each([10, 99, Number.NaN])('are not touched in version %d, which was never measured', (version) => {
    const engine = recordingEngine(version)
    const tuning = new EngineTuning(engine)
    tuning.tuneForRequests(LARGE)
    tuning.onEngineLoad()()
    expect(engine.flags).toEqual([])
  })

  it.each([SMALL, SOME, LARGE])('of this V8 can be reset to their original state: files of %d bytes', (sizeBytes) => {
    const before = cachedDataVersionTag()
    const version = platformEngine()?.version ?? Number.NaN
    const tuning = new EngineTuning({ version, setFlagsFromString })
    tuning.tuneForRequests(sizeBytes)
    const onStarted = tuning.onEngineLoad()
    expect(cachedDataVersionTag()).toBe(before)
    onStarted()
    expect(cachedDataVersionTag()).not.toBe(before)
    tuning.onEngineLoad()
    expect(cachedDataVersionTag()).toBe(before)
  })
})
