/** The command as a process: its ends, its streams, its signals, what it loads. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  builtCommand,
  commandEnvironment,
  commandLine,
  isStandalone,
  runCommand,
  startCommand,
} from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const site = fileURLToPath(new URL('../../examples/site', import.meta.url))
const serving = /^Serving directory .* on (http:\/\/127\.0\.0\.1:\d+)/

/** Runs a line of shell in which $HTTPCLI is the command. */
async function shell(line: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const words = commandLine().map((word) => `'${word}'`)
  const child = spawn('bash', ['-c', `HTTPCLI() { ${words.join(' ')} "$@"; }\n${line}`], { env: commandEnvironment() })
  const text = gathered(child)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...text }
}

/** The output of the child so far. */
function gathered(child: ChildProcess): { stdout: string; stderr: string } {
  const text = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => {
    text.stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    text.stderr += chunk
  })
  return text
}

describe('--version', () => {
  it.each([['--version'], ['-v']])('%s names version, runtime and distribution in one line', async (word) => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    const { code, stdout, stderr } = await runCommand([word])
    expect(stdout.toString()).toMatch(
      new RegExp(`^httpcli ${version.replaceAll('.', '\\.')} \\((node|bun) v\\d+\\.\\d+\\.\\d+, [\\w -]+\\)\\n$`),
    )
    expect({ code, stderr: stderr.toString() }).toEqual({ code: 0, stderr: '' })
  })

  it('as -v before a URL is an unknown option of send', async () => {
    const { code, stdout, stderr } = await runCommand(['-v', 'http://127.0.0.1:1/'])
    expect([code, stdout.toString(), stderr.toString()]).toEqual([1, '', expect.stringContaining('unknown option -v')])
  })
})

describe('a reader of stdout that exits', () => {
  it('ends the command quietly with exit code 0', async () => {
    const result = await shell('set -o pipefail; HTTPCLI help send | head -1; echo $?')
    expect(result).toEqual({
      code: 0,
      stdout: 'Usage: httpcli send [<file-or-url>] [<item>…] [options]\n0\n',
      stderr: '',
    })
  })

  it('before anything is written is not an error either', async () => {
    const result = await shell('set -o pipefail; HTTPCLI --version | true; echo $?')
    expect(result).toEqual({ code: 0, stdout: '0\n', stderr: '' })
  })
})

describe('a reader of stderr or stdout that is gone', () => {
  const outputs = { stdout: '>&3 2>/dev/null', stderr: '>/dev/null 2>&3', both: '>&3 2>&3' }

  it.each<[string, string, keyof typeof outputs, number]>([
    ['run, whose file does not exist', 'run none.http', 'both', 4],
    ['run, whose file is invalid', 'run broken.http', 'stderr', 2],
    ['run, before it sends anything', 'run good.http -i', 'stderr', 4],
    ['run, at its last line', 'run good.http --dry-run', 'stdout', 4],
    ['check, of an invalid file', 'check broken.http', 'stderr', 2],
    ['check, of two equal findings', 'check failing.http', 'stderr', 5],
    ['check, before its last line', 'check broken.http', 'both', 4],
    ['check, of a good file', 'check good.http', 'stdout', 4],
    ['fmt --check, of a file that would change', 'fmt --check unformatted.http', 'both', 4],
    ['fmt, of an invalid file', 'fmt broken.http', 'stderr', 2],
    ['fmt, before the second file', 'fmt unformatted.http broken.http', 'stderr', 4],
    ['convert, with a warning', "convert -t 'curl -k http://localhost/' -o out.http", 'stderr', 4],
    ['report, whose report does not exist', 'report merge none.json --report tap=-', 'both', 4],
    ['run --list, which is only text', 'run --list good.http', 'stdout', 0],
    ['convert, which is only text', "convert -t 'curl http://localhost/'", 'stdout', 0],
  ])('decides the exit code of %s', async (_, words, closed, code) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'good.http'), 'GET http://localhost/\n')
    writeFileSync(join(directory, 'broken.http'), 'GET http://localhost/{{\n')
    writeFileSync(join(directory, 'failing.http'), '# @assert status == {{x}}\nGET http://localhost/\n###\n'.repeat(2))
    writeFileSync(join(directory, 'unformatted.http'), 'GET   http://localhost/\n')
    const line = `cd '${directory}'; exec 3> >(:); wait $!; HTTPCLI ${words} ${outputs[closed]}; echo $?`
    expect(await shell(line)).toEqual({ code: 0, stdout: `${code}\n`, stderr: '' })
  })
})

