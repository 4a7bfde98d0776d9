/**
 * Attacks on the memory of script engines: no script reads or writes memory that is not its own, and whatever a
 * script does to its engine, the next one starts in a fresh one.
 *
 * Rules: each script provokes one known memory error and throws when it sees a value that it must not see.
 */
import { describe, expect, it } from 'vitest'
import { ThreadEngine } from '../../../../src/runner/scripting/thread/thread-engine.ts'
import { hostileScript } from '../hostile-scripts.ts'
import { logsOf, runScript } from '../running-scripts.ts'

/** More of them, by other seeds, found nothing else. */
const SCRIPTS = 150

const spray = `const kept = []
const fill = (count, bytes) => { for (let i = 0; i < count; i++) kept.push(new Uint8Array(bytes).fill(0xa5)) }
const isKeptWhole = () => kept.every((each) => each.every((byte) => byte === 0xa5))
const expectThat = (isTrue, message) => { if (!isTrue) throw new Error(message) }
`

const provocations: Readonly<Record<string, string>> = {
  'a typed array made from a buffer that shrinks meanwhile': `
    for (const given of [[], [8, 16]]) {
      const buffer = new ArrayBuffer(64, { maxByteLength: 64 })
      const target = (function () {}).bind()
      Object.defineProperty(target, 'prototype', { get() { buffer.resize(0); fill(50, 64); return Uint8Array.prototype } })
      let array
      try { array = Reflect.construct(Uint8Array, [buffer, ...given], target) } catch {}
      expectThat(array === undefined || array[0] === undefined, 'reads past the buffer')
    }`,
  'with() of a typed array whose buffer shrinks meanwhile': `
    const buffer = new ArrayBuffer(4096, { maxByteLength: 4096 })
    const array = new Int32Array(buffer).fill(7)
    let copy = []
    try { copy = array.with(0, { valueOf() { buffer.resize(8); fill(400, 256); return 7 } }) } catch {}
    expectThat([...copy].every((value) => value === 7 || value === 0), 'reads past the buffer')`,
  'a sort that shrinks its buffer at any comparison': `
    for (let trigger = 1; trigger < 2400; trigger += 23) {
      const buffer = new ArrayBuffer(256, { maxByteLength: 2560 })
      const array = new Uint8Array(buffer).map((_, index) => index)
      const view = new Uint8Array(buffer)
      for (let index = 0; index < 256; index++) view[index] = index === 255 ? 0 : index
      let count = 0
      try { view.sort((a, b) => { if (++count === trigger) { buffer.resize(10); kept.length = 0; fill(4, 246) } return a - b }) } catch {}
      expectThat(isKeptWhole() && view.length === (count < trigger ? 256 : 10), 'writes past the buffer')
    }`,
  'a copied array that the collector sees half filled': `
    for (const copy of ['toReversed', 'toSorted', 'toSpliced', 'with']) {
      for (let round = 0; round < 20; round++) {
        fill(1, 160)
        kept.length = 0
        const list = { length: 20 }
        for (let index = 0; index < 20; index++) {
          Object.defineProperty(list, index, { get() { const ring = {}; ring.ring = ring; for (let i = 0; i < 60; i++) { const other = { ring }; other.self = other } return index } })
        }
        const result = Array.prototype[copy].apply(list, copy === 'toSorted' ? [] : [0, 0])
        expectThat(Array.isArray(result) && result.every((each) => Number.isInteger(each)), copy)
      }
    }`,
  'a slice of a buffer that shrinks meanwhile': `
    const buffer = new ArrayBuffer(1000, { maxByteLength: 2000 })
    buffer.constructor = { [Symbol.species]: function (size) { buffer.resize(100); fill(50, 400); return new ArrayBuffer(size) } }
    let part = new ArrayBuffer(0)
    try { part = buffer.slice(500, 1000) } catch {}
    expectThat(new Uint8Array(part).every((byte) => byte === 0), 'reads past the buffer')`,
  'a view that writes into a buffer which is freed meanwhile': `
    const buffer = new ArrayBuffer(256, { maxByteLength: 512 })
    const view = new DataView(buffer, 128)
    try { view.setUint8({ valueOf() { buffer.resize(0); fill(50, 256); return 4 } }, 0x55) } catch {}
    try { new Uint8Array(buffer).fill({ valueOf() { buffer.resize(0); fill(50, 256); return 0x55 } }) } catch {}
    expectThat(isKeptWhole(), 'writes past the buffer')`,
  'a view of a buffer that was transferred': `
    const buffer = new ArrayBuffer(256, { maxByteLength: 512 })
    const view = new Uint8Array(buffer)
    const moved = buffer.transfer(64)
    fill(100, 256)
    view[0] = 1
    expectThat(view.length === 0 && view[0] === undefined && moved.byteLength === 64 && isKeptWhole(), 'writes into it')`,
  'a generator that is ended in the head of a loop': `
    function* first() { for (const each of yield []); }
    const generator = first()
    generator.next()
    expectThat(generator.return('end').value === 'end', 'loses its value')`,
  'a finalizer that finds its registry gone': `
    for (let round = 0; round < 2000; round++) {
      class Owner {
        #registry = new FinalizationRegistry(() => { fill(1, 8) })
        add(key) { this.#registry.register(key, {}, new WeakRef(key)) }
      }
      const key = { owner: new Owner() }
      key.owner.add(key)
      key.all = new Set([key])
    }
    expectThat(Array.from({ length: 20000 }, (_, i) => ({ i })).length === 20000, 'loses objects')`,
  'iterators that end themselves while they are asked': `
    let iterator
    const ending = { [Symbol.iterator]() { iterator.return(); return [][Symbol.iterator]() } }
    iterator = Iterator.concat?.(ending) ?? [].values()
    try { iterator.next() } catch {}
    fill(100, 48)
    expectThat(isKeptWhole(), 'writes into freed memory')`,
  'an array that grows by its length and then by push': `
    for (let round = 0; round < 30; round++) {
      const array = [0]
      array.length = 245
      array.push(2)
      kept.push(new Uint8Array(8).fill(0xa5))
      expectThat(array.length === 246 && array[245] === 2 && !(100 in array), 'loses elements')
    }
    Array.from({ length: 50000 }, (_, i) => ({ i }))`,
  'an asynchronous generator that is asked while it ends': `
    async function* endless() { try { yield 1; yield 2 } finally { await null } }
    for (let round = 0; round < 200; round++) {
      const generator = endless()
      for (const step of ['next', 'return', 'next', 'throw']) generator[step](round).catch(() => 0)
    }
    await sleep(1)`,
}

