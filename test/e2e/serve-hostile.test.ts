import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { commandEnvironment, commandLine, type RunningCommand, startCommand } from '../helpers/command.ts'
import {
  expectService,
  type HostileClient,
  hostileClients,
  hostileTlsClients,
  open,
  type Target,
} from '../helpers/hostile-clients.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const keystore = fileURLToPath(new URL('../keystore/files/combined.pem', import.meta.url))
const startLine = /^Serving directory \S+ on https?:\/\/127\.0\.0\.1:(\d+)$/

/**
 * For hostile clients. Those of a client that may be proper leave it some time: it shares a busy machine with all
 * others.
 */
const shortLimits = {
  '--header-timeout': '1',
  '--body-timeout': '1',
  '--write-timeout': '1',
  '--idle-timeout': '6',
  '--handshake-timeout': '10',
}

/** For proper clients: no test waits for one of them. */
const generousLimits: typeof shortLimits = {
  '--header-timeout': '60',
  '--body-timeout': '60',
  '--write-timeout': '60',
  '--idle-timeout': '60',
  '--handshake-timeout': '60',
}

/** Longer than anything takes on a busy machine. */
const patienceMs = 50_000

let base: string
let root: string

beforeEach(() => {
  base = temporaryDirectory()
  root = join(base, 'site')
  mkdirSync(root)
  writeFileSync(join(root, 'a.txt'), 'hello')
  closeSync(openSync(join(root, 'big'), 'w'))
  truncateSync(join(root, 'big'), 50_000_000)
})

interface Server extends Target {
  readonly running: RunningCommand
  /** Open descriptors of the process. */
  descriptors(): number
  /** Resident memory in MiB. */
  memoryMib(): number
}

async function start(
  words: readonly string[],
  isTls = false,
  limits: typeof shortLimits = generousLimits,
): Promise<Server> {
  const tlsWords = isTls ? ['-k', keystore] : []
  const limitWords = Object.entries(limits).flat()
  const running = await startCommand(['serve', root, '-p', '0', ...limitWords, ...tlsWords, ...words], startLine)
  onTestFinished(() => void running.child.kill('SIGKILL'))
  const { pid } = running.child
  return {
    running,
    isTls,
    port: Number(running.match[1]),
    descriptors: () => readdirSync(`/proc/${pid}/fd`).length,
    memoryMib: () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024,
  }
}

