/** Choosing requests, many files, rows, repetitions and parallel jobs, as a user of `httpcli run` meets them. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { commandEnvironment, commandLine, runCommand, startCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../runner/running.ts'

let server: RecordingServer
/** Answers to /gate that wait until the given number of requests has arrived. */
let gate: { readonly size: number; readonly waiting: ServerResponse[] }
/** Answers to /held, which a test ends. */
const held: ServerResponse[] = []

beforeAll(async () => {
  server = await recordingServer({
    '/held': (_request, response) => held.push(response),
    '/404': (_request, response) => response.writeHead(404).end('no'),
    '/cut': (request) => request.socket.destroy(),
    '/slow': () => undefined,
    '/token': (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"access_token": "t", "expires_in": 3600}'),
    '/login': (_request, response) => response.writeHead(200, { 'Set-Cookie': 's=1' }).end('in'),
    '/gate': (_request, response) => {
      gate.waiting.push(response)
      if (gate.waiting.length === gate.size) for (const each of gate.waiting.splice(0)) each.end('open')
    },
  })
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
  held.length = 0
  gate = { size: 1, waiting: [] }
})

const lines = (): string[] => server.requests.map(({ line }) => line.replace(' HTTP/1.1', ''))

function directoryOf(files: Readonly<Record<string, string>>): string {
  const directory = temporaryDirectory()
  for (const [name, content] of Object.entries({ '.git': '', ...files })) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content.replaceAll('$O', server.origin))
  }
  return directory
}

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

async function run(files: Readonly<Record<string, string>>, words: readonly string[], stdin = ''): Promise<Outcome> {
  const { code, stdout, stderr } = await runCommand(['run', ...words], { cwd: directoryOf(files), stdin })
  return { code, out: stdout.toString(), err: stderr.toString() }
}

const passing = "\n\n> {% client.test('t', () => {}) %}\n"
const failing = "\n\n> {% client.test('t', () => client.assert(false)) %}\n"

