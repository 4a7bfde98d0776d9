/**
 * `run --shard`, `report merge` and `run --last-failed` as the machines of a CI use them: every request on one machine,
 * and one report, which is that of a single run.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { runInside } from '../helpers/command-inside.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../runner/running.ts'

let server: RecordingServer
let root: string
/** How commands are run: `runCommand` for those that are processes. */
let runWith = runInside

beforeAll(async () => {
  server = await recordingServer({
    '/json': (_request, response) => response.setHeader('Content-Type', 'application/json').end('{"id": 7}'),
    '/missing': (_request, response) => response.writeHead(404).end(),
    '/moved': (_request, response) => response.writeHead(302, { Location: '/json' }).end(),
  })
})
afterAll(() => server.close())

beforeEach(() => {
  runWith = runInside
  root = temporaryDirectory()
  server.requests.length = 0
})

function write(name: string, text: string): void {
  writeFileSync(join(root, name), text.replaceAll('$O', server.origin))
}

const read = (name: string): string => readFileSync(join(root, name), 'utf8')

async function httpcli(...words: string[]) {
  const { code, stdout, stderr } = await runWith(words, { cwd: root })
  return { code, out: stdout.toString(), err: stderr.toString() }
}

/** Runs all shards, each with its report. @returns their exit codes */
async function runShards(of: number, ...words: string[]): Promise<readonly (number | null)[]> {
  const codes = []
  for (let number = 1; number <= of; number++) {
    const shard = ['--shard', `${number}/${of}`, '--report', `json=${number}.json`]
    codes.push((await httpcli('run', ...words, ...shard, '--quiet', '-p', 'status')).code)
  }
  return codes
}

const namesOf = (of: number): string[] => Array.from({ length: of }, (_, index) => `${index + 1}.json`)

/** A report with the same value for everything that comes from a clock. */
function withoutClock(text: string): string {
  return text
    .replace(/("\w+Ms": )[\d.]+/g, '$10')
    .replace(/"(?:\d{4}-\d\d-\d\dT[\d:.]+Z|\w{3}, [\w :]+ GMT)"/g, '"then"')
}

const otherFormats = ['junit', 'tap', 'html', 'har']
const reportOptions = (name: string): string[] =>
  ['json', ...otherFormats].flatMap((format) => ['--report', `${format}=${name}.${format}`])

/** Files that are divided by requests, and one that is not. */
function writeSuite(): void {
  const plain = (name: string, path: string) => `### ${name}\n# @no-cookie-jar\n# @tag ${name}\nGET $O${path}\n`
  write(
    'a.http',
    `${plain('one', '/json?{{$uuid}}').replace('GET', '# @use-os-credentials\nGET')}\n> {% client.test('has an id', () => client.assert(response.body.id === 7)) %}\n\n${plain('two', '/moved')}\n${plain('three', '/json').replace('GET', '# @use-os-credentials\nGET')}\n> {% client.log('logged') %}\n`,
  )
  write('b.http', `${plain('four', '/missing').replace('GET', '# @assert status == 200\nGET')}\n${plain('five', '/x')}`)
  write('c.http', '### six\n# @capture id = $.id\nGET $O/json\n\n### seven\nPOST $O/x\n\n{{id}}\n')
  write('d.http', `${plain('eight', '/x')}\n### down\n# @no-cookie-jar\nGET http://127.0.0.1:1/\n`)
}

interface Case {
  readonly title: string
  readonly of: number
  readonly words: readonly string[]
  readonly run?: typeof runInside
}

const cases: readonly Case[] = [
  { title: 'files', of: 2, words: [] },
  { title: 'requests, on machines', of: 2, words: ['--shard-by', 'request'], run: runCommand },
  { title: 'files, more than there are', of: 6, words: [] },
  { title: 'requests', of: 3, words: ['--shard-by', 'request'] },
  { title: 'passes and rows', of: 3, words: ['--repeat', '2', '--data', 'rows.csv'] },
  { title: 'rows by request', of: 4, words: ['--data', 'rows.csv', '--shard-by', 'request'] },
  {
    title: 'chosen requests',
    of: 2,
    words: ['--name', 'two', '--name', 'f*', '--tag', '!five', '--shard-by', 'request'],
  },
  { title: 'parallel jobs', of: 2, words: ['--parallel', '4', '--repeat', '3'] },
  { title: 'seeded values', of: 2, words: ['--seed', '7', '--now', '2026-11-21T10:00:00Z', '--trace'] },
]

