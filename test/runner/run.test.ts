/** The course of a run: its events, its scripts, and what goes wrong on the way. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HttpcliError } from '../../src/message/index.ts'
import type { RunEvent } from '../../src/runner/index.ts'
import { InvalidFileError } from '../../src/runner/index.ts'
import { type RecordingServer, recordingServer, runText } from './running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer({
    '/json': (_request, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"id": 7}'),
    '/gzip': (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
        .end(gzipSync('{"id": 8}')),
    '/damaged': (_request, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('not gzip'),
    '/latin1': (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/plain; charset="ISO-8859-1"' }).end(Buffer.from('Zoë', 'latin1')),
    '/empty': (_request, response) => response.writeHead(204).end(),
    '/larger-than-a-script': (_request, response) => response.end(Buffer.alloc(12 * 1024 * 1024, 'x')),
    '/large': (_request, response) => response.end(Buffer.alloc(17 * 1024 * 1024, 'x')),
    '/500': (_request, response) => response.writeHead(500).end('broken'),
    '/cut': (_request, response) => {
      response.writeHead(200, { 'Content-Length': 100 })
      response.write('half', () => response.destroy())
    },
    '/moved': (_request, response) => response.writeHead(302, { Location: '/json' }).end(),
  })
})
beforeEach(() => {
  server.requests.length = 0
})
afterAll(() => server.close())

const typesOf = (events: readonly RunEvent[]): readonly string[] => events.map(({ type }) => type)

describe('the events of a run', () => {
  it('come in order, for each request', async () => {
    const { events, summary } = await runText(
      `### First\nGET ${server.origin}/moved\n\n> {% client.log(1); client.test('a', () => {}) %}\n### Second\nGET ${server.origin}/{{no}}`,
    )
    expect(typesOf(events)).toEqual([
      'run-started',
      'request-started',
      'request-sent',
      'request-octets',
      'hop-finished',
      'redirected',
      'request-sent',
      'request-octets',
      'response',
      'response-done',
      'script-log',
      'test-passed',
      'request-finished',
      'request-started',
      'error',
      'request-finished',
      'run-finished',
    ])
    expect(events[0]).toEqual({ type: 'run-started', path: 'test.http', environment: undefined, requests: 2 })
    expect(events[1]).toMatchObject({ request: { number: 1, name: 'First', method: 'GET', line: 2 } })
    expect(events[4]).toMatchObject({ response: { status: 302 }, remote: { address: '127.0.0.1' } })
    expect(events[5]).toMatchObject({ status: 302, url: `${server.origin}/json` })
    expect(events[13]).toMatchObject({ request: { number: 2, name: 'Second', target: `${server.origin}/{{no}}` } })
    expect(summary).toEqual({
      requests: 2,
      answered: 1,
      failed: 1,
      blocked: 0,
      badStatuses: 0,
      testsPassed: 1,
      testsFailed: 0,
      scriptsFailed: 0,
      skipped: 0,
      retries: 0,
      isInterrupted: false,
      durationMs: expect.any(Number),
    })
  })

  it('give the bytes of a request as sent', async () => {
    const { events } = await runText(`POST ${server.origin}/a\nX: y\n\nbody`)
    const octets = events.flatMap((event) => (event.type === 'request-octets' ? [Buffer.from(event.bytes)] : []))
    expect(Buffer.concat(octets).toString()).toBe(
      `POST /a HTTP/1.1\r\nHost: ${server.host}\r\nX: y\r\nContent-Length: 4\r\nUser-Agent: httpcli\r\nAccept: */*\r\nAccept-Encoding: gzip, deflate, br\r\n\r\nbody`,
    )
  })

  it('let the listener read the body, which scripts still see', async () => {
    let read = ''
    const { results } = await runText(`GET ${server.origin}/gzip\n\n> {% client.log(response.body.id) %}`, {
      listener: async (event) => {
        if (event.type !== 'response') return
        for await (const piece of event.response.body?.decoded() ?? []) read += Buffer.from(piece).toString()
      },
    })
    expect(read).toBe('{"id": 8}')
    expect(results).toEqual([])
  })

  it('let the listener discard the body, unless scripts need it', async () => {
    const close = (event: RunEvent): void => {
      if (event.type === 'response') event.answer.close()
      if (event.type === 'script-log') logs.push(event.text)
    }
    const logs: string[] = []
    const text = `GET ${server.origin}/large\n###\nGET ${server.origin}/json\n\n> {% client.log(response.body.id) %}`
    const { summary } = await runText(text, { listener: close })
    expect(summary).toMatchObject({ answered: 2, failed: 0 })
    expect(logs).toEqual(['7'])
  })

  it('wait for the listener', async () => {
    let isBusy = false
    const overlaps: string[] = []
    await runText(`GET ${server.origin}/\n###\nGET ${server.origin}/`, {
      listener: async (event) => {
        if (isBusy) overlaps.push(event.type)
        isBusy = true
        await new Promise((resolve) => setImmediate(resolve))
        isBusy = false
      },
    })
    expect(overlaps).toEqual([])
  })

  it.each<RunEvent['type']>(['run-started', 'request-octets', 'response', 'response-done', 'test-passed'])(
    'end with the error of a listener that throws at %s',
    async (type) => {
      const gone = new Error('gone')
      const text = `GET ${server.origin}/\n\n> {% client.test('a', () => {}) %}\n###\nGET ${server.origin}/2`
      const listener = (event: RunEvent): void => {
        if (event.type === type) throw gone
      }
      await expect(runText(text, { listener })).rejects.toBe(gone)
      expect(server.requests.map(({ line }) => line)).not.toContain('GET /2 HTTP/1.1')
    },
  )

  it('end when the signal is aborted, and report it', async () => {
    const controller = new AbortController()
    const silent = await recordingServer({ '/': () => controller.abort() })
    const { events, summary } = await runText(`GET ${silent.origin}/\n###\nGET ${silent.origin}/2`, {
      wire: { signal: controller.signal },
    })
    await silent.close()
    expect(typesOf(events).slice(-3)).toEqual(['request-finished', 'request-skipped', 'run-finished'])
    expect(events.at(-3)).toMatchObject({ outcome: 'error' })
    expect(events.at(-2)).toMatchObject({ request: { number: 2 }, reason: 'interrupted' })
    expect(summary).toMatchObject({ requests: 1, isInterrupted: true, failed: 0 })
    expect(silent.requests).toHaveLength(1)
  })
})