describe('files', () => {
  const files = {
    'a.http': 'GET $O/a',
    'tests/b.http': 'GET $O/b',
    'tests/sub/c.rest': 'GET $O/c',
    'tests/node_modules/d.http': 'GET $O/d',
    'tests/.e/e.http': 'GET $O/e',
    'tests/notes.txt': 'GET $O/f',
  }

  it.each<[string, string[], string[]]>([
    ['run in the order in which they are given', ['tests/b.http', 'a.http'], ['/b', '/a']],
    ['run twice where they are named twice', ['a.http', 'a.http'], ['/a', '/a']],
    ['below a directory run in the order of names', ['tests'], ['/b', '/c']],
    ['of a pattern run in the order of names', ['**/*.{http,rest}'], ['/a', '/b', '/c']],
    ['of several patterns run once', ['tests/*.http', 'tests', '**'], ['/b', '/c', '/a']],
  ])('%s', async (_title, words, targets) => {
    const { code, err } = await run(files, words)
    expect([code, err, lines()]).toEqual([0, '', targets.map((target) => `GET ${target}`)])
  })

  it('may come from standard input, with other files beside it', async () => {
    const { code, out } = await run({ 'body.txt': 'from a file' }, ['-'], `POST ${server.origin}/x\n\n< ./body.txt`)
    expect([code, String(server.requests[0]?.body)]).toEqual([0, 'from a file'])
    expect(out).toContain('1 request: 1 answered')
  })

  it.each<[string, string[], number, string]>([
    ['a pattern that fits nothing', ['a.http', 'x/*.http'], 4, 'no file matches x/*.http'],
    [
      'a directory without request files',
      ['a.http', 'tests/.e/..', 'empty'],
      4,
      'the directory empty has no request files',
    ],
    ['a file that is not there', ['a.http', 'nope.http'], 4, 'the request file nope.http does not exist'],
    [
      'a URL',
      ['a.http', 'http://localhost:1/?a={b}'],
      4,
      'http://localhost:1/?a={b} is a URL, expected a request file. To send one request, write httpcli http://localhost:1/?a={b}.',
    ],
    ['standard input twice', ['-', '-'], 1, 'standard input (-) can be read only once'],
  ])('are not sent because of %s', async (_title, words, expectedCode, message) => {
    const { code, err } = await run({ ...files, 'empty/x.txt': '' }, words)
    expect([code, lines()]).toEqual([expectedCode, []])
    expect(err).toContain(message)
  })

  it('with errors are all reported, and no request is sent', async () => {
    const { code, err } = await run(
      {
        'a.http': 'GET $O/a',
        'b.http': 'GET $O/b\nno header\n###\nGET $O/b\nnor here',
        'c.http': 'import d.http\n###\nGET $O/c',
        'd.http': 'GET\n',
      },
      ['a.http', 'b.http', 'c.http'],
    )
    expect([code, lines()]).toEqual([2, []])
    expect(err.match(/^httpcli run: [^ ]+/gm)).toEqual([
      'httpcli run: b.http:2:1:',
      'httpcli run: b.http:5:1:',
      'httpcli run: d.http:1:1:',
    ])
  })

  it('with errors in what they import are reported before anything is sent', async () => {
    const { code, err } = await run(
      { 'a.http': 'GET $O/a', 'c.http': 'import d.http\n###\nGET $O/c', 'd.http': 'GET $O/d\nno header\n' },
      ['a.http', 'c.http'],
    )
    expect([code, lines()]).toEqual([2, []])
    expect(err).toContain('d.http:2:1:')
  })

  it('with assertions that cannot be read are reported before anything is sent', async () => {
    const assertion = '# @assert $.items[?(@.id >)] exists'
    const { code, err } = await run({ 'a.http': 'GET $O/a', 'b.http': `${assertion}\nGET $O/b` }, ['a.http', 'b.http'])
    expect([code, lines()]).toEqual([2, []])
    expect(err).toContain('b.http:1:')
  })

  it('have separate variables, cookies and modules', async () => {
    const set = `GET $O/login\n\n> {% client.global.set('v', 'left') %}\n`
    await run({ 'a.http': set, 'b.http': `GET $O/{{v}}` }, ['a.http', 'b.http', '--lenient'])
    expect(lines()).toEqual(['GET /login', 'GET /'])
    expect(server.requests[1]?.headers.join()).not.toContain('Cookie')
  })

  it('share a cookie jar, which is written once all have ended', async () => {
    const directory = directoryOf({ 'a.http': 'GET $O/login', 'b.http': 'GET $O/b' })
    await runCommand(['run', 'a.http', 'b.http', '-c', 'jar'], { cwd: directory })
    expect(server.requests[1]?.headers).toContain('Cookie: s=1')
    expect(readFileSync(join(directory, 'jar'), 'utf8')).toContain('\ts\t1')
  })

  it('use the same connection', async () => {
    const ports = new Set<number>()
    const other = await recordingServer({
      '/': (request, response) => {
        ports.add(request.socket.remotePort as number)
        response.end()
      },
    })
    await run({ 'a.http': `GET ${other.origin}/`, 'b.http': `GET ${other.origin}/` }, [
      'a.http',
      'b.http',
      '--repeat',
      '3',
    ])
    await other.close()
    expect([other.requests.length, ports.size]).toEqual([6, 1])
  })
})

