/** The files that are written when the command is killed or interrupted, and when the disk refuses. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { commandEnvironment, commandLine, runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../runner/running.ts'

const isWindows = process.platform === 'win32'
/** Whether system calls can be made to fail. */
const canInject = spawnSync('strace', ['-f', '-e', 'inject=fsync:error=EIO', 'true']).status === 0
if (!canInject) process.stderr.write('SKIPPED: strace does not work here, so disks that fail are not tried\n')

const half = 'x'.repeat(300_000)
let server: RecordingServer
let root: string

beforeAll(async () => {
  server = await recordingServer({
    '/whole': (_request, response) => response.writeHead(200, { 'Set-Cookie': 'key=value' }).end('new'),
    '/half': (_request, response) => {
      response.writeHead(200, { 'Content-Length': String(half.length * 2) })
      response.write(half)
    },
  })
})
afterAll(() => server.close())

beforeEach(() => {
  root = temporaryDirectory()
})

function write(name: string, text: string): void {
  writeFileSync(join(root, name), text.replaceAll('$O', server.origin))
}

const read = (name: string): string => readFileSync(join(root, name), 'utf8')

/** Names of partial files. */
const partials = (): readonly string[] => readdirSync(root).filter((name) => name.endsWith('.part'))

/** A shell in the directory, where `HTTPCLI` is the command. */
async function inShell(line: string): Promise<{ readonly code: number | null; readonly err: string }> {
  const words = commandLine().map((word) => `"${word}"`)
  const script = `HTTPCLI() { ${words.join(' ')} "$@"; }\n${line}`
  const child = spawn('bash', ['-c', script], { cwd: root, env: commandEnvironment() })
  const pieces: Buffer[] = []
  child.stderr.on('data', (piece: Buffer) => pieces.push(piece))
  child.stdout.resume()
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, err: Buffer.concat(pieces).toString() }
}

/** Starts a command, sends it the signal when half of a response is in a partial file, and waits for its end. */
async function signalledAtHalf(signal: NodeJS.Signals, words: readonly string[]): Promise<number | null> {
  const [program, ...first] = commandLine()
  const child = spawn(program, [...first, ...words], { cwd: root, env: commandEnvironment(), stdio: 'ignore' })
  const ended = once(child, 'close') as Promise<[number | null]>
  const isAtHalf = (): boolean => partials().some((name) => readFileSync(join(root, name)).length >= half.length)
  await expect.poll(isAtHalf, { timeout: 50_000, interval: 20 }).toBe(true)
  child.kill(signal)
  return (await ended)[0]
}

interface Writer {
  readonly name: string
  /** Each writes `target`. */
  readonly words: readonly string[]
}

const download: Writer = { name: 'send -o', words: ['send', 'half.http', '-o', 'target'] }
const saving: Writer = { name: 'run with >>!', words: ['run', 'saving.http'] }

beforeEach(() => {
  write('half.http', 'GET $O/half')
  write('saving.http', 'GET $O/half\n\n>>! target')
  write('whole.http', 'GET $O/whole')
  write('target', 'old')
})

describe.skipIf(isWindows)('a command that is killed while it writes', () => {
  it.each([download, saving])('$name: SIGKILL leaves the old file, the next command cleans up', async ({ words }) => {
    await signalledAtHalf('SIGKILL', words)
    expect([read('target'), partials().length]).toEqual(['old', 1])
    const { code } = await runCommand(['send', 'whole.http', '-o', 'target'], { cwd: root })
    expect([code, read('target'), partials()]).toEqual([0, 'new', []])
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s leaves the old file and nothing else', async (signal) => {
    for (const { words } of [download, saving]) {
      expect([await signalledAtHalf(signal, words), read('target'), partials()]).toEqual([130, 'old', []])
    }
  })

  it('at any moment: the file is old or new, never half', async () => {
    const messy = 'GET   http://localhost/\nA:   b\n\n\n\n\n'.concat(
      '###\n\nGET   http://localhost/\n\n\n\n'.repeat(1000),
    )
    write('clean.http', messy)
    await runCommand(['fmt', 'clean.http'], { cwd: root })
    const clean = read('clean.http')
    const [program, ...first] = commandLine()
    const timedMs = Date.now()
    await runCommand(['fmt', '--check', 'clean.http'], { cwd: root })
    const wholeMs = Date.now() - timedMs
    for (let round = 1; round <= 8; round++) {
      write('messy.http', messy)
      const words = [...first, 'fmt', 'messy.http']
      const child = spawn(program, words, { cwd: root, env: commandEnvironment(), stdio: 'ignore' })
      const ended = once(child, 'close')
      const timer = setTimeout(() => child.kill('SIGKILL'), wholeMs * (0.5 + round / 10))
      await ended
      clearTimeout(timer)
      expect([messy, clean].includes(read('messy.http')), `round ${round}`).toBe(true)
    }
    await runCommand(['fmt', 'messy.http'], { cwd: root })
    write('other.http', 'GET  http://localhost/')
    await runCommand(['fmt', 'other.http'], { cwd: root })
    expect(partials()).toEqual([])
  })
})

/** Each writes `target` as a whole. */
const writers: readonly Writer[] = [
  { name: 'send -o', words: ['send', 'whole.http', '-o', 'target'] },
  { name: 'run with >>!', words: ['run', 'whole-saving.http'] },
  { name: 'a cookie jar', words: ['run', 'whole.http', '--cookiejar', 'target'] },
  { name: 'a report', words: ['run', 'whole.http', '--report', 'tap=target'] },
  { name: 'convert', words: ['convert', '-t', 'curl http://localhost/', '-o', 'target', '--force'] },
  { name: 'fmt', words: ['fmt', 'target'] },
]

