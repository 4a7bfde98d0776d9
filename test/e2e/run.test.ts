/** `httpcli run` as a user runs it: exit codes, standard output and standard error, scripts in their own thread. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificate } from '../helpers/certificates.ts'
import { type CommandResult, commandEnvironment, commandLine, runCommand, startCommand } from '../helpers/command.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../runner/running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer({
    '/json': (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json', Date: 'now', Connection: 'close' })
        .end('{"id": 7}'),
    '/line': (_request, response) => response.end('seven\n'),
    '/cut': (_request, response) => {
      response.writeHead(200, { 'Content-Length': 100, Connection: 'close' })
      response.write('half', () => response.destroy())
    },
  })
})
afterAll(() => server.close())

interface Outcome {
  readonly code: CommandResult['code']
  readonly out: string
  readonly err: string
}

/** Runs `a.http` with this text; `$O` is the server's origin, there and in what comes back. */
async function run(text: string, words: readonly string[] = [], files: Record<string, string> = {}): Promise<Outcome> {
  const own = (content: string): string => content.replaceAll('$O', server.origin)
  const others = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, own(content)]))
  const directory = directoryWith({ ...others, 'a.http': own(text) })
  mkdirSync(join(directory.path, '.git'))
  try {
    const { code, stdout, stderr } = await runCommand(['run', 'a.http', ...words], { cwd: directory.path })
    const shown = (bytes: Buffer): string =>
      bytes
        .toString()
        .replaceAll(server.origin, '$O')
        .replaceAll('\r\n', '\n')
        .replace(/(?<=; )[\d.]+ m?s\n$/, '{time}\n')
    return { code, out: shown(stdout), err: shown(stderr) }
  } finally {
    directory.remove()
  }
}

describe('exit codes', () => {
  it.each<[string, number, string, string[]]>([
    ['all well', 0, 'GET $O/json', []],
    ['a file without requests', 0, '# nothing', []],
    ['an unknown environment', 1, 'GET $O/json', ['-e', 'nope']],
    ['a file that cannot be parsed', 2, 'GET', []],
    ['a refused connection', 4, 'GET http://127.0.0.1:1/', []],
    ['an unknown variable', 4, 'GET $O/{{x}}', []],
    ['a missing body file', 4, 'POST $O/\n\n< none', []],
    ['a failed test', 5, "GET $O/json\n\n> {% client.test('a', () => client.assert(false)) %}", []],
    ['a failed handler', 5, 'GET $O/json\n\n> {% throw 1 %}', []],
    ['a failed test and a failed request', 4, 'GET $O/{{x}}\n###\nGET $O/json\n\n> {% client.assert(false) %}', []],
    ['a gRPC request without a method', 4, 'GRPC $O/json', []],
  ])('%s: %d', async (_, code, text, words) => {
    expect((await run(text, words)).code).toBe(code)
  })

  it.each<[string, Uint8Array, string]>([
    ['Latin-1', Buffer.from('GET http://h/\n\nx\xe9\n', 'latin1'), 'a.http:3:2'],
    ['UTF-16', Buffer.from('\ufeffGET http://h/', 'utf16le'), 'a.http:1:1'],
  ])('a request file that is %s and not UTF-8: 2, with the place', async (_, content, place) => {
    const directory = directoryWith({ 'a.http': content })
    const { code, stderr } = await runCommand(['run', 'a.http'], { cwd: directory.path })
    directory.remove()
    expect([code, stderr.toString()]).toEqual([2, expect.stringContaining(place)])
    expect(stderr.toString()).toContain('UTF-8')
  })

  it('a missing request file: 4, with its name', async () => {
    const { code, stderr } = await runCommand(['run', 'no-such.http'])
    expect([code, stderr.toString()]).toEqual([
      4,
      expect.stringContaining('the request file no-such.http does not exist'),
    ])
  })

  it.each<[NodeJS.Signals, string, string]>([
    ['SIGINT', 'a step that the engine cannot leave', 'Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)'],
    ['SIGTERM', 'sorting that does not end', '[].sort.call({ get length() { return 2 ** 53 - 1 } })'],
    ['SIGINT', 'a loop', 'for (;;);'],
    ['SIGTERM', 'a regular expression that tries all ways to fail', '/^(e|e)+$/.test("e".repeat(60) + "!")'],
    ['SIGINT', 'promises without end', 'const again = () => Promise.resolve().then(again); await again()'],
  ])('%s: 130 in the middle of %s, with the report', async (signal, _, code) => {
    const directory = directoryWith({
      'a.http': `GET ${server.origin}/line\n\n> {% client.log('in the script'); ${code} %}\n###\nGET ${server.origin}/never`,
    })
    const words = ['run', 'a.http', '--report', 'junit=r.xml']
    const running = await startCommand(words, /^in the script$/, { cwd: directory.path })
    const result = await running.stop(signal)
    const files = readdirSync(directory.path)
    const report = readFileSync(join(directory.path, 'r.xml'), 'utf8')
    directory.remove()
    expect([result.code, result.stderr.toString()]).toEqual([130, ''])
    expect(result.stdout.toString()).toContain('interrupted')
    // It did not wait for the time limit.
    expect(result.stdout.toString()).not.toMatch(/stopped after|never/)
    expect(files.toSorted()).toEqual(['a.http', 'r.xml'])
    expect(report).toContain('</testsuites>')
  })
})