describe('a selection', () => {
  const files = {
    'a.http': '### One\n# @tag smoke\nGET $O/1\n\n### Two\n# @tags smoke, slow\nGET $O/2\n\n### Three\nGET $O/3\n',
    'b.http': '### One\nGET $O/b1\n### Four\n# @tag slow\nGET $O/b4\n',
  }

  it.each<[string, string[], string[]]>([
    ['by name', ['a.http', '--name', 'Two'], ['/2']],
    ['by several names', ['a.http', '--name', 'Two', '--name=One'], ['/1', '/2']],
    ['by a name in all files', ['a.http', 'b.http', '--name', 'One'], ['/1', '/b1']],
    ['by a pattern of names', ['a.http', 'b.http', '--name', 'T*'], ['/2', '/3']],
    ['by tag', ['a.http', 'b.http', '--tag', 'slow'], ['/2', '/b4']],
    ['by several tags', ['a.http', 'b.http', '--tag', 'slow', '--tag', 'smoke'], ['/1', '/2', '/b4']],
    ['without a tag', ['a.http', '--tag', '!slow'], ['/1', '/3']],
    ['by line', ['a.http', '--line', '7'], ['/2']],
    ['by file and line', ['a.http', 'b.http', '--line', 'b.http:4', '--line', './a.http:1'], ['/1', '/b4']],
    ['by name and tag', ['a.http', '--name', 'T*', '--tag', 'smoke'], ['/2']],
  ])('%s', async (_title, words, targets) => {
    const { code, err } = await run(files, words)
    expect([code, err, lines()]).toEqual([0, '', targets.map((target) => `GET ${target}`)])
  })

  it.each<[string, string[], string]>([
    ['a name', ['a.http', 'b.http', '--name', 'Thre'], 'no request is named "Thre". Did you mean "Three"?'],
    ['a name in another case', ['a.http', '--name', 'one'], 'Did you mean "One"?'],
    ['a tag', ['a.http', '--tag', 'slo'], 'no request has the tag "slo". Did you mean "slow"?'],
    ['a line', ['a.http', '--line', '99'], 'no request at line 99 of a.http. The nearest requests are at lines'],
    ['a line of no file', ['a.http', 'b.http', '--line', '3'], 'Write it as --line a.http:3'],
    ['a line of another file', ['a.http', '--line', 'c.http:3'], 'c.http'],
    ['a name and a tag together', ['a.http', '--name', 'One', '--tag', 'slow'], 'no request matches'],
    ['what is not a line number', ['a.http', '--line', 'x'], 'invalid --line "x": expected a line number'],
    ['an empty name', ['a.http', '--name', ''], '--name has an empty value'],
  ])('of nothing by %s is reported before anything is sent', async (_title, words, message) => {
    const { code, err } = await run(files, words)
    expect([code, lines()]).toEqual([1, []])
    expect(err).toContain(message)
  })

  it('lists what would be sent, instead of sending it', async () => {
    const { code, out, err } = await run(files, ['a.http', 'b.http', '--list'])
    expect([code, err, lines()]).toEqual([0, '', []])
    expect(out.replaceAll(server.origin, 'O')).toBe(
      [
        'a.http:3   One    GET  O/1   @smoke',
        'a.http:7   Two    GET  O/2   @smoke @slow',
        'a.http:10  Three  GET  O/3',
        'b.http:2   One    GET  O/b1',
        'b.http:5   Four   GET  O/b4  @slow',
        '',
      ]
        .map((line) => line.replace(/(O\/\S+)( +)(?=@)/, '$1$2'))
        .join('\n'),
    )
  })

  it('lists the selected requests, as JSON on request', async () => {
    const { out } = await run(files, ['a.http', '--list', '--json', '--tag', 'slow'])
    expect(
      out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { file: 'a.http', line: 7, name: 'Two', method: 'GET', target: `${server.origin}/2`, tags: ['smoke', 'slow'] },
    ])
  })

  it('lists what can be called, and reports calls that cannot', async () => {
    const { code, out, err } = await run({ 'a.http': 'run #nope\n###\nGET $O/1' }, ['a.http', '--list'])
    expect([code, out]).toEqual([4, `a.http:3  -  GET  ${server.origin}/1\n`])
    expect(err).toContain('no request "nope" found here')
  })
})