describe('the memory of the engine', () => {
  it.each(Object.entries(provocations))('holds against %s', async (_, code) => {
    expect(await logsOf(`${spray}${code}\nclient.log('whole')`)).toEqual(['whole'])
  })

  it.each([
    ['an error of the script', 'globalThis.left = new Uint8Array(6e6).fill(0xa5); null.x'],
    ['nothing but garbage', 'for (let i = 0; i < 60; i++) new Uint8Array(200_000).fill(0xa5)'],
    ['the time limit', 'globalThis.left = new Uint8Array(6e6).fill(0xa5); for (;;);'],
    ['the memory limit', 'const all = []; for (;;) all.push(new Uint8Array(1e6).fill(0xa5))'],
    ['the stack of the host', `JSON.parse('['.repeat(400_000))`],
    ['a stack of the engine', '(function f() { f() })()'],
  ])('is fresh for the next script after %s', async (_, code) => {
    const engine = new ThreadEngine()
    const limits = { timeoutMs: 500, memoryBytes: 32 * 1024 * 1024 }
    await runScript(`Array.prototype.left = Object.prototype.left = 1; ${code}`, { engine, limits })
    const seen = `client.log(typeof left, [].left, new Uint8Array(8e6).indexOf(0xa5))`
    expect(await logsOf(seen, { engine })).toEqual(['undefined undefined -1'])
  })

  const passed = (name: string): object => ({ name, failure: undefined })
  const failed = (name: string, message: string): object => ({
    name,
    failure: { message: expect.stringContaining(message) },
  })
  const large = 'const all = []; for (;;) all.push(new Uint8Array(1e6))'
  const kept = 'globalThis.kept = new Uint8Array(2e7).fill(7)'
  const small = 'client.test("b", () => client.assert(typeof kept === "undefined"))'

  it.each<[what: string, scripts: readonly string[], tests: readonly object[]]>([
    [
      'needs more than a new engine has',
      [`${kept}; client.test("a", () => client.assert(kept.at(-1) === 7))`, small, small],
      [passed('a'), passed('b'), passed('b')],
    ],
    ['needs more in a test', [`client.test("a", () => { ${kept} })`, small], [passed('a'), passed('b')]],
    [
      'reaches the limit',
      [small, `client.test("a", () => {}); ${large}`, small],
      [passed('b'), failed('a', 'the memory limit'), passed('b')],
    ],
    [
      'reaches the limit in a test',
      [`client.test("a", () => { ${large} })`, small],
      [failed('a', 'the memory limit'), passed('b')],
    ],
    [
      'needs more, and is followed by one without tests',
      [`${kept}; client.test("a", () => client.assert(kept.at(-1) === 7))`, 'null', small],
      [passed('a'), passed('b')],
    ],
  ])('is enough for the tests of several scripts if one of them %s', async (_, scripts, tests) => {
    const { events } = await runScript('', { scripts, engine: new ThreadEngine() })
    expect(events).toMatchObject(tests)
  })

  it('holds against scripts that resize, end and replace values that the engine is using', async () => {
    const engine = new ThreadEngine()
    const limits = { timeoutMs: 2000, memoryBytes: 32 * 1024 * 1024 }
    for (let seed = 1; seed <= SCRIPTS; seed++) {
      const code = hostileScript(seed)
      const { outcome, failure } = await runScript(code, { engine, limits })
      expect(['done', 'failed'], `seed ${seed}`).toContain(outcome)
      expect(failure?.message ?? '', `seed ${seed}:\n${code}`).not.toMatch(/engine failed|reads|writes/)
    }
    expect(await logsOf('client.log(typeof kept, [].length)', { engine })).toEqual(['undefined 0'])
  })
})
