/** HTTP/2 with servers of the platform: what goes out, what comes back, what goes wrong. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import {
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import { type AddressInfo, connect, createServer as createPlainServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ChunkedBody, HttpRequest } from '../../src/message/index.ts'
import { ConnectionPool, exchange, fixedProxy, type WireError, type WireOptions } from '../../src/wire/index.ts'
import { makeCertificate } from '../helpers/certificates.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, listening, startPeer } from './peer.ts'

type Answer = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[]) => void

interface Peer {
  readonly port: number
  readonly sessions: () => number
}

async function open(server: Http2Server, answer: Answer): Promise<Peer> {
  let sessions = 0
  server.on('session', (session) => {
    sessions++
    onTestFinished(() => session.destroy())
  })
  const serve = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: string[]): void => {
    stream.on('error', () => undefined)
    answer(stream, headers, raw)
  }
  server.on('stream', serve as (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sessions: () => sessions }
}

const plain = (answer: Answer): Promise<Peer> => open(createServer(), answer)

function secureServer(allowHTTP1 = false): ReturnType<typeof createSecureServer> {
  const { certificate, key } = makeCertificate(temporaryDirectory(), { name: 'server' })
  return createSecureServer({ cert: readFileSync(certificate), key: readFileSync(key), allowHTTP1 })
}

const known: WireOptions = { http2: 'prior-knowledge' }
const agreed: WireOptions = { http2: 'negotiated', tls: { verify: false } }

const get = (port: number, scheme = 'http'): HttpRequest =>
  new HttpRequest({ method: 'GET', url: `${scheme}://localhost:${port}/a?b=c` })

const ok: Answer = (stream) => {
  stream.respond({ ':status': 200, 'X-Name': 'v\xe4lue', 'set-cookie': ['a=1', 'b=2'] })
  stream.end('body')
}

describe('a request', () => {
  it('goes out with its pseudo fields, and without what speaks of a connection', async () => {
    let raw: readonly string[] = []
    const peer = await plain((stream, _headers, fields) => {
      raw = fields
      stream.respond({ ':status': 204 }, { endStream: true })
    })
    const request = get(peer.port).withHeaders([
      ['Connection', 'keep-alive'],
      ['TE', 'gzip'],
      ['X-A', '1'],
      ['X-a', '2'],
      ['X-Utf', '\xc3\xa4'],
    ])
    await exchange(request, known)
    const pairs: string[] = []
    for (let i = 0; i < raw.length; i += 2) pairs.push(`${raw[i]}: ${raw[i + 1]}`)
    expect(pairs).toEqual([
      ':method: GET',
      ':scheme: http',
      `:authority: localhost:${peer.port}`,
      ':path: /a?b=c',
      'x-a: 1',
      'x-a: 2',
      'x-utf: \xc3\xa4',
    ])
  })

  it('may have fields named like members of Object.prototype', async () => {
    let received: readonly string[] = []
    const { port } = await plain((stream, headers, raw) => {
      received = raw
      ok(stream, headers, raw)
    })
    const request = get(port).withHeaders((headers) => headers.with('Constructor', 'a').with('__proto__', 'b'))
    await (await exchange(request, known)).response.body?.text()
    expect(received.join(' ')).toContain('constructor a __proto__ b')
  })

  it('carries its body, even from a stream of unknown length', async () => {
    const received: string[] = []
    const peer = await plain((stream) => {
      stream.setEncoding('utf8')
      let text = ''
      stream.on('data', (piece: string) => {
        text += piece
      })
      stream.on('end', () => {
        received.push(text)
        stream.respond({ ':status': 200 })
        stream.end()
      })
    })
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (const word of ['one ', 'two ', 'x'.repeat(200_000)]) yield Buffer.from(word)
    }
    const post = new HttpRequest({ method: 'POST', url: `http://localhost:${peer.port}/`, body: 'text' })
    await (await exchange(post, known)).response.body?.text()
    const streamed = post.withBody(new ChunkedBody(pieces(), 'text/plain', 1000))
    await (await exchange(streamed, known)).response.body?.text()
    expect(received.map((text) => text.length)).toEqual([4, 200_008])
  })

  it('may have a head of more than 64 KiB', async () => {
    const received: (number | undefined)[] = []
    const server = createServer({ settings: { maxHeaderListSize: 1_000_000 } })
    const peer = await open(server, (stream, headers) => {
      received.push(Object.keys(headers).filter((name) => name.startsWith('x-')).length)
      stream.respond({ ':status': 200 }, { endStream: true })
    })
    const many = Array.from({ length: 25 }, (_, index) => [`X-${index}`, 'v'.repeat(3000)] as const)
    const request = new HttpRequest({ method: 'GET', url: `http://localhost:${peer.port}/`, headers: many })
    expect((await exchange(request, known)).response.status).toBe(200)
    expect(received).toEqual([25])
  })

  it('is shown as text when logged', async () => {
    const peer = await plain(ok)
    const shown: string[] = []
    const post = new HttpRequest({ method: 'POST', url: `http://localhost:${peer.port}/p`, body: 'text' })
    await exchange(post, { ...known, onRequestBytes: (bytes) => void shown.push(Buffer.from(bytes).toString()) })
    expect(shown.join('')).toMatch(
      /^POST \/p HTTP\/2\r\nhost: localhost:\d+\r\n(.+\r\n)*content-length: 4\r\n\r\ntext$/,
    )
  })
})

describe('a response', () => {
  it('is the same as over HTTP/1.1 except for its protocol', async () => {
    const peer = await plain(ok)
    const result = await exchange(get(peer.port), known)
    const { response } = result
    expect([result.protocol, response.status, response.reason]).toEqual(['HTTP/2', 200, ''])
    expect(response.headers.all('set-cookie')).toEqual(['a=1', 'b=2'])
    expect(response.headers.first('x-name')).toBe('v\xe4lue')
    expect(await response.body?.text()).toBe('body')
    const { bytesReceived, firstByteMs, totalMs } = await result.statistics
    expect(bytesReceived).toBeGreaterThan(4)
    expect(totalMs).toBeGreaterThanOrEqual(firstByteMs)
  })

  it('may have 200 fields, as over HTTP/1.1', async () => {
    const peer = await plain((stream, { ':path': path }) => {
      const count = path === '/a?b=c' ? 200 : 201
      const fields = Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'v']))
      stream.respond({ ':status': 200, ...fields }, { endStream: true, sendDate: false } as never)
    })
    expect([...(await exchange(get(peer.port), known)).response.headers]).toHaveLength(200)
    const other = new HttpRequest({ method: 'GET', url: `http://localhost:${peer.port}/more` })
    await expect(exchange(other, known)).rejects.toMatchObject({ message: expect.stringContaining('200') })
  })

  it('reports interim responses and trailers', async () => {
    const peer = await plain((stream) => {
      stream.additionalHeaders({ ':status': 103, link: '</a>' })
      stream.respond({ ':status': 200 }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '1' }))
      stream.end('body')
    })
    const { response, informational } = await exchange(get(peer.port), known)
    await response.body?.text()
    expect(informational.map(({ status }) => status)).toEqual([103])
    expect((await response.body?.trailers)?.first('x-sum')).toBe('1')
  })

  it('is held back if the reader does not read', async () => {
    let written = 0
    const peer = await plain((stream) => {
      stream.respond({ ':status': 200 })
      const write = (): void => {
        written += 64 * 1024
        const isTaken = stream.write(Buffer.alloc(64 * 1024))
        if (written >= 20_000_000) stream.end()
        else if (isTaken) write()
        else stream.once('drain', write)
      }
      write()
    })
    const { response } = await exchange(get(peer.port), known)
    await new Promise((resolve) => setImmediate(resolve))
    expect(written).toBeLessThan(5_000_000)
    let read = 0
    for await (const piece of response.body ?? []) read += piece.length
    expect(read).toBeGreaterThanOrEqual(20_000_000)
  })
})

describe('the protocol', () => {
  it('is agreed on in the TLS handshake', async () => {
    const peer = await open(secureServer(), ok)
    const result = await exchange(get(peer.port, 'https'), agreed)
    expect([result.protocol, await result.response.body?.text()]).toEqual(['HTTP/2', 'body'])
  })

  it('is HTTP/1.1 with a server that does not choose HTTP/2', async () => {
    const server = secureServer(true)
    server.on('request', (request, response) => {
      if (request.httpVersion === '1.1') response.end('one')
    })
    const { certificate, key } = makeCertificate(temporaryDirectory(), { name: 'old' })
    server.setSecureContext({ cert: readFileSync(certificate), key: readFileSync(key) })
    const peer = await open(server, (stream) => stream.close())
    const result = await exchange(get(peer.port, 'https'), { tls: { verify: false } })
    expect([result.protocol, await result.response.body?.text()]).toEqual(['HTTP/1.1', 'one'])
  })

  it('is HTTP/1.1 without TLS, which has no ALPN', async () => {
    const peer = await startPeer(answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
    const result = await exchange(get(peer.port), { http2: 'negotiated' })
    expect(result.protocol).toBe('HTTP/1.1')
  })

  it('known in advance goes through the tunnel of an HTTP proxy', async () => {
    const { port } = await plain(ok)
    const proxy = await startPeer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(connect(port, '127.0.0.1')).pipe(socket)
      })
    })
    const result = await exchange(get(port), { ...known, proxy: fixedProxy(proxy.origin) })
    expect([result.protocol, await result.response.body?.text()]).toEqual(['HTTP/2', 'body'])
    expect(proxy.received[0]).toMatch(`CONNECT localhost:${port} HTTP/1.1\r\n`)
  })

  it('uses one connection for many requests', async () => {
    const peer = await plain(ok)
    const pool = new ConnectionPool()
    onTestFinished(() => pool.close())
    const texts: (string | undefined)[] = []
    for (let i = 0; i < 5; i++)
      texts.push(await (await exchange(get(peer.port), { ...known, pool })).response.body?.text())
    expect([texts, peer.sessions()]).toEqual([Array(5).fill('body'), 1])
  })

  it('takes another connection after GOAWAY', async () => {
    const peer = await plain((stream, headers, raw) => {
      ok(stream, headers, raw)
      stream.session?.goaway()
    })
    const pool = new ConnectionPool()
    onTestFinished(() => pool.close())
    for (let i = 0; i < 2; i++) await (await exchange(get(peer.port), { ...known, pool })).response.body?.text()
    expect(peer.sessions()).toBe(2)
  })
})

it.each(['read', 'closed'])('an upload that waits for the window is sent after a response that was %s', async (end) => {
  const answered: ServerHttp2Stream[] = []
  const peer = await plain((stream) => {
    stream.pause()
    stream.respond({ ':status': 200 })
    stream.end('ok')
    answered.push(stream)
  })
  // More than the window of 65,535 bytes (RFC 9113 section 6.9.2). The platform takes the second piece without a pause
  // only after it has sent the first one.
  let passOn: () => void = () => undefined
  const passedOn = new Promise<void>((resolve) => {
    passOn = resolve
  })
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(60_000)
    await expect.poll(() => answered[0]?.readableLength).toBe(60_000)
    yield new Uint8Array(15_000)
    setImmediate(passOn)
  }
  const request = new HttpRequest({
    method: 'POST',
    url: `http://localhost:${peer.port}/`,
    body: new ChunkedBody(pieces(), 'text/plain', 10_000),
  })
  const answer = await exchange(request, known)
  await passedOn
  expect(answer.isRequestSent()).toBe(false)
  if (end === 'read') expect(await answer.response.body?.text()).toBe('ok')
  let receivedBytes = 0
  answered[0]
    ?.on('data', ({ length }: Buffer) => {
      receivedBytes += length
    })
    .resume()
  if (end === 'closed') await expect.poll(answer.isRequestSent).toBe(true)
  answer.close()
  await answer.closed
  await expect.poll(() => receivedBytes).toBe(75_000)
  expect([answer.isRequestSent(), answer.unsentReason()]).toEqual([true, undefined])
})

describe('a failure:', () => {
  const failure = async (port: number, options: WireOptions = known): Promise<{ code: string; message: string }> => {
    try {
      const { response } = await exchange(get(port), options)
      await response.body?.bytes()
    } catch (error) {
      return error as { code: string; message: string }
    }
    throw new Error('nothing went wrong')
  }

  it.each<[string, Answer, string, RegExp]>([
    ['a stream that is reset', (stream) => stream.close(2), 'connection-reset', /INTERNAL_ERROR/],
    ['a refused stream', (stream) => stream.close(7), 'connection-reset', /REFUSED_STREAM/],
    ['a refused protocol', (stream) => stream.close(13), 'connection-reset', /HTTP_1_1_REQUIRED/],
    [
      'a connection that ends',
      (stream) => stream.session?.destroy(),
      'connection-reset',
      /closed the connection without an answer$/,
    ],
    [
      'a body that is reset',
      (stream) => {
        stream.respond({ ':status': 200, 'content-length': 8 })
        stream.write('half', () => stream.close(2))
      },
      'connection-cut-short',
      /4 bytes of the body had arrived/,
    ],
    [
      'a body whose connection ends',
      (stream) => {
        stream.respond({ ':status': 200 })
        stream.write('half', () => stream.session?.destroy())
      },
      'connection-cut-short',
      /closed the connection before the response was complete/,
    ],
  ])('%s', async (_, answer, code, message) => {
    const peer = await plain(answer)
    const error = await failure(peer.port)
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)])
  })

  const frame = (type: number, flags: number, content: readonly number[], stream = 1): Buffer =>
    Buffer.from([0, 0, content.length, type, flags, 0, 0, 0, stream, ...content])
  const half = [frame(1, 4, [0x88]), frame(0, 0, [...Buffer.from('half')])]
  const goaway = frame(7, 0, [0, 0, 0, 1, 0, 0, 0, 0], 0)

  it('a body that is reset without an error', async () => {
    const peer = await startPeer((socket) => {
      const frames = [frame(4, 0, [], 0), frame(4, 1, [], 0), ...half, frame(3, 0, [0, 0, 0, 0])]
      socket.once('data', () => socket.write(Buffer.concat(frames)))
    })
    const error = await failure(peer.port)
    expect([error.code, error.message]).toEqual([
      'connection-cut-short',
      expect.stringMatching(/before it was complete/),
    ])
  })

  it('a body whose connection over TLS ends after GOAWAY', async () => {
    const { certificate, key } = makeCertificate(temporaryDirectory(), { name: 'server' })
    const options = { cert: readFileSync(certificate), key: readFileSync(key), ALPNProtocols: ['h2'] }
    let end = (): void => undefined
    const server = createTlsServer(options, (socket) => {
      end = () => void socket.destroy()
      socket.on('error', () => undefined)
      socket.once('data', () => socket.write(Buffer.concat([frame(4, 0, [], 0), frame(4, 1, [], 0), ...half, goaway])))
    })
    onTestFinished(() => {
      server.close()
    })
    const { response } = await exchange(get(await listening(server), 'https'), agreed)
    const error = await (async () => {
      for await (const piece of response.body ?? []) if (piece.length > 0) setImmediate(end)
    })().catch((cause: WireError) => cause)
    expect(error).toMatchObject({ code: 'connection-cut-short' })
  })

  it.each<[title: string, frames: readonly Buffer[]]>([
    ['after GOAWAY', [...half, goaway, frame(0, 1, [0x2e])]],
    ['before a reset without an error', [...half, frame(0, 1, [0x2e]), frame(3, 0, [0, 0, 0, 0])]],
    ['with trailers', [...half, frame(0, 0, [0x2e]), frame(1, 5, [0, 1, 0x61, 1, 0x62])]],
  ])('nothing, if the stream ends %s and is read later', async (_title, frames) => {
    const peer = await startPeer((socket) => {
      socket.once('data', () => socket.write(Buffer.concat([frame(4, 0, [], 0), frame(4, 1, [], 0), ...frames])))
    })
    const { response } = await exchange(get(peer.port), known)
    // Everything has arrived and the stream is closed before it is read.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    expect(await response.body?.text()).toBe('half.')
  })

  it('no response in time', async () => {
    const peer = await plain(() => undefined)
    const error = await failure(peer.port, { ...known, timeouts: { firstByteMs: 30 } })
    expect(error.code).toBe('first-byte-timeout')
  })

  it('a body that stops', async () => {
    const peer = await plain((stream) => {
      stream.respond({ ':status': 200 })
      stream.write('x')
    })
    const error = await failure(peer.port, { ...known, timeouts: { idleMs: 50 } })
    expect(error.code).toBe('idle-timeout')
  })

  it('a server that speaks only HTTP/1.1', async () => {
    const server = createPlainServer((socket) => {
      socket.on('error', () => undefined)
      socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.close()
    })
    const error = await failure((server.address() as AddressInfo).port)
    expect(error.code).toMatch(/invalid-response|connection-reset/)
    expect(error.message).toContain('HTTP/2')
  })

  it('the caller aborts', async () => {
    const controller = new AbortController()
    const peer = await plain(() => controller.abort())
    expect((await failure(peer.port, { ...known, signal: controller.signal })).code).toBe('aborted')
  })
})

it('the heads of a response are available as status and fields', async () => {
  const { port } = await plain((stream) => {
    stream.additionalHeaders({ ':status': 103, link: '</a>' })
    stream.respond({ ':status': 200, 'X-Name': 'v\xe4lue' }, { sendDate: false } as never)
    stream.end('body')
  })
  const { receivedHeads, response } = await exchange(get(port), known)
  await response.body?.bytes()
  expect(receivedHeads.map((head) => Buffer.from(head).toString('latin1'))).toEqual([
    'HTTP/2 103\r\nlink: </a>\r\n\r\n',
    expect.stringMatching(/^HTTP\/2 200\r\nx-name: v\xe4lue\r\n(?:date: .*\r\n)?\r\n$/),
  ])
})

it('endless interim responses are an error, not a memory exhaustion', async () => {
  const { port } = await plain((stream) => {
    const more = (): void => {
      if (stream.destroyed) return
      stream.additionalHeaders({ ':status': 103 })
      setImmediate(more)
    }
    more()
  })
  await expect(exchange(get(port), known)).rejects.toMatchObject({
    code: 'invalid-response',
    message: expect.stringContaining('more than 100 interim responses'),
  })
})