describe('data rows', () => {
  it('of CSV are the variables of one pass each', async () => {
    const { code, out } = await run(
      { 'a.http': 'GET $O/{{id}}?n={{name}}', 'rows.csv': 'id,name\r\n1,"a, b"\r\n2,c\r\n' },
      ['a.http', '--data', 'rows.csv'],
    )
    expect([code, lines()]).toEqual([0, ['GET /1?n=a,%20b', 'GET /2?n=c']])
    expect(out).toContain('2 requests: 2 answered')
  })

  it('of JSON keep their types, also for scripts, and are reachable by path', async () => {
    const test =
      "\n\n> {% client.test('n', () => client.assert(request.environment.get('n') === 5)); client.test('o', () => client.assert(request.environment.get('o').p === 'q')) %}"
    const { code } = await run(
      {
        'a.http': `POST $O/\nContent-Type: application/json\n\n{"n": {{n}}, "p": "{{o.p}}"}${test}`,
        'rows.json': '[{"n": 5, "o": {"p": "q"}}]',
      },
      ['a.http', '--data', 'rows.json'],
    )
    expect([code, String(server.requests[0]?.body)]).toEqual([0, '{"n": 5, "p": "q"}'])
  })

  it.each([[], ['--parallel', '4']])('do not cause a new sign-in each %j', async (...words) => {
    const auth = { Type: 'OAuth2', 'Grant Type': 'Client Credentials', 'Client ID': 'c', 'Client Secret': '{{secret}}' }
    const security = { Auth: { svc: { ...auth, 'Token URL': '$O/token' } } }
    const { code } = await run(
      {
        'a.http': 'GET $O/{{i}}\nAuthorization: Bearer {{$auth.token("svc")}}',
        'http-client.env.json': JSON.stringify({ dev: { secret: 's', Security: security } }),
        'r.csv': 'i\n1\n2\n3\n4\n5\n',
      },
      ['a.http', '--data', 'r.csv', '-e', 'dev', ...words],
    )
    expect([code, lines().filter((line) => line === 'POST /token').length, lines().length]).toEqual([0, 1, 6])
  })

  it('override environment and file, and are overridden by -V', async () => {
    const files = {
      'a.http': '@a = file\n@b = file\nGET $O/{{a}}/{{b}}/{{c}}',
      'http-client.env.json': '{"dev": {"a": "env", "c": "env"}}',
      'rows.jsonl': '{"a": "row", "c": "row"}',
    }
    await run(files, ['a.http', '--data', 'rows.jsonl', '-e', 'dev', '-V', 'c=given'])
    expect(lines()).toEqual(['GET /row/file/given'])
  })

  it('are combined with files and repetitions, files first', async () => {
    await run({ 'a.http': 'GET $O/a{{i}}', 'b.http': 'GET $O/b{{i}}', 'r.csv': 'i\n1\n2\n' }, [
      ...['a.http', 'b.http', '--data', 'r.csv', '--repeat', '2'],
    ])
    expect(lines().map((line) => line.slice(5))).toEqual(['a1', 'a2', 'a1', 'a2', 'b1', 'b2', 'b1', 'b2'])
  })

  it.each<[string, string, string, number, string]>([
    ['that are broken', 'r.csv', 'a,b\n1,2\n3\n4,5,6\n', 2, 'r.csv:3:1: the row has 1 field, but there are 2 columns'],
    ['that are not JSON', 'r.json', '[{"a": 1},\n{"a" 2}]', 2, 'r.json:2:6: expected ":" after the key'],
    ['without any rows', 'r.csv', '', 2, 'r.csv:1:1: the data file is empty'],
    ['that are not there', 'x.csv', '', 4, 'the data file r.csv does not exist'],
  ])('%s are reported before anything is sent', async (_title, name, content, expectedCode, message) => {
    const option = name === 'x.csv' ? 'r.csv' : name
    const { code, err } = await run({ 'a.http': 'GET $O/', [name]: content }, ['a.http', '--data', option])
    expect([code, lines()]).toEqual([expectedCode, []])
    expect(err).toContain(message)
  })
})

