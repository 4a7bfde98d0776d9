import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { AnsweredRequest, RunningServer, ServeOptions } from '../../../src/server/index.ts'
import { StreamBody } from '../../../src/server/semantics/answer-body.ts'
import { frame, preface } from '../../helpers/http2-frames.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { startServer } from '../raw-client.ts'

let root: string
let entries: AnsweredRequest[]

beforeEach(() => {
  root = temporaryDirectory()
  entries = []
  writeFileSync(join(root, 'a.txt'), 'hello')
  writeFileSync(join(root, 'page.html'), '<p>page')
  writeFileSync(join(root, 'page.json'), '{"page":1}')
})

function start(options: Partial<ServeOptions> = {}): Promise<RunningServer> {
  return startServer({
    directory: root,
    tls: { selfSignedFor: [] },
    onAnswer: (entry) => entries.push(entry),
    ...options,
  })
}

function open(server: RunningServer, settings: Parameters<typeof connect>[1] = {}): ClientHttp2Session {
  const session = connect(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false, ...settings })
  session.on('error', () => undefined)
  onTestFinished(() => session.destroy())
  return session
}

interface Received {
  readonly status: number
  readonly fields: IncomingHttpHeaders
  readonly body: Buffer
  /** Of RST_STREAM; 0 if there was none. */
  readonly rstCode: number
}

async function receive(stream: ClientHttp2Stream): Promise<Received> {
  let fields: IncomingHttpHeaders = {}
  const chunks: Buffer[] = []
  stream.on('response', (received) => {
    fields = received
  })
  stream.on('data', (bytes: Buffer) => chunks.push(bytes))
  stream.on('error', () => undefined)
  if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve))
  return { status: Number(fields[':status'] ?? 0), fields, body: Buffer.concat(chunks), rstCode: stream.rstCode }
}

function get(session: ClientHttp2Session, path: string, fields: Record<string, string> = {}): Promise<Received> {
  return receive(session.request({ ':path': path, ...fields }))
}

function makeSparse(name: string, sizeBytes: number): void {
  closeSync(openSync(join(root, name), 'w'))
  truncateSync(join(root, name), sizeBytes)
}

const descriptorsOf = () => readdirSync('/proc/self/fd').length

const settings = frame(4, 0, 0)
/** :method GET, :scheme https, :path /, :authority a. */
const getRoot = Buffer.from('828784410161', 'hex')