describe('a request that fails does not end the run', () => {
  const second = `\n###\nGET ${'$O'}/second`

  it.each<[string, string, string]>([
    ['refused', 'GET http://127.0.0.1:1/', 'connect-refused'],
    ['truncated', 'GET $O/cut', 'connection-cut-short'],
    ['truncated before its script', "GET $O/cut\n\n> {% client.test('never', () => {}) %}", 'connection-cut-short'],
    [
      'with damaged content for its script',
      "GET $O/damaged\n\n> {% client.test('never', () => {}) %}",
      'content-coding',
    ],
    ['with a script that is not there', 'GET $O/json\n\n> none.js', 'unreadable-file'],
  ])('%s', async (_, text, code) => {
    const { errors, results, summary } = await runText((text + second).replaceAll('$O', server.origin))
    expect(errors).toEqual([expect.stringContaining(` ${code} `)])
    expect(results).toEqual([])
    expect(summary.failed).toBe(1)
    expect(server.requests.at(-1)?.line).toBe('GET /second HTTP/1.1')
  })

  it('when the listener rethrows the error of the body', async () => {
    const errors: unknown[] = []
    const { summary } = await runText(`GET ${server.origin}/cut`, {
      listener: async (event) => {
        if (event.type === 'response') for await (const _ of event.response.body ?? []);
        if (event.type === 'error') errors.push(event.error)
      },
    })
    expect(summary).toMatchObject({ answered: 0, failed: 1 })
    expect(errors).toEqual([expect.any(HttpcliError)])
  })

  it('and a status of 500 is an ordinary response', async () => {
    expect((await runText(`GET ${server.origin}/500`)).summary).toMatchObject({ answered: 1, failed: 0 })
  })
})

