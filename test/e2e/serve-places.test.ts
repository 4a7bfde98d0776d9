import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { commandEnvironment, commandLine } from '../helpers/command.ts'
import { openHttp2 } from '../helpers/hostile-http2-clients.ts'
import * as http2 from '../helpers/http2-frames.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const keystore = fileURLToPath(new URL('../keystore/files/combined.pem', import.meta.url))
const bigBytes = 50_000_000

/** Two addresses of this machine: for the server two clients. */
const hostileAddress = '127.0.0.1'
const honestAddress = '127.0.0.2'

let root: string

beforeEach(() => {
  root = join(temporaryDirectory(), 'site')
  mkdirSync(root)
  writeFileSync(join(root, 'a.txt'), 'hello')
  closeSync(openSync(join(root, 'big'), 'w'))
  truncateSync(join(root, 'big'), bigBytes)
})

interface Server {
  readonly port: number
  readonly isTls: boolean
  descriptors(): number
}

/** `descriptors`: that the process may open. */
async function start(words: readonly string[], descriptors = 20_000): Promise<Server> {
  const [program, ...programWords] = commandLine()
  const isTls = words.includes('-k')
  const command = [...programWords, 'serve', root, '-p', '0', ...words]
  const child = spawn('sh', ['-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, program, ...command], {
    env: commandEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(/:(\d+)\n/.exec(line.toString())![1])
  return { port, isTls, descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length }
}

/** Until the event, or the end of the connection. */
function settled(socket: Socket, event: string): Promise<unknown> {
  if (socket.destroyed) return Promise.resolve()
  return new Promise((resolve) => socket.once(event, resolve).once('close', resolve))
}

async function open({ port, isTls }: Server, localAddress: string): Promise<Socket> {
  const plain = connectTcp({ port, host: '127.0.0.1', localAddress })
  plain.on('error', () => undefined)
  onTestFinished(() => void plain.destroy())
  await once(plain, 'connect')
  if (!isTls) return plain
  const socket = connectTls({ socket: plain, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  socket.on('error', () => undefined)
  await settled(socket, 'secureConnect')
  return socket
}

/** The head of the answer, and the length of its body. */
async function ask(
  server: Server,
  path: string,
  localAddress = honestAddress,
): Promise<[status: number, bytes: number]> {
  const socket = await open(server, localAddress)
  const chunks: Buffer[] = []
  socket.on('data', (bytes: Buffer) => chunks.push(bytes))
  const closed = settled(socket, 'close')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  await closed
  const received = Buffer.concat(chunks)
  const headEnd = received.indexOf('\r\n\r\n')
  return [Number(received.subarray(9, 12).toString()), received.length - headEnd - 4]
}

/** Connections that send this and take nothing. */
async function occupy(server: Server, count: number, text: string, isAnswered = false): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const batch = Math.min(50, count - sockets.length)
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: batch }, async () => {
          const socket = await open(server, hostileAddress)
          socket.write(text)
          if (isAnswered) await settled(socket, 'data')
          socket.pause()
          return socket
        }),
      )),
    )
  }
  return sockets
}

const getBig = 'GET /big HTTP/1.1\r\nHost: a\r\n\r\n'

describe.each([
  ['over plain HTTP', []],
  ['over TLS', ['-k', keystore]],
])('httpcli serve %s, when its connections run out,', (_what, words) => {
  it.each([
    ['idle connections', ''],
    ['unfinished heads', 'GET / HTTP/1.1\r\nHost: a\r\nX: '],
    ['answered requests', 'GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['live-reload streams', 'GET /.httpcli/live HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n'],
  ])(
    'closes %s of the client that has the most, not those of others',
    async (_kind, text) => {
      const server = await start([...words, '--max-connections', '40', '--live'])
      const honest = await open(server, honestAddress)
      const answered = settled(honest, 'data')
      honest.write('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
      await answered
      await occupy(server, 80, text, text.includes('\r\n\r\n'))
      for (let count = 0; count < 5; count++) expect(await ask(server, '/a.txt')).toEqual([200, 5])
      const again = settled(honest, 'data')
      honest.write('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
      expect(String(await again)).toMatch(/^HTTP\/1\.1 200 /)
    },
    30_000,
  )

  it('answers the health check and other clients while one client keeps all it may have busy', async () => {
    const server = await start([...words, '--max-connections', '40', '--health'])
    const busy = await occupy(server, 60, getBig, true)
    expect((await ask(server, '/a.txt', hostileAddress))[0]).toBe(503)
    expect((await ask(server, '/healthz', hostileAddress))[0]).toBe(200)
    expect(await ask(server, '/a.txt')).toEqual([200, 5])
    expect(await ask(server, '/big')).toEqual([200, bigBytes])
    // Downloads that have started are not closed in favor of new connections.
    expect(busy.filter((socket) => !socket.destroyed).length).toBeGreaterThanOrEqual(35)
    await occupy(server, 5, getBig, true)
    expect((await ask(server, '/healthz'))[0]).toBe(200)
  }, 60_000)
})

describe('httpcli serve with 256 descriptors', () => {
  it.each([
    ['plain HTTP', []],
    ['TLS', ['-k', keystore]],
  ])(
    'serves others while a client opens more connections than that over %s',
    async (_what, words) => {
      const server = await start([...words, '--health'], 256)
      await occupy(server, 150, '')
      await occupy(server, 150, getBig)
      for (let count = 0; count < 5; count++) expect(await ask(server, '/a.txt')).toEqual([200, 5])
      expect(await ask(server, '/big')).toEqual([200, bigBytes])
      expect((await ask(server, '/healthz', hostileAddress))[0]).toBe(200)
      expect(server.descriptors()).toBeLessThan(256)
    },
    60_000,
  )

  it('serves others while a client holds thousands of downloads over HTTP/2', async () => {
    const server = await start(['-k', keystore], 256)
    const requests = Array.from({ length: 100 }, (_, index) => http2.get(2 * index + 1, '/big'))
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const socket = await openHttp2(server)
        onTestFinished(() => void socket.destroy())
        // Half of them take the first bytes of each file.
        const answered = settled(socket, 'data')
        socket.write(Buffer.concat([http2.preface, http2.settings(index % 2 === 0 ? 0 : 5_000), ...requests]))
        await answered
        return socket
      }),
    )
    for (const socket of sockets) socket.resume()
    expect(await ask(server, '/a.txt')).toEqual([200, 5])
    expect(await ask(server, '/big')).toEqual([200, bigBytes])
    expect(server.descriptors()).toBeLessThan(160)
    // A waiting download continues where it stopped.
    const session = connectHttp2(`https://127.0.0.1:${server.port}`, {
      rejectUnauthorized: false,
      settings: { initialWindowSize: 0 },
    })
    onTestFinished(() => session.destroy())
    const stream = session.request({ ':path': '/big' })
    await once(stream, 'response')
    expect(await ask(server, '/big')).toEqual([200, bigBytes])
    session.settings({ initialWindowSize: 1_000_000 })
    session.setLocalWindowSize(10_000_000)
    let receivedBytes = 0
    for await (const bytes of stream) receivedBytes += (bytes as Buffer).length
    expect(receivedBytes).toBe(bigBytes)
  }, 60_000)
})
