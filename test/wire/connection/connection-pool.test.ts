/** Connections that are used again, and those that must not be. */
import { getEventListeners } from 'node:events'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BytesBody, ChunkedBody, HttpRequest, type MessageBody } from '../../../src/message/index.ts'
import { ConnectionPool, type Exchange, exchange, type WireOptions } from '../../../src/wire/index.ts'
import { startPeer } from '../peer.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** A peer whose answer depends on how many requests came before, over all connections, and over this one. */
async function countingPeer(answer: (socket: Socket, count: number, countHere: number) => void) {
  let connections = 0
  let count = 0
  const peer = await startPeer((socket) => {
    connections++
    let text = ''
    let countHere = 0
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
        const length = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0)
        if (text.length < end + 4 + length) return
        text = text.slice(end + 4 + length)
        answer(socket, count++, countHere++)
      }
    })
    socket.on('end', () => socket.end())
  })
  return { ...peer, connectionCount: () => connections, requestCount: () => count }
}

function openPool(): ConnectionPool {
  const pool = new ConnectionPool()
  onTestFinished(() => pool.close())
  return pool
}

async function read(result: Exchange): Promise<string> {
  return result.response.body === undefined ? '' : result.response.body.text()
}

const request = (peer: { origin: string }, method = 'GET', headers: Record<string, string> = {}): HttpRequest =>
  new HttpRequest({ method, url: `${peer.origin}/`, headers, ...(method === 'POST' ? { body: 'x' } : {}) })

async function send(count: number, sent: HttpRequest, options: WireOptions): Promise<string[]> {
  const bodies: string[] = []
  for (let i = 0; i < count; i++) bodies.push(await read(await exchange(sent, options)))
  return bodies
}

