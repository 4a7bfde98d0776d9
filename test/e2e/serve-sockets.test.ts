/** The built command on sockets of the file system, and on one that its parent process opened. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { commandEnvironment, commandLine, isStandalone, runCommand, startCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

let root: string
let socketPath: string

beforeEach(() => {
  root = temporaryDirectory()
  writeFileSync(join(root, 'a.txt'), 'hello')
  socketPath = join(temporaryDirectory(), 'site.sock')
})

/** All that comes until the server closes. */
async function get(place: { path: string } | { port: number }, host = 'app.example.com'): Promise<string> {
  const socket = connect({ host: '127.0.0.1', ...place })
  const chunks: Buffer[] = []
  socket.on('data', (bytes: Buffer) => chunks.push(bytes))
  socket.write(`GET /a.txt HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

async function start(...words: string[]) {
  const line = /^Serving directory \S+ on unix:(.*)$/
  const running = await startCommand(['serve', root, '--listen', `unix:${socketPath}`, ...words], line)
  onTestFinished(() => void running.child.kill('SIGKILL'))
  return running
}

describe('a Unix domain socket', () => {
  it('is served, logged, and removed afterwards', async () => {
    const running = await start('-l')
    expect(running.match[1]).toBe(socketPath)
    expect(await get({ path: socketPath })).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\nhello$/)
    const result = await running.stop()
    expect(result.code).toBe(0)
    expect(result.stdout.toString()).toMatch(/^- \[.*\] "GET \/a\.txt HTTP\/1\.1" 200 5$/m)
    expect(existsSync(socketPath)).toBe(false)
  })

  it('that a killed server left behind is taken over', async () => {
    await (await start()).stop('SIGKILL')
    expect(existsSync(socketPath)).toBe(true)
    await start()
    expect(await get({ path: socketPath })).toMatch(/hello$/)
  })

  it('that another server listens on is in use, and stays with it', async () => {
    await start()
    const second = await runCommand(['serve', root, '--listen', `unix:${socketPath}`])
    expect([second.code, second.stderr.toString()]).toEqual([
      4,
      `httpcli serve: the socket ${socketPath} is in use. Choose another path, or stop the server that listens there.\n`,
    ])
    expect(await get({ path: socketPath })).toMatch(/hello$/)
  })

  it('never replaces a file', async () => {
    writeFileSync(socketPath, 'mine')
    const result = await runCommand(['serve', root, '--listen', `unix:${socketPath}`])
    expect([result.code, existsSync(socketPath)]).toEqual([4, true])
  })

  it.each([
    ['in no directory', 'none/site.sock', /is in a directory that does not exist/],
    ['with too long a path', 'x'.repeat(120), /is longer than 10[37] bytes/],
  ])('%s is an error', async (_what, name, message) => {
    const result = await runCommand(['serve', root, '--listen', `unix:${join(root, name)}`])
    expect([result.code, result.stderr.toString()]).toEqual([4, expect.stringMatching(message)])
  })

  it.each([
    [['--listen', 'tcp:80'], /neither unix:PATH nor systemd/],
    [['--listen', 'unix:'], /neither unix:PATH nor systemd/],
    [['--listen', 'unix:x', '-p', '80'], /cannot be used together/],
    [['--listen', 'unix:x', '--workers', '2'], /cannot be used together/],
    [['--listen', 'systemd'], /no socket was passed on/],
  ])('%j is a usage error', async (words, message) => {
    const result = await runCommand(['serve', root, ...words], { cwd: root })
    expect([result.code, result.stderr.toString()]).toEqual([1, expect.stringMatching(message)])
  })
})

describe.skipIf(isStandalone || process.platform === 'win32')('a socket passed by systemd', () => {
  /** As systemd does: descriptor 3 is a listening socket, and the environment names the process. */
  async function startActivated(place: { path: string } | { port: number; host: string }) {
    const listener = createServer().listen(place)
    await once(listener, 'listening')
    onTestFinished(() => void listener.close())
    const [program, ...first] = commandLine()
    const script = 'LISTEN_PID=$$ exec "$@"'
    const child = spawn('sh', ['-c', script, '-', program, ...first, 'serve', root, '--listen', 'systemd'], {
      env: commandEnvironment({ LISTEN_FDS: '1' }),
      stdio: ['ignore', 'pipe', 'inherit', (listener as unknown as { _handle: { fd: number } })._handle.fd],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = (await once(child.stdout!, 'data')) as [Buffer]
    // From here on only the command accepts connections.
    listener.close()
    return { child, line: line.toString(), address: listener.address() }
  }

  it('is served, even if it is a port', async () => {
    const { child, line } = await startActivated({ port: 0, host: '127.0.0.1' })
    const port = Number(/^Serving directory \S+ on http:\/\/127\.0\.0\.1:(\d+)\n$/.exec(line)?.[1])
    expect(await get({ port }, 'localhost')).toMatch(/hello$/)
    expect(await get({ port })).toMatch(/^HTTP\/1\.1 421 /)
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})