describe('parallel jobs', () => {
  const many = (count: number, text: (index: number) => string): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`f${String(index).padStart(2, '0')}.http`, text(index)]),
    )

  it('run at the same time', async () => {
    gate = { size: 4, waiting: [] }
    const { code } = await run(
      many(8, () => 'GET $O/gate'),
      ['.', '--parallel', '4'],
    )
    expect([code, server.requests.length]).toEqual([0, 8])
  })

  it('print their output one after the other', async () => {
    const files = many(
      12,
      (index) => `### n${index}\nGET $O/${index % 5 === 0 ? 'cut' : index}${index % 2 === 0 ? failing : passing}`,
    )
    const directory = directoryOf(files)
    const [one, eight] = await Promise.all(
      ['1', '8'].map((parallel) => runCommand(['run', '.', '-p', 'body', '--parallel', parallel], { cwd: directory })),
    )
    const timeless = (text: Buffer | undefined): string => String(text).replace(/[\d.]+ m?s$/m, '')
    expect(timeless(eight?.stdout)).toBe(timeless(one?.stdout))
    expect(timeless(eight?.stderr)).toBe(timeless(one?.stderr))
    expect([one?.code, eight?.code]).toEqual([4, 4])
    expect(timeless(one?.stderr).match(/f\d\d\.http ===/g)).toHaveLength(12)
  })

  it.each(['1', '4'])(
    'end quietly, but with an error, when the reader of their output has gone: --parallel %s',
    async (parallel) => {
      const directory = directoryOf(many(12, (index) => `GET $O/${'x'.repeat(8000)}${index}`))
      const [program, ...first] = commandLine()
      const words = [...first, 'run', '.', '-l', '--parallel', parallel].map((word) => `'${word}'`).join(' ')
      const script = `'${program}' ${words} | head -n 1; echo "\${PIPESTATUS[0]}"`
      const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], {
        cwd: directory,
        env: commandEnvironment(),
      })
      expect([stdout.trimEnd().split('\n').at(-1), stderr]).toEqual(['4', ''])
    },
  )

  it('all end when interrupted: the jar is written, the rest is reported as skipped', async () => {
    const directory = directoryOf({
      'a.http': 'GET $O/login\n###\nGET $O/slow\n###\nGET $O/a',
      'b.http': 'GET $O/slow\n###\nGET $O/b',
      'c.http': 'GET $O/c',
    })
    const words = ['run', 'a.http', 'b.http', 'c.http', '--parallel', '2', '-c', 'jar', '--json']
    const running = await startCommand(words, /"request-sent".*login/, { cwd: directory })
    await new Promise<void>((resolve) => {
      const look = (): void =>
        lines().filter((line) => line === 'GET /slow').length === 2 ? resolve() : void setImmediate(look)
      look()
    })
    const { code, stdout } = await running.stop('SIGINT')
    expect(code).toBe(130)
    const last = JSON.parse(stdout.toString().trimEnd().split('\n').at(-1) as string)
    expect(last.summary).toMatchObject({ requests: 3, answered: 1, skipped: 3, isInterrupted: true })
    expect(readFileSync(join(directory, 'jar'), 'utf8')).toContain('\ts\t1')
  })
})