/** `over`: the connection to use; default: a new one. */
async function raw(server: RunningServer, over?: Socket): Promise<TLSSocket> {
  const where = over === undefined ? { port: server.port, host: '127.0.0.1' } : { socket: over }
  const socket = connectTls({ ...where, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  socket.resume()
  return socket
}

/** As much as a client can let a server send, for one stream and for all. */
const widestWindows = Buffer.concat([
  frame(4, 0, 0, Buffer.from('00047fffffff', 'hex')),
  frame(8, 0, 0, Buffer.from('7fff0000', 'hex')),
])

let unsentBefore = -1

/** Whether the system holds bytes of the server for a client that takes none (Linux). */
function isStuck(port: number): boolean {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const unsent = rows
    .filter((row) => row[1]?.endsWith(local))
    .reduce((sum, row) => sum + Number.parseInt(row[4]?.split(':')[0] ?? '0', 16), 0)
  const isSame = unsent > 0 && unsent === unsentBefore
  unsentBefore = unsent
  return isSame
}

function closed(socket: TLSSocket): Promise<unknown> {
  return socket.destroyed ? Promise.resolve() : new Promise((resolve) => socket.once('close', resolve))
}

describe('over HTTP/2', () => {
  it.each([
    [{ ':authority': 'localhost:99999' }],
    [{ ':authority': '[::1' }],
    [{ ':path': '/a.txt#x' }],
    [{ ':path': '/a.txt"' }],
  ])('a request with %j is invalid, as over HTTP/1.1', async (fields) => {
    expect((await get(open(await start()), '/a.txt', fields)).status).toBe(400)
  })

  it('a request with credentials in :authority is invalid', async () => {
    const { status, rstCode } = await get(open(await start()), '/a.txt', { ':authority': 'u:p@localhost' })
    // Later versions of Node.js reset the stream with PROTOCOL_ERROR before the request is reported.
    expect([
      [400, 0],
      [0, 1],
    ]).toContainEqual([status, rstCode])
  })

  it.each([
    [{ ':authority': 'LOCALHOST:443' }],
    [{ ':authority': '[::1]:8443' }],
    [{ ':authority': 'localhost:' }],
    [{ ':path': '/%61.txt?a=[]' }],
  ])('a request with %j is valid', async (fields) => {
    expect((await get(open(await start()), '/a.txt', fields)).status).toBe(200)
  })

  it('fields that are configured twice are sent', async () => {
    const fields = ['a', 'b'].flatMap((value) => [['Age', value] as const, ['X-Own', value] as const])
    const { status, fields: received } = await get(open(await start({ steps: { fields } })), '/a.txt')
    expect([status, received.age, received['x-own']]).toEqual([200, 'a, b', 'a, b'])
  })

  it('an answer that cannot be sent is reported and resets only its stream', async () => {
    const errors: unknown[] = []
    const server = await start({
      onError: (error) => errors.push(error),
      steps: {
        before: [
          ({ target }) => {
            return target === '/bad' ? { status: 200, fields: [['Connection', 'x']], body: undefined } : undefined
          },
        ],
      },
    })
    const session = open(server)
    const [bad, good] = await Promise.all([get(session, '/bad'), get(session, '/a.txt')])
    expect([bad.status, bad.rstCode !== constants.NGHTTP2_NO_ERROR, good.status]).toEqual([0, true, 200])
    expect(errors).toHaveLength(1)
  })

  it('a file is answered as over HTTP/1.1, with names in lower case', async () => {
    const session = open(await start())
    const { status, fields, body } = await get(session, '/a.txt')
    expect([status, body.toString()]).toEqual([200, 'hello'])
    expect(fields).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '5',
      'accept-ranges': 'bytes',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    })
    expect(fields.etag).toMatch(/^"[^"]+"$/)
    expect(fields.date).toMatch(/ GMT$/)
    expect(fields.connection).toBeUndefined()
  })

  it.each<[path: string, fields: Record<string, string>, status: number, body: string | RegExp]>([
    ['/a.txt', { range: 'bytes=1-2' }, 206, 'el'],
    ['/a.txt', { range: 'bytes=-2' }, 206, 'lo'],
    ['/a.txt', { range: 'bytes=9-' }, 416, /./],
    ['/a.txt', { range: 'bytes=0-0,2-2' }, 206, /multipart|Content-Range: bytes 2-2\/5/],
    ['/a.txt', { 'if-none-match': '*' }, 304, ''],
    ['/a.txt', { 'if-match': '"other"' }, 412, /./],
    ['/page', { accept: 'application/json' }, 200, '{"page":1}'],
    ['/page', { accept: 'text/html' }, 200, '<p>page'],
    ['/none', {}, 404, /404 Not Found/],
    ['/..%2fa.txt', {}, 404, /404/],
    ['/%zz', {}, 400, /400/],
    ['/.env', {}, 404, /404/],
    ['/a.txt?x=1', {}, 200, 'hello'],
    ['/a.txt?x=5%&y=%zz', {}, 200, 'hello'],
  ])('%s with %j is answered by %i', async (path, fields, status, body) => {
    const answer = await get(open(await start()), path, fields)
    expect(answer.status).toBe(status)
    expect(answer.body.toString()).toEqual(typeof body === 'string' ? body : expect.stringMatching(body))
    expect(answer.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
  })

  it.each<[method: string, status: number]>([
    ['HEAD', 200],
    ['OPTIONS', 204],
    ['POST', 405],
    ['DELETE', 405],
    ['get', 405],
  ])('the method %s is answered by %i', async (method, status) => {
    const stream = open(await start()).request({ ':path': '/a.txt', ':method': method })
    stream.end()
    const answer = await receive(stream)
    expect(answer.status).toBe(status)
    if (method === 'HEAD') expect([answer.fields['content-length'], answer.body.length]).toEqual(['5', 0])
  })

  it('CONNECT is answered before its end, which follows only the end of a tunnel', async () => {
    const session = open(await start())
    const stream = session.request({ ':method': 'CONNECT', ':authority': 'localhost:443' }, { endStream: false })
    expect((await receive(stream)).status).toBe(405)
    expect((await get(session, '/a.txt')).status).toBe(200)
  })

  it('a request is answered by its own fields, whatever came before it', async () => {
    const session = open(await start())
    const asked: Record<string, string>[] = [
      {},
      { range: 'bytes=1-2' },
      {},
      { range: 'bytes=1-1' },
      { range: 'bytes=1-2' },
    ]
    const bodies: string[] = []
    for (const fields of asked) bodies.push((await get(session, '/a.txt', fields)).body.toString())
    expect(bodies).toEqual(['hello', 'el', 'hello', 'e', 'el'])
  })

  it('a line feed in a value does not make a request look like another one', async () => {
    const socket = await raw(await start())
    /** A field line of HPACK: a literal with a new name, never indexed. */
    const line = (name: string, value: string) => {
      return Buffer.from(`\x10${String.fromCharCode(name.length)}${name}${String.fromCharCode(value.length)}${value}`)
    }
    const head = (...lines: Buffer[]) => Buffer.concat([getRoot, ...lines])
    writeFileSync(join(root, 'index.html'), 'index')
    socket.write(Buffer.concat([preface, settings, frame(1, 5, 1, head(line('accept', '*/*\nrange\nbytes=0-0')))]))
    socket.write(frame(1, 5, 3, head(line('accept', '*/*'), line('range', 'bytes=0-0'))))
    await expect.poll(() => entries.find(({ status }) => status === 206)?.bodyBytes).toBe(1)
  })

  it('a directory without its slash is redirected', async () => {
    const server = await startServer({ directory: join(root, '..'), tls: { selfSignedFor: [] } })
    const name = root.split('/').at(-1)!
    const { status, fields } = await get(open(server), `/${name}?q`)
    expect([status, fields.location]).toEqual([308, `/${name}/?q`])
  })

  it.each<[fields: Record<string, string>, status: number]>([
    [{ ':authority': 'one.example', host: 'other.example' }, 400],
    [{ ':authority': 'one.example', host: 'ONE.example' }, 200],
    [{ host: 'one.example' }, 200],
    [{ ':authority': 'one.example' }, 200],
  ])('a request has one host: %j', async (fields, status) => {
    expect((await get(open(await start()), '/a.txt', fields)).status).toBe(status)
  })

  it('a request with too large a head is a 431, and the next request is served', async () => {
    const session = open(await start({ limits: { headerBytes: 1_024 } }))
    for (const [lengthBytes, status] of [
      [900, 200],
      [1_024, 431],
      [60_000, 431],
      [10, 200],
    ] as const) {
      const received = await get(session, '/a.txt', { 'x-field': 'a'.repeat(lengthBytes) })
      expect([lengthBytes, received.status, received.rstCode]).toEqual([lengthBytes, status, 0])
    }
  })

  it.each(['/a\x7f', '/a b', 'a.txt', '', '*'])(
    'the path %j resets the stream or is a 400, and the next request is served',
    async (path) => {
      const session = open(await start())
      const { status, rstCode } = await get(session, path)
      expect([status, rstCode]).toEqual(status === 0 ? [0, constants.NGHTTP2_PROTOCOL_ERROR] : [400, 0])
      expect((await get(session, '/a.txt')).status).toBe(200)
    },
  )

  it('trailers and the content of a request are discarded', async () => {
    const session = open(await start())
    const stream = session.request({ ':path': '/a.txt', ':method': 'GET' }, { waitForTrailers: true, endStream: false })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-late': '1' }))
    stream.end('content')
    expect((await receive(stream)).body.toString()).toBe('hello')
    expect((await get(session, '/a.txt')).status).toBe(200)
  })

  it('an endless request is answered and ended', async () => {
    const session = open(await start({ limits: { discardedBodyBytes: 1000 } }))
    const stream = session.request({ ':path': '/a.txt', ':method': 'POST' })
    const pump = () => {
      while (!stream.destroyed && stream.write(Buffer.alloc(65_536)));
      if (!stream.destroyed) stream.once('drain', pump)
    }
    pump()
    const answer = await receive(stream)
    expect([answer.status, answer.rstCode]).toEqual([405, constants.NGHTTP2_NO_ERROR])
    expect((await get(session, '/a.txt')).status).toBe(200)
  })

  it.each([
    ['that waits for 100 (Continue)', { expect: '100-continue' }, 0],
    ['with too much content', {}, 2_000],
  ])('a request %s may be answered for longer than its content may take', async (_name, fields, contentBytes) => {
    let finish: (() => void) | undefined
    const isLate = new Promise<void>((resolve) => {
      finish = resolve
    })
    async function* pieces() {
      yield 'begin '
      await isLate
      yield 'end'
    }
    const long = { status: 200, fields: [], body: new StreamBody(Readable.from(pieces())) }
    const before = [({ target }: { readonly target: string }) => (target === '/long' ? long : undefined)]
    const limits = { bodyTimeoutMs: 100, discardedBodyBytes: 1_000 }
    const session = open(await start({ limits, steps: { before } }))
    const first = session.request({ ':path': '/long', ...fields }, { endStream: false })
    if (contentBytes > 0) first.write(Buffer.alloc(contentBytes))
    const received = receive(first)
    // The content of a later request is missing for too long.
    expect((await receive(session.request({ ':path': '/a.txt' }, { endStream: false }))).status).toBe(0)
    finish?.()
    const { body, rstCode } = await received
    expect([body.toString(), rstCode]).toEqual(['begin end', constants.NGHTTP2_NO_ERROR])
  })

  it('a large file arrives complete, alongside small ones', async () => {
    const content = Buffer.alloc(5_000_001, 'abcdefghijk')
    writeFileSync(join(root, 'big'), content)
    const session = open(await start())
    const [big, ...small] = await Promise.all([
      get(session, '/big'),
      ...Array.from({ length: 50 }, () => get(session, '/a.txt')),
    ])
    expect(big!.body.equals(content)).toBe(true)
    expect(small.map(({ body }) => body.toString())).toEqual(Array.from({ length: 50 }, () => 'hello'))
    expect(entries.find(({ requestLine }) => requestLine?.includes('/big'))).toMatchObject({
      requestLine: 'GET /big HTTP/2.0',
      status: 200,
      bodyBytes: content.length,
      remoteAddress: '127.0.0.1',
    })
    expect(entries.filter(({ bodyBytes }) => bodyBytes === 5)).toHaveLength(50)
  })

  it('an empty file arrives', async () => {
    writeFileSync(join(root, 'empty.txt'), '')
    const { status, fields, body } = await get(open(await start()), '/empty.txt')
    expect([status, fields['content-length'], body.length]).toEqual([200, '0', 0])
  })

  it('a file that changes while it is sent never looks whole', async () => {
    makeSparse('big', 30_000_000)
    const stream = open(await start()).request({ ':path': '/big' })
    await once(stream, 'response')
    truncateSync(join(root, 'big'), 20_000_000)
    const { rstCode, body } = await receive(stream)
    expect(rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR)
    expect(body.length).toBeLessThan(30_000_000)
  })

  it('a stream without a length that fails midway never looks complete', async () => {
    const failing = async function* () {
      yield Buffer.from('a part')
      await new Promise((resolve) => setImmediate(resolve))
      throw new Error('the disk is gone')
    }
    const errors: unknown[] = []
    const server = await start({
      steps: { before: [() => ({ status: 200, fields: [], body: new StreamBody(Readable.from(failing())) })] },
      onError: (error) => errors.push(error),
    })
    const { status, rstCode } = await get(open(server), '/')
    expect([status, rstCode]).toEqual([200, constants.NGHTTP2_INTERNAL_ERROR])
    expect(errors).toHaveLength(1)
  })

  it('a stream without a length arrives complete', async () => {
    const pieces = Array.from({ length: 20 }, (_, index) => Buffer.alloc(30_000, index))
    const server = await start({
      steps: { before: [() => ({ status: 200, fields: [], body: new StreamBody(Readable.from(pieces)) })] },
    })
    const { fields, body, rstCode } = await get(open(server), '/')
    expect([fields['content-length'], rstCode]).toEqual([undefined, 0])
    expect(body.equals(Buffer.concat(pieces))).toBe(true)
  })

  it('a file that can no longer be opened is a 404', async () => {
    const session = open(await start())
    expect((await get(session, '/gone.txt')).status).toBe(404)
  })
})

describe('an HTTP/2 client', () => {
  it('that aborts downloads leaves no descriptor open', async () => {
    makeSparse('big', 50_000_000)
    const session = open(await start())
    await get(session, '/a.txt')
    const before = descriptorsOf()
    for (let round = 0; round < 20; round++) {
      const streams = Array.from({ length: 5 }, () => session.request({ ':path': '/big' }))
      // All listen from the start: several heads may come in one piece.
      await Promise.all(
        streams.map(async (stream) => {
          stream.on('error', () => undefined)
          await once(stream, 'response')
          stream.close(constants.NGHTTP2_CANCEL)
        }),
      )
    }
    await expect.poll(descriptorsOf, { timeout: 5000 }).toBeLessThanOrEqual(before)
    expect((await get(session, '/a.txt')).status).toBe(200)
    await expect.poll(() => entries.filter(({ requestLine }) => requestLine?.includes('/big')).length).toBe(100)
  })

  it('that disconnects midway leaves no descriptor open', async () => {
    makeSparse('big', 50_000_000)
    const server = await start()
    await get(open(server), '/a.txt')
    const before = descriptorsOf()
    for (let round = 0; round < 5; round++) {
      const session = open(server)
      const streams = Array.from({ length: 20 }, () => session.request({ ':path': '/big' }))
      for (const stream of streams) stream.on('error', () => undefined)
      await once(streams[0]!, 'response')
      session.destroy()
    }
    await expect.poll(descriptorsOf, { timeout: 5000 }).toBeLessThanOrEqual(before)
  })

  it('that resets the connection while nothing more can be sent leaves no descriptor open', async () => {
    makeSparse('big', 50_000_000)
    const server = await start()
    await get(open(server), '/a.txt')
    const before = descriptorsOf()
    for (let round = 0; round < 5; round++) {
      const socket = connectTcp({ port: server.port, host: '127.0.0.1' })
      const secured = await raw(server, socket)
      secured.pause()
      secured.write(Buffer.concat([preface, widestWindows, frame(1, 5, 1, getBig)]))
      await expect.poll(() => isStuck(server.port), { timeout: 5000 }).toBe(true)
      socket.resetAndDestroy()
      secured.destroy()
    }
    await expect.poll(descriptorsOf, { timeout: 10_000 }).toBeLessThanOrEqual(before)
  })

  it('that does not read a response loses it at the time limit, and the others continue', async () => {
    makeSparse('big', 50_000_000)
    writeFileSync(join(root, 'middle'), Buffer.alloc(100_000))
    const server = await start({ limits: { writeTimeoutMs: 200 } })
    const session = open(server)
    // The client does not read: the window of the stream closes after 64 KB.
    const stalled = ['/big', '/middle'].map((path) => session.request({ ':path': path }))
    const rest = setInterval(() => void get(session, '/a.txt'), 20)
    onTestFinished(() => clearInterval(rest))
    const codes = await Promise.all(
      stalled.map(async (stream) => {
        stream.on('error', () => undefined)
        stream.pause()
        await new Promise((resolve) => stream.once('close', resolve))
        return stream.rstCode
      }),
    )
    expect(codes).toEqual([constants.NGHTTP2_INTERNAL_ERROR, constants.NGHTTP2_INTERNAL_ERROR])
    expect((await get(session, '/a.txt')).status).toBe(200)
  })

  it('that opens more streams than it may has the rest refused', async () => {
    makeSparse('big', 5_000_000)
    const server = await start({ limits: { streams: 3 } })
    const socket = await raw(server)
    const chunks: Buffer[] = []
    socket.on('data', (bytes: Buffer) => chunks.push(bytes))
    const headers = Array.from({ length: 20 }, (_, index) => frame(1, 5, 2 * index + 1, getBig))
    socket.write(Buffer.concat([preface, settings, ...headers]))
    // Refused: RST_STREAM with code 7.
    await expect.poll(() => Buffer.concat(chunks).includes(Buffer.from('00000007', 'hex'))).toBe(true)
    socket.destroy()
    expect((await get(open(server), '/a.txt')).status).toBe(200)
  })

  it('that sends requests with content keeps its connection, however many', async () => {
    const session = open(await start())
    const post = () => {
      const stream = session.request({ ':path': '/a.txt', ':method': 'POST' })
      stream.end('content')
      return receive(stream)
    }
    const statuses = new Set<number>()
    // More than the number of requests that a client may cancel.
    for (let round = 0; round < 24; round++) {
      for (const { status } of await Promise.all(Array.from({ length: 50 }, post))) statuses.add(status)
    }
    expect([[...statuses], session.destroyed]).toEqual([[405], false])
  })

  it('that is closed for another one receives a GOAWAY, so that it may resend its request', async () => {
    const server = await start({ limits: { connections: 1 } })
    const session = open(server)
    const goaway = once(session, 'goaway')
    expect((await get(session, '/a.txt')).status).toBe(200)
    const other = open(server)
    expect((await get(other, '/a.txt')).status).toBe(200)
    expect((await goaway)[0]).toBe(constants.NGHTTP2_NO_ERROR)
  })

  it('that is idle gets GOAWAY, and is closed', async () => {
    const server = await start({ limits: { idleTimeoutMs: 100, lingerTimeoutMs: 100 } })
    const session = open(server)
    const goaway = once(session, 'goaway')
    expect((await get(session, '/a.txt')).status).toBe(200)
    expect((await goaway)[0]).toBe(constants.NGHTTP2_NO_ERROR)
    await closed(await raw(server))
  })

  it('that only sends pings is idle', async () => {
    const server = await start({ limits: { idleTimeoutMs: 200, lingerTimeoutMs: 50 } })
    const socket = await raw(server)
    socket.write(Buffer.concat([preface, settings]))
    const timer = setInterval(() => socket.write(frame(6, 0, 0, Buffer.alloc(8))), 20)
    onTestFinished(() => clearInterval(timer))
    await closed(socket)
  })

  it('that is downloading when the server stops gets the complete file', async () => {
    makeSparse('big', 8_000_000)
    const server = await start()
    const session = open(server)
    const stream = session.request({ ':path': '/big' })
    await once(stream, 'response')
    const closing = server.close()
    expect((await receive(stream)).body.length).toBe(8_000_000)
    await closing
  })

  it('that does not close when the server stops is disconnected', async () => {
    makeSparse('big', 50_000_000)
    const server = await start({ limits: { closeGraceMs: 100 } })
    const stream = open(server).request({ ':path': '/big' })
    stream.on('error', () => undefined)
    await once(stream, 'response')
    stream.pause()
    await server.close()
  })

  it('without a request is closed at once by a server that stops', async () => {
    const server = await start()
    const session = open(server)
    await get(session, '/a.txt')
    await Promise.all([new Promise((resolve) => session.once('close', resolve)), server.close()])
  })
})

const huffmanless = (name: string, value: string) =>
  Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)])