describe('a connection', () => {
  it.each([
    ['a length', OK, 1],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', 1],
    ['no content', 'HTTP/1.1 204 No Content\r\n\r\n', 1],
    ['HTTP/1.0 and keep-alive', 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok', 1],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok', 3],
    ['Connection: close', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok', 3],
    ['bytes after the response', `${OK}more`, 3],
  ])('is reused as often as the response allows: %s', async (_, answer, connections) => {
    const peer = await countingPeer((socket) => socket.write(answer))
    await send(3, request(peer), { pool: openPool() })
    expect([peer.requestCount(), peer.connectionCount()]).toEqual([3, connections])
  })

  it.each(['GET', 'POST'])('that ends unannounced after a response fails no %s', async (method) => {
    const peer = await countingPeer((socket) => socket.end(OK))
    expect(await send(5, request(peer, method), { pool: openPool() })).toEqual(Array(5).fill('ok'))
  })

  it('reads each response according to its own request, after any kind of response', async () => {
    const answers = ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n', 'HTTP/1.1 204 No Content\r\n\r\n', OK]
    const peer = await countingPeer((socket, count) => socket.write(answers[count % answers.length] as string))
    const pool = openPool()
    for (const method of ['HEAD', 'GET', 'GET', 'HEAD', 'DELETE', 'PUT']) {
      const body = await read(await exchange(request(peer, method), { pool }))
      expect([method, body]).toEqual([method, peer.requestCount() % 3 === 0 ? 'ok' : ''])
    }
    expect(peer.connectionCount()).toBe(1)
  })

  it('listens to a signal once, however many requests it serves', async () => {
    const peer = await countingPeer((socket) => socket.write(OK))
    const { signal } = new AbortController()
    await send(5, request(peer), { pool: openPool(), signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  })

  it('drops the time limit of an answered request', async () => {
    const peer = await countingPeer((socket, count) => {
      if (count === 0) socket.write(OK)
      else setTimeout(() => socket.write(OK), 150)
    })
    const pool = openPool()
    await send(1, request(peer), { pool, timeouts: { firstByteMs: 100, idleMs: 100 } })
    expect(await send(1, request(peer), { pool, timeouts: { firstByteMs: 0, idleMs: 0 } })).toEqual(['ok'])
    expect(peer.connectionCount()).toBe(1)
    await expect(send(1, request(peer, 'POST'), { pool, timeouts: { firstByteMs: 20 } })).rejects.toMatchObject({
      code: 'first-byte-timeout',
    })
  })

  it('is reused for requests that must not be repeated', async () => {
    const peer = await countingPeer((socket) => socket.write(OK))
    await send(5, request(peer, 'POST'), { pool: openPool() })
    expect([peer.requestCount(), peer.connectionCount()]).toEqual([5, 1])
  })

  it('is not reused when the request says Connection: close', async () => {
    const peer = await countingPeer((socket) => socket.write(OK))
    await send(2, request(peer, 'GET', { Connection: 'close' }), { pool: openPool() })
    expect(peer.connectionCount()).toBe(2)
  })

  it('has no connect time when reused, and the figures of its exchange', async () => {
    const peer = await countingPeer((socket) => socket.write(OK))
    const pool = openPool()
    await send(1, request(peer), { pool })
    const result = await exchange(request(peer), { pool })
    await read(result)
    expect(await result.statistics).toMatchObject({ connectMs: 0, dnsMs: 0, bytesReceived: OK.length })
  })

  it('is not shared by requests with other TLS settings, proxies or ports', () => {
    const pool = openPool()
    const tls = { verify: false }
    const to = { host: 'a.test', port: 443, secure: true }
    const keys = [
      pool.keyOf(to, undefined, { tls }),
      pool.keyOf(to, undefined, { tls: { verify: false } }),
      pool.keyOf(to, undefined, {}),
      pool.keyOf({ ...to, port: 444 }, undefined, { tls }),
      pool.keyOf({ ...to, secure: false }, undefined, { tls }),
      pool.keyOf(to, new URL('http://proxy.test'), { tls }),
      pool.keyOf(to, undefined, { tls, unixSocket: '/s' }),
    ]
    expect(new Set(keys).size).toBe(keys.length)
    expect(pool.keyOf({ ...to, host: 'A.test' }, undefined, { tls })).toBe(keys[0])
  })

  it('is dropped when the server closes it while it is idle', async () => {
    let serverSide: Socket | undefined
    const peer = await countingPeer((socket) => {
      serverSide = socket
      socket.write(OK)
    })
    const pool = openPool()
    await send(1, request(peer), { pool })
    const closed = new Promise((resolve) => serverSide?.once('close', resolve))
    serverSide?.end()
    await closed
    expect(await send(1, request(peer, 'POST'), { pool })).toEqual(['ok'])
    expect([peer.requestCount(), peer.connectionCount()]).toEqual([2, 2])
  })
})

describe('a connection whose response has no bytes', () => {
  const answers = [
    'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal',
    OK,
  ]
  const peerWith = () => countingPeer((socket, count) => socket.write(answers[count] as string))

  it('is returned once, so that no other caller has it when it is closed', async () => {
    const peer = await peerWith()
    const pool = openPool()
    await send(1, request(peer), { pool })
    const { close } = await exchange(request(peer), { pool })
    close()
    expect(await send(1, request(peer, 'POST'), { pool })).toEqual(['ok'])
    expect(peer.connectionCount()).toBe(2)
  })

  it('is not read from when the body is accessed late', async () => {
    const peer = await peerWith()
    const pool = openPool()
    const first = await exchange(request(peer), { pool })
    const second = await exchange(request(peer), { pool })
    expect(await read(first)).toBe('')
    expect(second.response.headers.first('content-length')).toBe('9')
    expect(peer.connectionCount()).toBe(1)
    second.close()
  })
})

describe('an idle connection that ends without a response', () => {
  const flaky = (end: (socket: Socket) => void) =>
    countingPeer((socket, _count, countHere) => (countHere === 0 ? socket.write(OK) : end(socket)))

  it.each([
    ['closed', (socket: Socket) => socket.end()],
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
  ])('%s: a GET is sent once more over a new one', async (_, end) => {
    const peer = await flaky(end)
    expect(await send(2, request(peer), { pool: openPool() })).toEqual(['ok', 'ok'])
    expect([peer.requestCount(), peer.connectionCount()]).toEqual([3, 2])
  })

  it('its request is reported once', async () => {
    const peer = await flaky((socket) => socket.end())
    const put = new HttpRequest({ method: 'PUT', url: peer.origin, body: new BytesBody(Buffer.from('abc')) })
    const reported: string[] = []
    const onRequestBytes = (bytes: Uint8Array): void => {
      reported.push(Buffer.from(bytes).toString())
    }
    await send(2, put, { pool: openPool(), onRequestBytes })
    expect(reported.join('').split('abc')).toHaveLength(3)
  })

  it('a POST is not sent twice', async () => {
    const peer = await flaky((socket) => socket.end())
    await expect(send(2, request(peer, 'POST'), { pool: openPool() })).rejects.toMatchObject({
      code: 'connection-cut-short',
    })
    expect(peer.requestCount()).toBe(2)
  })

  it('a request is repeated only once', async () => {
    const peer = await countingPeer((socket, count) => (count === 0 ? socket.write(OK) : socket.end()))
    await expect(send(2, request(peer), { pool: openPool() })).rejects.toMatchObject({ code: 'connection-cut-short' })
    expect(peer.requestCount()).toBe(3)
  })

  it('a request is not repeated after part of the response', async () => {
    const peer = await flaky((socket) => socket.end('HTTP/1.1 2'))
    await expect(send(2, request(peer), { pool: openPool() })).rejects.toMatchObject({ code: 'connection-cut-short' })
    expect(peer.requestCount()).toBe(2)
  })

  it('a body is sent again unchanged', async () => {
    const peer = await flaky((socket) => socket.end())
    const put = new HttpRequest({ method: 'PUT', url: peer.origin, body: new BytesBody(Buffer.from('abc')) })
    await send(2, put, { pool: openPool() })
    expect(peer.received.map((text) => text.split('\r\n\r\n').filter((part) => part.startsWith('abc')).length)).toEqual(
      [2, 1],
    )
  })

  it('a request is not begun again if its body can be read only once', async () => {
    const peer = await flaky((socket) => socket.end())
    const body = new ChunkedBody(Readable.from([Buffer.from('abc')]))
    const pool = openPool()
    await send(1, request(peer), { pool })
    const put = new HttpRequest({ method: 'PUT', url: peer.origin, body })
    await expect(exchange(put, { pool })).rejects.toMatchObject({ code: 'connection-cut-short' })
    expect(peer.connectionCount()).toBe(1)
  })

  it.each(['refused', 'aborted'])('a body that was opened again is closed: the request is %s', async (end) => {
    const peer = await countingPeer((socket, count) => {
      if (count === 0) socket.write(OK)
      else if (count === 1) socket.end()
      else socket.end('HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n')
    })
    const pool = openPool()
    const aborting = new AbortController()
    const opened: string[] = []
    const body: MessageBody = {
      async *open() {
        opened.push('open')
        if (end === 'aborted') aborting.abort()
        try {
          for (;;) yield new Uint8Array(10)
        } finally {
          opened.push('closed')
        }
      },
    }
    await send(1, request(peer), { pool })
    const put = new HttpRequest({ method: 'PUT', url: peer.origin, headers: { Expect: '100-continue' }, body })
    await exchange(put, { pool, signal: aborting.signal }).catch(() => undefined)
    await vi.waitFor(() => expect(opened).toEqual(['open', 'closed']))
  })
})

describe('the pool', () => {
  it('keeps a limited number of connections', async () => {
    const pool = openPool()
    const peers = await Promise.all(Array.from({ length: 34 }, () => countingPeer((socket) => socket.write(OK))))
    for (const peer of peers) await send(1, request(peer), { pool })
    for (const peer of peers.toReversed()) await send(1, request(peer), { pool })
    expect(peers.map((peer) => peer.connectionCount()).filter((count) => count === 2)).toHaveLength(2)
  })

  it('keeps nothing when it is closed', async () => {
    const peer = await countingPeer((socket) => socket.write(OK))
    const pool = new ConnectionPool()
    const result = await exchange(request(peer), { pool })
    pool.close()
    await read(result)
    await send(1, request(peer), { pool })
    expect(peer.connectionCount()).toBe(2)
  })
})
