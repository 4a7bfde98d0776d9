/** The script engine: what handlers can do, what they cannot, and what stops them. */
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../../../src/http-file/index.ts'
import { ThreadEngine } from '../../../../src/runner/scripting/thread/thread-engine.ts'
import { noFiles } from '../../../helpers/file-root.ts'
import { logsOf, runScript as run } from '../running-scripts.ts'

/** For what takes seconds on a busy machine, and is not about time. */
const patient = { timeoutMs: 60_000, memoryBytes: 32 * 1024 * 1024 }

describe('a handler sees', () => {
  it.each<[string, string]>([
    ['response.status', '200'],
    ['response.contentType.mimeType', 'application/json'],
    ['response.contentType.charset', 'utf-8'],
    ['response.body.id', '7'],
    ['response.body.name', 'Zoë 🦊'],
    ['response.body === response.body', 'true'],
    ['response.headers.valueOf("X-ONE")', '1'],
    ['response.headers.valuesOf("x-ONE")', '["1","2"]'],
    ['response.headers.valueOf("none")', 'null'],
    ['response.headers.valuesOf("none")', '[]'],
    ['response.headers.valueOf("__proto__")', 'null'],
    ['"a", 1, true, null, undefined, {a: [1]}', 'a 1 true null undefined {"a":[1]}'],
    ['new Error("x")', 'Error: x'],
    ['(() => { const a = {}; a.a = a; return a })()', '[object Object]'],
    ['[3, 1].toSorted()', '[1,3]'],
  ])('%s as %s', async (expression, text) => {
    expect(await logsOf(`client.log(${expression})`)).toEqual([text])
  })

  it.each<[string, string, string]>([
    ['a string where the type is not JSON', 'text/plain', 'string'],
    ['a parsed value for structured suffixes', 'application/problem+json', 'object'],
  ])('%s', async (_, mimeType, type) => {
    const changes = { mimeType }
    expect(await logsOf('client.log(typeof response.body)', changes)).toEqual([type])
  })

  it('the text if JSON does not parse', async () => {
    const changes = { body: '{"a":' }
    expect(await logsOf('client.log(response.body)', changes)).toEqual(['{"a":'])
  })

  it('global variables of earlier scripts, and returns its own', async () => {
    const globals = new Map<string, JsonValue>([['a', 'A']])
    const logs = await logsOf(
      `const { global } = client
       client.log(global.get('a'), global.get('none'), global.isEmpty())
       global.set('b', { c: [1] }); client.log(global.get('b').c[0])
       global.clear('a'); client.log(global.get('a'))
       global.set('d', 1)`,
      { globals },
    )
    expect(logs).toEqual(['A undefined false', '1', 'undefined'])
    expect([...globals]).toEqual([
      ['b', { c: [1] }],
      ['d', 1],
    ])
    expect(await logsOf('client.global.clearAll(); client.log(client.global.isEmpty())', { globals })).toEqual(['true'])
  })

  it('nothing that an earlier script left', async () => {
    await run('globalThis.left = 1; Object.prototype.left = 1; client.left = 1; JSON.parse = null')
    expect(await logsOf('client.log(typeof left, ({}).left, client.left)')).toEqual(['undefined undefined undefined'])
  })
})