describe('what is printed', () => {
  const tested = `### Sign in
GET $O/json

> {%
  client.log('id', response.body.id)
  client.test('is seven', () => client.assert(response.body.id === 7))
  client.test('is eight', () => client.assert(response.body.id === 8, 'id is ' + response.body.id))
%}

###
GET $O/{{nope}}
`

  it('responses, logs, tests and a summary on standard output, errors on standard error', async () => {
    expect(await run(tested)).toEqual({
      code: 4,
      out: `### Sign in: GET $O/json
HTTP/1.1 200 OK
Content-Type: application/json
Date: now
Connection: close
Transfer-Encoding: chunked

{"id": 7}
id 7
passed  is seven
FAILED  is eight
        id is 7
        expected: 8
        actual:   7
        at a.http:7:33
            client.test('is eight', () => client.assert(response.body.id === 8, 'id is ' + response.body.id))
                                          ^^^^^^^^^^^^^^

### GET $O/{{nope}}

Failed:
  a.http:7:33  Sign in: is eight
  a.http:11:28  GET $O/{{nope}}: the variable "nope" is not defined

2 requests: 1 answered, 1 failed; 2 tests: 1 passed, 1 failed; {time}
`,
      err: expect.stringMatching(
        /^httpcli run: a\.http:11:\d+: the variable "nope" is not defined\n {2}GET \$O.*\n +\^{8}\nhint: Choose/,
      ),
    })
  })

  it.each<[string, string | RegExp]>([
    ['body', '{"id": 7}'],
    ['status', 'HTTP/1.1 200 OK\n'],
    ['stats', /^Connect time: [\d.]+ ms\n(.*\n){3}Throughput \(bytes\/sec\): \d+\n$/],
    [
      'all',
      /^### GET \$O\/json\nHTTP\/1.1 200 OK\n(.+\n)+\n\{"id": 7\}\n\n-{33}\nConnect time: .*\n(.*\n){3}Throughput.*\n\n1 request/,
    ],
  ])('with -p %s, this part of each response', async (mode, expected) => {
    const { code, out } = await run('GET $O/json', ['-p', mode])
    expect(code).toBe(0)
    expect(out).toMatch(expected instanceof RegExp ? expected : new RegExp(`^${expected.replace(/[$/{}.]/g, '\\$&')}$`))
  })

  it('the request exactly as sent, with -l', async () => {
    const { out } = await run('POST $O/json\nX: {{v}}\n\nbody', ['-l', '-p', 'body', '-e', 'dev'], {
      'http-client.env.json': '{"dev": {"v": "value"}}',
    })
    expect(out).toBe(
      `POST /json HTTP/1.1\nHost: ${server.host}\nX: value\nContent-Length: 4\nUser-Agent: httpcli/2.0.0\nAccept: */*\nAccept-Encoding: gzip, deflate, br\n\nbody\n{"id": 7}`,
    )
  })

  it('the received part of a truncated response, then the error', async () => {
    const { code, out, err } = await run('GET $O/cut', ['-p', 'body'])
    expect([code, out]).toEqual([4, 'half'])
    expect(err).toContain('closed the connection before the response was complete')
  })

  it('every syntax error of a file, with its line and caret; nothing is sent', async () => {
    server.requests.length = 0
    const { code, out, err } = await run('GET $O/json\n###\nGET\n###\nGET $O/json\nnope\n')
    expect([code, out]).toEqual([2, ''])
    expect(err).toBe(
      `httpcli run: a.http:3:1: expected a URL after GET
  GET
  ^^^
hint: Write "GET https://…".
httpcli run: a.http:6:1: expected "Name: value", or an empty line before the body
  nope
  ^^^^
hint: A body is separated from the headers by an empty line; requests are separated by "###".
`,
    )
    expect(server.requests).toEqual([])
  })

  it('the names of the environments if one is unknown', async () => {
    const { err } = await run('GET $O/json', ['-e', 'stagin'], { 'http-client.env.json': '{"dev": {}, "staging": {}}' })
    expect(err).toMatch(
      /^httpcli run: no environment "stagin" found: .*http-client\.env\.json.* Did you mean staging\?\n$/,
    )
  })

  it('no stack trace for any of this', async () => {
    const { out, err } = await run(tested)
    expect(out + err).not.toMatch(/\n\s+at .*\.(ts|js|cjs):/)
  })
})