describe('output', () => {
  it('that is closed from the start is not an error', async () => {
    expect(await shell('HTTPCLI --version >&-; echo $?')).toMatchObject({ stdout: '0\n', stderr: '' })
  })

  it.skipIf(!existsSync('/dev/full'))('of a run to a full disk is reported once', async () => {
    const file = join(temporaryDirectory(), 'a.http')
    writeFileSync(file, 'GET http://127.0.0.1:1/\n')
    const { stderr } = await shell(`HTTPCLI run ${file} > /dev/full; echo $? >&2`)
    expect(stderr.match(/cannot write to standard output/g)).toHaveLength(1)
    expect(stderr).toMatch(/4\n$/)
  })

  it.skipIf(!existsSync('/dev/full'))('to a full disk is reported, with exit code 4', async () => {
    const { stderr, stdout } = await shell('HTTPCLI --version > /dev/full; echo $?')
    expect(stdout).toBe('4\n')
    expect(stderr).toBe('httpcli: cannot write to standard output: no space left on the device\n')
  })

  it('of errors is discarded when stderr is closed, and the exit code stays', async () => {
    expect(await shell('HTTPCLI sned 2>&-; echo $?')).toMatchObject({ stdout: '1\n' })
  })
})

describe('input', () => {
  it.each(['send', 'send POST http://127.0.0.1:1/ -g -', 'fmt -', 'run -'])(
    'from a directory is an error of %s, not empty input',
    async (words) => {
      const { stdout, stderr } = await shell(`HTTPCLI ${words} < '${temporaryDirectory()}'; echo $?`)
      expect(stdout).toBe('1\n')
      expect(stderr).toContain('standard input is a directory, expected a file or a pipe')
    },
  )
})

