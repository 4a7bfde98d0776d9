import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  commandEnvironment,
  commandLine,
  isStandalone,
  type RunningCommand,
  runCommand,
  startCommand,
} from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const startLine = /^Serving directory (\S+) on http:\/\/127\.0\.0\.1:(\d+)(\S*)$/

let root: string

beforeEach(() => {
  root = temporaryDirectory()
  writeFileSync(join(root, 'a.txt'), 'hello')
})

async function start(...words: string[]): Promise<RunningCommand & { readonly port: number }> {
  const running = await startCommand(['serve', root, '-p', '0', ...words], startLine)
  onTestFinished(() => void running.child.kill('SIGKILL'))
  return { ...running, port: Number(running.match[2]) }
}

/** Sends bytes and gives all that comes until the server closes. */
async function talk(port: number, octets: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (bytes: Buffer) => chunks.push(bytes))
  socket.write(octets)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

const get = (port: number, target: string, fields = '') =>
  talk(port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${fields}\r\n`)

/** Nothing is unreadable for the superuser, so the command runs as the user `nobody` then. */
function startUnprivileged(...words: string[]): ChildProcessWithoutNullStreams {
  const [program, ...first] = commandLine()
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const child = spawn(program, [...first, ...words], { env: commandEnvironment(), ...user })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

function makeSparse(sizeBytes: number): void {
  closeSync(openSync(join(root, 'big'), 'w'))
  truncateSync(join(root, 'big'), sizeBytes)
}

describe('httpcli serve', () => {
  it('prints what it serves where, and serves it', async () => {
    const { match, port } = await start()
    expect(match[1]).toBe(root)
    expect(match[3]).toBe('')
    const answer = await get(port, '/a.txt')
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toMatch(/\r\n\r\nhello$/)
    expect(await get(port, '/none')).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/)
    expect(await talk(port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  })

  it('finds files by their full name in a directory that it may enter but not read', async () => {
    const directory = join(root, 'entered')
    mkdirSync(join(directory, 'sub'), { recursive: true })
    writeFileSync(join(directory, 'a.txt'), 'hello')
    chmodSync(directory, 0o111)
    onTestFinished(() => chmodSync(directory, 0o700))
    chmodSync(root, 0o755)
    const child = startUnprivileged('serve', root, '-p', '0')
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const port = Number(startLine.exec(line.toString().trimEnd())?.[2])
    const statuses = ['a.txt', 'sub', 'sub/', 'missing', 'missing.txt', 'a', ''].map(async (name) => {
      const [, status] = (await get(port, `/entered/${name}`)).split(' ')
      return `${name} ${status}`
    })
    expect(await Promise.all(statuses)).toEqual([
      ...['a.txt 200', 'sub 308', 'sub/ 200', 'missing 404', 'missing.txt 404', 'a 404', ' 403'],
    ])
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends with exit code 0 at %s', async (signal) => {
    const running = await start()
    const result = await running.stop(signal)
    expect([result.code, result.signal, result.stderr.toString()]).toEqual([0, null, ''])
  })

  it.each(['SIGTERM', 'SIGHUP'] as const)('finishes a running response at %s', async (signal) => {
    makeSparse(30_000_000)
    const running = await start('-l', '--shutdown-timeout', '600')
    const socket = connect(running.port, '127.0.0.1')
    let received = 0
    socket.write('GET /big HTTP/1.0\r\n\r\n')
    const [first] = (await once(socket, 'data')) as [Buffer]
    received += first.length
    socket.pause()
    const ended = once(running.child, 'close')
    running.child.kill(signal)
    // The port is closed as soon as the signal has arrived.
    for (;;) {
      const other = connect(running.port, '127.0.0.1')
      const isRefused = await new Promise<boolean>((resolve) => {
        other.once('connect', () => resolve(false))
        other.once('error', () => resolve(true))
      })
      other.destroy()
      if (isRefused) break
    }
    socket.on('data', (bytes: Buffer) => {
      received += bytes.length
    })
    socket.resume()
    await once(socket, 'close')
    expect(received).toBeGreaterThan(30_000_000)
    expect((await ended)[0]).toBe(0)
    expect(running.stdout()).toMatch(/"GET \/big HTTP\/1\.0" 200 30000000\n$/)
  })

  it('logs nothing without -l and one line for each answered request with it', async () => {
    const quiet = await start()
    await get(quiet.port, '/a.txt')
    expect((await quiet.stop()).stdout.toString().split('\n')).toHaveLength(2)
    const running = await start('--log-requests')
    await get(running.port, '/a.txt')
    await get(running.port, '/none?x')
    await talk(running.port, 'GET /\x1b[31m\r\n\r\n')
    const lines = (await running.stop()).stdout.toString().split('\n').slice(1, -1)
    const time = '\\[\\d{2}/[A-Z][a-z]{2}/\\d{4}:\\d{2}:\\d{2}:\\d{2} [+-]\\d{4}\\]'
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1 ${time} "GET /a\\.txt HTTP/1\\.1" 200 5$`)),
      expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1 ${time} "GET /none\\?x HTTP/1\\.1" 404 \\d+$`)),
      expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1 ${time} "GET /\\\\x1b\\[31m" 400 \\d+$`)),
    ])
  })

  it('reads media types from a file, which override the built-in ones', async () => {
    const types = join(root, 'types.properties')
    writeFileSync(types, '# ours\n.txt = text/x-ours\nodd: application/x-odd\n')
    writeFileSync(join(root, 'b.odd'), 'odd')
    const { port } = await start('-m', types)
    expect(await get(port, '/a.txt')).toContain('\r\nContent-Type: text/x-ours\r\n')
    expect(await get(port, '/b')).toContain('\r\nContent-Type: application/x-odd\r\n')
    expect(await get(port, '/types.properties')).toContain('\r\nContent-Type: text/plain; charset=utf-8\r\n')
  })

  it('serves below a root path', async () => {
    const { match, port } = await start('-r', '/api')
    expect(match[3]).toBe('/api')
    expect(await get(port, '/api/a.txt')).toMatch(/^HTTP\/1\.1 200 /)
    expect(await get(port, '/a.txt')).toMatch(/^HTTP\/1\.1 404 /)
    expect(await get(port, '/apix/a.txt')).toMatch(/^HTTP\/1\.1 404 /)
  })

  it('prints its addresses when it listens on all', async () => {
    const words = ['serve', root, '-p', '0', '--host', '0.0.0.0']
    const running = await startCommand(words, /^ {2}also on http:\/\/127\.0\.0\.1:(\d+)$/)
    onTestFinished(() => void running.child.kill('SIGKILL'))
    expect(running.stdout()).toMatch(/^Serving directory \S+ on http:\/\/0\.0\.0\.0:\d+\n/)
    expect(await get(Number(running.match[1]), '/a.txt')).toMatch(/hello$/)
  })

  it('continues to serve when the reader of its log has gone', async () => {
    const running = await start('-l')
    running.child.stdout.destroy()
    for (let count = 0; count < 5; count++) expect(await get(running.port, '/a.txt')).toMatch(/^HTTP\/1\.1 200 /)
    const result = await running.stop()
    expect([result.code, result.stderr.toString()]).toEqual([0, ''])
  })

  it('uses no more memory for a larger download', async () => {
    makeSparse(400_000_000)
    const { port, child } = await start()
    const peak = () => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1])
    await get(port, '/a.txt')
    const before = peak()
    const socket = connect(port, '127.0.0.1')
    let received = 0
    socket.on('data', (bytes: Buffer) => {
      received += bytes.length
    })
    socket.write('GET /big HTTP/1.0\r\n\r\n')
    await once(socket, 'close')
    expect(received).toBeGreaterThan(400_000_000)
    expect(peak() - before).toBeLessThan(40_000)
  })

  it('survives running out of descriptors and serves again', async () => {
    makeSparse(50_000_000)
    const [program, ...first] = commandLine()
    const words = ['-c', 'ulimit -n 64; exec "$@"', '-', program, ...first, 'serve', root, '-p', '0']
    const child = spawn('bash', words, { env: commandEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the server ended with ${code}`)))
    const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer]
    ended.catch(() => undefined)
    const port = Number(startLine.exec(line.toString().trimEnd())?.[2])
    const download = async (socket: Socket): Promise<string> => {
      socket.on('error', () => undefined)
      socket.write('GET /big HTTP/1.1\r\nHost: a\r\n\r\n')
      const first = await new Promise<Buffer | string>((resolve) => {
        socket.once('data', resolve)
        socket.once('close', () => resolve('closed'))
      })
      socket.pause()
      return first.toString('latin1').slice(0, 12)
    }
    // One transfer is under way before the flood, which may take every descriptor for its sockets alone.
    const early = connect(port, '127.0.0.1')
    expect(await download(early)).toBe('HTTP/1.1 200')
    const sockets = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'))
    // The runtime of the executable lets clients wait for descriptors instead of sending them away: there, who is
    // answered leaves, so that the next one is.
    const answered = async (socket: Socket): Promise<string> => {
      const outcome = await download(socket)
      if (isStandalone) socket.destroy()
      return outcome
    }
    const outcomes = await Promise.all(sockets.map(answered))
    expect(outcomes.every((outcome) => ['HTTP/1.1 200', 'HTTP/1.1 503', 'closed'].includes(outcome))).toBe(true)
    if (!isStandalone) expect(outcomes.some((outcome) => outcome !== 'HTTP/1.1 200')).toBe(true)
    expect(early.destroyed).toBe(false)
    for (const socket of [early, ...sockets]) socket.destroy()
    // Until the descriptors are given back a client may still be sent away: closed, reset or answered by 503.
    const served = async (): Promise<boolean> => (await get(port, '/a.txt').catch(() => '')).endsWith('hello')
    while (!(await served())) {
      expect(child.exitCode).toBeNull()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(child.exitCode).toBeNull()
  })
})

describe('httpcli serve with an invalid command line', () => {
  it.each([0o000, 0o444, 0o111])('exits if it may not read the directory (mode %o)', async (mode) => {
    const directory = join(root, 'private')
    mkdirSync(directory, { mode })
    onTestFinished(() => chmodSync(directory, 0o700))
    chmodSync(root, 0o755)
    const child = startUnprivileged('serve', directory, '-p', '0')
    const stderr: Buffer[] = []
    child.stderr.on('data', (bytes: Buffer) => stderr.push(bytes))
    const [code] = (await once(child, 'close')) as [number]
    expect([code, Buffer.concat(stderr).toString()]).toEqual([
      4,
      `httpcli serve: the directory ${directory} cannot be read by this user. Give this user permission to list and enter it.\n`,
    ])
  })

  it.each([
    ['no directory', () => ['serve'], 1, /<dir>/],
    ['a missing directory', () => ['serve', join(root, 'none')], 1, /none does not exist/],
    ['a file', () => ['serve', join(root, 'a.txt')], 1, /is a file, not a directory/],
    ['two directories', () => ['serve', root, root], 1, /./],
    ['a port that is not a number', () => ['serve', root, '-p', 'http'], 1, /invalid --port "http"/],
    ['a port past the last', () => ['serve', root, '-p', '65536'], 1, /0 to 65535/],
    ['a negative port', () => ['serve', root, '--port=-1'], 1, /0 to 65535/],
    ['a root path that no request has', () => ['serve', root, '-r', '/../x'], 1, /root path/],
    ['a missing mapping file', () => ['serve', root, '-m', join(root, 'none')], 4, /none/],
    ['a directory for a mapping file', () => ['serve', root, '-m', root], 4, /./],
  ])('%s: one line and the exit code', async (_, words, code, text) => {
    const result = await runCommand(words())
    expect([result.code, result.stdout.toString()]).toEqual([code, ''])
    expect(result.stderr.toString()).toMatch(text)
    expect(result.stderr.toString().split('\n')).toHaveLength(2)
  })

  it('names file, line and column of an invalid mapping', async () => {
    const types = join(root, 'types.properties')
    writeFileSync(types, 'txt: text/plain\nmd: markdown\n')
    const result = await runCommand(['serve', root, '-m', types])
    expect(result.code).toBe(2)
    expect(result.stderr.toString()).toContain(`${types}:2:5: "markdown" is not a media type`)
  })

  it('an address of another machine: exit code 4 and advice', async () => {
    const result = await runCommand(['serve', root, '-p', '0', '--host', '192.0.2.1'])
    expect([result.code, result.stdout.toString()]).toEqual([4, ''])
    expect(result.stderr.toString()).toMatch(
      /192\.0\.2\.1 cannot be used: this machine does not have that address\..* --host/,
    )
  })

  it('a port that is in use: exit code 4 and advice', async () => {
    const other = createServer()
    onTestFinished(() => void other.close())
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = other.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const result = await runCommand(['serve', root, '-p', port])
    expect([result.code, result.stdout.toString()]).toEqual([4, ''])
    expect(result.stderr.toString()).toMatch(new RegExp(`port ${port} .* is in use.* -p 0`))
  })
})