describe('tests', () => {
  it('run after the script, each on its own', async () => {
    const { events, failure } = await run(`
      client.test('first', () => client.log('in first'))
      client.test('second', function () { client.assert(response.status === 404, 'status ' + response.status) })
      client.test('third', () => { null.x })
      client.test('fourth', () => {})
      client.log('script ends')`)
    expect(failure).toBeUndefined()
    expect(events).toMatchObject([
      { type: 'log', text: 'script ends' },
      { type: 'log', text: 'in first' },
      { type: 'test', name: 'first', failure: undefined },
      { type: 'test', name: 'second', failure: { kind: 'assertion', message: 'status 200', line: 3 } },
      {
        type: 'test',
        name: 'third',
        failure: { kind: 'error', message: expect.stringContaining('TypeError: '), line: 4 },
      },
      { type: 'test', name: 'fourth', failure: undefined },
    ])
  })

  it('may be asynchronous', async () => {
    const { events } = await run(`
      client.test('resolves', async () => { await 1; await 2 })
      client.test('rejects', async () => { await 1; client.assert(false, 'late') })
      client.test('never ends', () => new Promise(() => {}))`)
    expect(events).toMatchObject([
      { name: 'resolves', failure: undefined },
      { name: 'rejects', failure: { message: 'late' } },
      { name: 'never ends', failure: { message: 'its promise is never settled' } },
    ])
  })

  it('registered by a test run after the others', async () => {
    const { events, failure } = await run(`
      client.test('outer', () => { client.test('inner', () => client.assert(false, 'm')) })
      client.test('other', () => {})`)
    expect(failure).toBeUndefined()
    expect(events).toMatchObject([
      { name: 'outer', failure: undefined },
      { name: 'other', failure: undefined },
      { name: 'inner', failure: { message: 'm' } },
    ])
  })

  it('that register others endlessly are stopped, wherever the limit hits', async () => {
    const { events, failure } = await run(`const again = () => client.test('again', again); again()`, {
      limits: { timeoutMs: 200, memoryBytes: 32 * 1024 * 1024 },
    })
    const failures = [failure, ...events.map((event) => (event.type === 'test' ? event.failure : undefined))]
    expect(failures.filter((each) => each?.kind === 'timeout' || each?.kind === 'output')).toHaveLength(1)
  })

  it('are reported once, even if a later one settles the promise of an earlier one', async () => {
    const { events } = await run(`
      let settle
      client.test('first', () => new Promise((resolve) => { settle = resolve }))
      client.test('second', () => settle())`)
    expect(events).toMatchObject([
      { name: 'first', failure: { message: 'its promise is never settled' } },
      { name: 'second', failure: undefined },
    ])
  })

  it('cannot reach what is kept of them', async () => {
    const { events } = await run('client.test("a", function () { this.settled = true; return new Promise(() => {}) })')
    expect(events).toMatchObject([{ name: 'a', failure: {} }])
  })

  it('registered before an error still run', async () => {
    const { events, failure } = await run('client.test("a", () => {})\n  client.assert(false, "outside")')
    expect(events).toEqual([{ type: 'test', name: 'a', failure: undefined }])
    expect(failure).toMatchObject({ kind: 'assertion', message: 'outside', line: 2 })
  })
})

describe('an error shows its cause and place', () => {
  it.each<[string, string, object]>([
    [
      'an asynchronous script that fails',
      '(async () => {\n  await 1\n  client.assert(false, "late")\n})()',
      { kind: 'assertion', message: 'late', line: 3 },
    ],
    [
      'an asynchronous script that never ends',
      'await new Promise(() => {})',
      { kind: 'error', message: 'its promise is never settled' },
    ],
    ['thrown errors', '\n  throw new RangeError("no")', { kind: 'error', message: 'RangeError: no', line: 2 }],
    ['thrown strings', 'throw "no"', { kind: 'error', message: 'thrown: no', line: undefined }],
    ['thrown objects', 'throw {a: 1}', { kind: 'error', message: 'thrown: {"a":1}', line: undefined }],
    ['thrown null', 'throw null', { kind: 'error', message: 'thrown: null', line: undefined }],
    ['syntax errors', '\nlet a = ;', { kind: 'error', message: expect.stringMatching(/^SyntaxError: /), line: 2 }],
    ['unknown names', 'nope()', { kind: 'error', message: expect.stringContaining('nope is not defined'), line: 1 }],
    [
      'errors that hide themselves',
      'throw new Proxy(new Error("x"), { get() { throw 1 } })',
      { kind: 'error', message: 'an error that cannot be shown' },
    ],
    ['assertions without a message', 'client.assert(0)', { kind: 'assertion', message: 'assertion failed', line: 1 }],
    [
      'a test without a function',
      'client.test("a")',
      { kind: 'error', message: expect.stringContaining('client.test') },
    ],
    [
      'a value that JSON cannot hold',
      'client.global.set("a", () => 1)',
      { kind: 'error', message: expect.stringContaining('JSON') },
    ],
  ])('%s', async (_, code, expected) => {
    expect((await run(code)).failure).toMatchObject(expected)
  })

  it.each<[code: string, message: string, column: number]>([
    ['response.body.foo()', 'response.body.foo is not a function', 1],
    ['x = 1; x(response.status, 1)', 'x is not a function', 8],
    ['client.log(1, response.body.foo(1 + response.status))', 'response.body.foo is not a function', 15],
    ['client.assert(response.body.foo("x") === 1)', 'response.body.foo is not a function', 15],
    ['client.assert.true(response.status == 2)', 'client.assert.true is not a function', 1],
    ['client.assert(response.body["foo"](1))', 'response.body["foo"] is not a function', 15],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a script is a text here
    ['`a ${response.body?.foo(1)}`', 'response.body?.foo is not a function', 6],
    ['[1].forEach((a) => a.b(response.status))', 'a.b is not a function', 20],
    // Either of two calls may have failed, or what is called has no name.
    ['response.body.foo(JSON.stringify(1), 2)', 'not a function', 24],
    ['[response.body][0].foo(response.status)', 'not a function', 24],
    // The function exists, and received none.
    ['[1].map(5)', 'not a function', 5],
  ])('a call of what is not a function: %s', async (code, message, column) => {
    const { failure } = await run(code)
    expect([failure?.message, failure?.column]).toEqual([`TypeError: ${message}`, column])
  })
})

