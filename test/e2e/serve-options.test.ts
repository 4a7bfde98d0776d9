/** The features of `serve` beside answering files, as its own process: log, password, browser, signals, live reload. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type CommandOptions,
  commandEnvironment,
  commandLine,
  type RunningCommand,
  runCommand,
  startCommand,
} from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const startLine = / on http:\/\/[^/:]+:(\d+)/

let root: string

beforeEach(() => {
  root = temporaryDirectory()
  writeFileSync(join(root, 'a.txt'), 'hello')
})

async function start(
  words: readonly string[],
  options: CommandOptions = {},
): Promise<RunningCommand & { readonly port: number }> {
  const running = await startCommand(['serve', root, '-p', '0', ...words], startLine, options)
  onTestFinished(() => void running.child.kill('SIGKILL'))
  return { ...running, port: Number(running.match[1]) }
}

/** Everything that comes until the server closes. */
async function talk(port: number, octets: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (bytes: Buffer) => chunks.push(bytes))
  socket.write(Buffer.from(octets, 'latin1'))
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

const get = (port: number, target: string, ...fields: string[]) =>
  talk(port, [`GET ${target} HTTP/1.1`, 'Host: a', 'Connection: close', ...fields, '', ''].join('\r\n'))

const basic = (text: string) => `Authorization: Basic ${Buffer.from(text).toString('base64')}`

describe('the log of httpcli serve', () => {
  it('has one line per answered request, whatever the outcome, in order of the responses', async () => {
    const running = await start(['-l', '--auth', 'joe:pw', '--cors'])
    const { port } = running
    await get(port, '/a.txt')
    await get(port, '/a.txt', basic('joe:pw'))
    await get(port, '/a.txt', basic('joe:pw'), 'Range: bytes=1-2')
    await get(port, '/a.txt', basic('joe:pw'), 'If-None-Match: *')
    await get(port, '/a.txt', basic('joe:pw'), 'Range: bytes=9-')
    await talk(port, `HEAD /a.txt HTTP/1.0\r\n${basic('joe:pw')}\r\n\r\n`)
    await talk(port, `DELETE /a.txt HTTP/1.0\r\n${basic('joe:pw')}\r\n\r\n`)
    await talk(port, 'OPTIONS /a.txt HTTP/1.0\r\nOrigin: x\r\nAccess-Control-Request-Method: GET\r\n\r\n')
    await talk(port, 'broken\x1b[31m\r\n\r\n')
    const lines = (await running.stop()).stdout.toString().split('\n').slice(1, -1)
    expect(lines.map((line) => line.replace(/^127\.0\.0\.1 \[.+?\] /, ''))).toEqual([
      expect.stringMatching(/^"GET \/a\.txt HTTP\/1\.1" 401 \d+$/),
      '"GET /a.txt HTTP/1.1" 200 5',
      '"GET /a.txt HTTP/1.1" 206 2',
      '"GET /a.txt HTTP/1.1" 304 0',
      expect.stringMatching(/^"GET \/a\.txt HTTP\/1\.1" 416 \d+$/),
      '"HEAD /a.txt HTTP/1.0" 200 0',
      expect.stringMatching(/^"DELETE \/a\.txt HTTP\/1\.0" 405 \d+$/),
      '"OPTIONS /a.txt HTTP/1.0" 204 0',
      expect.stringMatching(/^"broken\\x1b\[31m" 400 \d+$/),
    ])
  })

  it('shows no password', async () => {
    const running = await start(['-l', '--log-format', 'json', '--auth', 'joe:s3cret'])
    await get(running.port, '/a.txt', basic('joe:s3cret'))
    const { stdout, stderr } = await running.stop()
    expect(stdout.toString() + stderr.toString()).not.toContain('s3cret')
  })

  it('has one JSON object per line', async () => {
    const running = await start(['--log-format', 'json'])
    await get(running.port, '/a.txt?x=1')
    await talk(running.port, 'GET\r\n\r\n')
    const lines = (await running.stop()).stdout.toString().split('\n').slice(1, -1)
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        remoteAddress: '127.0.0.1',
        requestLine: 'GET /a.txt?x=1 HTTP/1.1',
        method: 'GET',
        target: '/a.txt?x=1',
        version: 'HTTP/1.1',
        status: 200,
        bodyBytes: 5,
        durationMs: expect.any(Number),
      },
      expect.objectContaining({ requestLine: 'GET', method: null, status: 400 }),
    ])
  })

  it.skipIf(!existsSync('/dev/full'))(
    'ends with one note if the disk is full, and the server continues to serve',
    async () => {
      const program = await startCommand(['serve', root, '-p', '0', '-l'], startLine)
      onTestFinished(() => void program.child.kill('SIGKILL'))
      // The start line of a full disk cannot be waited for, so the port is taken from another server, which ends first.
      const port = program.match[1]!
      await program.stop()
      const [command, ...first] = commandLine()
      const full = openSync('/dev/full', 'w')
      const child = spawn(command, [...first, 'serve', root, '-p', port, '-l'], {
        env: commandEnvironment(),
        stdio: ['ignore', full, 'pipe'],
      })
      closeSync(full)
      onTestFinished(() => void child.kill('SIGKILL'))
      let notes = ''
      await new Promise<void>((resolve) => {
        child.stderr?.on('data', (bytes: Buffer) => {
          notes += bytes.toString()
          resolve()
        })
      })
      for (let count = 0; count < 3; count++) expect(await get(Number(port), '/a.txt')).toMatch(/hello$/)
      child.kill('SIGTERM')
      const [code] = (await once(child, 'close')) as [number]
      expect(code).toBe(0)
      expect(notes).toMatch(/^httpcli serve: the log ends here: .*no space left on the device\n$/)
    },
  )
})