const getBig = Buffer.concat([Buffer.from('82874101610404', 'hex'), Buffer.from('/big')])

describe('a hostile HTTP/2 client', () => {
  const flood = (count: number, octets: (index: number) => Buffer): Buffer =>
    Buffer.concat([preface, settings, ...Array.from({ length: count }, (_, index) => octets(index))])

  it.each<[what: string, octets: () => Buffer]>([
    ['no preface', () => Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['a preface that goes wrong', () => Buffer.from('PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n')],
    ['a frame that is too long', () => flood(1, () => frame(0, 0, 1, Buffer.alloc(20_000)))],
    ['content of a stream that is not open', () => flood(1, () => frame(0, 0, 1, Buffer.alloc(10)))],
    ['settings of a wrong length', () => flood(1, () => frame(4, 0, 0, Buffer.alloc(5)))],
    ['a window of 2^31', () => flood(2, () => frame(8, 0, 0, Buffer.from('7fffffff', 'hex')))],
    ['headers that cannot be decompressed', () => flood(1, () => frame(1, 5, 1, Buffer.from('ffffffffffffff', 'hex')))],
    ['a stream with an even number', () => flood(1, () => frame(1, 5, 2, getRoot))],
    ['a continuation of nothing', () => flood(1, () => frame(9, 4, 1, getRoot))],
    ['a push', () => flood(1, () => frame(5, 4, 1, Buffer.concat([Buffer.from('00000002', 'hex'), getRoot])))],
    [
      'continuations without end',
      () =>
        flood(20_000, (index) =>
          index === 0 ? frame(1, 1, 1, getRoot) : frame(9, 0, 1, huffmanless('x', 'y'.repeat(100))),
        ),
    ],
    [
      'rapid resets',
      () =>
        flood(20_000, (index) =>
          Buffer.concat([
            frame(1, 5, 2 * index + 1, getRoot),
            frame(3, 0, 2 * index + 1, Buffer.from('00000008', 'hex')),
          ]),
        ),
    ],
  ])('that sends %s is disconnected, and the next one is served', async (_what, octets) => {
    const server = await start({ limits: { idleTimeoutMs: 2000, lingerTimeoutMs: 100 } })
    const socket = await raw(server)
    socket.write(octets())
    await closed(socket)
    expect((await get(open(server), '/a.txt')).status).toBe(200)
  })

  it.each<[what: string, octets: () => Buffer]>([
    ['settings', () => flood(20_000, () => settings)],
    ['pings', () => flood(20_000, () => frame(6, 0, 0, Buffer.alloc(8)))],
    ['priorities', () => flood(20_000, () => frame(2, 0, 1, Buffer.from('0000000010', 'hex')))],
    ['window updates', () => flood(20_000, () => frame(8, 0, 0, Buffer.from('00000001', 'hex')))],
    ['empty content', () => flood(20_000, (index) => (index === 0 ? frame(1, 4, 1, getRoot) : frame(0, 0, 1)))],
    ['unknown frames', () => flood(20_000, () => frame(0xee, 0, 0, Buffer.alloc(8)))],
    [
      'zero-length headers',
      () =>
        flood(1, () =>
          frame(1, 5, 1, Buffer.concat([getRoot, ...Array.from({ length: 100 }, () => huffmanless('', ''))])),
        ),
    ],
    ['requests for a large file', () => flood(100, (index) => frame(1, 5, 2 * index + 1, getBig))],
  ])('that floods with %s and reads nothing uses little memory', async (_what, octets) => {
    makeSparse('big', 200_000_000)
    const server = await start({ limits: { idleTimeoutMs: 1000, writeTimeoutMs: 1000, lingerTimeoutMs: 100 } })
    await get(open(server), '/a.txt')
    const before = process.memoryUsage().rss
    const socket = await raw(server)
    socket.pause()
    socket.write(octets())
    const other = open(server)
    for (let count = 0; count < 20; count++) expect((await get(other, '/a.txt')).status).toBe(200)
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
    socket.destroy()
  })
})