describe('all shards of a run', () => {
  it.each(cases)(
    'send each request once, and their merged report is that of one run: $title',
    async ({ of, words, run = runInside }) => {
      runWith = run
      writeSuite()
      write('rows.csv', 'row\n1\n2\n')
      const files = ['a.http', 'b.http', 'c.http', 'd.http']
      // A shard has options that one run has not.
      const wholeWords = words.filter((word, index) => word !== '--shard-by' && words[index - 1] !== '--shard-by')
      const whole = await httpcli('run', ...files, ...wholeWords, '--quiet', '-p', 'status', ...reportOptions('whole'))
      const isSeeded = words.includes('--seed')
      const sent = (): string[] =>
        server.requests.map(({ line, body }) => `${isSeeded ? line : line.replace(/\?[\w-]+/, '')} ${body}`).sort()
      const sentByOne = sent()
      server.requests.length = 0
      const codes = await runShards(of, ...files, ...words)
      expect(sent()).toEqual(sentByOne)
      expect(Math.max(...codes.map(Number))).toBeGreaterThan(0)
      expect(whole.code).toBe(codes.includes(4) ? 4 : 5)

      const merged = await httpcli('report', 'merge', ...namesOf(of).reverse(), ...reportOptions('merged'))
      expect([merged.code, merged.err]).toEqual([0, ''])
      const comparable = (text: string): string =>
        isSeeded ? withoutClock(text) : withoutClock(text).replace(/\?[0-9a-f-]{36}/g, '?uuid')
      expect(comparable(read('merged.json'))).toBe(comparable(read('whole.json')))
      // The other formats follow from the JSON report alone: of the run, and of the shards.
      for (const name of ['whole', 'merged']) {
        await httpcli('report', 'merge', `${name}.json`, ...reportOptions(`${name}-again`))
        for (const format of ['json', ...otherFormats])
          expect(read(`${name}-again.${format}`)).toBe(read(`${name}.${format}`))
      }
    },
  )

  it('are reported by GitHub annotations and a summary, too', async () => {
    writeSuite()
    await runShards(2, 'a.http', 'b.http')
    const { code, out } = await httpcli('report', 'merge', '1.json', '2.json', '--report', 'github')
    expect(code).toBe(0)
    expect(out).toMatch(/^::error file=b\.http,line=4,col=11,title=four%3A status == 200::/m)
    expect(out).toMatch(/\n2 reports; 5 requests: 4 passed, 1 failed, 0 not answered; 2 tests: 1 passed, 1 failed\n$/)
  })

  it('end with the errors of a file, and the merged report has them once', async () => {
    writeSuite()
    write('broken.http', 'GET $O/x\nno header\n')
    expect(await runShards(2, 'a.http', 'broken.http')).toEqual([2, 2])
    expect(server.requests).toEqual([])
    const { code } = await httpcli(
      'report',
      'merge',
      '1.json',
      '2.json',
      '--report',
      'json=m.json',
      '--report',
      'junit=m.xml',
    )
    expect(code).toBe(0)
    await httpcli('run', 'a.http', 'broken.http', '--report', 'json=whole.json')
    expect(withoutClock(read('m.json'))).toBe(withoutClock(read('whole.json')))
    expect(read('m.xml')).toContain('errors="1"')
  })
})