describe('httpcli serve --auth', () => {
  it.each([
    ['text', 'joe:s3:cret', {}],
    ['the first line of a file', 'joe:@password', {}],
    ['a variable', 'env:SITE', { SITE: 'joe:s3:cret' }],
    ['a variable that names a file', 'env:SITE', { SITE: 'joe:@password' }],
  ])('reads the password from %s', async (_, value, env) => {
    writeFileSync(join(root, 'password'), 's3:cret\n')
    const { port } = await start(['--auth', value], { env, cwd: root })
    expect(await get(port, '/a.txt')).toMatch(/^HTTP\/1\.1 401 /)
    expect(await get(port, '/a.txt', basic('joe:wrong'))).toMatch(/^HTTP\/1\.1 401 /)
    expect(await get(port, '/a.txt', basic('joe:s3:cret'))).toMatch(/hello$/)
  })

  it.each([
    ['on the command line', 'joe:', {}],
    ['in a file', 'joe:@empty', {}],
    ['in a variable', 'env:SITE', { SITE: 'joe:' }],
  ])('does not start with an empty password %s', async (_, value, env) => {
    writeFileSync(join(root, 'empty'), '\n')
    const { code, stderr } = await runCommand(['serve', root, '-p', '0', '--auth', value], { env, cwd: root })
    expect([code, stderr.toString()]).toEqual([
      1,
      'httpcli serve: --auth: the password is empty. Check the variable or the file that it comes from.\n',
    ])
  })

  it('shows no part of a malformed one', async () => {
    const result = await runCommand(['serve', root, '--auth', 'env:SITE'], { env: { SITE: 'only-the-secret' } })
    expect([result.code, result.stdout.toString()]).toEqual([1, ''])
    expect(result.stderr.toString()).not.toContain('only-the-secret')
  })
})

describe('httpcli serve --open', () => {
  it('opens the page with the program that BROWSER names', async () => {
    const [program, record] = [join(root, 'browser'), join(root, 'record')]
    writeFileSync(program, `#!/bin/sh\necho "$@" > ${record}.part && mv ${record}.part ${record}\n`)
    chmodSync(program, 0o755)
    const { port } = await start(['--open', '-r', '/docs'], { env: { BROWSER: program } })
    await vi.waitFor(() => expect(existsSync(record)).toBe(true), 10_000)
    expect(readFileSync(record, 'utf8')).toBe(`http://127.0.0.1:${port}/docs/\n`)
  })

  it('notes that it could not, and still serves', async () => {
    const running = await start(['--open'], { env: { BROWSER: '/no/such/browser' } })
    await vi.waitFor(() => expect(running.stderr()).not.toBe(''), 10_000)
    expect(running.stderr()).toBe('httpcli serve: cannot open a browser with "/no/such/browser": program not found\n')
    expect(await get(running.port, '/a.txt')).toMatch(/hello$/)
    expect((await running.stop()).code).toBe(0)
  })
})

