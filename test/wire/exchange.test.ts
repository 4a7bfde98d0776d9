import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ChunkedBody, HttpRequest, parseRequest } from '../../src/message/index.ts'
import { exchange } from '../../src/wire/index.ts'
import { failure } from './failure.ts'
import { answering, onHead, startPeer } from './peer.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

describe('the request', () => {
  it('is only the normalised request', async () => {
    const peer = await startPeer(answering(ok))
    await exchange(parseRequest(`POST ${peer.origin}/path?q=1\nX-Test: a\n\nbody`))
    await peer.waitFor(/body/)
    expect(peer.received).toEqual([
      `POST /path?q=1 HTTP/1.1\r\nHost: 127.0.0.1:${peer.port}\r\nX-Test: a\r\nContent-Length: 4\r\n\r\nbody`,
    ])
  })

  it('is reported piece by piece to onRequestBytes, exactly as the server receives it', async () => {
    const peer = await startPeer((socket) => {
      socket.on('data', (bytes) => {
        if (bytes.toString('latin1').endsWith('0\r\n\r\n')) socket.end(ok)
      })
    })
    const pieces: Uint8Array[] = []
    const request = new HttpRequest({
      method: 'PUT',
      url: `${peer.origin}/`,
      body: new ChunkedBody([Buffer.from('abcdef')], 'text/plain', 4),
    })
    await exchange(request, { onRequestBytes: (bytes) => void pieces.push(bytes) })
    const reported = Buffer.concat(pieces).toString('latin1')
    expect(reported).toBe(peer.received[0])
    expect(reported).toContain('\r\n\r\n4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n')
  })

  it('with a body waits for 100 (Continue), and then sends it', async () => {
    let bodyBefore = ''
    const peer = await startPeer(
      onHead((socket) => {
        socket.on('data', (bytes) => {
          if (bytes.toString() === 'body') socket.end(ok)
          else bodyBefore += bytes.toString()
        })
        socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      }),
    )
    const { response, informational } = await exchange(
      parseRequest(`PUT ${peer.origin}/\nExpect: 100-continue\nContent-Length: 4\n\nbody`),
    )
    expect(response.status).toBe(200)
    expect(informational.map(({ status }) => status)).toEqual([100])
    expect(bodyBefore).toBe('')
  })

  it('never sends the body when the response to Expect is final', async () => {
    const peer = await startPeer(answering('HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n'))
    const { response, statistics } = await exchange(
      parseRequest(`PUT ${peer.origin}/\nExpect: 100-continue\nContent-Length: 4\n\nbody`),
    )
    expect(response.status).toBe(417)
    await statistics
    expect(peer.received[0]).not.toContain('body')
  })

  it('goes on without 100 (Continue) after a second', async () => {
    const peer = await startPeer((socket) => {
      socket.on('data', (bytes) => {
        if (bytes.toString().endsWith('body')) socket.end(ok)
      })
    })
    const { response } = await exchange(
      parseRequest(`PUT ${peer.origin}/\nExpect: 100-continue\nContent-Length: 4\n\nbody`),
    )
    expect(response.status).toBe(200)
  })

  it('stops when an early final response refuses the rest', async () => {
    const peer = await startPeer(
      onHead((socket) => {
        socket.pause()
        socket.end('HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 4\r\n\r\nstop')
      }),
    )
    let produced = 0
    let isClosed = false
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          produced++
          yield new Uint8Array(65536)
        }
      } finally {
        isClosed = true
      }
    }
    const request = new HttpRequest({ method: 'POST', url: `${peer.origin}/`, body: new ChunkedBody(endless()) })
    const { response } = await exchange(request)
    expect(response.status).toBe(413)
    expect(await response.body?.text()).toBe('stop')
    const afterEnd = produced
    while (!isClosed) await nextTurn()
    expect(produced - afterEnd).toBeLessThanOrEqual(2)
  })

  it('is completed when a 2xx arrives early, even after the response was read and closed', async () => {
    const peer = await startPeer(
      onHead((socket) => {
        socket.end(ok)
      }),
    )
    async function* body(): AsyncGenerator<Uint8Array> {
      await peer.waitFor(/\r\n\r\n/)
      for (let i = 0; i < 10; i++) {
        yield Buffer.from(`piece ${i}`)
        await nextTurn()
      }
    }
    const request = new HttpRequest({ method: 'PUT', url: `${peer.origin}/`, body: new ChunkedBody(body()) })
    const { response, close } = await exchange(request)
    expect(await response.body?.text()).toBe('ok')
    close()
    await peer.waitFor(/piece 9\r\n0\r\n\r\n$/)
  })

  it('is pulled from its source only as fast as the server reads', async () => {
    const peer = await startPeer((socket) => socket.pause())
    let produced = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        produced += 65536
        yield new Uint8Array(65536)
      }
    }
    const request = new HttpRequest({ method: 'POST', url: `${peer.origin}/`, body: new ChunkedBody(endless()) })
    const error = await failure(exchange(request, { timeouts: { idleMs: 200 } }))
    expect(error.code).toBe('idle-timeout')
    // The kernel buffers a few megabytes at most on both ends of a loopback connection.
    expect(produced).toBeLessThan(32 * 1024 * 1024)
  })

  it('fails with the error of its source', async () => {
    const peer = await startPeer()
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10)
      throw new Error('the disk is on fire')
    }
    const request = new HttpRequest({ method: 'POST', url: `${peer.origin}/`, body: new ChunkedBody(broken()) })
    const error = await failure(exchange(request))
    expect(error.code).toBe('request-body-failed')
    expect(error.message).toContain('the disk is on fire')
  })

  it.each([
    ['no host at all', 'GET / HTTP/1.0\r\n\r\n', 'no-host'],
    ['a host that is neither a name nor an address', 'GET http://256.0.0.1/', 'no-host'],
    ['a scheme that is not HTTP', 'GET ftp://127.0.0.1/ HTTP/1.1\r\n\r\n', 'unsupported-scheme'],
  ])('is refused before anything is opened with %s', async (_title, text, code) => {
    expect((await failure(exchange(parseRequest(text)))).code).toBe(code)
  })
})

