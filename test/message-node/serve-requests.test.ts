/** A function behind real sockets: the answers to any client. */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  ChunkedBody,
  HttpParseError,
  HttpParser,
  HttpResponse,
  type RequestHandler,
  type ServeRequestsOptions,
  serveRequests,
} from '../../src/index.ts'
import { makeCertificate } from '../helpers/certificates.ts'

const servers: Server[] = []
const sockets: Socket[] = []

afterEach(() => {
  vi.useRealTimers()
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

async function listening(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'))
  server.on('connection', (socket: Socket) => sockets.push(socket))
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const served = (handler: RequestHandler, options?: ServeRequestsOptions): Promise<number> =>
  listening(createServer({ allowHalfOpen: true }, serveRequests(handler, options)))

function connected(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  sockets.push(socket)
  return socket
}

/** All that the server says to these bytes, until it closes. */
async function saidTo(port: number, octets: string): Promise<string> {
  const socket = connected(port)
  socket.end(octets, 'latin1')
  return textOf(socket)
}

/** Waits until the server has said this much. */
async function heard(socket: Socket, end: string): Promise<string> {
  let answer = ''
  while (!answer.endsWith(end)) {
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    answer += bytes.toString('latin1')
  }
  return answer
}

const echo: RequestHandler = async (request) =>
  new HttpResponse({ status: 200, body: `${request.method} ${request.target} ${(await request.body?.text()) ?? '-'}` })

const head = 'HEAD / HTTP/1.1\r\nHost: a\r\n\r\n'
const chunkedHead = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const get = (target: string, fields = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`
const post = (target: string, body: string, fields = ''): string =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${fields}\r\n${body}`
const ok = (body: string, fields = ''): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${fields}\r\n${body}`

describe('requests', () => {
  it('are answered one after the other on a connection that stays open', async () => {
    const port = await served(echo)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const locals = new Set<number>()
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const request = httpRequest({ agent, port, host: '127.0.0.1', path: '/x', method })
      request.end(method === 'PUT' ? 'content' : undefined)
      const [response] = await once(request, 'response')
      expect(await textOf(response)).toBe(`${method} /x ${method === 'PUT' ? 'content' : '-'}`)
      locals.add(request.socket!.localPort!)
    }
    expect(locals.size).toBe(1)
    agent.destroy()
  })

  it('are answered in order when they arrive together, even if not fully read', async () => {
    const port = await served(async (request) => {
      if (request.target === '/unread') return new HttpResponse({ status: 200, body: 'unread' })
      if (request.target !== '/half') return echo(request, undefined as never)
      for await (const piece of request.body!) return new HttpResponse({ status: 200, body: `${piece.length > 0}` })
      throw new Error('there was a body')
    })
    const answer = await saidTo(port, get('/1') + post('/unread', 'abc') + post('/half', 'abc') + post('/2', 'def'))
    expect(answer).toBe(ok('GET /1 -') + ok('unread') + ok('true') + ok('POST /2 def'))
  })

  it('of HTTP/1.0 and with Connection: close are the last on a connection', async () => {
    const port = await served(echo)
    expect(await saidTo(port, `GET / HTTP/1.0\r\n\r\n${get('/2')}`)).toBe(ok('GET / -', 'Connection: close\r\n'))
    expect(await saidTo(port, get('/', 'Connection: close\r\n') + get('/2'))).toBe(
      ok('GET / -', 'Connection: close\r\n'),
    )
  })

  it('with HEAD get only the fields', async () => {
    const port = await served(echo)
    const answer = await saidTo(port, `HEAD / HTTP/1.1\r\nHost: a\r\n\r\n${get('/2')}`)
    expect(answer).toBe(`HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n${ok('GET /2 -')}`)
  })

  it('are answered with streams, in chunks or until the connection closes', async () => {
    const port = await served(
      () =>
        new HttpResponse({
          status: 200,
          body: new ChunkedBody([Buffer.from('abc')], undefined, 2, { trailers: { 'X-End': 'yes' } }),
        }),
    )
    expect(await saidTo(port, get('/'))).toBe(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\nX-End: yes\r\n\r\n',
    )
    expect(await saidTo(port, 'GET / HTTP/1.0\r\n\r\n')).toBe('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc')
  })

  it('of a slow client get the whole response before the connection is closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let sentBytes = 0
    let hasEnded = (): boolean => false
    const handler: RequestHandler = (_request, { socket }) => {
      hasEnded = () => socket.writableEnded
      async function* untilFull(): AsyncGenerator<Uint8Array> {
        for (; socket.writableLength === 0; sentBytes += 4096) yield new Uint8Array(4096)
      }
      return new HttpResponse({ status: 200, body: untilFull() })
    }
    const socket = connected(await served(handler))
    socket.write('GET / HTTP/1.0\r\n\r\n')
    while (!hasEnded()) await new Promise(setImmediate)
    vi.advanceTimersByTime(60_000)
    vi.useRealTimers()
    const response = await new HttpParser().readResponse(socket)
    expect(await response.body!.bytes()).toHaveLength(sentBytes)
  })

  it('with HEAD close the stream of a response that is not sent', async () => {
    const streams: [Readable, ReadableStream<Uint8Array>] = [
      Readable.from([Buffer.from('abc')]),
      new Blob(['abc']).stream(),
    ]
    const ended = once(streams[0], 'close')
    for (const stream of streams) {
      expect(await saidTo(await served(() => new HttpResponse({ status: 200, body: stream })), head)).toBe(chunkedHead)
    }
    await ended
    expect(await streams[1].getReader().read()).toEqual({ done: true, value: undefined })
    const answered = Readable.from([Buffer.from('abc')])
    expect(new HttpResponse({ status: 200, body: answered, request: { method: 'HEAD' } }).body).toBeUndefined()
    expect(answered.destroyed).toBe(true)
  })

  it('may be echoed while they arrive', async () => {
    const port = await served((request) => new HttpResponse({ status: 200, body: { open: () => request.body! } }))
    const socket = connected(port)
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n')
    expect(await heard(socket, '3\r\nabc\r\n')).toContain('200 OK')
    socket.write('2\r\nde\r\n0\r\n\r\n')
    expect(await heard(socket, '0\r\n\r\n')).toBe('2\r\nde\r\n0\r\n\r\n')
  })

  it('work over TLS, too', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'httpcli-serve-requests-'))
    const files = makeCertificate(directory, { name: 'server', names: ['IP:127.0.0.1'] })
    const pem = { key: readFileSync(files.key), cert: readFileSync(files.certificate) }
    rmSync(directory, { recursive: true })
    const port = await listening(createTlsServer(pem, serveRequests(echo)))
    const socket = connectTls({ port, host: '127.0.0.1', ca: pem.cert })
    socket.write(get('/', 'Connection: close\r\n'))
    expect(await textOf(socket)).toBe(ok('GET / -', 'Connection: close\r\n'))
  })
})

describe('Expect: 100-continue', () => {
  const expecting = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n'

  it('is answered when the body is read', async () => {
    const socket = connected(await served(echo))
    socket.write(expecting)
    expect(await heard(socket, '\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write('abc')
    expect(await heard(socket, 'abc')).toBe(ok('POST / abc'))
  })

  it('is answered by a refusal that ends the connection', async () => {
    const socket = connected(await served(() => new HttpResponse({ status: 413 })))
    socket.write(expecting)
    const answer = await textOf(socket)
    expect(answer).toBe('HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  })

  it('and other 1xx responses are up to the handler', async () => {
    const port = await served(async (_request, exchange) => {
      await exchange.sendInformational(103, { Link: '</a.css>' })
      return new HttpResponse({ status: 204 })
    })
    const answer = await saidTo(port, get('/'))
    expect(answer).toBe('HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n')
    expect(await saidTo(port, 'GET / HTTP/1.0\r\n\r\n')).not.toContain('103')
  })
})

describe('a failure', () => {
  it.each([
    ['gibberish\r\n\r\n', 400],
    [get(`/${'a'.repeat(20_000)}`), 414],
    ['GET / HTTP/2.0\r\nHost: a\r\n\r\n', 505],
    ['\u0016\u0003\u0001', 400],
    ['GET / HT', 400],
    ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab', 400],
  ])('of the client is answered: %j', async (octets, status) => {
    const errors: unknown[] = []
    const port = await served(echo, { onError: (error) => errors.push(error) })
    const answer = await saidTo(port, get('/first') + octets)
    expect(answer.startsWith(ok('GET /first -'))).toBe(true)
    const refusal = answer.slice(ok('GET /first -').length)
    expect(refusal).toMatch(new RegExp(`^HTTP/1.1 ${status} .*Connection: close\r\n`, 's'))
    expect(errors).toEqual([expect.any(HttpParseError)])
  })

  it.each([
    [
      'a throw',
      () => {
        throw new Error('secret')
      },
    ],
    ['no response', () => 'text' as never],
    ['a wrong response', () => new HttpResponse({ status: 101, headers: { Upgrade: 'x', Connection: 'upgrade' } })],
    ['an interim response', () => new HttpResponse({ status: 103 })],
  ] satisfies readonly (readonly [string, RequestHandler])[])('in the handler is 500: %s', async (_name, handler) => {
    const errors: unknown[] = []
    const answer = await saidTo(await served(handler, { onError: (error) => errors.push(error) }), get('/') + get('/2'))
    expect(answer).toMatch(/^HTTP\/1.1 500 .*Connection: close\r\n.*\r\n\r\nthe handler failed\n$/s)
    expect(answer).not.toContain('secret')
    expect(errors.length).toBe(1)
  })

  it('in the middle of a response aborts the connection', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('abc')
      throw new Error('no more')
    }
    const port = await served(() => new HttpResponse({ status: 200, body: new ChunkedBody(failing(), undefined, 3) }))
    const socket = connected(port)
    socket.write(get('/'))
    const response = await new HttpParser().readResponse(socket)
    await expect(response.body!.text()).rejects.toThrow()
  })

  it('in the middle of a response to HTTP/1.0 resets the connection, whose mere end would complete it', async () => {
    let fail = (): void => undefined
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('abc')
      await new Promise<void>((resolve) => {
        fail = resolve
      })
      throw new Error('no more')
    }
    const socket = connected(await served(() => new HttpResponse({ status: 200, body: failing() })))
    socket.write('GET / HTTP/1.0\r\n\r\n')
    await heard(socket, 'abc')
    const ended = once(socket.resume(), 'end')
    fail()
    await expect(ended).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('of the rest of a request does not affect a response that is complete', async () => {
    let onError: ServeRequestsOptions['onError']
    const failed = new Promise((resolve) => {
      onError = resolve
    })
    const handler: RequestHandler = () => new HttpResponse({ status: 200, body: new Uint8Array(300_000) })
    const socket = connected(await served(handler, { onError: (error) => onError?.(error) })).pause()
    socket.end('POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 10\r\n\r\nabc')
    expect(await failed).toBeInstanceOf(HttpParseError)
    const response = await new HttpParser().readResponse(socket)
    expect(await response.body!.bytes()).toHaveLength(300_000)
  })

  it('when a client disconnects is reported, and others are served', async () => {
    const errors: unknown[] = []
    let onTold = (): void => undefined
    const reported = new Promise<void>((resolve) => {
      onTold = resolve
    })
    const handler: RequestHandler = async (request, { socket }) => {
      if (request.target === '/') return new HttpResponse({ status: 204 })
      client.resetAndDestroy()
      await new Promise((resolve) => socket.once('close', resolve))
      return new HttpResponse({ status: 200, body: 'late' })
    }
    const onError = (error: unknown): void => {
      errors.push(error)
      onTold()
    }
    const port = await served(handler, { onError })
    const client = connected(port)
    client.write(get('/slow'))
    await reported
    expect(errors).toEqual([expect.objectContaining({ code: 'connection-lost' })])
    expect(await saidTo(port, get('/'))).toBe('HTTP/1.1 204 No Content\r\n\r\n')
  })
})

describe('another protocol', () => {
  it.each([
    ['GET /chat HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\n', 101],
    ['CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 200],
  ])('takes over the socket after %j', async (request, status) => {
    const headers = status === 101 ? { Connection: 'upgrade', Upgrade: 'chat' } : {}
    const port = await served((_request, { onSwitch }) => {
      onSwitch((socket, rest) => {
        socket.write(`rest ${rest.length}:`)
        socket.on('data', (bytes: Buffer) => socket.write(bytes.toString().toUpperCase()))
      })
      return new HttpResponse({ status, headers })
    })
    const socket = connected(port)
    socket.write(`${request}early`)
    expect(await heard(socket, 'rest 5:')).toContain(`HTTP/1.1 ${status}`)
    socket.write('late')
    expect(await heard(socket, 'LATE')).toBe('LATE')
    const accepted = sockets.find(({ localPort }) => localPort === port) as Socket
    const closed = new Promise((resolve) => accepted.once('close', resolve))
    // No listener handles the error that this is for the server.
    socket.resetAndDestroy()
    await closed
  })
})