describe('handlers', () => {
  it.each<[string, string, string]>([
    ['/json', 'response.body.id', '7'],
    ['/gzip', 'response.body.id', '8'],
    ['/latin1', 'response.body, response.contentType.charset', 'Zoë ISO-8859-1'],
    ['/empty', 'response.status, JSON.stringify(response.body)', '204 ""'],
  ])('of %s see %s as %s', async (path, expression, text) => {
    const { results } = await runText(`GET ${server.origin}${path}\n\n> {% client.log(${expression}) %}`)
    expect(results).toEqual([`log ${text}`])
  })

  it('run one after the other, from the text and from files, sharing client.global', async () => {
    const text = `GET ${server.origin}/json

> {% client.global.set('a', response.body.id) %}
> second.js
###
GET ${server.origin}/{{a}}-{{b}}

> {% client.log(client.global.get('b')); client.global.clearAll() %}
###
GET ${server.origin}/{{a}}`
    const { results, errors } = await runText(text, {
      files: { 'second.js': "client.global.set('b', client.global.get('a') + 1)" },
    })
    expect(server.requests.map(({ line }) => line.split(' ')[1])).toEqual(['/json', '/7-8'])
    expect(results).toEqual(['log 8'])
    expect(errors).toEqual([expect.stringContaining('unknown-variable')])
  })

  it.each([
    ['a capture', '# @capture token = jsonpath $.a\n', ''],
    ['a handler', '', "\n> {% client.global.set('token', response.body.a) %}\n"],
  ])('are named if %s in their request sets a variable that has no value', async (_, before, after) => {
    const text = `### login\n${before}GET ${server.origin}/json\n${after}\n### use\nGET ${server.origin}/{{token.id}}`
    const { events } = await runText(text, { choice: { names: ['use'], tags: [], lines: [] } })
    const line = before === '' ? 2 : 3
    expect(events.find(({ type }) => type === 'error')).toMatchObject({
      error: { hint: `The request "login" (line ${line}) sets it: it must be sent before, and succeed.` },
    })
  })

  it.each(['/large'])('that cannot hold the body of %s fail, each at its place', async (path) => {
    const text = `GET ${server.origin}${path}\n\n> {% response.body.length %}\n  > {% response.body.length %}`
    const { events, results, summary } = await runText(text)
    const message = expect.stringContaining('body')
    expect(events.filter(({ type }) => type === 'script-failed')).toMatchObject([
      { error: { message, where: { line: 3 } } },
      { error: { message, where: { line: 4 } } },
    ])
    expect(results).toHaveLength(2)
    expect(summary).toMatchObject({ answered: 1, failed: 0, scriptsFailed: 2 })
  })

  it('that throw are counted, and the next one still runs', async () => {
    const { results, summary } = await runText(`GET ${server.origin}/\n\n> {% nope() %}\n> {% client.log('next') %}`)
    expect(results).toEqual([expect.stringContaining('script ReferenceError: nope is not defined'), 'log next'])
    expect(summary).toMatchObject({ answered: 1, failed: 0, scriptsFailed: 1 })
  })

  it('that never end are stopped, and the run continues', async () => {
    const { results } = await runText(`GET ${server.origin}/\n\n> {% for (;;) {} %}\n###\nGET ${server.origin}/2`, {
      scriptLimits: { timeoutMs: 50, memoryBytes: 32 * 1024 * 1024 },
    })
    expect(results).toEqual(['script stopped after 0.05 s, the time limit of a script'])
    expect(server.requests).toHaveLength(2)
  })

  const placesOf = async (
    script: string,
    end = '\n',
    files: Record<string, string> = {},
  ): Promise<readonly (string | undefined)[]> => {
    const text = ['### T', `GET ${server.origin}/`, '', ...script.split('\n')].join(end)
    const { events } = await runText(text, { files })
    return events.flatMap((event) =>
      event.type === 'test-failed' || event.type === 'script-failed'
        ? [`${event.error.where?.file}:${event.error.where?.line}:${event.error.where?.column} ${event.error.excerpt}`]
        : [],
    )
  }

  it.each(['\n', '\r\n', '\r'])('show file, line and column of a failure, lines ending with %j', async (end) => {
    const script =
      "> {% client.assert(1)\n  client.test('ä', () => { client.assert(false) })\n  client.test('b', () => {\n    null.x })\n %}"
    expect(await placesOf(script, end)).toEqual([
      "test.http:5:28   client.test('ä', () => { client.assert(false) })\n                           ^^^^^^^^^^^^^^",
      'test.http:7:5     null.x })\n    ^^^^^^',
    ])
  })

  it.each<[string, string]>([
    ['> {% client.assert(0) %}', 'test.http:4:6 > {% client.assert(0) %}\n     ^^^^^^^^^^^^^^'],
    ['> {%\n\n  let a = ;\n%}', 'test.http:6:11   let a = ;\n          ^'],
    [
      "> {% client.log('🦊'); client.assert(0) %}",
      "test.http:4:24 > {% client.log('🦊'); client.assert(0) %}\n                       ^^^^^^^^^^^^^^",
    ],
    ['> script.js', 'script.js:2:3   client.assert(false, "x")\n  ^^^^^^^^^^^^^^'],
  ])('show the place in %j', async (script, expected) => {
    const [place] = await placesOf(script, '\n', { 'script.js': '// one\n  client.assert(false, "x")\n' })
    expect(place).toBe(expected)
  })
})

describe('a file with errors', () => {
  it('shows all of them, and nothing is sent', async () => {
    const run = runText(`GET ${server.origin}/\n###\nGET\n###\nGET ${server.origin}/\nnope\n`)
    await expect(run).rejects.toThrow(InvalidFileError)
    const { errors } = (await run.catch((error: unknown) => error)) as InvalidFileError
    expect(errors.map(({ where, message }) => [where?.file, where?.line, message])).toEqual([
      ['test.http', 3, 'expected a URL after GET'],
      ['test.http', 6, 'expected "Name: value", or an empty line before the body'],
    ])
    expect(server.requests).toEqual([])
  })
})