describe('a script is stopped', () => {
  const short = { limits: { timeoutMs: 100, memoryBytes: 32 * 1024 * 1024 } }

  it.each<[string, string]>([
    ['a loop', 'for (;;) {}'],
    ['a loop that catches', 'for (;;) { try { for (;;) {} } catch {} }'],
    ['a loop that finally loops', 'try { for (;;) {} } finally { for (;;) {} }'],
    ['promise jobs without end', '(async () => { for (;;) await 1 })()'],
    ['a regular expression that explodes', '/(a+)+$/.test("a".repeat(60) + "b")'],
    ['a getter that loops while an error is shown', 'throw { toJSON() { for (;;) {} } }'],
  ])('by time: %s', async (_, code) => {
    expect((await run(code, short)).failure).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('0.1 s'),
    })
  })

  it.each<[string, string]>([
    ['objects without end', 'const a = []; for (;;) a.push({ x: 1 })'],
    ['one buffer that is too large', 'new Uint8Array(1e9)'],
    ['strings without end', 'const a = []; for (let i = 0; ; i++) a.push("x".repeat(1e6) + i)'],
    ['a map without end', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, "k" + i)'],
    ['closures without end', 'let f = () => 1; for (;;) { const g = f; f = () => g() }'],
    ['an array filled', 'new Array(1e9).fill(0)'],
    ['in a test', 'client.test("a", () => { const a = []; for (;;) a.push({ x: 1 }) })'],
  ])('by memory: %s', async (_, code) => {
    const before = process.memoryUsage().rss
    const { failure, events } = await run(code)
    const found =
      failure ?? events.flatMap((event) => (event.type === 'test' && event.failure ? [event.failure] : []))[0]
    expect(found).toMatchObject({ kind: 'memory', message: expect.stringContaining('32 MiB') })
    expect(process.memoryUsage().rss - before).toBeLessThan(120 * 1024 * 1024)
    expect(await logsOf('client.log(1)')).toEqual(['1'])
  })

  it('by memory even if it catches the error, and the next script runs', async () => {
    const { failure } = await run('const a = []; for (;;) { try { for (;;) a.push({ x: [1] }) } catch {} }', {
      limits: { timeoutMs: 15_000, memoryBytes: 32 * 1024 * 1024 },
    })
    expect(failure?.kind).toBe('memory')
    expect(await logsOf('client.log(1)')).toEqual(['1'])
  })

  it.each<[string, string, string, number]>([
    ['time', 'for (;;) {}', 'timeout', 500],
    ['time, in a promise job', 'return (async () => { for (;;) await 1 })()', 'timeout', 500],
    ['output', 'for (;;) client.log("x".repeat(1e5))', 'output', 15_000],
  ])('in a test by %s: that test fails, and later ones are reported', async (_, code, kind, timeoutMs) => {
    const { events, failure } = await run(
      `client.test('ok', () => {}); client.test('stuck', () => { ${code} }); client.test('next', () => {})`,
      { limits: { timeoutMs, memoryBytes: 32 * 1024 * 1024 } },
    )
    expect(failure).toBeUndefined()
    expect(events.filter(({ type }) => type === 'test')).toMatchObject([
      { name: 'ok', failure: undefined },
      { name: 'stuck', failure: { kind } },
      { name: 'next', failure: { kind: 'error', message: expect.stringContaining('not run') } },
    ])
  })

  it('after the last test, which has passed: then the script fails', async () => {
    const { events, failure } = await run('client.test("a", () => { (async () => { await 1; for (;;) {} })() })', short)
    expect(events).toEqual([{ type: 'test', name: 'a', failure: undefined }])
    expect(failure?.kind).toBe('timeout')
  })

  it('in a test, and earlier failures are reported as well', async () => {
    const { events, failure } = await run(
      'client.test("stuck", () => { for (;;) {} }); client.assert(false, "m")',
      short,
    )
    expect(failure).toMatchObject({ kind: 'assertion', message: 'm' })
    expect(events).toMatchObject([{ name: 'stuck', failure: { kind: 'timeout' } }])
  })

  it('by output, even if it catches all errors', async () => {
    const { failure, events } = await run('for (;;) { try { client.log("x".repeat(100000)) } catch {} }', {
      limits: patient,
    })
    expect(failure?.kind).toBe('output')
    expect(events.length).toBeLessThan(100)
  })

  it.each([
    'JSON.parse("[".repeat(1e6))',
    'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)',
    'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity)',
    'new RegExp("(".repeat(1e5) + ")".repeat(1e5))',
    'eval("(".repeat(1e5))',
    'eval("[".repeat(1e5))',
  ])('if it is nested too deep for the engine, and the next script runs: %s', async (code) => {
    const { failures } = await run(code, { limits: patient })
    expect(failures).toMatchObject([{ kind: 'error' }])
    expect(await logsOf('client.log(1)')).toEqual(['1'])
  })

  it.each<[string, string]>([
    ['copying without end', 'Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)'],
    ['arrays that share what is in them', 'let a = []; for (let i = 0; i < 60; i++) a = [a, a]; a.flat(Infinity)'],
    ['an array without entries', 'const a = []; a.length = 4294967295; a.indexOf(1)'],
    ['sorting nothing', '[].sort.call({ get length() { return 2 ** 53 - 1 } })'],
  ])('by time in a step that the engine cannot leave: %s', async (_, code) => {
    const { failures } = await run(code, { limits: { timeoutMs: 100, memoryBytes: 32 * 1024 * 1024 } })
    expect(failures).toMatchObject([{ kind: 'timeout' }])
    expect(await logsOf('client.log(1)')).toEqual(['1'])
  })

  const endless = 'Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)'

  it('in such a step: tests that can no longer run fail, and later scripts run', async () => {
    const scripts = ['client.test("a", () => {})', `client.log("b"); ${endless}`, 'client.test("c", () => {})']
    const outcome = await run('', { scripts, limits: { timeoutMs: 100, memoryBytes: 32 * 1024 * 1024 } })
    expect(outcome).toMatchObject({
      outcome: 'failed',
      failures: [{ kind: 'timeout' }],
      events: [
        { type: 'log', text: 'b' },
        { type: 'test', name: 'a', failure: { kind: 'error', message: expect.stringMatching(/^not run/) } },
        { type: 'test', name: 'c', failure: undefined },
      ],
    })
  })

  it('in a way that the engine does not survive: no test is lost silently', async () => {
    const { outcome, failures, events } = await run('', {
      scripts: ['client.test("a", () => {})', 'eval("[".repeat(1e5))'],
    })
    expect([outcome, failures.length, events]).toMatchObject(['failed', 1, [{ type: 'test', name: 'a' }]])
  })

  it('in such a step of a test: that test fails, and later ones do not run', async () => {
    const code = `client.test("a", () => {}); client.test("b", () => ${endless}); client.test("c", () => {})`
    const outcome = await run(code, { limits: { timeoutMs: 100, memoryBytes: 32 * 1024 * 1024 } })
    expect(outcome).toMatchObject({
      outcome: 'failed',
      failures: [],
      events: [
        { name: 'a', failure: undefined },
        { name: 'b', failure: { kind: 'timeout' } },
        { name: 'c', failure: { kind: 'error', message: expect.stringMatching(/^not run/) } },
      ],
    })
  })

  it('in such a step by an interruption, which does not wait for the limit', async () => {
    const interruption = new AbortController()
    const events: string[] = []
    const engine = new ThreadEngine()
    const outcome = await engine.run({
      scripts: [{ parts: [`client.log('in'); ${endless}`], path: '/a.http', files: noFiles }],
      phase: 'pre-request',
      ask: () => undefined,
      askLater: async () => undefined,
      untimedOperations: new Set(),
      hasOwnClock: false,
      limits: { timeoutMs: 1_000_000, memoryBytes: 32 * 1024 * 1024 },
      signal: interruption.signal,
      onEvent: ({ type }) => {
        events.push(type)
        interruption.abort()
      },
    })
    engine.close()
    expect([outcome, events]).toEqual(['aborted', ['log']])
  })

  it('when it calls itself endlessly', async () => {
    expect((await run('(function f() { f() })()')).failure?.message).toContain('Maximum call stack size exceeded')
  })

  it('when it reads a body that does not fit', async () => {
    const body = 'x'.repeat(40_000_000)
    expect((await run('client.log(response.body.length)', { body })).failure).toMatchObject({ kind: 'memory' })
    expect(await logsOf('client.log(response.status)', { body })).toEqual(['200'])
  })
})