describe('the response', () => {
  it.each<[title: string, octets: string, status: number, body: string | undefined]>([
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 200, 'hello'],
    [
      'chunks with extensions and trailers',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nX: y\r\n\r\n',
      200,
      'hello',
    ],
    ['the end of the connection', 'HTTP/1.0 200 OK\r\n\r\nhello', 200, 'hello'],
    ['lines that end in LF', 'HTTP/1.1 200 OK\nContent-Length: 5\n\nhello', 200, 'hello'],
    ['a folded header', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 5\r\n\r\nhello', 200, 'hello'],
    [
      'interim responses before it',
      `HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello`,
      200,
      'hello',
    ],
    ['no content', 'HTTP/1.1 204 No Content\r\n\r\n', 204, undefined],
    ['no reason phrase', 'HTTP/1.1 299\r\nContent-Length: 5\r\n\r\nhello', 299, 'hello'],
    ['bytes after its end', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more', 200, 'hello'],
  ])('is read with %s, whole and byte by byte', async (_title, octets, status, body) => {
    const whole = await startPeer(answering(octets))
    const byOctet = await startPeer(
      onHead((socket) => {
        socket.setNoDelay(true)
        const next = (index: number): void => {
          if (index < octets.length) socket.write(octets.charAt(index), 'latin1', () => setImmediate(next, index + 1))
          else socket.end()
        }
        next(0)
      }),
    )
    for (const peer of [whole, byOctet]) {
      const { response } = await exchange(parseRequest(`GET ${peer.origin}/`))
      expect(response.status).toBe(status)
      expect(await response.body?.text()).toBe(body)
    }
  })

  it('separates trailers from the headers', async () => {
    const peer = await startPeer(
      answering('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n'),
    )
    const { response } = await exchange(parseRequest(`GET ${peer.origin}/`))
    await response.body?.bytes()
    expect([...((await response.body?.trailers) ?? [])]).toEqual([['X-Sum', '1']])
    expect(response.headers.has('x-sum')).toBe(false)
  })

  it('has no body after HEAD, for any Content-Length, and the statistics do not wait for one', async () => {
    const peer = await startPeer(onHead((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n')))
    const { response, statistics } = await exchange(parseRequest(`HEAD ${peer.origin}/`))
    expect(response.body).toBeUndefined()
    expect((await statistics).bytesReceived).toBe(38)
  })

  it('is not read from the socket before it is requested', async () => {
    let written = 0
    const peer = await startPeer(
      onHead((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        const more = (): void => {
          for (;;) {
            written += 65536
            if (!socket.write(new Uint8Array(65536))) break
          }
          socket.once('drain', more)
        }
        more()
      }),
    )
    const result = await exchange(parseRequest(`GET ${peer.origin}/`))
    let before = -1
    while (before !== written) {
      before = written
      for (let turn = 0; turn < 200; turn++) await nextTurn()
    }
    expect(written).toBeLessThan(32 * 1024 * 1024)
    result.close()
  })

  it.each<[title: string, octets: string, code: string, message: RegExp]>([
    ['without an answer', '', 'connection-cut-short', /closed the connection without an answer/],
    ['in the head', 'HTTP/1.1 200 OK\r\nContent-', 'connection-cut-short', /within the head/],
    ['after a line of the head', 'HTTP/1.1 200 OK\r\n', 'connection-cut-short', /within the head/],
    ['with something else', 'SSH-2.0-OpenSSH_9.2\r\n', 'invalid-response', /not valid HTTP/],
  ])('fails when the connection ends %s', async (_title, octets, code, message) => {
    const peer = await startPeer(answering(octets))
    const error = await failure(exchange(parseRequest(`GET ${peer.origin}/`)))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(error.message).toContain(`127.0.0.1 port ${peer.port}`)
    expect(Buffer.from(error.received ?? []).toString()).toBe(octets)
  })

  it('gives advice on the server, not on how to write a message', async () => {
    const peer = await startPeer(answering('HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello'))
    const error = await failure(exchange(parseRequest(`GET ${peer.origin}/`)))
    expect(error.message).toContain('white space between the name and ":"')
    expect(error.hint).toBe('Check the server, or the proxy before it')
  })

  it.each([
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nhello'],
    ['a last chunk that is missing', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n'],
  ])('returns the received part of a truncated body, then the error: %s', async (_title, octets) => {
    const peer = await startPeer(answering(octets))
    const { response, statistics } = await exchange(parseRequest(`GET ${peer.origin}/`))
    let text = ''
    const reading = (async () => {
      for await (const piece of response.body ?? []) text += Buffer.from(piece).toString()
    })()
    const error = await failure(reading)
    expect(error.code).toBe('connection-cut-short')
    expect(error.message).toContain('5 bytes of the body had arrived')
    expect(text).toBe('hello')
    expect((await statistics).bytesReceived).toBe(octets.length)
  })

  it('fails when the server resets the connection', async () => {
    const peer = await startPeer(onHead((socket) => socket.resetAndDestroy()))
    const error = await failure(exchange(parseRequest(`GET ${peer.origin}/`)))
    expect(error.code).toBe('connection-reset')
    expect(error.message).toContain('was reset before the server answered')
  })

  it.each([
    ['within the head', 'HTTP/1.1 200 OK\r\nContent-', 'reset the connection within the head of the response'],
    ['before the final response', '', 'reset the connection after an interim response, without the final one'],
  ])('names a reset %s, and keeps what was received', async (_title, octets, message) => {
    let reset = (): void => undefined
    const peer = await startPeer(
      onHead((socket) => {
        reset = () => socket.resetAndDestroy()
        socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${octets}`)
      }),
    )
    const error = await failure(exchange(parseRequest(`GET ${peer.origin}/`), { onInformational: () => reset() }))
    expect(error.code).toBe('connection-cut-short')
    expect(error.message).toBe(`127.0.0.1 port ${peer.port} ${message}`)
    expect(Buffer.from(error.received ?? []).toString()).toBe(`HTTP/1.1 103 Early Hints\r\n\r\n${octets}`)
  })
})

it('endless interim responses are an error, not a memory exhaustion', async () => {
  const peer = await startPeer(
    onHead((socket) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write('HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n'));
        socket.once('drain', more)
      }
      more()
    }),
  )
  await expect(exchange(parseRequest(`GET ${peer.origin}/`))).rejects.toMatchObject({
    code: 'invalid-response',
    message: expect.stringContaining('more than 100 interim responses'),
  })
})