describe('httpcli serve --public', () => {
  it('prints its addresses', async () => {
    const running = await start(['--public'])
    expect(running.stdout()).toMatch(/ on http:\/\/0\.0\.0\.0:\d+\n/)
    await vi.waitFor(() => expect(running.stdout()).toMatch(/ {2}also on http:\/\/127\.0\.0\.1:\d+\n/))
    expect(await get(running.port, '/a.txt')).toMatch(/hello$/)
  })
})

describe('the end of httpcli serve', () => {
  it('follows at once with the second signal', async () => {
    closeSync(openSync(join(root, 'big'), 'w'))
    truncateSync(join(root, 'big'), 50_000_000)
    const running = await start(['--shutdown-timeout', '600'])
    const socket = connect(running.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined)
    socket.write('GET /big HTTP/1.0\r\n\r\n')
    await once(socket, 'data')
    socket.pause()
    const ended = once(running.child, 'close')
    running.child.kill('SIGTERM')
    await refused(running.port)
    running.child.kill('SIGTERM')
    expect(((await ended) as [number])[0]).toBe(130)
  })

  it('is not delayed by pages that listen for changes', async () => {
    const running = await start(['--live', '--shutdown-timeout', '600'])
    const socket = connect(running.port, '127.0.0.1')
    socket.write('GET /.httpcli/live HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
    const closed = once(socket, 'close')
    socket.resume()
    expect((await running.stop()).code).toBe(0)
    await closed
  })

  it('is not delayed forever by a log without a reader', async () => {
    const running = await start(['-l', '--shutdown-timeout', '0.1'])
    running.child.stdout.removeAllListeners('data').pause()
    // More than a pipe and the stream above it hold.
    const target = `/${'x'.repeat(8_000)}`
    for (let count = 0; count < 40; count++) await get(running.port, target)
    const ended = once(running.child, 'exit')
    running.child.kill('SIGTERM')
    expect(((await ended) as [number])[0]).toBe(0)
  })

  it('does not log interrupted requests as invalid', async () => {
    const running = await start(['-l', '--shutdown-timeout', '0.1'])
    const socket = connect(running.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined)
    socket.write('GET / HT')
    await once(socket, 'connect')
    await get(running.port, '/a.txt')
    const { stdout } = await running.stop()
    expect(stdout.toString().match(/(?<=").*(?=")/g)).toEqual(['GET /a.txt HTTP/1.1'])
  })

  it('is not delayed by idle connections', async () => {
    const running = await start(['--shutdown-timeout', '600'])
    const socket = connect(running.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
    expect((await running.stop('SIGINT')).code).toBe(0)
  })

  /** The port is closed as soon as the signal has arrived. */
  async function refused(port: number): Promise<void> {
    for (;;) {
      const other = connect(port, '127.0.0.1')
      const isRefused = await new Promise<boolean>((resolve) => {
        other.once('connect', () => resolve(false))
        other.once('error', () => resolve(true))
      })
      other.destroy()
      if (isRefused) return
    }
  }
})

describe('httpcli serve --spa', () => {
  it('notes that its page does not exist yet, and serves it once it does', async () => {
    const running = await start(['--spa'])
    await vi.waitFor(() => expect(running.stderr()).not.toBe(''), 10_000)
    expect(running.stderr()).toMatch(/^httpcli serve: index\.html does not exist yet: .*\n$/)
    expect(await get(running.port, '/users', 'Accept: text/html')).toMatch(/^HTTP\/1\.1 404 /)
    writeFileSync(join(root, 'index.html'), 'app')
    expect(await get(running.port, '/users', 'Accept: text/html')).toMatch(/\r\n\r\napp$/)
  })

  it('accepts its page with and without an equals sign', async () => {
    mkdirSync(join(root, 'app'))
    writeFileSync(join(root, 'app', 'main.html'), 'app')
    for (const words of [['--spa=app/main.html'], ['--spa', 'app/main.html']]) {
      const { port } = await start(words)
      expect(await get(port, '/users', 'Accept: text/html')).toMatch(/\r\n\r\napp$/)
    }
  })
})

describe('httpcli serve and hidden files', () => {
  it('shows hidden names only with the option', async () => {
    writeFileSync(join(root, '.env'), 'secret')
    const hidden = await start([])
    expect(await get(hidden.port, '/.env')).toMatch(/^HTTP\/1\.1 404 /)
    expect(await get(hidden.port, '/')).not.toContain('.env')
    const shown = await start(['--dotfiles'])
    expect(await get(shown.port, '/.env')).toMatch(/secret$/)
    expect(await get(shown.port, '/')).toContain('.env')
  })
})
