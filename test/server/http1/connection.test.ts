import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type AnsweredRequest,
  createLogFormatter,
  type RunningServer,
  type ServerLimits,
} from '../../../src/server/index.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { fetchRaw, RawClient, startServer } from '../raw-client.ts'

let root: string
let log: AnsweredRequest[]
let errors: unknown[]

beforeEach(() => {
  root = temporaryDirectory()
  log = []
  errors = []
  writeFileSync(join(root, 'a.txt'), 'hello')
  writeFileSync(join(root, 'empty.txt'), '')
  mkdirSync(join(root, 'dir'))
  const old = new Date(1_700_000_000_000)
  utimesSync(join(root, 'a.txt'), old, old)
})

const serve = (limits: Partial<ServerLimits> = {}): Promise<RunningServer> =>
  startServer({
    directory: root,
    limits,
    onAnswer: (entry) => log.push(entry),
    onError: (error) => errors.push(error),
  })

const open = async (limits?: Partial<ServerLimits>): Promise<RawClient> => RawClient.connect((await serve(limits)).port)

const logLines = () => log.map((entry) => `${entry.requestLine} ${entry.status} ${entry.bodyBytes}`)

describe('a response', () => {
  it('has the fields of a file', async () => {
    const { status, fields, body } = await fetchRaw(await serve(), '/a.txt')
    expect(status).toBe(200)
    expect(body.toString()).toBe('hello')
    expect(fields.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(fields.get('content-length')).toBe('5')
    expect(fields.get('last-modified')).toBe('Tue, 14 Nov 2023 22:13:20 GMT')
    expect(fields.get('etag')).toMatch(/^"[^"]+"$/)
    expect(fields.get('cache-control')).toBe('no-cache')
    expect(fields.get('x-content-type-options')).toBe('nosniff')
    expect(Math.abs(Date.parse(fields.get('date') ?? '') - Date.now())).toBeLessThan(10_000)
  })

  it('to HEAD has the fields of GET and no body', async () => {
    const server = await startServer({ directory: root, now: () => Date.now() + 60_000 })
    const withBody = await fetchRaw(server, '/a.txt')
    const head = await fetchRaw(server, '/a.txt', [], 'HEAD')
    const withoutDate = ({ fields }: typeof head) => [...fields].filter(([name]) => name !== 'date')
    expect(head.status).toBe(200)
    expect(withoutDate(head)).toEqual(withoutDate(withBody))
  })

  it('to HEAD of a missing path has no body', async () => {
    const response = await fetchRaw(await serve(), '/none', [], 'HEAD')
    expect(response.status).toBe(404)
  })

  it('of an empty file has length 0', async () => {
    const { status, fields } = await fetchRaw(await serve(), '/empty.txt')
    expect([status, fields.get('content-length')]).toEqual([200, '0'])
  })

  it('to OPTIONS names the methods', async () => {
    const server = await serve()
    for (const target of ['*', '/a.txt']) {
      const { status, fields } = await fetchRaw(server, target, [], 'OPTIONS')
      expect([status, fields.get('allow'), fields.has('content-length')]).toEqual([204, 'GET, HEAD, OPTIONS', false])
    }
  })

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'get', 'PROPFIND', 'X'])('to %s is 405', async (method) => {
    const { status, fields } = await fetchRaw(await serve(), '/a.txt', ['Content-Length: 0'], method)
    expect([status, fields.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('to CONNECT is 405 and the end', async () => {
    const client = await open()
    client.send('CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\nGET / HTTP/1.1\r\n\r\n')
    expect((await client.response()).status).toBe(405)
    expect(await client.rest()).toBe('')
  })

  it('to a tag that it gave is 304 without a body', async () => {
    const server = await startServer({ directory: root, now: () => Date.now() + 60_000 })
    const etag = (await fetchRaw(server, '/a.txt')).fields.get('etag') ?? ''
    const { status, fields } = await fetchRaw(server, '/a.txt', [`If-None-Match: "x"`, `If-None-Match: ${etag}`])
    expect(status).toBe(304)
    expect(fields.get('etag')).toBe(etag)
    expect(fields.get('cache-control')).toBe('no-cache')
    expect(fields.has('date')).toBe(true)
    expect(fields.has('content-length')).toBe(false)
  })

  it('to another tag is the file, or 412 for If-Match', async () => {
    const server = await serve()
    expect((await fetchRaw(server, '/a.txt', ['If-None-Match: "other"'])).status).toBe(200)
    expect((await fetchRaw(server, '/a.txt', ['If-Match: "other"'])).status).toBe(412)
  })

  it('never says 304 for an edit of the same size within the same tick', async () => {
    const server = await serve()
    for (let edit = 0; edit < 50; edit++) {
      writeFileSync(join(root, 'a.txt'), `a${edit % 10}`)
      const before = await fetchRaw(server, '/a.txt')
      writeFileSync(join(root, 'a.txt'), `b${edit % 10}`)
      const after = await fetchRaw(server, '/a.txt', [`If-None-Match: ${before.fields.get('etag')}`])
      expect([after.status, after.body.toString()]).toEqual([200, `b${edit % 10}`])
    }
  })
})

describe('a connection', () => {
  it('is kept open by HTTP/1.1', async () => {
    const client = await open()
    for (let count = 0; count < 3; count++) {
      client.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
      const { fields, body } = await client.response()
      expect([body.toString(), fields.has('connection')]).toEqual(['hello', false])
    }
  })

  it('is kept open by HTTP/1.0 if requested, and the response says so', async () => {
    const client = await open()
    client.send('GET /a.txt HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
    expect((await client.response()).fields.get('connection')).toBe('keep-alive')
    client.send('GET /a.txt HTTP/1.0\r\n\r\n')
    expect((await client.response()).fields.get('connection')).toBe('close')
    expect(await client.rest()).toBe('')
  })

  it('is closed by Connection: close', async () => {
    const client = await open()
    client.send('GET /a.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
    expect((await client.response()).fields.get('connection')).toBe('close')
    expect(await client.rest()).toBe('')
  })

  it('answers pipelined requests in their order', async () => {
    const client = await open()
    const targets = ['/a.txt', '/none', '/dir', '/empty.txt', '/a.txt']
    client.send(targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''))
    const statuses = []
    for (const _ of targets) statuses.push((await client.response()).status)
    expect(statuses).toEqual([200, 404, 308, 200, 200])
  })

  it('answers a flood of pipelined requests completely', async () => {
    const client = await open()
    const count = 2_000
    client.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count))
    for (let index = 0; index < count; index++) expect((await client.response()).status).toBe(200)
    expect(log.length).toBe(count)
  })

  it('lets other clients be answered between pipelined requests', async () => {
    // A millisecond passes with each question for the time, and a few are what all share of a turn.
    let nowMs = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => ++nowMs)
    onTestFinished(() => void vi.restoreAllMocks())
    const client = await open()
    client.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100))
    let turns = 0
    while (log.length < 100) {
      await new Promise((resolve) => setImmediate(resolve))
      if (log.length > 0) turns += 1
    }
    expect(turns).toBeGreaterThan(20)
  })

  it('accepts a request byte by byte', async () => {
    const client = await open()
    client.socket.setNoDelay(true)
    for (const octet of 'GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n') {
      client.send(octet)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await client.response()).body.toString()).toBe('hello')
  })

  it('answers a client that has closed its side', async () => {
    const client = await open()
    client.socket.end('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\nGET /none HTTP/1.1\r\nHost: a\r\n\r\n')
    expect((await client.response()).status).toBe(200)
    expect((await client.response()).status).toBe(404)
    expect(await client.rest()).toBe('')
  })

  it('closes silently when nothing was requested', async () => {
    const client = await open()
    client.socket.end()
    expect(await client.rest()).toBe('')
    expect(log).toEqual([])
  })

  it('accepts absolute targets', async () => {
    const response = await fetchRaw(await serve(), 'http://127.0.0.1/a.txt')
    expect(response.body.toString()).toBe('hello')
  })
})

