/** The world of scripts that the engine's program carries as memory: the same as the one that is evaluated. */
import { describe, expect, it } from 'vitest'
import { preparedEngineProgram } from '../../../../scripts/prepare-world.ts'
import {
  type CompiledEngine,
  compiledEngine,
  readEngineProgram,
} from '../../../../src/runner/scripting/engine/engine-program.ts'
import { withoutPreparedWorld } from '../../../../src/runner/scripting/engine/prepared-world.ts'
import { QuickJsEngine } from '../../../../src/runner/scripting/engine/quickjs-engine.ts'
import { coreCode, libraryCode, loadLibraries } from '../../../../src/runner/scripting/engine/sandbox-code.ts'
import type { ScriptEvent, ScriptJob } from '../../../../src/runner/scripting/engine/script-engine.ts'
import { withCustomSection, withoutCustomSection } from '../../../../src/runner/scripting/engine/wasm-sections.ts'

const MIB = 1024 * 1024
const memoryBytes = 32 * MIB

const evaluated: CompiledEngine = await compiledEngine(memoryBytes, coreCode)
const shipped = await preparedEngineProgram()
await loadLibraries()
const { program, readWorld } = withoutPreparedWorld(shipped, coreCode)
const world = readWorld()
const prepared: CompiledEngine = { program: evaluated.program, world }

async function eventsOf(compiled: CompiledEngine, code: string, limitBytes = memoryBytes): Promise<readonly unknown[]> {
  const seen: unknown[] = []
  let random = 0
  const engine = new QuickJsEngine({
    core: coreCode,
    maxRounds: undefined,
    library: libraryCode,
    testRegistered: () => undefined,
    sliceStarted: () => undefined,
    sliceEnded: () => undefined,
    waitStarted: () => undefined,
    machineEnded: () => undefined,
  })
  const job: ScriptJob = {
    // The same again: nothing that a script leaves may be there for the next one.
    scripts: [code, code, code].map((part) => ({
      parts: [part],
      path: '/a.http',
      files: { isFile: () => false, readText: () => '' },
    })),
    phase: 'handler',
    ask: (operation) => (operation === 'random-number' ? ++random / 1000 : undefined),
    askLater: () => Promise.reject(new Error('not here')),
    untimedOperations: new Set(),
    limits: { timeoutMs: 60_000, memoryBytes: limitBytes },
    hasOwnClock: false,
    signal: undefined,
    onEvent: (event: ScriptEvent) => {
      seen.push(event)
    },
  }
  engine.load(limitBytes, compiled)
  seen.push(await engine.run(job))
  return seen
}

const scripts: Readonly<Record<string, string>> = {
  'all global names': 'client.log(Reflect.ownKeys(globalThis).map(String).sort().join())',
  'what the language brings': `const shown = (name) => name + ':' + Reflect.ownKeys(globalThis[name].prototype ?? {}).length
    client.log(Reflect.ownKeys(globalThis).filter((name) => typeof globalThis[name] === 'function').sort().map(shown).join())`,
  'random numbers': 'client.log(String([Math.random(), Math.random()]))',
  'a clock that goes on': 'client.log(String(Date.now() > 1.7e12 && new Date().getFullYear() > 2023))',
  'a clock of local time': 'client.log(String(new Date(0).getTimezoneOffset()))',
  'names that scripts leave': "client.log(typeof globalThis.left); globalThis.left = 1; Array.prototype.left = 'x'",
  tests:
    "client.test('ok', () => client.assert([1].every((n) => n === 1))); client.test('no', () => client.assert(1 === 2, 'differs'))",
  promises: "await Promise.resolve(); setTimeout(() => client.log('late'), 1); client.log('early')",
  'a rejection': "Promise.reject(new Error('nobody looks'))",
  'an error with its place': "const a = 1\n\n  throw new TypeError('here')",
  'an error of syntax': 'const = 1',
  'a stack that overflows': 'const f = () => f(); try { f() } catch (error) { client.log(error.constructor.name) }',
  libraries:
    "client.log(btoa('abc')); client.log(new URLSearchParams('a=b').get('a')); client.log(new DOMParser().parseFromString('<a>x</a>', 'text/xml').documentElement.textContent)",
  'memory that grows':
    "const kept = []; for (let i = 0; i < 200; i++) kept.push('x'.repeat(100_000) + i); client.log(String(kept.length))",
  'memory that ends': 'const kept = []; for (;;) kept.push(new Uint8Array(1_000_000))',
}

describe('an engine that starts with the prepared world', () => {
  it.each(Object.entries(scripts))('gives the same results for %s', async (_, code) => {
    expect(await eventsOf(prepared, code)).toEqual(await eventsOf(evaluated, code))
  })

  it('evaluates the world if its memory has another size', async () => {
    const small = 8 * MIB
    const { program: smallProgram } = await compiledEngine(small, coreCode)
    const events = await eventsOf({ program: smallProgram, world }, "client.log('runs')", small)
    expect(events.at(-1)).toBe('done')
  })
})

describe('the shipped program', () => {
  it('is that of the engine with a prepared world', async () => {
    expect(Buffer.compare(program, await readEngineProgram())).toBe(0)
    expect(world).toBeDefined()
  })

  it('is the same each time it is built', async () => {
    expect(Buffer.compare(await preparedEngineProgram(), shipped)).toBe(0)
  })

  it('has no world for an engine of other sources', async () => {
    const other = withoutPreparedWorld(shipped, `${coreCode} `)
    expect(other.readWorld()).toBeUndefined()
    expect(Buffer.compare(other.program, await readEngineProgram())).toBe(0)
  })
})

describe('a section of a program', () => {
  const header = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])

  it('is removed, and others stay', () => {
    const first = withCustomSection(header, 'one', Uint8Array.from([1]))
    const whole = withCustomSection(
      withCustomSection(first, 'two', Uint8Array.from([2, 2])),
      'three',
      new Uint8Array(200),
    )
    const { program: rest, content } = withoutCustomSection(whole, 'two')
    expect([...(content ?? [])]).toEqual([2, 2])
    expect(withoutCustomSection(rest, 'two').content).toBeUndefined()
    expect(withoutCustomSection(rest, 'one').content).toEqual(Buffer.from([1]))
    expect(withoutCustomSection(rest, 'three').content).toHaveLength(200)
  })
})