describe('the exit code', () => {
  it.each<[number, string, Record<string, string>, string[]]>([
    [0, 'where all pass', { 'a.http': `GET $O/${passing}`, 'b.http': 'GET $O/404' }, []],
    [5, 'where a test fails in the first', { 'a.http': `GET $O/${failing}`, 'b.http': 'GET $O/' }, []],
    [5, 'where a test fails in the last', { 'a.http': 'GET $O/', 'b.http': `GET $O/${failing}` }, []],
    [4, 'where one is not answered and a test fails', { 'a.http': 'GET $O/cut', 'b.http': `GET $O/${failing}` }, []],
    [4, 'where a test fails and one is not answered', { 'a.http': `GET $O/${failing}`, 'b.http': 'GET $O/cut' }, []],
    [5, 'for a bad status with --fail', { 'a.http': 'GET $O/', 'b.http': 'GET $O/404' }, ['--fail']],
    [5, 'where a failed test ends all', { 'a.http': `GET $O/${failing}`, 'b.http': 'GET $O/cut' }, ['--bail']],
    [4, 'where an error ends all', { 'a.http': 'GET $O/cut', 'b.http': `GET $O/${failing}` }, ['--bail']],
  ])('is %i %s', async (expected, _title, files, words) => {
    const { code } = await run(files, ['a.http', 'b.http', ...words])
    expect(code).toBe(expected)
  })
})

describe('--retry', () => {
  it('retries what fails, and reports it; the last attempt counts', async () => {
    const other = await recordingServer({
      '/': (_request, response) => response.writeHead(other.requests.length < 3 ? 503 : 200).end(),
    })
    const words = ['a.http', '--fail', '--retry', '5', '--retry-interval', '1ms', '-p', 'status']
    const { code, err: out } = await run({ 'a.http': `GET ${other.origin}/` }, words)
    await other.close()
    expect([code, other.requests.length]).toEqual([0, 3])
    expect(out).toContain('attempt 2 of 6: the status is 503')
    expect(out).toMatch(/1 request: 1 answered, 0 failed; 2 retried/)
  })
})

describe('--bail', () => {
  it('skips later requests, files and rows, and reports it', async () => {
    const { code, out } = await run(
      { 'a.http': `GET $O/1${failing}\n###\nGET $O/2`, 'b.http': 'GET $O/3', 'r.csv': 'i\n1\n2\n' },
      ['a.http', 'b.http', '--data', 'r.csv', '--bail'],
    )
    expect([code, lines()]).toEqual([5, ['GET /1']])
    expect(out).toContain('5 skipped')
  })

  it('lets running jobs finish, and starts no more', async () => {
    gate = { size: 2, waiting: [] }
    const directory = directoryOf({
      'a.http': `GET $O/gate${failing}`,
      'b.http': 'GET $O/gate\n###\nGET $O/held',
      'c.http': 'GET $O/c',
      'd.http': 'GET $O/d',
    })
    // The second heading is printed when the first job has ended.
    const running = await startCommand(['run', '.', '--parallel', '2', '--bail'], /=== b\.http ===/, { cwd: directory })
    const ended = once(running.child, 'close')
    await expect.poll(() => held.length, { timeout: 30_000 }).toBe(1)
    for (const response of held) response.end('late')
    expect(await ended).toEqual([5, null])
    expect(lines().sort()).toEqual(['GET /gate', 'GET /gate', 'GET /held'])
    expect(running.stdout()).toContain('2 skipped')
  })
})

describe('an invalid value', () => {
  it.each<[string[], string]>([
    [['--repeat', '0'], 'invalid --repeat "0": expected a number from 1 to 1000000'],
    [['--repeat', 'x'], 'invalid --repeat "x": expected a number'],
    [['--parallel', '0'], 'invalid --parallel "0": expected a number from 1 to 1000'],
    [['--parallel', '2.5'], 'invalid --parallel "2.5": expected a number'],
    [['--retry', '-1'], 'invalid --retry "-1": expected a number from 0'],
    [['--retry-interval', 'soon'], 'invalid --retry-interval "soon": expected a duration'],
    [['--delay', '5h'], 'invalid --delay "5h": expected a duration'],
  ])('%j is a usage error', async (words, message) => {
    const { code, err } = await run({ 'a.http': 'GET $O/' }, ['a.http', ...words])
    expect([code, lines()]).toEqual([1, []])
    expect(err).toContain(message)
  })
})