/** One request with the connection closed after it: all that comes. */
async function ask(target: Target, path: string, fields = ''): Promise<string> {
  const socket = await open(target)
  const chunks: Buffer[] = []
  socket.on('data', (bytes: Buffer) => chunks.push(bytes))
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${fields}\r\n`)
  await once(socket, 'end')
  socket.destroy()
  return Buffer.concat(chunks).toString('latin1')
}

/** The fault of the server towards the client, if any. */
async function failureOf(client: HostileClient, target: Target): Promise<string | undefined> {
  try {
    await client.run(target)
    return undefined
  } catch (error) {
    return `${client.name}: ${(error as Error).message}`
  }
}

/** Asserts that the server is as it was: it serves, and has let go of everything. */
async function expectUnharmed(server: Server, descriptors: number): Promise<void> {
  await expectService(server)
  await expect.poll(() => server.descriptors(), { timeout: patienceMs }).toBeLessThanOrEqual(descriptors)
  await expectMemoryBelow(200, server)
  expect([server.running.child.exitCode, server.running.stderr()]).toEqual([null, ''])
}

/** Memory that was needed for a moment stays garbage in an idle process: it is collected while others are served. */
async function expectMemoryBelow(mib: number, server: Server): Promise<void> {
  const residentMib = async (): Promise<number> => {
    await expectService(server)
    return server.memoryMib()
  }
  await expect.poll(residentMib, { timeout: patienceMs, interval: 20 }).toBeLessThan(mib)
}

describe.each([
  ['over plain HTTP', false],
  ['over TLS', true],
] as const)('httpcli serve %s', (_what, isTls) => {
  it('survives every hostile client, one after the other, and serves the next one', async () => {
    const server = await start([], isTls, shortLimits)
    await expectService(server)
    const descriptors = server.descriptors()
    for (const client of hostileClients.filter(({ waits }) => !waits)) {
      expect(await failureOf(client, server)).toBeUndefined()
      await expectService(server)
    }
    const waiting = [...hostileClients.filter(({ waits }) => waits), ...(isTls ? hostileTlsClients : [])]
    for (const failure of await Promise.all(waiting.map((client) => failureOf(client, server)))) {
      expect(failure).toBeUndefined()
    }
    await expectUnharmed(server, descriptors)
  }, 180_000)

  it('survives all hostile clients at once, and still serves honest ones', async () => {
    // Proper clients wait for some hundred handshakes.
    const server = await start([], isTls, { ...shortLimits, '--handshake-timeout': '30' })
    await expectService(server)
    const descriptors = server.descriptors()
    const attacks = Promise.allSettled(hostileClients.map((client) => client.run(server)))
    for (let count = 0; count < 20; count++) await expectService(server)
    await attacks
    await expectUnharmed(server, descriptors)
  }, 180_000)

  it('releases every descriptor after hundreds of aborted, 304 and range responses', async () => {
    const server = await start([], isTls)
    await expectService(server)
    const descriptors = server.descriptors()
    const etag = /^etag: (.*)$/im.exec(await ask(server, '/a.txt'))![1]!.trim()
    for (let round = 0; round < 30; round++) {
      const answers = await Promise.all([
        ask(server, '/a.txt', `If-None-Match: ${etag}\r\n`),
        ask(server, '/big', 'If-None-Match: *\r\n'),
        ask(server, '/big', 'Range: bytes=5-9\r\n'),
        ask(server, '/big', 'Range: bytes=99999999999-\r\n'),
        ask(server, '/big', 'If-Match: "x"\r\n'),
        ask(server, '/big', 'Range: bytes=0-0,5-5,9-9\r\n'),
      ])
      expect(answers.map((answer) => answer.slice(9, 12))).toEqual(['304', '304', '206', '416', '412', '206'])
    }
    await expectUnharmed(server, descriptors)
  })

  it('accepts its limit of connections, and closes an idle one for the next client', async () => {
    const server = await start(['--max-connections', '20'], isTls)
    const sockets: Socket[] = []
    for (let count = 0; count < 60; count++) {
      const socket = await open(server)
      onTestFinished(() => void socket.destroy())
      sockets.push(socket)
    }
    await expectService(server)
    await expect.poll(() => server.descriptors(), { timeout: patienceMs }).toBeLessThan(60)
    for (const socket of sockets) socket.destroy()
    await expectService(server)
  })

  it('holds thousands of idle connections and serves the next client', async () => {
    const server = await start([], isTls)
    const count = isTls ? 300 : 2000
    const sockets: Socket[] = []
    for (let opened = 0; opened < count; opened += 50) {
      sockets.push(...(await Promise.all(Array.from({ length: 50 }, () => open(server)))))
    }
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    await expectService(server)
    expect(sockets.filter((socket) => socket.destroyed)).toEqual([])
    await expectMemoryBelow(250, server)
  })

  it('ends at SIGTERM while hostile clients hang on to it', async () => {
    const server = await start([], isTls)
    const sockets = await Promise.all(Array.from({ length: 20 }, () => open(server)))
    for (const [index, socket] of sockets.entries()) {
      socket.pause()
      if (index % 4 === 1) socket.write('GET /a.txt HT')
      if (index % 4 === 2) socket.write('GET /big HTTP/1.1\r\nHost: a\r\n\r\n')
      if (index % 4 === 3) socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx')
      onTestFinished(() => void socket.destroy())
    }
    await expectService(server)
    expect((await server.running.stop()).code).toBe(0)
  })
})

it('httpcli serve buffers little of an encrypted response that hundreds of clients do not read', async () => {
  const bodyBytes = 1_000_000
  writeFileSync(join(root, 'kept'), Buffer.alloc(bodyBytes, 'x'))
  const server = await start([], true)
  await expectService(server)
  const beforeMib = server.memoryMib()
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  while (sockets.length < 200) {
    const opened = await Promise.all(Array.from({ length: 20 }, () => open(server)))
    for (const socket of opened) {
      socket.pause()
      socket.write('GET /kept HTTP/1.1\r\nHost: a\r\n\r\n')
    }
    sockets.push(...opened)
    await expectService(server)
  }
  await expectMemoryBelow(beforeMib + 100, server)
  // A client that takes the answer late gets all of it.
  let received = ''
  const late = sockets.at(-1)!
  late.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1')
  })
  late.resume()
  await expect.poll(() => received.length, { timeout: patienceMs }).toBeGreaterThan(bodyBytes)
  expect(received.slice(received.indexOf('\r\n\r\n') + 4)).toBe('x'.repeat(bodyBytes))
}, 120_000)

describe('httpcli serve with a hostile tree', () => {
  it('responds at once for anything but a regular file, and continues to serve', async () => {
    execFileSync('mkfifo', [join(root, 'fifo'), join(root, 'page.html')])
    const unixServer = createServer().listen(join(root, 'socket'))
    onTestFinished(() => void unixServer.close())
    for (const [name, target] of [
      ['dangling', 'nowhere'],
      ['loop', 'loop'],
      ['loop-a', 'loop-b'],
      ['loop-b', 'loop-a'],
      ['zero', '/dev/zero'],
      ['random', '/dev/random'],
      ['tty', '/dev/tty'],
      ['memory', '/proc/self/mem'],
      ['self', '/proc/self'],
      ['link-to-fifo', 'fifo'],
    ] as const)
      symlinkSync(target, join(root, name))
    for (const words of [[], ['--follow-symlinks', '--dotfiles']]) {
      const server = await start(words)
      const descriptors = server.descriptors()
      for (const path of [
        '/fifo',
        '/page',
        '/page.html',
        '/socket',
        '/dangling',
        '/loop',
        '/loop-a',
        '/zero',
        '/random',
        '/tty',
        '/link-to-fifo',
        '/fifo/',
        '/',
      ]) {
        const answers = await Promise.all(Array.from({ length: 5 }, () => ask(server, path)))
        const statuses = new Set(answers.map((answer) => answer.slice(9, 12)))
        expect([path, [...statuses]]).toEqual([path, [path === '/' ? '200' : '404']])
      }
      if (words.length === 0) expect(await ask(server, '/memory')).toMatch(/^HTTP\/1\.1 404/)
      if (words.length === 0) expect(await ask(server, '/self/environ')).toMatch(/^HTTP\/1\.1 404/)
      await expectUnharmed(server, descriptors)
      await server.running.stop()
    }
  })

  it('never serves what is outside while names are replaced by links', async () => {
    mkdirSync(join(base, 'outside'))
    writeFileSync(join(base, 'outside', 'x.txt'), 'SECRET')
    mkdirSync(join(root, 'real'))
    writeFileSync(join(root, 'real', 'x.txt'), 'public')
    writeFileSync(join(root, 'y.txt'), 'public')
    symlinkSync('../outside', join(root, 'link'))
    symlinkSync('../outside/x.txt', join(root, 'link.txt'))
    const server = await start([])
    const swapper = spawn(
      process.execPath,
      [
        '-e',
        `const fs = require('node:fs')
         process.chdir(${JSON.stringify(root)})
         process.stdin.on('end', () => process.exit(0)).resume()
         const swap = (plain, link, name) => {
           fs.renameSync(plain, 'spare'); fs.renameSync(link, name === plain ? plain : name)
           fs.renameSync(name === plain ? plain : name, link); fs.renameSync('spare', plain)
         }
         const turn = () => { for (let i = 0; i < 50; i++) { swap('real', 'link', 'real'); swap('y.txt', 'link.txt', 'y.txt') } setImmediate(turn) }
         turn()`,
      ],
      { stdio: ['pipe', 'ignore', 'inherit'], env: commandEnvironment() },
    )
    onTestFinished(() => void swapper.kill('SIGKILL'))
    for (let count = 0; count < 150; count++) {
      const answers = await Promise.all(
        ['/real/x.txt', '/y.txt', '/y', '/real/x', '/real/'].map((path) => ask(server, path)),
      )
      for (const answer of answers) expect(answer).not.toContain('SECRET')
    }
    swapper.stdin.end()
    await once(swapper, 'close')
    await expectService(server)
  })

  it('serves existing files while others are created, deleted and change type', async () => {
    const server = await start([])
    const path = join(root, 'c.txt')
    for (const [make, status] of [
      [() => writeFileSync(path, 'one'), '200'],
      [() => rmSync(path), '404'],
      [() => mkdirSync(path), '308'],
      [() => rmSync(path, { recursive: true }), '404'],
      [() => symlinkSync('a.txt', path), '200'],
      [() => rmSync(path), '404'],
      [() => symlinkSync('../../../etc/passwd', path), '404'],
      [() => rmSync(path), '404'],
      [() => execFileSync('mkfifo', [path]), '404'],
      [() => rmSync(path), '404'],
      [() => renameSync(join(root, 'a.txt'), path), '200'],
      [() => renameSync(path, join(root, 'a.txt')), '404'],
    ] as const) {
      make()
      expect((await ask(server, '/c.txt')).slice(9, 12)).toBe(status)
    }
    await expectService(server)
  })

  it('responds with 404 when the directory is removed, and serves again when it is back', async () => {
    const server = await start([])
    renameSync(root, join(base, 'moved'))
    expect(await ask(server, '/a.txt')).toMatch(/^HTTP\/1\.1 404/)
    expect(await ask(server, '/')).toMatch(/^HTTP\/1\.1 404/)
    renameSync(join(base, 'moved'), root)
    await expectService(server)
  })
})

describe('httpcli serve that runs out', () => {
  it('of descriptors: serves the clients that it can, and all when they are available again', async () => {
    const [program, ...words] = commandLine()
    const child = spawn('sh', ['-c', 'ulimit -n 40; exec "$0" "$@"', program, ...words, 'serve', root, '-p', '0'], {
      env: commandEnvironment(),
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const target = { port: Number(/:(\d+)\n/.exec(line.toString())![1]), isTls: false }
    await expectService(target)
    const sockets = await Promise.all(Array.from({ length: 60 }, () => open(target)))
    for (const socket of sockets) socket.write('GET /big HTTP/1.1\r\nHost: a\r\n\r\n')
    // Some are past all places, and are reset.
    const first = (await Promise.any(sockets.map((socket) => once(socket, 'data')))) as [Buffer]
    expect(first[0].toString('latin1')).toMatch(/^HTTP\/1\.1 (200|503) /)
    for (const socket of sockets) socket.destroy()
    await expect
      .poll(
        () =>
          expectService(target).then(
            () => 'served',
            (error: Error) => error.message,
          ),
        { timeout: patienceMs },
      )
      .toBe('served')
    expect(child.exitCode).toBe(null)
  })

  it('of space for its log: says so once and continues to serve', async () => {
    const full = openSync('/dev/full', 'w')
    const [program, ...words] = commandLine()
    // It could not print the port that it took.
    const path = join(base, 'socket')
    const child = spawn(program, [...words, 'serve', root, '--listen', `unix:${path}`, '-l'], {
      env: commandEnvironment(),
      stdio: ['ignore', full, 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const reported: Buffer[] = []
    const stderr = child.stderr!
    stderr.on('data', (bytes: Buffer) => reported.push(bytes))
    await once(stderr, 'data')
    for (let count = 0; count < 5; count++) await expectService({ port: 0, isTls: false, path })
    expect(Buffer.concat(reported).toString()).toMatch(/^httpcli serve: the log ends here: [^\n]+\n$/)
    expect(child.exitCode).toBe(null)
    closeSync(full)
  })

  it('of a reader for its log: continues to serve', async () => {
    const server = await start(['-l'])
    server.running.child.stdout.destroy()
    for (let count = 0; count < 20; count++) await expectService(server)
    expect(server.running.child.exitCode).toBe(null)
  })
})