describe('signals', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('%s ends a server cleanly, with exit code 0', async (signal) => {
    const server = await startCommand(['serve', site, '-p', '0'], serving)
    const { code, stderr } = await server.stop(signal)
    expect({ code, stderr: stderr.toString() }).toEqual({ code: 0, stderr: '' })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('%s ends a waiting request with exit code 130, silently', async (signal) => {
    const silent = createServer()
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const connected = once(silent, 'connection') as Promise<[Socket]>
    const [program, ...words] = commandLine()
    const request = `GET http://127.0.0.1:${port}/\n\n`
    const child = spawn(program, [...words, 'send', '-t', request], { env: commandEnvironment() })
    const text = gathered(child)
    const [socket] = await connected
    socket.on('error', () => undefined)
    child.kill(signal)
    const [code] = await once(child, 'close')
    socket.destroy()
    silent.close()
    expect({ code, ...text }).toEqual({ code: 130, stdout: '', stderr: '' })
  })

  it.each([
    ['run pipe'],
    ['check pipe'],
    ['send pipe'],
    ['send $O -g pipe'],
    ['send $O name@pipe'],
    ['run a.http --private-env-file pipe'],
    ['run a.http --dotenv pipe'],
    ['run a.http --data pipe'],
    ['run a.http --last-failed pipe'],
    ['run a.http --cacert pipe'],
    ['run a.http --cert pipe --key-password x'],
    ['send $O a=@pipe'],
    ['send $O -u @pipe'],
    ['send $O --cert a.http --key pipe'],
    ['fmt pipe'],
    ['convert pipe'],
    ['convert a.http --to k6 --data pipe'],
    ['serve . -p 0 -m pipe'],
    ['serve . -p 0 -k a.http -w @pipe'],
  ])('SIGINT ends a command that waits for a named pipe: %s', async (line) => {
    const cwd = temporaryDirectory()
    execFileSync('mkfifo', [join(cwd, 'pipe')])
    writeFileSync(join(cwd, 'a.http'), 'GET http://localhost/\n')
    const silent = createServer((socket) => void socket.on('error', () => undefined).resume())
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const origin = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const [program, ...words] = commandLine()
    const given = line.replace('$O', `POST ${origin}`).split(' ')
    const child = spawn(program, [...words, ...given], { cwd, env: commandEnvironment() })
    const text = gathered(child)
    const closed = once(child, 'close')
    onTestFinished(() => void child.kill('SIGKILL'))
    // Fails until the command has opened the pipe.
    const writer = await vi.waitFor(() => openSync(join(cwd, 'pipe'), constants.O_WRONLY | constants.O_NONBLOCK), {
      timeout: 30_000,
    })
    onTestFinished(() => closeSync(writer))
    child.kill('SIGINT')
    const [code] = await closed
    expect({ code, ...text }).toEqual({ code: 130, stdout: '', stderr: '' })
  })
})

it.skipIf(process.platform !== 'linux').each([
  ['--dotenv /dev/zero', 'the file /dev/zero of --dotenv is larger than 512 MiB'],
  ['--last-failed /dev/zero', 'the report /dev/zero cannot be used: it is not JSON'],
  ['-c pipe', 'the cookie jar pipe is a named pipe, expected a file'],
])('a file without an end is an error: %s', async (words, message) => {
  const cwd = temporaryDirectory()
  execFileSync('mkfifo', [join(cwd, 'pipe')])
  writeFileSync(join(cwd, 'a.http'), 'GET http://localhost/\n')
  const { code, stderr } = await runCommand(['run', 'a.http', ...words.split(' ')], { cwd })
  expect(String(stderr)).toContain(message)
  expect(code).toBeGreaterThan(0)
})

describe('colour', () => {
  it.each([
    [[], {}, false],
    [[], { FORCE_COLOR: '1' }, true],
    [[], { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [['--color=never'], { FORCE_COLOR: '1' }, false],
    [['--color', 'always'], { NO_COLOR: '1' }, true],
  ])('of an error, with %j and %j: %s', async (words, env, colored) => {
    const { stderr } = await runCommand(['send', '-f', 'no-such-file', ...words], { env })
    expect(stderr.toString().includes('\x1b[')).toBe(colored)
  })
})

describe('--debug', () => {
  it('shows code and stack of an error, which are hidden without it', async () => {
    const directory = temporaryDirectory()
    const without = await runCommand(['send', 'missing.http'], { cwd: directory })
    const withDebug = await runCommand(['send', 'missing.http', '--debug'], { cwd: directory })
    expect(without.stderr.toString()).toBe(
      `httpcli send: the file ${join(directory, 'missing.http')} does not exist. Check the path.\n`,
    )
    expect(withDebug.stderr.toString()).toMatch(/^httpcli send: .*\ncode: ENOENT\n[\s\S]*\n +at /)
  })
})

describe.skipIf(isStandalone)('what is loaded', () => {
  /** Runs the command, and at its end an expression inside its process. */
  async function askedAtExit(
    words: readonly string[],
    before: string,
    expression: string,
    stdout: 'pipe' | 'ignore' = 'pipe',
  ): Promise<unknown> {
    const probe = join(temporaryDirectory(), 'probe.cjs')
    // After what the command says. Asking for the stream would load what the test is about.
    const ask = `process.on('exit', () => require('node:fs').writeSync(2, '\\n' + JSON.stringify(${expression})))`
    writeFileSync(probe, `${before}\n${ask}\n`)
    const child = spawn(process.execPath, ['--require', probe, builtCommand, ...words], {
      env: commandEnvironment(),
      stdio: ['ignore', stdout, 'pipe'],
    })
    const text = gathered(child)
    await once(child, 'close')
    return JSON.parse(text.stderr.split('\n').at(-1) ?? '')
  }

  const request = ['send', '--offline', '-t', 'GET http://localhost/\n\n']

  it.each([
    ['help', ['help']],
    ['a request', request],
    ['a request of a URL', ['send', '--offline', 'http://localhost/']],
  ])('for %s includes no slow Node.js modules', async (_title, words) => {
    const loaded = (await askedAtExit(words, '', 'process.moduleLoadList')) as string[]
    const slow = 'http https http2 crypto tls zlib child_process worker_threads inspector fs/promises readline'.split(
      ' ',
    )
    expect(loaded.filter((name) => slow.some((module) => name === `NativeModule ${module}`))).toEqual([])
    expect(loaded).toContain('NativeModule fs')
  })

  it('for output to a pipe includes no modules for terminals and sockets', async () => {
    const loaded = (await askedAtExit(['help'], '', 'process.moduleLoadList', 'ignore')) as string[]
    expect(loaded.filter((name) => /^NativeModule (?:tty|net|stream)$/.test(name))).toEqual([])
  })

  /** Chunks, and whether their compiled code was used. */
  const noteChunks = `
    const vm = require('node:vm')
    const { Script } = vm
    const scripts = []
    vm.Script = class extends Script {
      constructor(source, options) {
        super(source, options)
        scripts.push([options.filename, this.cachedDataRejected === false])
      }
    }`

  it.each([
    ['help', ['help'], ['command', 'command.help']],
    ['a request', request, ['send']],
  ])('for %s is few chunks, none of them compiled again', async (_title, words, chunks) => {
    await runCommand(words)
    const loaded = (await askedAtExit(words, noteChunks, 'scripts')) as [name: string, isCompiled: boolean][]
    expect(loaded.sort()).toEqual(chunks.map((name) => [`httpcli/${name}.cjs`, true]))
  })

  it.each([
    ['JSONPath', '$.id', false],
    ['XPath', 'xpath "/id"', true],
  ])('for an assertion on %s is the library of that language', async (_title, subject, isXPath) => {
    const file = join(temporaryDirectory(), 'requests.http')
    writeFileSync(file, `# @assert ${subject} exists\nGET http://localhost/\n`)
    const loaded = (await askedAtExit(['run', '--dry-run', file], noteChunks, 'scripts')) as [string, boolean][]
    const names = loaded.map(([name]) => name)
    expect(names).toContain('httpcli/run.path-syntax.cjs')
    expect(names.some((name) => name.includes('xpath'))).toBe(isXPath)
  })
})