describe('one shard', () => {
  beforeEach(writeSuite)

  it('reports how much it runs, and which line prevents splitting a file', async () => {
    const files = ['a.http', 'b.http', 'c.http']
    const { err } = await httpcli('run', ...files, '--shard', '1/2', '--shard-by', 'request', '--list')
    expect(err).toBe(
      'note: shard 1 of 2 runs 4 of 7 requests\nnote: c.http is not divided: line 2 sets the variable id\n',
    )
    expect((await httpcli('run', ...files, '--shard', '2/2', '--dry-run', '-p', 'status')).err).toContain(
      'note: shard 2 of 2 runs 2 of 3 files\n',
    )
    expect((await httpcli('run', ...files, '--shard', '2/2', '--quiet', '--dry-run')).err).not.toContain('note: shard')
  })

  it.each([['--list'], ['--dry-run', '-p', 'status'], ['--list', '--shard-by', 'request']])(
    'is shown by %s',
    async (...words) => {
      const shown: string[] = []
      for (const number of [1, 2, 3]) {
        const { code, out } = await httpcli('run', 'a.http', 'b.http', 'c.http', '--shard', `${number}/3`, ...words)
        expect(code).toBe(0)
        shown.push(...[...out.matchAll(/\b(one|two|three|four|five|six|seven)\b(?!@)/g)].map(([name]) => name))
      }
      expect([...new Set(shown)].sort()).toEqual(['five', 'four', 'one', 'seven', 'six', 'three', 'two'])
      expect(server.requests).toEqual([])
    },
  )

  it.each([[[]], [['--quiet']]])('without anything to run says so, and exits with 0: %j', async (words) => {
    const reports = ['--report', 'json=3.json', '--report', 'html=3.html']
    const { code, err } = await httpcli('run', 'a.http', '--shard', '3/3', ...reports, ...words)
    expect([code, err]).toEqual([0, 'note: shard 3 of 3 has nothing to run: the whole run has 1 file\n'])
    expect(read('3.html')).toContain(', shard 3 of 3</p>')
    expect(JSON.parse(read('3.json'))).toMatchObject({ jobs: [], shard: { number: 3, of: 3, jobs: 1 } })
  })

  it.each([
    [
      ['--shard', '9/8'],
      'invalid --shard "9/8": expected a number from 1 to 8, found 9. Write --shard 1/8 to --shard 8/8, one on each machine.',
    ],
    [['--shard', '0/8'], 'invalid --shard "0/8": expected a number from 1 to 8, found 0'],
    [['--shard', '1'], 'invalid --shard "1": expected a number and a count up to 10000. Write it as --shard 2/8.'],
    [['--shard', '1/0'], 'invalid --shard "1/0": expected a number and a count'],
    [['--shard', '1/99999'], 'invalid --shard "1/99999": expected a number and a count'],
    [['--shard-by', 'request'], '--shard-by needs --shard'],
    [['--shard-times', 'x.json'], '--shard-times needs --shard'],
    [
      ['--shard', '1/2', '--shard-by', 'request', '--seed', '1'],
      '--shard-by request and --seed cannot be used together',
    ],
    [
      ['--shard', '1/2', '--shard-by', 'request', '-c', 'jar'],
      '--shard-by request and -c/--cookiejar cannot be used together',
    ],
  ])('is a usage error: %j', async (words, message) => {
    const { code, err } = await httpcli('run', 'a.http', ...words)
    expect([code, err]).toEqual([1, expect.stringContaining(`httpcli run: ${message}`)])
    expect(server.requests).toEqual([])
  })

  it('is not run if the earlier report cannot be read', async () => {
    write('times.json', '{"version": 1, "jobs": [')
    const { code, err } = await httpcli('run', 'a.http', '--shard', '1/1', '--shard-times', 'times.json')
    expect([code, err]).toEqual([2, expect.stringContaining('the report times.json cannot be used: it is truncated')])
    const missing = await httpcli('run', 'a.http', '--shard', '1/1', '--shard-times', 'none.json')
    expect([missing.code, missing.err]).toEqual([4, expect.stringContaining('the report none.json does not exist')])
    expect(server.requests).toEqual([])
  })

  it('is sized by earlier times', async () => {
    const files = ['a.http', 'b.http', 'd.http']
    await httpcli('run', ...files, '--quiet', '--report', 'json=times.json')
    const report = JSON.parse(read('times.json')) as { jobs: { durationMs: number }[] }
    for (const [index, time] of [10, 20, 500].entries()) report.jobs[index]!.durationMs = time
    write('times.json', JSON.stringify(report))
    const listed = await httpcli('run', ...files, '--shard', '1/2', '--shard-times', 'times.json', '--list')
    const words = ['--shard', '1/2', '--shard-times', 'times.json', '--report', 'json=times.json']
    const { code, err } = await httpcli('run', ...files, ...words)
    expect([code, err]).toEqual([1, expect.stringContaining('would replace the report of earlier times times.json')])
    expect(listed.out).toMatch(/^d\.http:\d+ .*\nd\.http:\d+ .*\n$/)
  })
})