describe('scripts on their thread', () => {
  it('are stopped in the middle of a step that the engine cannot leave, with their logs, and the run goes on', async () => {
    const { code, out, err } = await run(
      "GET $O/json\n\n> {% client.test('a', () => {}); client.log('seen'); Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1) %}\n###\nGET $O/json\n\n> {% client.test('b', () => { for (;;) break }) %}",
      ['-p', 'status'],
    )
    expect([code, out]).toEqual([5, 'HTTP/1.1 200 OK\nHTTP/1.1 200 OK\n'])
    expect(err).toContain('seen\nFAILED  a script\n        stopped after 10 s, the time limit of a script\n')
    expect(err).toContain('passed  b\n')
  })

  it('are stopped when they allocate forever, and the run goes on', async () => {
    const { code, out, err } = await run(
      "GET $O/json\n\n> {% const a = []; for (;;) a.push({ x: 1 }) %}\n###\nGET $O/json\n\n> {% client.test('b', () => {}) %}",
      ['-p', 'status'],
    )
    expect([code, out]).toEqual([5, 'HTTP/1.1 200 OK\nHTTP/1.1 200 OK\n'])
    expect(err).toContain('FAILED  a script\n        stopped at 64 MiB, the memory limit of a script\n')
    expect(err).toContain('passed  b\n')
  })

  it.each<[string, string, Record<string, string>]>([
    [
      'made-up values that only a module asks for',
      "import { city } from './city'; client.log(typeof city())",
      { 'city.js': "export { city } from './deep.mjs'", 'deep.mjs': 'export const city = () => $random.address.city' },
    ],
    [
      'a value of the environment that is a JSONPath',
      "client.log(typeof request.environment.get('first')[0])",
      { 'http-client.env.json': '{ "$shared": { "list": [{ "id": "x" }], "first": "{{list[*].id}}" } }' },
    ],
  ])('find what is loaded for them: %s', async (_, script, files) => {
    const { code, err } = await run(`< {% ${script} %}\nGET $O/json`, ['-p', 'status'], files)
    expect([code, err]).toEqual([0, expect.stringContaining('string\n')])
  })

  it('run for hundreds of requests', async () => {
    const text = "GET $O/json\n\n> {% client.test('t', () => client.assert(response.body.id === 7)) %}\n###\n".repeat(
      300,
    )
    const { code, out, err } = await run(text, ['-p', 'status'])
    expect([code, out]).toEqual([0, 'HTTP/1.1 200 OK\n'.repeat(300)])
    expect(err).toContain('300 requests: 300 answered, 0 failed; 300 tests: 300 passed, 0 failed; {time}\n')
  })
})

describe('TLS', () => {
  it('a self-signed certificate is refused, and accepted with -i', async () => {
    const directory = directoryWith({ '.git': '' })
    const { certificate, key } = makeCertificate(directory.path, { name: 'own', names: ['IP:127.0.0.1'] })
    const secure = createTlsServer(
      { cert: readFileSync(certificate), key: readFileSync(key) },
      (_request, response) => {
        response.end('secret\n')
      },
    ).listen(0, '127.0.0.1')
    await once(secure, 'listening')
    const text = `GET https://127.0.0.1:${(secure.address() as { readonly port: number }).port}/`
    const refused = await run(text, ['-p', 'body'])
    const taken = await run(text, ['-p', 'body', '-i', '--quiet'])
    secure.close()
    directory.remove()
    expect([refused.code, refused.out.includes('secret')]).toEqual([4, false])
    expect([taken.code, taken.out.includes('secret')]).toEqual([0, true])
    expect(taken.err).toBe('warning: certificates of servers are not checked (-i)\n')
  })
})

describe('a reader that exits', () => {
  it('ends the run quietly, with the requests that were not sent as errors', async () => {
    const text = 'GET $O/json\n###\n'.replaceAll('$O', server.origin).repeat(200)
    const directory = directoryWith({ 'a.http': text })
    server.requests.length = 0
    const [program, ...words] = commandLine()
    const child = spawn(program, [...words, 'run', 'a.http'], { cwd: directory.path, env: commandEnvironment() })
    child.stdout.once('data', () => child.stdout.destroy())
    const err: Buffer[] = []
    child.stderr.on('data', (piece: Buffer) => err.push(piece))
    const [code] = await once(child, 'close')
    directory.remove()
    expect([code, Buffer.concat(err).toString()]).toEqual([4, ''])
    expect(server.requests.length).toBeLessThan(200)
  })
})

describe('broken servers', () => {
  it('a nonsense response fails only that request', async () => {
    const nonsense = createServer((socket) => socket.end('nonsense\r\n\r\n')).listen(0, '127.0.0.1')
    await once(nonsense, 'listening')
    const { port } = nonsense.address() as { readonly port: number }
    const { code, err: out } = await run(`GET http://127.0.0.1:${port}/\n###\nGET $O/json`, ['-p', 'status'])
    nonsense.close()
    expect(code).toBe(4)
    expect(out).toContain('2 requests: 1 answered, 1 failed')
  })
})
