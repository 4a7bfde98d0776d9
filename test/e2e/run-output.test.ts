/** The output of `run`: for pipes, for terminals, and as JSON Lines. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { run as command } from '../../src/cli/commands/run.ts'
import { parseArguments } from '../../src/cli/frame/argv.ts'
import type { AnyValues, CommandContext, Output } from '../../src/cli/frame/command.ts'
import { run as specification } from '../../src/cli/options/run.ts'
import { runCommand } from '../helpers/command.ts'
import { runInside } from '../helpers/command-inside.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../runner/running.ts'

const large = Buffer.alloc(7 * 400_000, 'äöü ')
const binary = Buffer.from([0, 255, 1, 10, 13, 128])
let server: RecordingServer
let root: string

beforeAll(async () => {
  const fixed = { Date: 'now', Connection: 'close' }
  server = await recordingServer({
    '/json': (_request, response) =>
      response.writeHead(200, { ...fixed, 'Content-Type': 'application/json' }).end('{"id": 7}'),
    '/line': (_request, response) => response.writeHead(201, fixed).end('seven\n'),
    '/theme': (_request, response) =>
      response
        .writeHead(200, { ...fixed, 'Set-Cookie': 'theme=dark', 'Content-Type': 'application/json' })
        .end('{"word":"darkness","dark":"dark","echo":"hunter2"}'),
    '/empty': (_request, response) => response.writeHead(204, fixed).end(),
    '/binary': (_request, response) => response.writeHead(200, fixed).end(binary),
    '/large': (_request, response) => response.writeHead(200, fixed).end(large),
    '/missing': (_request, response) => response.writeHead(404, fixed).end('no'),
    '/teapot': (_request, response) => response.writeHead(500, fixed).end('tea'),
  })
})
afterAll(() => server.close())

beforeEach(() => {
  root = temporaryDirectory()
})

function write(name: string, text: string): void {
  writeFileSync(join(root, name), text.replaceAll('$O', server.origin))
}

/** Already has all fields that `run` would add. */
const fields = 'User-Agent: test\nAccept: */*\nAccept-Encoding: identity\n'

