/** `httpcli run --report` as a CI job uses it: several files at once, wrong targets, interruptions, bail, pipes. */
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { commandEnvironment, commandLine, runCommand, startCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../runner/running.ts'

let server: RecordingServer
let root: string

beforeAll(async () => {
  server = await recordingServer({
    '/json': (_request, response) => response.setHeader('Content-Type', 'application/json').end('{"id": 7}'),
    '/missing': (_request, response) => response.writeHead(404).end(),
    '/never': () => undefined,
  })
})
afterAll(() => server.close())

beforeEach(() => {
  root = temporaryDirectory()
  server.requests.length = 0
  write('api.http', mixed)
})

const mixed = `### Fine
GET $O/json

> {% client.test('has an id', () => client.assert(response.body.id === 7)) %}

### Wrong
GET $O/json

> {% client.test('has another id', () => client.assert(response.body.id === 8)) %}

### Down
GET http://127.0.0.1:1/

### Plain
GET $O/json
`

function write(name: string, text: string): void {
  writeFileSync(join(root, name), text.replaceAll('$O', server.origin))
}

const read = (name: string): string => readFileSync(join(root, name), 'utf8')

async function run(...words: string[]) {
  const { code, stdout, stderr } = await runCommand(['run', ...words], { cwd: root })
  return { code, out: stdout.toString(), err: stderr.toString() }
}

/** `httpcli run` with these words, in a shell that has real pipes. */
async function inShell(words: string): Promise<string> {
  const command = commandLine()
    .map((word) => `"${word}"`)
    .join(' ')
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} run ${words}`], {
    cwd: root,
    env: commandEnvironment(),
  })
  return stdout
}

const reportOf = (name: string) =>
  JSON.parse(read(name)) as { counts: unknown; isInterrupted: boolean; jobs: unknown[] }

describe('reports', () => {
  it('are all written, into directories that are created', async () => {
    const targets = ['junit=out/ci/r.xml', 'json=out/r.json', 'tap=out/r.tap', 'html=r.html']
    const { code } = await run('api.http', '-p', 'status', ...targets.flatMap((target) => ['--report', target]))
    expect(code).toBe(4)
    expect(read('out/ci/r.xml')).toMatch(/tests="4" failures="1" errors="1" skipped="0"/)
    expect(reportOf('out/r.json').counts).toMatchObject({ requests: 4, passed: 2, failed: 1, errors: 1, tests: 2 })
    expect(read('out/r.tap')).toMatch(/^TAP version 13\n1\.\.4\nok 1 - api\.http > Fine > has an id\n/)
    expect(read('r.html')).toMatch(/^<!DOCTYPE html>[\s\S]*<\/html>\n$/)
    expect(readdirSync(root).toSorted()).toEqual(['api.http', 'out', 'r.html'])
  })

  it('are valid against the schema, after any failure', async () => {
    await run('api.http', '--fail', '--report', 'junit=r.xml')
    const schema = new URL('../report/junit.xsd', import.meta.url).pathname
    const checked = spawnSync('xmllint', ['--noout', '--schema', schema, join(root, 'r.xml')])
    if (checked.error === undefined) expect(checked.stderr.toString()).toMatch(/validates\n$/)
  })

  it('follow a link, and replace nothing but regular files', async () => {
    mkdirSync(join(root, 'real'))
    symlinkSync('real/r.tap', join(root, 'link.tap'))
    await run('api.http', '--report', 'tap=link.tap')
    expect(read('real/r.tap')).toMatch(/^TAP/)
    const out = await inShell('api.http --report tap=/dev/stdout | cat')
    expect(out).toMatch(/\n4 requests: .*\nTAP version 13\n/)
  })

  it('with the file - are the only standard output', async () => {
    const { out, err } = await run('api.http', '--report', 'json=-')
    expect(JSON.parse(out)).toMatchObject({ counts: { requests: 4 } })
    expect(err).toMatch(/### Fine: [\s\S]*HTTP\/1\.1 200 OK[\s\S]*passed {2}has an id[\s\S]*4 requests: /)
  })

  it('list what --bail skipped', async () => {
    const { code } = await run('api.http', '--bail', '--report', 'json=r.json', '--report', 'junit=r.xml')
    expect(code).toBe(5)
    expect(reportOf('r.json').counts).toMatchObject({ passed: 1, failed: 1, skipped: 2 })
    expect(
      read('r.xml').match(/<skipped message="not started, because of a failure before it \(--bail\)"\/>/g),
    ).toHaveLength(2)
  })

  it('of an interrupted run have the results so far, and say so', async () => {
    write('api.http', 'GET $O/json\n\n###\nGET $O/never\n\n###\nGET $O/json\n')
    const words = ['run', 'api.http', '-l', '-p', 'status']
    const reports = ['junit=r.xml', 'json=r.json', 'tap=r.tap', 'html=r.html'].flatMap((target) => ['--report', target])
    const running = await startCommand([...words, ...reports], /^GET \/never /, { cwd: root })
    const { code } = await running.stop('SIGINT')
    expect(code).toBe(130)
    expect(reportOf('r.json')).toMatchObject({ isInterrupted: true, counts: { passed: 1, errors: 1, skipped: 1 } })
    expect(read('r.tap')).toMatch(
      /\nnot ok 2 - [\s\S]*\nok 3 - .* # SKIP not started, because the run was interrupted\nBail out! interrupted\n$/,
    )
    expect(read('r.xml')).toContain('<property name="interrupted" value="true"/>')
    expect(read('r.xml')).toContain('<error message="the run was interrupted before the request had ended"')
    expect(read('r.html')).toContain('<title>Interrupted: api.http</title>')
    expect(readdirSync(root).toSorted()).toEqual(['api.http', 'r.html', 'r.json', 'r.tap', 'r.xml'])
  })

  it('are written even if the reader of standard output has gone', async () => {
    write('big.http', Array.from({ length: 300 }, () => 'GET $O/json\n').join('\n###\n'))
    await inShell('big.http --report json=r.json | head -1')
    expect(reportOf('r.json').jobs).toHaveLength(1)
  })

  it('are not written if the command line is invalid', async () => {
    write('api.http', 'GET $O/json')
    const { code } = await run('api.http', '--parallel', 'many', '--report', 'junit=r.xml')
    expect([code, existsSync(join(root, 'r.xml'))]).toEqual([1, false])
  })
})

describe('an invalid report target', () => {
  it.each<[string, string[], number, RegExp]>([
    ['an unknown format', ['xunit=r.xml'], 1, /--report: unknown format "xunit"\. Did you mean junit\?/],
    [
      'a format that is far from any',
      ['pdf=r.pdf'],
      1,
      /unknown format "pdf"\. Formats: junit, json, tap, html, har, github\./,
    ],
    ['no file', ['junit'], 1, /--report "junit" does not name a file\. Write it as --report junit=report\.xml\./],
    ['an empty file', ['html='], 1, /--report "html=" does not name a file\. Write it as --report html=report\.html\./],
    ['a directory by its name', ['html=out/'], 1, /--report "html=out\/" does not name a file\./],
    ['two into one', ['junit=r.x', 'tap=./r.x'], 1, /two reports write to \.\/r\.x/],
    ['two to standard output', ['junit=-', 'tap=-'], 1, /two reports write to standard output/],
    ['the request file', ['json=api.http'], 1, /the report api\.http would replace the request file api\.http/],
    ['a directory', ['json=dir'], 4, /the report dir cannot be written: it is a directory/],
    ['below a file', ['json=api.http/r.json'], 4, /the report api\.http\/r\.json cannot be written: /],
    ['a missing directory', ['json=/proc/none/r.json'], 4, /the report \/proc\/none\/r\.json cannot be written: /],
  ])('is an error before anything is sent: %s', async (_, targets, code, message) => {
    mkdirSync(join(root, 'dir'))
    const result = await run('api.http', ...targets.flatMap((target) => ['--report', target]))
    expect([result.code, result.err]).toEqual([code, expect.stringMatching(message)])
    expect(result.err.trimEnd().split('\n')).toHaveLength(1)
    expect(server.requests).toEqual([])
    expect(readdirSync(root).toSorted()).toEqual(['api.http', 'dir'])
  })

  it.skipIf(process.getuid?.() === 0)('may be a write-protected file', async () => {
    write('r.xml', 'old')
    chmodSync(join(root, 'r.xml'), 0o444)
    const { code, err } = await run('api.http', '--report', 'junit=r.xml')
    expect([code, err]).toEqual([4, expect.stringContaining('cannot be written: permission denied')])
    expect(server.requests).toEqual([])
  })

  it('is reported when writing: the others are written, the exit code is 4', async () => {
    write('api.http', 'GET $O/json')
    const { code, err } = await run('api.http', '--report', 'tap=/dev/full', '--report', 'json=r.json')
    expect([code, err]).toEqual([
      4,
      'httpcli run: the report /dev/full cannot be written: no space left on the device. Delete files, or choose another file system.\n',
    ])
    expect(reportOf('r.json').counts).toMatchObject({ passed: 1 })
  })

  it('--json does not share standard output', async () => {
    const { code, err } = await run('api.http', '--json', '--report', 'tap=-')
    expect([code, err]).toEqual([1, expect.stringContaining('both write to standard output')])
    expect(server.requests).toEqual([])
  })
})

it('a file that does not parse is a failed test case in every report', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'good.http'), `GET ${server.origin}/\n`)
  writeFileSync(join(directory, 'bad.http'), 'GET\n\n###\nGET http://h/\nAccept\n')
  const targets = ['junit=r.xml', 'json=r.json', 'tap=r.tap', 'html=r.html', 'har=r.har'].flatMap((target) => [
    '--report',
    target,
  ])
  const { code, stderr } = await runCommand(['run', 'good.http', 'bad.http', ...targets], { cwd: directory })
  expect([code, stderr.toString()]).toEqual([2, expect.stringContaining('bad.http:1:1: expected a URL after GET')])
  const report = (name: string): string => readFileSync(join(directory, name), 'utf8')
  expect(report('r.xml')).toMatch(/<testsuite name="bad\.http"[^>]* errors="2"/)
  expect(report('r.xml')).toContain('expected a URL after GET')
  expect(report('r.tap')).toMatch(/^not ok 1 .*\n[\s\S]*^not ok 2 /m)
  expect(JSON.parse(report('r.json'))).toMatchObject({
    jobs: [
      {
        errors: [
          { file: 'bad.http', line: 1 },
          { file: 'bad.http', line: 5 },
        ],
      },
    ],
  })
  expect(report('r.html')).toContain('expected a URL after GET')
})