describe('a request body', () => {
  it.each([
    ['with a length', 'Content-Length: 5\r\n\r\nwhole'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\nTrailer: x\r\n\r\n'],
  ])('%s is read and discarded', async (_, rest) => {
    const client = await open()
    client.send(`GET /a.txt HTTP/1.1\r\nHost: a\r\n${rest}GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect((await client.response()).status).toBe(200)
    expect((await client.response()).status).toBe(200)
  })

  it('that arrives late is awaited', async () => {
    const client = await open()
    client.send('POST /a.txt HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n')
    client.send('x'.repeat(200_000))
    client.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
    expect((await client.response()).status).toBe(405)
    expect((await client.response()).status).toBe(200)
  })

  it.each([
    ['whose length is past the limit', 'Content-Length: 1001', 'x'.repeat(1_001)],
    ['whose chunks are past the limit', 'Transfer-Encoding: chunked', `7d0\r\n${'x'.repeat(2_000)}\r\n0\r\n\r\n`],
  ])('%s is answered and the connection closed', async (_, field, body) => {
    const client = await open({ discardedBodyBytes: 1_000 })
    client.send(`POST / HTTP/1.1\r\nHost: a\r\n${field}\r\n\r\n${body}GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n`)
    const { status, fields } = await client.response()
    expect([status, fields.get('connection')]).toEqual([405, 'close'])
    expect(await client.rest()).toBe('')
  })

  it('of a client that still writes does not reset the answer away', async () => {
    const client = await open({ discardedBodyBytes: 1_000, lingerTimeoutMs: 10_000 })
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n')
    client.send(Buffer.alloc(5_000_000))
    expect((await client.response()).status).toBe(405)
    client.socket.end()
    expect(await client.rest()).toBe('')
  })

  it('that waits for 100 gets the final response instead', async () => {
    const client = await open()
    client.send('PUT /a.txt HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n')
    const { status, fields } = await client.response()
    expect([status, fields.get('connection')]).toEqual([405, 'close'])
  })

  it.each(['POST', 'HEAD'])('of %s that violates its framing is 400', async (method) => {
    const client = await open()
    client.send(`${method} / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`)
    client.send('not hex\r\n')
    expect((await client.response(method)).status).toBe(400)
    expect(await client.rest()).toBe('')
    expect(log).toMatchObject([{ requestLine: `${method} / HTTP/1.1`, status: 400 }])
  })

  it('is not buffered while it is discarded', async () => {
    const server = await serve({ discardedBodyBytes: 200_000_000 })
    const clients = await Promise.all(Array.from({ length: 4 }, () => RawClient.connect(server.port)))
    const piece = Buffer.alloc(1_000_000)
    const before = process.memoryUsage().arrayBuffers
    for (const client of clients) client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000001\r\n\r\n')
    for (let count = 0; count < 100; count++) {
      await Promise.all(clients.map((client) => new Promise((resolve) => client.socket.write(piece, resolve))))
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200_000_000)
    for (const client of clients) client.send('x')
    for (const client of clients) expect((await client.response()).status).toBe(405)
  })
})

describe('a malformed request', () => {
  const longTarget = `/${'a'.repeat(20_000)}`
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n', 400],
    ['no version', 'GET /a.txt\r\n\r\n', 400],
    ['no Host', 'GET /a.txt HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', 'GET /a.txt HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['a blank before the colon', 'GET /a.txt HTTP/1.1\r\nHost : a\r\n\r\n', 400],
    ['a folded line', 'GET /a.txt HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n', 400],
    ['a bare CR', 'GET /a.txt HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n', 400],
    ['a broken percent escape', 'GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['NUL', 'GET /a.txt HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n', 400],
    [
      'a length and chunked',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['a length that is not a number', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\n', 400],
    ['an unknown coding', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', 501],
    ['a target past the limit', `GET ${longTarget} HTTP/1.1\r\nHost: a\r\n\r\n`, 414],
    ['fields past the limit', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    ['too many fields', `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(101)}\r\n`, 431],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
    ['HTTP/3.0', 'GET / HTTP/3.0\r\nHost: a\r\n\r\n', 505],
  ])('with %s is answered and closed', async (_, octets, status) => {
    const client = await open()
    client.send(octets)
    const response = await client.response()
    expect(response.status).toBe(status)
    expect(response.fields.get('connection')).toBe('close')
    expect(response.body.toString()).toMatch(new RegExp(`^${status} .+\n$`))
    client.socket.end()
    expect(await client.rest()).toBe('')
    expect(log).toHaveLength(1)
    expect(errors).toEqual([])
  })

  it('without an end is 431 as soon as it exceeds the limit, and read no further', async () => {
    const client = await open({ lingerTimeoutMs: 200 })
    client.send('GET / HTTP/1.1\r\nHost: a\r\n')
    const sending = setInterval(() => client.send(`X: ${'x'.repeat(1_000_000)}\r\n`), 1)
    onTestFinished(() => clearInterval(sending))
    expect((await client.response()).status).toBe(431)
    // It goes on sending: the server listens for a moment and leaves then.
    await new Promise((resolve) => client.socket.once('close', resolve))
  })

  it('that ends early is 400', async () => {
    const client = await open()
    client.socket.end('GET /a.txt HTTP/1.1\r\nHo')
    expect((await client.response()).status).toBe(400)
    expect(await client.rest()).toBe('')
  })

  it.each(['HEAD * HTTP/1.1\r\nHost: a', 'HEAD / HTTP/1.1\r\nHost: a\r\nX: a\0b'])(
    'with HEAD gets no content: %j',
    async (head) => {
      const client = await open()
      client.socket.end(`${head}\r\n\r\n`)
      expect(await client.rest()).toMatch(/^HTTP\/1\.1 400 .*\r\n\r\n$/s)
    },
  )

  it('after a valid one does not lose its response', async () => {
    const client = await open()
    client.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\nBROKEN\r\n\r\n')
    expect((await client.response()).status).toBe(200)
    expect((await client.response()).status).toBe(400)
  })

  it('does not stop the server', async () => {
    const server = await serve()
    const client = await RawClient.connect(server.port)
    client.send('\0')
    client.socket.destroy()
    expect((await fetchRaw(server, '/a.txt')).status).toBe(200)
  })
})

describe('the log', () => {
  it('has one entry for each answered request, malformed ones included', async () => {
    const client = await open()
    client.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\nHEAD /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
    await client.response()
    await client.response('HEAD')
    client.send('GET /none?q HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /\x1b[2J HTTP/1.1\r\nHost: a\r\n\r\n')
    const missing = await client.response()
    const malformed = await client.response()
    await client.rest()
    expect(logLines()).toEqual([
      'GET /a.txt HTTP/1.1 200 5',
      'HEAD /a.txt HTTP/1.1 200 0',
      `GET /none?q HTTP/1.0 404 ${missing.body.length}`,
      `GET /\x1b[2J HTTP/1.1 400 ${malformed.body.length}`,
    ])
    expect(createLogFormatter('text').format(log[3]!)).toMatch(
      /^127\.0\.0\.1 \[.+\] "GET \/\\x1b\[2J HTTP\/1\.1" 400 \d+$/,
    )
  })
})