describe('-p and -l', () => {
  const modes = ['response', 'all', 'body', 'status', 'stats']
  const paths = ['json', 'line', 'empty', 'binary', 'missing']

  it.each(modes.flatMap((mode) => paths.map((path) => [mode, path] as const)))(
    'print with -p %s what send prints, byte for byte: /%s',
    async (mode, path) => {
      write('a.http', `GET $O/${path} HTTP/1.1\nHost: ${server.host}\n${fields}\n`)
      // One path shows that processes print the same.
      const execute = path === 'json' ? runCommand : runInside
      for (const words of [
        ['-p', mode],
        ['-l', '-p', mode],
      ]) {
        const sent = await execute(['send', '-f', 'a.http', ...words], { cwd: root })
        const ran = await execute(['run', 'a.http', ...words], { cwd: root })
        expect([sent.code, ran.code]).toEqual([0, 0])
        const heading = `### GET ${server.origin}/${path}\n`
        const summary = '\n1 request: 1 answered, 0 failed; T ms\n'
        if (mode === 'response' || mode === 'all') {
          const lineEnd = sent.stdout.at(-1) === 10 || sent.stdout.length === 0 ? '' : '\n'
          expect(withoutTimes(ran.stdout)).toBe(`${heading}${withoutTimes(sent.stdout)}${lineEnd}${summary}`)
        } else {
          expect(withoutTimes(ran.stdout)).toBe(withoutTimes(sent.stdout))
          expect(withoutTimes(ran.stderr)).toBe(heading + summary)
        }
        const quiet = await execute(['run', 'a.http', '--quiet', ...words], { cwd: root })
        expect(withoutTimes(quiet.stdout).trimEnd()).toBe(withoutTimes(sent.stdout).trimEnd())
        expect(quiet.stderr.toString()).toBe('')
      }
    },
  )

  function withoutTimes(octets: Buffer): string {
    return octets
      .toString('latin1')
      .replace(/[\d.]+ ms/g, 'T ms')
      .replace(/(Throughput \(bytes\/sec\)): \d+/, '$1: N')
  }

  it('print each request and its response one after the other', async () => {
    write('a.http', `POST $O/line\nContent-Type: text/plain\n${fields}\nhello\n\n### Second\nGET $O/json\n${fields}\n`)
    const { stdout } = await runCommand(['run', 'a.http', '-l', '-p', 'response'], { cwd: root })
    expect(stdout.toString()).toMatch(
      /^### POST .*\nPOST \/line HTTP[\s\S]*\r\n\r\nhello\nHTTP[\s\S]*seven\n\n### Second: GET .*\nGET \/json HTTP[\s\S]*\r\n\r\n\{"id": 7\}\n\n2 requests: /,
    )
    const body = await runCommand(['run', 'a.http', '-l', '-p', 'body'], { cwd: root })
    expect(body.stdout.toString()).toMatch(
      /^POST \/line HTTP[\s\S]*\r\n\r\nhello\nseven\nGET \/json HTTP[\s\S]*\r\n\r\n\{"id": 7\}$/,
    )
  })

  it('print logs, tests and failures on standard error if standard output is for programs', async () => {
    const script = "> {% client.log('noted'); client.test('is eight', () => client.assert(response.body.id === 8)) %}"
    write('a.http', `### One\nGET $O/json\n\n${script}\n\n### Two\nGET http://127.0.0.1:1/\n\n### Three\nGET $O/json\n`)
    const { code, stdout, stderr } = await runCommand(['run', 'a.http', '-p', 'body'], { cwd: root })
    expect([code, stdout.toString()]).toEqual([4, '{"id": 7}{"id": 7}'])
    expect(stderr.toString()).toMatch(
      /^### One: GET .*\nnoted\nFAILED {2}is eight\n[\s\S]*\n### Two: GET .*\nhttpcli run: a\.http:7: Two: 127\.0\.0\.1 port 1: connection refused[\s\S]*\n### Three: GET .*\n\nFailed:\n[\s\S]*\n3 requests: 2 answered, 1 failed; /,
    )
    const quiet = await runCommand(['run', 'a.http', '-p', 'body', '--quiet'], { cwd: root })
    expect([quiet.code, quiet.stdout.toString()]).toEqual([4, '{"id": 7}{"id": 7}'])
    expect(quiet.stderr.toString()).toMatch(
      /^httpcli run: a\.http:7: Two: 127\.0\.0\.1 port 1: connection refused\. .*\n$/,
    )
  })

  it('print the body as received with -p body, and mask it with -p response', async () => {
    const requests = 'GET $O/theme\n\n###\nGET $O/theme\nAuthorization: Bearer hunter2\n'
    write('a.http', requests)
    const body = await runCommand(['run', 'a.http', '-p', 'body', '-l'], { cwd: root })
    const word = '{"word":"darkness","dark":"dark","echo":"hunter2"}'
    expect(body.stdout.toString().split(word)).toHaveLength(3)
    expect(body.stdout.toString().replaceAll(word, '')).not.toContain('hunter2')
    expect(body.stdout.toString()).toContain('Authorization: Bearer ***')
    expect(body.stderr.toString()).not.toContain('note: ')
    const response = await runCommand(['run', 'a.http'], { cwd: root })
    expect(response.stdout.toString()).toContain('{"word":"darkness","dark":"dark","echo":"***"}')
    expect(response.stderr.toString()).toBe(
      'note: secrets in bodies are printed as ***; -p body prints bodies as received, --show-secrets shows all\n',
    )
  })
})