describe.skipIf(isWindows || !canInject)('a disk that fails', () => {
  beforeEach(() => {
    write('target', '# empty\n\n\n\n')
    write('whole-saving.http', 'GET $O/whole\n\n>>! target')
  })

  const traced = (options: string, words: readonly string[]) =>
    // Compiled code is written as well when it is old.
    inShell(`export NODE_DISABLE_COMPILE_CACHE=1
HTTPCLI() { strace -f -qq -o trace ${options} ${commandLine().join(' ')} "$@"; }
HTTPCLI ${words.map((word) => `'${word}'`).join(' ')}`)

  it.each(writers)('$name: an error while flushing to the disk leaves the old file', async ({ words }) => {
    write('target', words.includes('--cookiejar') ? '' : '# empty\n\n\n\n')
    const old = read('target')
    const { code, err } = await traced('-e trace=fsync -e inject=fsync:error=EIO', words)
    expect([code, err]).toEqual([4, expect.stringMatching(/target("| cannot be written): input\/output error\. Check/)])
    expect([read('target'), partials()]).toEqual([old, []])
  })

  it.each([
    ['EDQUOT', 'the disk quota is used up'],
    ['ENOSPC', 'no space left on the device'],
    ['EROFS', 'the file system is read-only'],
  ])('%s is explained', async (error, reason) => {
    const { code, err } = await traced(`-e trace=fsync -e inject=fsync:error=${error}`, ['fmt', 'target'])
    expect([code, err]).toEqual([4, expect.stringContaining(`target": ${reason}. `)])
  })

  it('gets the bytes of a file before its name, and flushes the name, too', async () => {
    const { code } = await traced('-e trace=fsync,rename,renameat,renameat2', ['fmt', 'target'])
    const calls = read('trace').match(/\b(fsync|rename)(?=\w*\()/g)
    expect([code, calls]).toEqual([0, ['fsync', 'rename', 'fsync']])
  })
})

describe.skipIf(isWindows)('a file size limit', () => {
  it('is explained, and the old file stays', async () => {
    write('target', '# empty\n\n\n\n')
    const { code, err } = await inShell('ulimit -f 0; HTTPCLI fmt target')
    expect([code, err]).toEqual([
      4,
      expect.stringContaining('target": the file would become too large. Raise the limit'),
    ])
    expect([read('target'), partials()]).toEqual(['# empty\n\n\n\n', []])
  })

  it('prevents the record of a run: the run continues, no report is written, the exit code is 4', async () => {
    const logging = `GET $O/whole\n\n> {% for (let i = 0; i < 100; i++) client.log('x'.repeat(1000)) %}\n\n###\n`
    write('logging.http', logging.repeat(20))
    server.requests.length = 0
    const { code, err } = await inShell(
      'ulimit -f 100; HTTPCLI run logging.http --report tap=r.tap --report json=r.json',
    )
    expect([code, err.split('\n').length]).toEqual([4, 2])
    expect(err).toContain('the record for the reports cannot be written to a temporary file in')
    expect(err).toContain('the file would become too large. Set TMPDIR')
    expect(server.requests).toHaveLength(20)
    expect([existsSync(join(root, 'r.tap')), existsSync(join(root, 'r.json')), partials()]).toEqual([false, false, []])
  })
})

describe.skipIf(isWindows)('a target that is already open', () => {
  it('is written in place: what others wrote there stays', async () => {
    await inShell('{ echo before; HTTPCLI send whole.http -p body -o /dev/stdout; echo after; } > target')
    expect(read('target')).toBe('before\nnewafter\n')
  })

  it('may be a pipe', async () => {
    await inShell('HTTPCLI send whole.http -p body -o /dev/stdout | cat > target')
    expect(read('target')).toBe('new')
  })

  it('may be a named pipe', async () => {
    await inShell('mkfifo pipe; cat pipe > target & HTTPCLI send whole.http -o pipe; wait')
    expect(read('target')).toBe('new')
  })
})

it.skipIf(process.platform !== 'linux')('every report that cannot be written is reported', async () => {
  symlinkSync('/dev/full', join(root, 'full'))
  const reports = ['tap=/dev/full', 'json=full', 'junit=r.xml'].flatMap((report) => ['--report', report])
  const { code, stderr } = await runCommand(['run', 'whole.http', ...reports], { cwd: root })
  const lines = stderr.toString().split('\n')
  expect([code, lines]).toEqual([
    4,
    [
      expect.stringContaining('the report /dev/full cannot be written: no space left on the device'),
      expect.stringContaining('the report full cannot be written: no space left on the device'),
      '',
    ],
  ])
  expect(read('r.xml')).toContain('</testsuites>')
})

it('responses of parallel jobs are written to separate files', async () => {
  write('keeping.http', 'GET $O/whole\n\n>> saved.txt')
  const { code } = await runCommand(['run', 'keeping.http', '--repeat', '6', '--parallel', '6'], { cwd: root })
  const saved = readdirSync(root).filter((name) => name.startsWith('saved'))
  expect([code, saved.length, new Set(saved.map(read))]).toEqual([0, 6, new Set(['new'])])
})