describe('reports that are not those of one run', () => {
  beforeEach(async () => {
    writeSuite()
    await runShards(2, 'a.http', 'b.http')
  })

  it.each([
    ['a missing shard', ['1.json'], 'shard 2 of 2 is missing. Give the reports of all shards.', 2],
    ['a shard twice', ['1.json', '2.json', '2.json'], '2.json and 2.json are both shard 2 of 2', 2],
    ['another run', ['1.json', 'other.json'], '1.json and other.json are reports of different runs', 2],
    ['a whole run', ['1.json', 'whole.json'], 'whole.json is the report of a whole run', 2],
    [
      'another format',
      ['1.json', 'run.har'],
      'the report run.har cannot be used: it is not a JSON report of httpcli',
      2,
    ],
    ['a truncated report', ['1.json', 'half.json'], 'the report half.json cannot be used: it is truncated', 2],
    [
      'another version',
      ['1.json', 'v2.json'],
      'the report v2.json cannot be used: it has version 2, and this httpcli',
      2,
    ],
    ['no file', ['1.json', 'none.json'], 'the report none.json does not exist. Check the path.', 4],
    ['a directory', ['1.json', '.'], 'the report . is a directory. Give the path of a file.', 4],
  ])('are not merged: %s', async (_name, inputs, message, exitCode) => {
    await httpcli('run', 'a.http', 'c.http', '--shard', '2/2', '--report', 'json=other.json')
    await httpcli('run', 'a.http', '--report', 'json=whole.json', '--report', 'har=run.har')
    write('half.json', read('2.json').slice(0, -100))
    write('v2.json', read('2.json').replace('"version": 1', '"version": 2'))
    write('m.json', 'old')
    const { code, out, err } = await httpcli(
      'report',
      'merge',
      ...inputs,
      '--report',
      'json=m.json',
      '--report',
      'tap=-',
    )
    expect([code, out, err]).toEqual([exitCode, '', expect.stringContaining(`httpcli report: ${message}`)])
    expect(read('m.json')).toBe('old')
  })

  it.each([
    [['merge', '1.json', '2.json'], '--report is missing'],
    [['merge'], '<report-file> is missing. Write httpcli report merge <report-file>.'],
    [['join'], 'unknown action "join". Write httpcli report merge <report-file>….'],
    [['mrege'], 'unknown action "mrege". Did you mean merge?'],
    [['mrege', '1.json', '--report', 'tap=-'], 'unknown action "mrege". Did you mean merge?'],
    [['merge', '1.json', '2.json', '--report', 'pdf=x'], '--report: unknown format "pdf"'],
    [
      ['merge', '1.json', '2.json', '--report', 'json=2.json'],
      'the report 2.json would replace the report 2.json that is read',
    ],
    [
      ['merge', '1.json', '2.json', '--report', 'tap=-', '--report', 'github'],
      '--report github and a report to - both write',
    ],
  ])('are not accepted: %j', async (words, message) => {
    const { code, err } = await httpcli('report', ...words)
    expect([code, err]).toEqual([1, expect.stringContaining(`httpcli report: ${message}`)])
  })

  it('cannot be written', async () => {
    const { code, err } = await httpcli('report', 'merge', '1.json', '2.json', '--report', 'json=a.http/m.json')
    expect([code, err]).toEqual([4, expect.stringContaining('the report a.http/m.json cannot be written')])
  })
})