describe('output into a pipe', () => {
  it('has no escapes, the failures with their places at the end, and the totals', async () => {
    write(
      'a.http',
      `### One\nGET $O/json\n\n> {% client.test('is eight', () => client.assert(response.body.id === 8)) %}\n\n### Two\nGET $O/missing\n`,
    )
    const { code, stdout } = await runCommand(['run', 'a.http', '--fail'], { cwd: root })
    const lines = stdout.toString().split('\n')
    expect(code).toBe(5)
    expect(stdout.includes(0x1b)).toBe(false)
    expect(lines.slice(lines.indexOf('Failed:'))).toEqual([
      'Failed:',
      expect.stringMatching(/^ {2}a\.http:4:\d+ {2}One: is eight$/),
      '  a.http:7  Two: its status is 400 or more',
      '',
      expect.stringMatching(
        /^2 requests: 2 answered, 0 failed; 1 with an error status; 1 test: 0 passed, 1 failed; \d+(?: ms|\.\d+ s)$/,
      ),
      '',
    ])
  })

  it('has colours if FORCE_COLOR or --color asks for them', async () => {
    write('a.http', `GET $O/json\n\n> {% client.test('fine', () => {}) %}`)
    const forced = await runCommand(['run', 'a.http'], { cwd: root, env: { FORCE_COLOR: '1' } })
    expect(forced.stdout.toString()).toContain('\x1b[32mpassed\x1b[39m  fine')
    const never = await runCommand(['run', 'a.http', '--color', 'never'], { cwd: root, env: { FORCE_COLOR: '1' } })
    expect(never.stdout.includes(0x1b)).toBe(false)
  })

  it('has a heading for each of several files', async () => {
    for (const name of ['a.http', 'b.http']) write(name, 'GET $O/line\n')
    const { stdout } = await runCommand(['run', 'a.http', 'b.http'], { cwd: root })
    expect(stdout.toString()).toMatch(
      /^=== a\.http ===\n### GET .*\n[^=]*seven\n\n=== b\.http ===\n### GET .*\n[^=]*seven\n\n2 requests: 2 answered, 0 failed; 2 files; \d+(?: ms|\.\d+ s)\n$/,
    )
  })
})

