/**
 * Scripts on the thread of the program: what ends there comes out as on a separate thread, and all else has not
 * happened.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import type { JsonValue } from '../../../../src/http-file/index.ts'
import { DirectEngine } from '../../../../src/runner/scripting/thread/direct-engine.ts'
import { runScript, type Settings } from '../running-scripts.ts'

let direct: DirectEngine
beforeEach(() => {
  direct = new DirectEngine()
})

const known = (): Map<string, JsonValue> => new Map<string, JsonValue>([['old', { deep: [1] }]])

type Case = readonly [what: string, script: string, settings?: Settings]

const short: readonly Case[] = [
  // First, while none is loaded.
  ['libraries', "client.log(btoa('abc')); client.log(new URLSearchParams('a=b').get('a'))"],
  ['logs', "client.log([1, 2].map((n) => n * 2)); console.log('x\\0y')"],
  ['tests', "client.test('a', () => client.assert([7].includes(response.body.id))); client.test('b', () => {})"],
  ['failing tests', "client.test('a', () => client.assert([1].length === 2, 'differs')); client.test('b', () => {})"],
  ['an error with its place', "const a = 1\n\n  throw new TypeError('here')"],
  ['an error of syntax', 'const = 1'],
  ['a common block', 'client.log(twice(2))', { common: ['const twice = (n) => n * 2'] }],
  ['several scripts', '', { scripts: ["client.test('a', () => {})", "globalThis.b = 1; client.log('b')"] }],
  ['variables', "client.global.set('n', [1, {}]); request.variables.set('a', 1); client.global.clear('old')"],
  ['promises', "await Promise.resolve(); Promise.resolve().then(() => client.log('late')); client.log('early')"],
  ['a promise that is never settled', 'await new Promise(() => {})'],
  ['a rejection', "Promise.reject(new Error('nobody looks'))"],
  ['an exit', "client.log('a'); client.exit(); client.log('b')"],
  ['cryptography', "client.log(crypto.sha256().updateWithText('a').digest().toHex())"],
  ['the request', 'client.log(request.url.getRaw(), request.url.tryGetSubstituted())'],
  [
    'a script before the request',
    "client.log(typeof response, request.method); client.global.set('x', 1)",
    { phase: 'pre-request' },
  ],
  ['a stack that overflows', 'const f = () => f(); try { f() } catch (error) { client.log(error.constructor.name) }'],
]

function whole([what, script, settings = {}]: Case): readonly [string, string, Settings] {
  return [what, script, settings]
}

describe('a script that ends soon', () => {
  it.each(short.map(whole))('gives the same result as on a separate thread: %s', async (_, script, settings) => {
    const [here, there] = [known(), known()]
    const outcome = await runScript(script, { ...settings, globals: here, direct })
    expect(outcome.outcome).not.toBe('declined')
    expect(outcome).toEqual(await runScript(script, { ...settings, globals: there }))
    expect([...here]).toEqual([...there])
  })

  it('leaves no state for the next one', async () => {
    const script = "client.log(typeof left, [].left); globalThis.left = 1; Array.prototype.left = 'x'"
    for (const _ of [1, 2, 3]) {
      expect((await runScript(script, { direct })).events).toEqual([{ type: 'log', text: 'undefined undefined' }])
    }
  })

  it('runs alone if several are started at once', async () => {
    const script = (n: number): string =>
      `globalThis.sum = 0\nfor (let i = 0; i < 10; i++) { sum += ${n}; await null }\nclient.log(sum)`
    const numbers = [1, 2, 3, 4, 5]
    const outcomes = await Promise.all(numbers.map((n) => runScript(script(n), { direct })))
    expect(outcomes.map(({ events }) => events)).toEqual(numbers.map((n) => [{ type: 'log', text: String(10 * n) }]))
  })
})

/** Set before what makes the script go to a thread. */
const effects =
  "client.log('once'); client.global.set('old', 1); client.global.set('new', 2); request.variables.clearAll();\n"

const long: readonly Case[] = [
  ['computes without end', 'for (;;);'],
  ['computes long in a built-in function', "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 'x')"],
  ['computes long in a pattern', "/^(a+)+$/.test('a'.repeat(40) + 'b')"],
  ['moves much memory', 'const view = new Uint8Array(8_000_000); for (let i = 0; i < 10_000; i++) view.fill(i)'],
  ['takes much memory', 'const kept = []; for (;;) kept.push(new Uint8Array(1_000_000))'],
  ['computes long in a test', "client.test('a', () => { for (;;); })"],
  ['computes long in promises', 'const again = () => Promise.resolve().then(again); await again()'],
  ['computes long while its error is described', 'throw { get message() { for (;;); }, toString() { for (;;); } }'],
  ['asks for much', 'for (let i = 0; i < 3000; i++) client.global.get("old")'],
  ['asks for much that is slow', "for (let i = 0; i < 30; i++) crypto.sha256().updateWithText('a').digest().toHex()"],
  ['waits for a timer', 'await sleep(9000)'],
  ['waits for a timer in a test', "client.test('a', async () => { await sleep(9000) })"],
  ['imports a module', "import './a.js'"],
  ['imports a module later', "await import('./a.js')"],
  ['runs a program', "execSync('true')", { allowExec: true }],
  ['draws random bytes that must be the same in every run', 'Math.random()', { isRepeatable: true }],
  ['comes after one that computes without end', '', { scripts: [`${effects}for (;;);`, "client.log('b')"] }],
  [
    'computes without end in a test, after the tests of another one',
    '',
    { scripts: [`${effects}client.test('a', () => {})`, "client.test('b', () => { for (;;); })"] },
  ],
]

describe('a script that does not end soon, or waits', () => {
  it.each(long.map(whole))('has not happened: it %s', async (_, script, settings) => {
    const globals = known()
    const outcome = await runScript(effects + script, { ...settings, globals, direct })
    expect(outcome).toEqual({ outcome: 'declined', events: [], failure: undefined, failures: [] })
    expect([...globals]).toEqual([...known()])
    expect((await runScript("client.log('next')", { direct })).events).toEqual([{ type: 'log', text: 'next' }])
  })

  it('is declined immediately the second time', async () => {
    const globals = known()
    const settings = { globals, direct }
    await runScript(`${effects}for (;;);`, settings)
    let asked = 0
    globals.set = () => {
      asked++
      return globals
    }
    expect((await runScript(`${effects}for (;;);`, settings)).outcome).toBe('declined')
    expect(asked).toBe(0)
  })

  it('is not tried while lines of the response arrive', async () => {
    const stream = { kind: 'lines', next: async () => undefined, close: () => undefined } as const
    expect((await runScript("client.log('a')", { direct, response: { stream } })).outcome).toBe('declined')
  })
})
