/** The API of scripts: client, request, response, variables, timers and streams. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts are texts here
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../../src/http-file/index.ts'
import type { ScriptStream } from '../../../src/runner/scripting/operations/script-scene.ts'
import { logsOf, runScript } from './running-scripts.ts'

describe('before a request a script sees', () => {
  it.each<[string, string]>([
    ['request.method', 'POST'],
    ['request.url.getRaw()', 'http://{{host}}/a'],
    ['request.url.tryGetSubstituted()', 'http://h.test/a'],
    ['request.url()', 'http://h.test/a'],
    ['`${request.url}`', 'http://h.test/a'],
    ['request.body.getRaw()', '{{x}}'],
    ['request.body.tryGetSubstituted()', 'X'],
    ['request.headers.all().length', '1'],
    ['request.headers.all()[0].name', 'X-A'],
    ['request.headers.findByName("x-a").getRawValue()', '{{a}}'],
    ['request.headers.findByName("x-a").tryGetSubstitutedValue()', 'A'],
    ['request.header("X-A").value()', 'A'],
    ['request.headers.findByName("none")', 'null'],
    ['request.environment.get("secret")', 's3'],
    ['request.environment.get("none")', 'null'],
    ['request.iteration()', '3'],
    ['request.templateValue(1)', 't1'],
    ['request.templateValue(9)', 'null'],
    ['typeof response', 'undefined'],
    ['$uuid', 'u-1'],
    ['$random.integer(1, 2)', '1'],
    ['$random.address.city', 'Ulm'],
    ['typeof $random.address', 'object'],
  ])('%s as %s', async (expression, text) => {
    expect(await logsOf(`client.log(${expression})`, { phase: 'pre-request' })).toEqual([text])
  })
})

describe('variables', () => {
  it('of a request are set, read and cleared', async () => {
    const code = `
      const { variables } = request
      client.log(variables.isEmpty()); variables.set('a', { b: 1 }); client.log(variables.get('a').b, variables.isEmpty())
      variables.clear('a'); client.log(variables.get('a')); variables.set('c', 1); variables.clearAll()
      client.log(variables.isEmpty())`
    expect(await logsOf(code, { phase: 'pre-request' })).toEqual(['true', '1 false', 'null', 'true'])
  })

  it.each<[string, string]>([
    ['client.variables.file.get("host")', 'h.test'],
    ['client.variables.environment.get("secret")', 's3'],
    ['(client.variables.request.set("a", 1), client.variables.request.get("a"))', '1'],
    ['(client.variables.global.set("a", 2), client.global.get("a"))', '2'],
    ['typeof client.variables.environment.set', 'undefined'],
  ])('of each scope: %s', async (expression, text) => {
    expect(await logsOf(`client.log(${expression})`)).toEqual([text])
  })

  it('are copies: later changes have to be set again', async () => {
    const code = 'const a = { b: 1 }; client.global.set("a", a); a.b = 2; client.log(client.global.get("a").b)'
    expect(await logsOf(code)).toEqual(['1'])
  })

  it.each([
    ['client.global', 'undefined true'],
    ['request.variables', 'null true'],
  ])('of %s that are set to undefined are cleared', async (store, shown) => {
    const code = `${store}.set('a', 1); ${store}.set('a', {}.none); client.log(${store}.get('a'), ${store}.isEmpty())`
    expect(await logsOf(code, { phase: 'pre-request' })).toEqual([shown])
  })

  it('for headers of later requests must be valid fields', async () => {
    const globals = new Map<string, JsonValue>()
    await logsOf('client.global.headers.set("X-Session", "s 1")', { globals })
    expect([...globals]).toEqual([['header X-Session', 's 1']])
    await logsOf('client.global.headers.clear("X-Session")', { globals })
    expect([...globals]).toEqual([])
    const { failures } = await runScript('client.global.headers.set("A", "b\\r\\nX: y")', { globals })
    expect(failures).toMatchObject([{ message: expect.stringContaining('line break'), line: 1 }])
    expect([...globals]).toEqual([])
  })
})

describe('a response', () => {
  it('has its cookies, as a method and as a property', async () => {
    const expiresAt = Date.UTC(2030, 0, 2)
    const cookie = { value: '1', domain: 'h.test', path: '/', secure: true, httpOnly: false }
    const cookies = [
      { ...cookie, name: 'a', expiresAt },
      { ...cookie, name: 'b', expiresAt: undefined },
    ]
    const code = `
      client.log(response.cookies().length, response.cookies.length, response.cookies[1].name)
      client.log(response.cookies().map((cookie) => cookie.name))
      client.log(response.cookiesByName('a')[0].expiresAt.toISOString(), response.cookiesByName('b')[0].expiresAt)
      client.log(response.cookies.find(({ name }) => name === 'a').secure)
      client.log(JSON.stringify(response.cookies) === JSON.stringify(response.cookies()), String(response.cookies)[0])`
    expect(await logsOf(code, { response: { cookies } })).toEqual([
      '2 2 b',
      '["a","b"]',
      '2030-01-02T00:00:00.000Z null',
      'true',
      'true [',
    ])
  })

  it.each<[string, string, string, string]>([
    ['JSON', 'text/json', '[1, 2]', '[1,2]'],
    ['a JSON type of a vendor', 'application/vnd.api+json', '{"a":1}', '{"a":1}'],
    ['text', 'text/csv', 'a,b', 'a,b'],
    ['no type', '', 'plain', 'plain'],
    ['bytes between', '', 'a\0b', 'a\0b'],
    ['XML that is not well-formed', 'application/xml', '<a><b></a>', '<a><b></a>'],
  ])('with %s', async (_, mimeType, body, text) => {
    expect(await logsOf('client.log(response.body)', { mimeType, body })).toEqual([text])
  })

  it.each<[string, string, string]>([
    ['JSON', 'application/json', '{ "id": 1.0 }\n'],
    ['JSON in a text', 'application/json', '"ok"'],
    ['HTML', 'text/html', '<!doctype html>\n<p>Hi &amp; bye'],
    ['XML', 'application/xml', '<?xml version="1.0"?>\n<a/>'],
    ['text', 'text/csv', 'a,b'],
  ])('of %s is also the text that was received', async (_, mimeType, body) => {
    expect(await logsOf('client.log(response.text())', { mimeType, body })).toEqual([body])
  })

  it('is read in its charset, even if that is windows-1252', async () => {
    const settings = {
      mimeType: 'text/plain; charset=windows-1252',
      response: { body: () => Uint8Array.of(0x80, 0x93, 0xe9) },
    }
    expect(await logsOf('client.log(response.body, response.contentType.charset)', settings)).toEqual([
      '€“é windows-1252',
    ])
  })

  it('is not read before a script uses its body', async () => {
    let reads = 0
    const body = (): Uint8Array => {
      reads++
      return Buffer.from('{}')
    }
    await logsOf('client.log(response.status)', { response: { body } })
    expect(reads).toBe(0)
    await logsOf('client.log(response.body, response.body)', { response: { body } })
    expect(reads).toBe(1)
  })

  it('that was too large to be kept is reported', async () => {
    const { failures } = await runScript('response.body', { response: { body: () => undefined } })
    expect(failures).toMatchObject([{ message: expect.stringContaining('too large') }])
  })
})

describe('timers', () => {
  it('settle before the script ends, in time order', async () => {
    const code = `
      setTimeout((text) => client.log(text), 600, 'third')
      setTimeout(() => client.log('second'), '300')
      await sleep(1)
      client.log('first')`
    expect(await logsOf(code)).toEqual(['first', 'second', 'third'])
  })

  it('repeat until they are cleared', async () => {
    const code = 'let n = 0; const id = setInterval(() => { client.log(++n); if (n === 3) clearInterval(id) }, 1)'
    expect(await logsOf(code)).toEqual(['1', '2', '3'])
  })

  it('that are cleared do not run', async () => {
    expect(await logsOf('const id = setTimeout(() => client.log(1), 1); clearTimeout(id); await sleep(5)')).toEqual([])
  })

  it('in a test are waited for', async () => {
    const { events } = await runScript(`
      client.test('a', async () => { await sleep(2); client.assert(false, 'late') })
      client.test('b', () => { setTimeout(() => client.log('timer'), 2) })
      client.test('c', () => client.log('c'))`)
    expect(events).toMatchObject([
      { name: 'a', failure: { message: 'late' } },
      { text: 'timer' },
      { name: 'b', failure: undefined },
      { text: 'c' },
      { name: 'c' },
    ])
  })

  it('that never end are stopped by the time limit', async () => {
    const limits = { timeoutMs: 60, memoryBytes: 32 * 1024 * 1024 }
    for (const code of ['setInterval(() => {}, 1)', 'await sleep(1e9)', 'await sleep(1e12)']) {
      expect((await runScript(code, { limits })).failure).toMatchObject({ kind: 'timeout' })
    }
  })

  it('that throw fail the script, with their place', async () => {
    const { failures } = await runScript('setTimeout(() => {\n  null.x\n}, 1)')
    expect(failures).toMatchObject([{ kind: 'error', line: 2 }])
  })
})

describe('client.exit', () => {
  it.each<[string, string, string[]]>([
    ['ends the script at once, and nothing catches it', 'try { client.exit() } catch {} finally {} client.log(1)', []],
    ['keeps the tests that were registered', 'client.test("a", () => {}); client.exit()', ['test']],
    ['drops timers', 'setTimeout(() => client.log(1), 1); client.exit()', []],
    ['works after await', 'await sleep(1); client.exit(); client.log(1)', []],
    ['ends a test, which has passed', 'client.test("a", () => { client.exit(); client.log(1) })', ['test']],
  ])('%s', async (_, code, logs) => {
    expect(await logsOf(code)).toEqual(logs)
  })
})

describe('several handlers', () => {
  it('run one after the other, each in a separate world, and their tests after them', async () => {
    const scripts = [
      'const a = 1; globalThis.x = 1; client.test("one", () => client.log("t1", a, client.global.get("g")))',
      'client.log(typeof x); const a = 2; client.global.set("g", "G"); client.test("two", () => client.log("t2", a))',
    ]
    expect(await logsOf('', { scripts })).toEqual(['undefined', 't1 1 G', 'test', 't2 2', 'test'])
  })

  it('run even if an earlier one failed', async () => {
    const { events, failures } = await runScript('', { scripts: ['null.x', 'client.log("second")'] })
    expect(failures).toHaveLength(1)
    expect(events).toEqual([{ type: 'log', text: 'second' }])
  })
})

describe('a common block', () => {
  it('provides its names to the script, which may redefine them', async () => {
    const common = ['const a = 1; function twice(x) { return 2 * x }', 'let b = twice(a)']
    expect(await logsOf('const a = 5; client.log(a, b, twice(3))', { common })).toEqual(['5 2 6'])
  })

  it('that fails is reported at its own place', async () => {
    const { failures } = await runScript('client.log(1)', { common: ['const a = 1\nnull.x'] })
    expect(failures).toMatchObject([{ line: 2, column: 1 }])
  })
})

describe('a stream', () => {
  interface TestStream extends ScriptStream {
    readonly sent: string[]
    closed: boolean
  }
  function streamOf(kind: 'lines' | 'messages', items: readonly JsonValue[], isEndless = false): TestStream {
    let at = 0
    const stream: TestStream = {
      kind,
      sent: [],
      closed: false,
      next: async () =>
        stream.closed || at >= items.length ? (isEndless && !stream.closed ? 'more' : undefined) : items[at++],
      send: (message) => {
        stream.sent.push(message)
      },
      close: () => {
        stream.closed = true
      },
    }
    return stream
  }

  it('is passed on line by line, then finished', async () => {
    const stream = streamOf('lines', ['a', 'b'])
    const code = 'response.body.onEachLine((line) => client.log(line), () => client.log("end"))'
    expect(await logsOf(code, { response: { stream } })).toEqual(['a', 'b', 'end'])
  })

  it('that is endless ends when the script unsubscribes', async () => {
    const stream = streamOf('lines', [], true)
    const code = `let n = 0
      response.body.onEachLine((line, unsubscribe) => { if (++n === 3) unsubscribe() }, () => client.global.set('n', n))
      client.test('three', () => client.assert(client.global.get('n') === 3))`
    const { events, failures } = await runScript(code, { response: { stream } })
    expect([failures, stream.closed]).toEqual([[], true])
    expect(events).toEqual([{ type: 'test', name: 'three', failure: undefined }])
  })

  it('of messages accepts replies', async () => {
    const stream = streamOf('messages', ['ping', 'bye'])
    const code = `response.body.onEachMessage(async (message, unsubscribe, output) => {
      await sleep(1); output({ got: message }); if (message === 'bye') unsubscribe() })`
    expect(await logsOf(code, { response: { stream } })).toEqual([])
    expect(stream.sent).toEqual(['{"got":"ping"}', '{"got":"bye"}'])
  })

  it('whose callback throws fails the script at its place', async () => {
    const code = 'response.body.onEachLine((line) => {\n  client.assert(line === "b", "not b")\n})'
    const { failures } = await runScript(code, { response: { stream: streamOf('lines', ['a']) } })
    expect(failures).toMatchObject([{ kind: 'assertion', message: 'not b', line: 2, actual: '"a"', expected: '"b"' }])
  })

  it('that is slow does not use up the time of the script', async () => {
    const limits = { timeoutMs: 100, memoryBytes: 32 * 1024 * 1024 }
    let count = 0
    const next = (): Promise<string | undefined> =>
      new Promise((resolve) => setTimeout(() => resolve(count++ === 0 ? 'a' : undefined), 90))
    const stream = { kind: 'lines', next, close: () => undefined } as const
    expect(await logsOf('response.body.onEachLine(client.log)', { limits, response: { stream } })).toHaveLength(1)
  })
})

describe('promises without a handler', () => {
  it.each<[string, string, object[]]>([
    ['dropped at once', '(async () => { await 1; null.x })(); client.log("x")', [{ kind: 'error', line: 1 }]],
    [
      'in a chain',
      'Promise.resolve(1).then(() => { client.assert(false, "m") })',
      [{ kind: 'assertion', message: 'm' }],
    ],
    ['made rejected', 'Promise.reject(new Error("x"))', [{ message: 'x' }]],
    ['two of them', 'Promise.reject(1); Promise.reject(2)', [{ message: 'thrown: 1' }, { message: 'thrown: 2' }]],
    ['handled at once', 'Promise.reject(1).catch(() => {})', []],
    ['handled later', 'const p = Promise.reject(1); await sleep(2); await p.catch(() => {})', []],
    ['awaited and caught', 'try { await (async () => { null.x })() } catch {}', []],
  ])('fail the script: %s', async (_, code, failures) => {
    expect((await runScript(code)).failures).toMatchObject(failures)
  })

  it.each([
    ['a promise', '(async () => { await 1; null.x })()'],
    ['a timer', 'setTimeout(() => null.x, 1)'],
    ['two promises', '(async () => { await 1; null.x })(); (async () => { await 1; await 1; null.y })()', 1],
  ])('fail the test that left them: %s', async (_, code, others = 0) => {
    const { events, failures } = await runScript(`client.test("a", () => { ${code} }); client.test("b", () => {})`)
    expect(events).toMatchObject([
      { name: 'a', failure: { kind: 'error', message: expect.stringContaining("'x' of null") } },
      { name: 'b', failure: undefined },
    ])
    expect(failures).toHaveLength(others)
  })
})

describe('a failed assertion', () => {
  it.each<[string, string | undefined, string | undefined]>([
    ['client.assert(response.status === 404)', '404', '200'],
    ['client.assert(response.status == 404, "m")', '404', '200'],
    ['client.assert(response.body.name !== "Zoë 🦊")', 'not "Zoë 🦊"', '"Zoë 🦊"'],
    ['client.assert(response.body.id > 7)', 'more than 7', '7'],
    ['client.assert(response.body.id <= 6)', 'at most 6', '7'],
    ['client.assert(await Promise.resolve(1) === 2)', '2', '1'],
    ['client.assert([1, 2].length === 3, `${1}`)', '3', '2'],
    ['client.assert(response.body === response.status || false)', undefined, undefined],
    ['client.assert(false)', undefined, undefined],
  ])('%s: expected %s, found %s', async (code, expected, actual) => {
    expect((await runScript(code)).failure).toMatchObject({ kind: 'assertion', expected, actual, line: 1, column: 14 })
  })

  it('has its place even after code was inserted into the line', async () => {
    const code = 'client.assert(1 === 1); client.assert(2 === 2); null.x'
    expect((await runScript(code)).failure).toMatchObject({ line: 1, column: code.length - 5 })
  })
})

describe('commands of the machine', () => {
  it.each(['execSync("echo a")', 'await exec("echo a")', 'await execFile("echo", ["a"])', 'await spawn("echo")'])(
    'are refused: %s',
    async (code) => {
      expect((await runScript(code)).failures).toMatchObject([{ message: expect.stringContaining('--allow-exec') }])
    },
  )

  it('run if they are allowed', async () => {
    const code = `
      client.log(execSync('echo a').trim())
      client.log(await execFile('printf', ['%s', 'b c']))
      await exec('echo out; echo err >&2; exit 3', (error, stdout, stderr) => client.log(error.exitCode, stdout.trim(), stderr.trim()))
      try { execSync('exit 4') } catch (error) { client.log(error.message) }`
    expect(await logsOf(code, { allowExec: true })).toEqual([
      'a',
      '{"exitCode":0,"signal":null,"stdout":"b c","stderr":""}',
      '3 out err',
      'the command exit 4 ended with 4',
    ])
  })

  it('end at the time limit of the script', async () => {
    const limits = { timeoutMs: 200, memoryBytes: 32 * 1024 * 1024 }
    for (const code of ['await exec("sleep 20")', 'execSync("sleep 20")']) {
      const { failure } = await runScript(code, { allowExec: true, limits })
      expect(failure).toBeDefined()
    }
  })
})
