import { describe, expect, it } from 'vitest'
import { ChunkedBody, HttpRequest, parseRequest } from '../../src/message/index.ts'
import { exchange, throughputBytesPerSecond } from '../../src/wire/index.ts'
import { failure } from './failure.ts'
import { answering, onHead, startPeer } from './peer.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

describe('time limits', () => {
  it('end the wait for the first byte, which begins when the request has been sent', async () => {
    const peer = await startPeer()
    const error = await failure(exchange(parseRequest(`GET ${peer.origin}/`), { timeouts: { firstByteMs: 50 } }))
    expect(error.code).toBe('first-byte-timeout')
    expect(error.message).toContain('did not answer within 0.05 s')
    expect(error.hint).toContain('more time')
  })

  it('end the wait for the next byte of a body', async () => {
    const peer = await startPeer(onHead((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhal')))
    const { response } = await exchange(parseRequest(`GET ${peer.origin}/`), { timeouts: { idleMs: 50 } })
    const error = await failure(response.body?.text() ?? Promise.resolve())
    expect(error.code).toBe('idle-timeout')
    expect(error.message).toContain('3 bytes of the body had arrived')
  })

  it.each([
    ['an interim response', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'after an interim response, without the final one'],
    ['a part of the head', 'HTTP/1.1 200 OK\r\nCon', 'within the head of the response'],
    ['a complete line of the head', 'HTTP/1.1 200 OK\r\n', 'within the head of the response'],
  ])('end the wait after %s, which is kept', async (_title, text, where) => {
    const peer = await startPeer(onHead((socket) => socket.write(text)))
    const error = await failure(exchange(parseRequest(`GET ${peer.origin}/`), { timeouts: { firstByteMs: 50 } }))
    expect(error.code).toBe('idle-timeout')
    expect(error.message).toBe(`127.0.0.1 port ${peer.port} sent nothing for 0.05 s ${where}`)
    expect(Buffer.from(error.received ?? []).toString()).toBe(text)
  })

  it('depend on the head of the response', async () => {
    const peer = await startPeer(
      onHead((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n')
        setTimeout(() => socket.end('late'), 80)
      }),
    )
    const { response } = await exchange(parseRequest(`GET ${peer.origin}/`), {
      timeouts: { idleMs: 20 },
      idleMsOf: ({ headers }) => (headers.first('content-type') === 'text/event-stream' ? 0 : undefined),
    })
    expect(await response.body?.text()).toBe('late')
  })

  it('do not count time in which the caller does not read', async () => {
    const peer = await startPeer(onHead((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')))
    const { response } = await exchange(parseRequest(`GET ${peer.origin}/`), { timeouts: { idleMs: 30 } })
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(await response.body?.text()).toBe('hello')
  })

  it('do not expire while a slow body is still being sent', async () => {
    const peer = await startPeer((socket) => {
      socket.on('data', (bytes) => {
        if (bytes.toString('latin1').endsWith('0\r\n\r\n')) socket.end(ok)
      })
    })
    async function* slow(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 3; i++) {
        await new Promise((resolve) => setTimeout(resolve, 40))
        yield Buffer.from('piece')
      }
    }
    const request = new HttpRequest({ method: 'POST', url: `${peer.origin}/`, body: new ChunkedBody(slow()) })
    const { response } = await exchange(request, { timeouts: { firstByteMs: 60, idleMs: 60 } })
    expect(response.status).toBe(200)
  })
})

describe('an abort', () => {
  it('before the exchange opens nothing', async () => {
    const peer = await startPeer()
    const error = await failure(exchange(parseRequest(`GET ${peer.origin}/`), { signal: AbortSignal.abort('why') }))
    expect([error.code, error.cause]).toEqual(['aborted', 'why'])
    expect(peer.received).toEqual([])
  })

  it('while waiting for the response ends the connection', async () => {
    const controller = new AbortController()
    const closed = withResolvers()
    const peer = await startPeer((socket) => socket.on('end', () => closed.resolve()))
    const pending = failure(exchange(parseRequest(`GET ${peer.origin}/`), { signal: controller.signal }))
    await peer.waitFor(/\r\n\r\n/)
    controller.abort()
    expect((await pending).code).toBe('aborted')
    await closed.promise
  })

  it('while the body is read fails the reading', async () => {
    const controller = new AbortController()
    const peer = await startPeer(onHead((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhal')))
    const { response } = await exchange(parseRequest(`GET ${peer.origin}/`), { signal: controller.signal })
    const reading = failure(response.body?.text() ?? Promise.resolve())
    controller.abort()
    expect((await reading).code).toBe('aborted')
  })
})

describe('statistics', () => {
  it('count every byte of the response: interim head, head, chunk framing', async () => {
    const octets =
      'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'
    const peer = await startPeer(answering(octets))
    const { response, statistics } = await exchange(parseRequest(`GET ${peer.origin}/`))
    await response.body?.bytes()
    const { bytesReceived, bytesSent } = await statistics
    expect(bytesReceived).toBe(octets.length)
    expect(bytesSent).toBe(peer.received[0]?.length)
  })

  it('resolve when a response is closed unread', async () => {
    const peer = await startPeer(onHead((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhal')))
    const { statistics, close } = await exchange(parseRequest(`GET ${peer.origin}/`))
    close()
    expect((await statistics).bytesReceived).toBeGreaterThanOrEqual(19)
  })

  it('report each time by the clock, up to the last byte read', async () => {
    const peer = await startPeer(
      onHead((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n', () => socket.end('ok'))
      }),
    )
    let nowMs = 0
    const { response, statistics } = await exchange(parseRequest(`GET ${peer.origin}/`), {
      clock: () => nowMs++,
    })
    await response.body?.bytes()
    const whenRead = nowMs
    const { connectMs, dnsMs, tlsMs, firstByteMs, totalMs } = await statistics
    expect({ connectMs, dnsMs, tlsMs }).toEqual({ connectMs: 1, dnsMs: 0, tlsMs: 0 })
    expect(firstByteMs).toBeGreaterThanOrEqual(1)
    expect(totalMs).toBeGreaterThanOrEqual(firstByteMs)
    expect(totalMs).toBeLessThan(whenRead)
  })

  it.each([
    ['in the bytes of its head', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    ['in its last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    ['without content', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ])('end when the end of a response that arrives at once is recognised %s', async (_title, octets) => {
    const peer = await startPeer(answering(octets))
    let nowMs = 0
    const { response, statistics } = await exchange(parseRequest(`GET ${peer.origin}/`), { clock: () => nowMs++ })
    await response.body?.bytes()
    const { firstByteMs, totalMs } = await statistics
    expect(totalMs - firstByteMs).toBeGreaterThanOrEqual(1)
  })

  it.each([
    ['a length', 'Content-Length: 2\r\n\r\nok'],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n'],
  ])('count no time of the caller once the whole response has arrived: %s', async (_title, rest) => {
    const peer = await startPeer(answering(`HTTP/1.1 200 OK\r\n${rest}`))
    let nowMs = 0
    const { response, statistics } = await exchange(parseRequest(`GET ${peer.origin}/`), { clock: () => nowMs++ })
    nowMs += 10_000
    expect(await response.body?.text()).toBe('ok')
    expect((await statistics).totalMs).toBeLessThan(10_000)
  })

  it.each([
    ['bytes by seconds, rounded', { firstByteMs: 10, totalMs: 510, bytesReceived: 1001 }, 2002],
    ['nothing where the clock saw no time', { firstByteMs: 10, totalMs: 10, bytesReceived: 1001 }, undefined],
  ])('give a throughput of %s', (_title, figures, expected) => {
    const others = { queueMs: 0, dnsMs: 0, connectMs: 0, tlsMs: 0, sendMs: 0, bytesSent: 0 }
    expect(throughputBytesPerSecond({ ...others, ...figures })).toBe(expected)
  })
})