describe('--last-failed', () => {
  beforeEach(async () => {
    writeSuite()
    await runShards(2, 'a.http', 'b.http', 'd.http')
    await httpcli('report', 'merge', '1.json', '2.json', '--report', 'json=m.json')
    server.requests.length = 0
  })

  const paths = (): string[] => server.requests.map(({ line }) => line.split(' ')[1]!)

  it('runs all of each file in which something failed, also by a merged report', async () => {
    const { code, err } = await httpcli('run', '--last-failed', 'm.json', '-p', 'status')
    expect([code, err]).toEqual([4, expect.stringContaining('127.0.0.1')])
    expect(paths()).toEqual(['/missing', '/x', '/x'])
  })

  it('runs only given files, and names the others', async () => {
    const { code, err } = await httpcli('run', 'a.http', 'b.http', '--last-failed', 'm.json', '-p', 'status')
    expect(code).toBe(5)
    expect(err).toMatch(/^note: these files failed in m\.json and are not among the files given: d\.http\n/)
    expect(paths()).toEqual(['/missing', '/x'])
  })

  it('runs files with skipped requests', async () => {
    await httpcli('run', 'b.http', 'a.http', '--bail', '--report', 'json=bail.json')
    server.requests.length = 0
    await httpcli('run', '--last-failed', 'bail.json')
    expect(paths().map((path) => path.replace(/\?.*/, ''))).toEqual([
      '/missing',
      '/x',
      '/json',
      '/moved',
      '/json',
      '/json',
    ])
  })

  it('may overwrite the report that it reads', async () => {
    await httpcli('run', '--last-failed', 'm.json', '--report', 'json=m.json')
    expect(JSON.parse(read('m.json'))).toMatchObject({ jobs: [{ file: 'b.http' }, { file: 'd.http' }] })
  })

  it('runs nothing if nothing failed, says so, and still writes reports', async () => {
    await httpcli('run', 'a.http', '--report', 'json=good.json')
    server.requests.length = 0
    const words = ['--last-failed', 'good.json', '--report', 'junit=r.xml', '--name', 'one']
    const { code, err } = await httpcli('run', ...words)
    expect([code, err]).toEqual([0, 'note: nothing failed in good.json: nothing to run\n'])
    expect(read('r.xml')).toContain('<testsuites>')
    expect(paths()).toEqual([])
  })

  it.each([
    ['a file that no longer exists', 'gone.http, which failed in other.json, does not exist', 4],
    ['a report that is none', 'the report broken.json cannot be used: it is not JSON', 2],
    ['a run that ended early', 'the report crash.json does not have all files: its run ended early', 2],
  ])('is an error: %s', async (_name, message, exitCode) => {
    write('other.json', read('m.json').replaceAll('"b.http"', '"gone.http"'))
    write('broken.json', 'x')
    write('crash.json', read('m.json').replace('"counts"', '"crash": {"code": "x", "message": "y"}, "counts"'))
    const report = /\b(\w+\.json)/.exec(message)![1]!
    const { code, err } = await httpcli('run', '--last-failed', report)
    expect([code, err]).toEqual([exitCode, expect.stringContaining(`httpcli run: ${message}`)])
    expect(paths()).toEqual([])
  })

  it('is required if no file is given', async () => {
    const { code, err } = await httpcli('run', '--quiet')
    expect([code, err]).toEqual([1, 'httpcli run: <http-file> is missing. Write httpcli run <http-file>.\n'])
  })
})

it('merges large reports in little memory', async () => {
  writeSuite()
  await runShards(2, 'a.http', 'b.http')
  // Together more than the memory that the command may use.
  const text = 'x'.repeat(6000)
  for (const [index, name] of ['1.json', '2.json'].entries()) {
    const report = JSON.parse(read(name)) as { jobs: { requests: { number: number; logs: string[] }[] }[] }
    const [first] = report.jobs[0]!.requests
    report.jobs[0]!.requests = Array.from({ length: 4000 }, (_, at) => ({
      ...first!,
      number: at + 1,
      logs: [text],
    }))
    write(`large-${index}.json`, JSON.stringify(report))
  }
  const words = ['large-0.json', 'large-1.json', '--report', 'json=m.json', '--report', 'junit=m.xml']
  const { code, stdout } = await runCommand(['report', 'merge', ...words], {
    cwd: root,
    env: { NODE_OPTIONS: '--max-old-space-size=40' },
  })
  expect([code, stdout.toString()]).toEqual([0, expect.stringMatching(/^2 reports; 8000 requests: /)])
}, 60_000)