describe('nothing of the host is reachable', () => {
  it.each([
    ...['process', 'require', 'module', 'global', 'Buffer', 'fetch', 'WebAssembly', 'std', 'os'],
    ...['emit', 'inputJson', 'bodyText', 'scriptArgs', 'importScripts', 'Worker', 'Intl', 'performance', 'navigator'],
  ])('not %s', async (name) => {
    expect(await logsOf(`client.log(typeof globalThis.${name}, typeof ${name})`)).toEqual(['undefined undefined'])
  })

  it.each([
    ['a constructor of a function', 'client.log.constructor("return typeof process")()'],
    ['a constructor of a constructor', 'client.constructor.constructor("return typeof process")()'],
    [
      'a thrown error',
      '(() => { try { null.x } catch (e) { return e.constructor.constructor("return typeof process")() } })()',
    ],
    ['an accessor', 'Object.getOwnPropertyDescriptor(response, "body").get.constructor("return typeof process")()'],
    ['eval', '(0, eval)("typeof process")'],
  ])('not by %s', async (_, expression) => {
    expect(await logsOf(`client.log(${expression})`)).toEqual(['undefined'])
  })

  it('not by an import', async () => {
    const { events, failure } = await run(`
      client.test('dynamic', async () => { await import('node:fs') })
      client.test('own file', async () => { await import('./x.js') })`)
    expect(failure).toBeUndefined()
    expect(events).toMatchObject([{ failure: { kind: 'error' } }, { failure: { kind: 'error' } }])
  })

  it('and a script that changes built-ins still gets correct results', async () => {
    const { events } = await run(`
      Object.prototype.toJSON = () => 'gone'; JSON.stringify = () => 'gone'; Array.prototype.push = null
      Object.defineProperty(Object.prototype, 'error', { value: 1 }); String = null
      client.test('a', () => {}); client.test('b', () => client.assert(false, 'm')); client.log('x')`)
    expect(events).toMatchObject([
      { type: 'log', text: 'x' },
      { type: 'test', name: 'a', failure: undefined },
      { type: 'test', name: 'b', failure: { message: 'm' } },
    ])
  })

  it('and its own client and response cannot be replaced for the tests', async () => {
    const { events } = await run(
      'globalThis.client = 1; response.status = 500; client.test("a", () => client.log(response.status))',
    )
    expect(events[0]).toEqual({ type: 'log', text: '200' })
  })
})