describe('output on a terminal', () => {
  class MemoryOutput implements Output {
    readonly isTerminal = true
    readonly colors = true
    readonly columns: number
    text = ''

    constructor(columns: number) {
      this.columns = columns
    }

    write(data: string | Uint8Array): Promise<void> {
      this.text += typeof data === 'string' ? data : Buffer.from(data).toString()
      return Promise.resolve()
    }
  }

  async function onTerminal(columns: number, ...words: string[]): Promise<string> {
    // Put in by the build.
    Object.assign(globalThis, { HTTPCLI_VERSION: '2.0.0' })
    const parsed = parseArguments(specification, words)
    if (parsed.type === 'help') throw new Error('no run')
    const terminal = new MemoryOutput(columns)
    const context: CommandContext<AnyValues> = {
      arguments: parsed.arguments,
      stdin: Readable.from([]),
      stdout: terminal,
      stderr: terminal,
      environment: {},
      workingDirectory: root,
      signal: new AbortController().signal,
    }
    await command(context)
    return terminal.text
  }

  it.each([40, 80])('has a line for each request in %d columns, with status, time and size', async (columns) => {
    write('a.http', `### Named\nGET $O/json?${'long=value&'.repeat(8)}\n\n###\nGET $O/teapot\n`)
    const text = await onTerminal(columns, 'a.http', '-p', 'status')
    const lines = text.split('\n').filter((line) => / ms /.test(line))
    expect(lines).toEqual([
      expect.stringMatching(
        /^\x1b\[32m200\x1b\[39m {2}GET http.*\.\.\..* {2}\x1b\[2m\d+(?: ms|\.\d+ s) {2}\d+ B\x1b\[22m$/,
      ),
      expect.stringMatching(/^\x1b\[31m500\x1b\[39m {2}GET http.* {2}\x1b\[2m\d+(?: ms|\.\d+ s) {2}\d+ B\x1b\[22m$/),
    ])
    for (const line of lines) expect(line.replace(/\x1b\[\d+m/g, '').length).toBeLessThanOrEqual(columns)
  })

  it('is not controlled by names, logs and thrown texts', async () => {
    write(
      'a.http',
      `GET $O/line\n\n> {% client.log("\\u001b[2J"); client.test("\\u0007", () => { throw new Error("\\u001b]0;x\\u0007") }) %}`,
    )
    const text = await onTerminal(80, 'a.http')
    expect(text.replace(/\x1b\[\d+m/g, '')).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f]/)
    expect(text).toContain('\\x1B[2J')
  })
})

describe('--json', () => {
  type Line = Readonly<Record<string, unknown>> & { readonly type: string }

  async function lines(...words: string[]): Promise<{ code: number | null; lines: readonly Line[]; err: string }> {
    const { code, stdout, stderr } = await runCommand(['run', ...words, '--json'], { cwd: root })
    const texts = stdout.toString().split('\n')
    expect(texts.pop()).toBe('')
    return { code, lines: texts.map((text) => JSON.parse(text) as Line), err: stderr.toString() }
  }

  it('prints one event per line and nothing else, and errors on standard error, too', async () => {
    write(
      'a.http',
      `GET $O/json\n\n> {% client.log('hi'); client.test('t', () => {}) %}\n\n###\nGET http://127.0.0.1:1/\n`,
    )
    const { code, lines: events, err } = await lines('a.http')
    expect(code).toBe(4)
    expect(events.map(({ type, request }) => `${type} ${request ?? ''}`.trim())).toEqual([
      'run-started',
      'job-started',
      'request-started 1',
      'request-sent 1',
      'response 1',
      'response-done 1',
      'script-log 1',
      'test-passed 1',
      'request-finished 1',
      'request-started 2',
      'request-unsent 2',
      'error 2',
      'request-finished 2',
      'job-finished',
      'run-finished',
    ])
    expect(err).toMatch(/connection refused/)
  })

  it.each<[string, Record<string, unknown>[]]>([
    ['json', [{ text: '{"id": 7}' }]],
    ['binary', [{ base64: binary.toString('base64') }]],
    ['empty', []],
  ])('reports the body of /%s if -p asks for it', async (path, expected) => {
    write('a.http', `GET $O/${path}`)
    for (const mode of ['response', 'all', 'body']) {
      const bodies = (await lines('a.http', '-p', mode)).lines.filter(({ type }) => type === 'response-body')
      expect(bodies).toEqual(expected.map((piece) => expect.objectContaining(piece)))
    }
    for (const words of [[], ['-p', 'status'], ['-p', 'stats']]) {
      expect((await lines('a.http', ...words)).lines.some(({ type }) => type === 'response-body')).toBe(false)
    }
  })

  it('reports a large body in pieces that add up to the body', async () => {
    write('a.http', 'GET $O/large')
    const bodies = (await lines('a.http', '-p', 'body')).lines.filter(({ type }) => type === 'response-body')
    expect(bodies.length).toBe(3)
    expect(Buffer.from(bodies.map(({ text }) => text).join('')).equals(large)).toBe(true)
  })

  it('reports requests as sent with -l', async () => {
    write('a.http', `POST $O/line\nHost: ${server.host}\nContent-Type: text/plain\n${fields}\nhellö\n`)
    const octets = (await lines('a.http', '-l')).lines.filter(({ type }) => type === 'request-octets')
    expect(octets.map(({ text }) => text).join('')).toMatch(/^POST \/line HTTP\/1\.1\r\n[\s\S]*\r\n\r\nhellö$/)
  })

  it('masks secrets across the boundary of two pieces', async () => {
    const secret = 'correct horse battery staple'
    const body = `${'x'.repeat(1024 * 1024 - 10)}${secret}${'y'.repeat(100)}`
    const own = await recordingServer({ '/': (_request, response) => response.end(body) })
    write('a.http', `GET ${own.origin}/?a={{s}}\nX-S: {{s}}\n\n> {% client.log(request.variables.get('s')) %}`)
    const { lines: events } = await lines('a.http', '-p', 'body', '-l', '-P', `s=${secret}`)
    await own.close()
    const texts = events.map((event) => JSON.stringify(event)).join('')
    const reported = events.filter(({ type }) => type === 'response-body').map(({ text }) => text)
    expect(texts).not.toMatch(/correct|staple|battery/)
    expect(reported.join('')).toBe(body.replace(secret, '***'))
  })
})
