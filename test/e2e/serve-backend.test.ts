/** `serve --backend`: requests below a prefix reach another server, as they were meant, and its responses come back. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { fieldOf, type Site, startBackend, startSite } from '../helpers/backend-site.ts'
import { makeAuthority, makeCertificate } from '../helpers/certificates.ts'
import { runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { startPeer } from '../wire/peer.ts'

const keystore = fileURLToPath(new URL('../keystore/files/combined.pem', import.meta.url))

async function open({ port }: { readonly port: number }): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** The bytes that the server sends from now on until they match, or until the end of the connection. */
function readUntil(socket: Socket, pattern: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const take = (piece: Buffer) => {
      text += piece.toString('latin1')
      if (pattern.test(text)) settle()
    }
    const settle = () => {
      socket.pause()
      socket.off('data', take).off('end', settle).off('close', settle)
      resolve(text)
    }
    socket.on('data', take).on('end', settle).on('close', settle)
    socket.resume()
  })
}

async function exchange(site: { readonly port: number }, request: string): Promise<string> {
  const socket = await open(site)
  socket.write(request, 'latin1')
  return readUntil(socket, /(?!)/)
}

/** A backend that answers before it has the content; `uploaded`: the bytes received, undefined if they were cut off. */
async function startEarlyBackend(status: number) {
  let receivedBytes = 0
  const server = createServer()
  const uploaded = new Promise<number | undefined>((resolve) => {
    server.on('connection', (socket) => socket.once('close', () => resolve(undefined)))
    server.on('request', (request, response: ServerResponse) => {
      request.on('data', (piece: Buffer) => {
        receivedBytes += piece.length
      })
      request.on('end', () => resolve(receivedBytes))
      response.writeHead(status).end()
    })
  })
  const { origin } = await startBackend(() => undefined, server)
  return { origin, uploaded }
}

/** A backend that never sends 100 (Continue), and returns the content that it received in a header field. */
function startOldBackend(): Promise<{ readonly origin: string }> {
  return startPeer((socket) => {
    socket.once('data', () => {
      socket.on('data', (content) => socket.end(`HTTP/1.0 200 OK\r\nX-Content: ${content}\r\n\r\n`))
    })
  })
}

describe('a request to a backend', () => {
  it('is any request below its prefix; files are still served', async () => {
    const backend = await startBackend()
    const { origin } = await startSite(['--backend', `/api=${backend.origin}`])
    expect(await (await fetch(`${origin}/`)).text()).toBe('a page')
    expect((await fetch(`${origin}/apiary`)).status).toBe(404)
    for (const path of ['/api', '/api/', '/api/users?a=1&b=%20', '/%61pi/x']) await fetch(origin + path)
    expect(backend.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api',
      'GET /api/',
      'GET /api/users?a=1&b=%20',
      'GET /%61pi/x',
    ])
  })

  it('loses the prefix with ",strip", and is appended to the path of the URL', async () => {
    const backend = await startBackend()
    const words = ['/a', '/b', '/c/d'].flatMap((prefix, index) => [
      '--backend',
      `${prefix}=${backend.origin}${index === 0 ? '' : '/v1/'}${index === 1 ? '' : ',strip'}`,
    ])
    const { origin } = await startSite(words)
    for (const path of ['/a', '/a/x?q', '/b/x', '/c/d', '/c/d/x/']) await fetch(origin + path)
    expect(backend.seen.map(({ url }) => url)).toEqual(['/', '/x?q', '/v1/b/x', '/v1/', '/v1/x/'])
  })

  it('is chosen by the longest prefix, in any order', async () => {
    const [one, other] = [await startBackend(), await startBackend()]
    const { origin } = await startSite(['--backend', `/=${one.origin}`, '--backend', `/api/v2=${other.origin}`])
    await fetch(`${origin}/api/v1/x`)
    await fetch(`${origin}/api/v2/x`)
    expect([one.seen.map(({ url }) => url), other.seen.map(({ url }) => url)]).toEqual([['/api/v1/x'], ['/api/v2/x']])
  })

  it('is decided on the resolved path, and that path is forwarded', async () => {
    const backend = await startBackend()
    const site = await startSite(['--backend', `/api=${backend.origin}`])
    const get = (target: string) =>
      exchange(site, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    expect(await get('/x/../api//a/./b')).toMatch(/^HTTP\/1\.1 200 /)
    expect(await get('/api/../index.html')).toMatch(/a page$/)
    expect(await get('/api/%2e%2e/secret')).toMatch(/^HTTP\/1\.1 404 /)
    for (const climbing of ['/api/..%2fsecret', '/api/a/%2e%2e%5csecret', '/api/..;/secret', '/api/x%2f..%2f..%2fy']) {
      expect(await get(climbing), climbing).toMatch(/^HTTP\/1\.1 400 /)
    }
    expect(await get('/api/group%2fproject?next=../x')).toMatch(/^HTTP\/1\.1 200 /)
    expect(backend.seen.map(({ url }) => url)).toEqual(['/api/a/b', '/api/group%2fproject?next=../x'])
  })

  it('has the fields of the client, without those of its connection, and says which way it took', async () => {
    const backend = await startBackend()
    const site = await startSite(['--backend', `/api=${backend.origin}`])
    const fields = [
      ...[
        'Host: app.localhost:1',
        'Cookie: a=b',
        'X-Kept: 1',
        'Connection: close, X-Hop, Host',
        'X-Hop: 1',
        'TE: gzip',
      ],
      ...['Keep-Alive: 1', 'Upgrade: h2c', 'Proxy: evil', 'X-Forwarded-For: evil', 'Forwarded: for=evil'],
      ...['X_Forwarded_For: evil', 'X-Forwarded-Prefix: /evil', 'X-Real-IP: evil', 'Content_Length: 9', 'Via: 1.0 a'],
    ]
    await exchange(site, `POST /api HTTP/1.1\r\n${fields.join('\r\n')}\r\nContent-Length: 4\r\n\r\nbody`)
    const [request] = backend.seen
    expect(request!.body).toBe('body')
    const isAdded = ([name]: readonly [string, string]) => name !== 'Connection' && name !== 'Via'
    expect(request!.fields.filter(isAdded)).toEqual([
      ['Host', 'app.localhost:1'],
      ['Cookie', 'a=b'],
      ['X-Kept', '1'],
      ['Content-Length', '4'],
      ['X-Forwarded-For', '127.0.0.1'],
      ['X-Forwarded-Host', 'app.localhost:1'],
      ['X-Forwarded-Proto', 'http'],
    ])
    expect(fieldOf(request!, 'via')).toMatch(/^1\.0 a, 1\.1 httpcli-[0-9a-f]{8}$/)
  })

  it('comes after the password and the allowed hosts, and never carries the password of the site', async () => {
    const backend = await startBackend()
    const site = await startSite(['--backend', `/api=${backend.origin}`, '--auth', 'me:secret', '--cors'])
    expect((await fetch(`${site.origin}/api`, { method: 'PUT', body: 'x' })).status).toBe(401)
    const foreign = await exchange(site, 'GET /api HTTP/1.1\r\nHost: evil.example.com\r\nConnection: close\r\n\r\n')
    expect(foreign).toMatch(/^HTTP\/1\.1 421 /)
    const headers = {
      Authorization: `Basic ${Buffer.from('me:secret').toString('base64')}`,
      Origin: 'http://a',
      'Access-Control-Request-Method': 'PUT',
    }
    expect((await fetch(`${site.origin}/api`, { method: 'OPTIONS', headers })).status).toBe(200)
    expect(backend.seen.map(({ method }) => method)).toEqual(['OPTIONS'])
    expect(fieldOf(backend.seen[0]!, 'authorization')).toBeUndefined()
  })

  it('is never CONNECT, TRACE or a request to this server itself', async () => {
    const backend = await startBackend()
    const site = await startSite(['--backend', `/=${backend.origin}`])
    const answers = await Promise.all(
      [
        'CONNECT a:80 HTTP/1.1\r\nHost: a:80',
        'TRACE / HTTP/1.1\r\nHost: a',
        'OPTIONS * HTTP/1.1\r\nHost: a',
        'OPTIONS / HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0',
        'GET / HTTP/1.1\r\nHost: a\r\nExpect: magic',
      ].map((head) => exchange(site, `${head}\r\nConnection: close\r\n\r\n`)),
    )
    expect(answers.map((answer) => answer.slice(9, 12))).toEqual(['405', '405', '204', '204', '417'])
    expect(backend.seen).toEqual([])
  })

  it('is refused if it has passed this server before', async () => {
    let second: Site | undefined
    const between = await startBackend(({ url, rawHeaders }, response) => {
      const via = rawHeaders[rawHeaders.indexOf('Via') + 1]!
      void fetch(`${second!.origin}${url}`, { headers: { Via: via } }).then(async (answer) => {
        response.writeHead(answer.status).end(await answer.text())
      })
    })
    second = await startSite(['--backend', `/api=${between.origin}`])
    const answer = await fetch(`${second.origin}/api`)
    expect([answer.status, await answer.text()]).toEqual([
      508,
      '508 Loop Detected: the backend is this server itself\n',
    ])
    expect(between.seen).toHaveLength(1)
  })
})

describe('the response of a backend', () => {
  it('keeps its status, reason and fields, and gets no fields of files', async () => {
    const peer = await startPeer((socket) => {
      socket.end(
        'HTTP/1.1 418 Short And Stout\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nLocation: http://127.0.0.1:1/x\r\n' +
          'Connection: X-Hop\r\nX-Hop: 1\r\nContent-Length: 2\r\n\r\nhi',
      )
    })
    const site = await startSite(['--backend', `/api=${peer.origin}`, '--header', 'X-Own: 1'])
    const answer = await exchange(site, 'GET /api HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(answer.replace(/Date: .*\r\n/, '')).toBe(
      'HTTP/1.1 418 Short And Stout\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nLocation: http://127.0.0.1:1/x\r\n' +
        'Content-Length: 2\r\nConnection: close\r\n\r\nhi',
    )
  })

  it('has no content for HEAD, 204 and 304, and the next request follows on the same connections', async () => {
    const backend = await startBackend(({ url, method }, response) => {
      const status = Number(url!.slice('/api/'.length))
      response.writeHead(status, status === 200 ? { 'Content-Length': 5 } : {}).end(method === 'HEAD' ? '' : 'hello')
    })
    const site = await startSite(['--backend', `/api=${backend.origin}`])
    const socket = await open(site)
    socket.write(
      ['HEAD /api/200', 'GET /api/204', 'GET /api/304', 'GET /index.html', 'GET /api/200']
        .map((line) => `${line} HTTP/1.1\r\nHost: a\r\n\r\n`)
        .join(''),
    )
    const text = await readUntil(socket, /hello$/)
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual([200, 204, 304, 200, 200].map((status) => `HTTP/1.1 ${status}`))
    expect(text.match(/hello|a page/g)).toEqual(['a page', 'hello'])
    expect(backend.connections()).toBe(1)
  })

  it('has interim responses, trailers, and a form that an HTTP/1.0 client can read', async () => {
    const peer = await startPeer((socket) => {
      socket.on('data', () => {
        socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n')
        socket.end(
          'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;ext=1\r\nabc\r\n0\r\nX-Sum: 1\r\nHost: evil\r\n\r\n',
        )
      })
    })
    const site = await startSite(['--backend', `/api=${peer.origin}`])
    expect(await exchange(site, 'GET /api HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a\.css>\r\n\r\nHTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n$/,
    )
    const old = await exchange(site, 'GET /api HTTP/1.0\r\nHost: a\r\n\r\n')
    expect(old).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nabc$/)
    expect(old).not.toMatch(/chunked|103/i)
  })

  it('is streamed piece by piece, and ends at the backend when the client leaves', async () => {
    let stream: ServerResponse | undefined
    const backend = await startBackend((_request, response) => {
      stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write('data: 1\n\n')
    })
    const site = await startSite(['--backend', `/api=${backend.origin}`, '-l'])
    const socket = await open(site)
    socket.write('GET /api HTTP/1.1\r\nHost: a\r\n\r\n')
    await readUntil(socket, /data: 1\n\n/)
    stream!.write('data: 2\n\n')
    await readUntil(socket, /data: 2\n\n/)
    const closed = once(stream!, 'close')
    socket.destroy()
    await closed
    const { stdout } = await site.running.stop()
    expect(stdout.toString()).toMatch(/"GET \/api HTTP\/1\.1" 200 18 via http:\/\/127\.0\.0\.1:\d+: client-gone\n/)
  })

  it('may arrive before the end of an upload, after which the client may leave', async () => {
    const { origin, uploaded } = await startEarlyBackend(204)
    const socket = await open(await startSite(['--backend', `/api=${origin}`]))
    socket.write('POST /api HTTP/1.1\r\nHost: a\r\nContent-Length: 1000005\r\n\r\nbegin')
    expect(await readUntil(socket, /\r\n\r\n/)).toMatch(/^HTTP\/1\.1 204 /)
    socket.end(Buffer.alloc(1_000_000))
    expect(await uploaded).toBe(1_000_005)
  })

  it('is to a request without trailers that may only be headers', async () => {
    const backend = await startBackend(({ trailers }, response) => response.end(JSON.stringify(trailers)))
    const site = await startSite(['--backend', `/api=${backend.origin}`])
    const head = 'POST /api HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
    const answer = await exchange(site, `${head}0\r\nAuthorization: Basic YTpi\r\nCookie: a=b\r\nX-Sum: 1\r\n\r\n`)
    expect(answer).toContain('\r\n\r\n{"x-sum":"1"}')
  })

  it('can be 100 (Continue) before the content, or final instead of it', async () => {
    const server = createServer()
    server.on('checkContinue', (request, response) => {
      if (request.url === '/api/no') response.writeHead(403, { 'Content-Length': 0 }).end()
      else {
        response.writeContinue()
        server.emit('request', request, response)
      }
    })
    const backend = await startBackend(undefined, server)
    const site = await startSite(['--backend', `/api=${backend.origin}`])
    const head = (path: string) =>
      `PUT ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n`
    const socket = await open(site)
    socket.write(head('/api/yes'))
    expect(await readUntil(socket, /\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(`body${head('/api/no')}`)
    const rest = await readUntil(socket, /403[\s\S]*\r\n\r\n/)
    expect(rest).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(rest).toMatch(/HTTP\/1\.1 403 Forbidden\r\n[\s\S]*Connection: close\r\n/)
    expect(backend.seen.map(({ body }) => body)).toEqual(['body'])
  })

  it('is preceded by 100 (Continue) when the content is needed, even if the backend does not send it', async () => {
    const socket = await open(await startSite(['--backend', `/api=${(await startOldBackend()).origin}`]))
    socket.write('PUT /api HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n')
    expect(await readUntil(socket, /\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write('body')
    expect(await readUntil(socket, /\r\n\r\n/)).toContain('X-Content: body\r\n')
  })
})

describe('large bodies', () => {
  it('pass both ways without growing the memory, as fast as the slower side', async () => {
    const sizeBytes = 300_000_000
    const piece = Buffer.alloc(1_000_000, 'x')
    const server = createServer((request, response) => {
      if (request.method === 'PUT') {
        let receivedBytes = 0
        request.on('data', (bytes: Buffer) => {
          receivedBytes += bytes.length
        })
        request.on('end', () => response.end(String(receivedBytes)))
        return
      }
      response.writeHead(200, { 'Content-Length': sizeBytes })
      let left = sizeBytes
      const fill = () => {
        while (left > 0) {
          left -= piece.length
          if (!response.write(piece)) return void response.once('drain', fill)
        }
        response.end()
      }
      fill()
    })
    const backend = await startPeerOf(server)
    const site = await startSite(['--backend', `/api=${backend}`])
    const before = memoryMib(site)
    let receivedBytes = 0
    for await (const bytes of (await fetch(`${site.origin}/api`)).body!) receivedBytes += bytes.length
    expect(receivedBytes).toBe(sizeBytes)
    const body = new ReadableStream({
      pull(controller) {
        if (receivedBytes <= 0) controller.close()
        else controller.enqueue(piece)
        receivedBytes -= piece.length
      },
    })
    const sent = await fetch(`${site.origin}/api`, { method: 'PUT', body, duplex: 'half' } as RequestInit)
    expect(await sent.text()).toBe(String(sizeBytes))
    expect(memoryMib(site) - before).toBeLessThan(80)
  })

  it('wait in the client while the backend reads nothing', async () => {
    let socket: Socket | undefined
    let takenBytes = 0
    const peer = await startPeer((connection) => {
      socket = connection
      connection.once('data', () => connection.pause())
      connection.on('data', (bytes: Buffer) => {
        takenBytes += bytes.length
      })
    })
    const site = await startSite(['--backend', `/api=${peer.origin}`])
    const before = memoryMib(site)
    const client = await open(site)
    const sizeBytes = 200_000_000
    client.write(`PUT /api HTTP/1.1\r\nHost: a\r\nContent-Length: ${sizeBytes}\r\n\r\n`)
    client.write(Buffer.alloc(sizeBytes))
    await peer.waitFor(/\r\n\r\n/)
    for (let left = -1; left !== client.writableLength; ) {
      left = client.writableLength
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    expect(memoryMib(site) - before).toBeLessThan(80)
    socket!.resume()
    await once(client, 'drain')
    const ended = once(socket!, 'end')
    client.destroy()
    await ended
    expect(takenBytes).toBeGreaterThan(100_000_000)
  })
})

function memoryMib({ running }: Site): number {
  const status = readFileSync(`/proc/${running.child.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) / 1024
}

/** Listens with a server of Node.js; gives its origin. */
async function startPeerOf(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

describe('a WebSocket', () => {
  const handshake = `GET /api/ws HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`

  /** Agrees to the handshake, sends `first` at once, and gives the socket. */
  async function startWebSocketPeer(first = ''): Promise<{ origin: string; socket: Promise<Socket> }> {
    let resolve: (socket: Socket) => void = () => undefined
    const promise = new Promise<Socket>((settle) => {
      resolve = settle
    })
    const peer = await startPeer((socket) => {
      socket.once('data', () => {
        const accept = createHash('sha1')
          .update('AAAAAAAAAAAAAAAAAAAAAA==258EAFA5-E914-47DA-95CA-C5AB0DC85B11')
          .digest('base64')
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n${first}`,
        )
        resolve(socket)
      })
    })
    return { origin: peer.origin, socket: promise }
  }

  it('is forwarded in both directions, which end independently', async () => {
    const peer = await startWebSocketPeer('early')
    const site = await startSite(['--backend', `/api=${peer.origin}`, '-l'])
    const client = await open(site)
    client.write(handshake)
    const answer = await readUntil(client, /early$/)
    expect(answer).toMatch(
      /^HTTP\/1\.1 101 Switching Protocols\r\n[\s\S]*Sec-WebSocket-Accept: [\s\S]*Upgrade: websocket\r\n/,
    )
    const backend = await peer.socket
    client.write('GET /smuggled HTTP/1.1\r\n\r\n')
    const received = once(backend, 'data')
    expect(String((await received)[0])).toBe('GET /smuggled HTTP/1.1\r\n\r\n')
    const ended = once(backend, 'end')
    client.end('last')
    await ended
    backend.end('still here')
    expect(await readUntil(client, /(?!)/)).toBe('still here')
    const { stdout } = await site.running.stop()
    expect(stdout.toString()).toMatch(/"GET \/api\/ws HTTP\/1\.1" 101 15 via /)
  })

  it('carries messages, pings, close codes and compression between client and server', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: true })
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    server.on('connection', (socket) => {
      socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
    })
    const { port } = server.address() as { port: number }
    const site = await startSite(['--backend', `/api=http://127.0.0.1:${port}`])
    const client = new WebSocket(`ws://127.0.0.1:${site.port}/api/ws`, ['one', 'two'])
    onTestFinished(() => client.terminate())
    await once(client, 'open')
    expect([client.protocol, client.extensions]).toEqual(['one', 'permessage-deflate'])
    for (const message of [Buffer.from('short'), randomBytes(10_000_000), Buffer.alloc(10_000_000)]) {
      client.send(message)
      const [answer] = (await once(client, 'message')) as [Buffer]
      expect(answer.equals(message)).toBe(true)
    }
    client.ping('x')
    await once(client, 'pong')
    const ends = Promise.all([once([...server.clients][0]!, 'close'), once(client, 'close')])
    client.close(4001, 'done')
    const [[code, reason], [ownCode]] = (await ends) as [[number, Buffer], [number]]
    expect([code, String(reason), ownCode]).toEqual([4001, 'done', 4001])
  })

  it('carries large messages intact while both sides are slow', async () => {
    const peer = await startWebSocketPeer()
    const site = await startSite(['--backend', `/api=${peer.origin}`])
    const client = await open(site)
    client.write(handshake)
    await readUntil(client, /\r\n\r\n$/)
    const backend = await peer.socket
    const payload = Buffer.alloc(20_000_000, 'abcdefghij')
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
    // Iterating over a socket would destroy it at the end of what it reads, with what it still has to write.
    const collect = async (socket: Socket) => {
      const pieces: Buffer[] = []
      socket.on('data', (piece: Buffer) => pieces.push(piece))
      await once(socket, 'end')
      return digest(Buffer.concat(pieces))
    }
    backend.removeAllListeners('data')
    client.end(payload)
    backend.end(payload)
    const collected = Promise.all([collect(client), collect(backend)])
    client.resume()
    expect(await collected).toEqual([digest(payload), digest(payload)])
  })

  it.each(['client', 'backend'] as const)('ends at the other side when the %s fails', async (failing) => {
    const peer = await startWebSocketPeer()
    const site = await startSite(['--backend', `/api=${peer.origin}`])
    const client = await open(site)
    client.write(handshake)
    await readUntil(client, /\r\n\r\n$/)
    const backend = await peer.socket
    const [failed, other] = failing === 'client' ? [client, backend] : [backend, client]
    const ended = once(other, 'end')
    other.resume()
    failed.resetAndDestroy()
    await ended
  })

  it('ends when the server stops, without delaying it', async () => {
    const peer = await startWebSocketPeer()
    const site = await startSite(['--backend', `/api=${peer.origin}`, '-l', '--shutdown-timeout', '600'])
    const client = await open(site)
    client.write(handshake)
    await readUntil(client, /\r\n\r\n$/)
    const ends = Promise.all([client, await peer.socket].map((socket) => once(socket.resume(), 'end')))
    const { code, stdout } = await site.running.stop()
    await ends
    expect([code, stdout.toString().trimEnd()]).toEqual([0, expect.stringMatching(/ 101 0 via http:[/\d.:]+$/)])
  })

  it('is refused if the backend refuses it, and no other protocol is requested', async () => {
    const backend = await startBackend(({ headers }, response) => {
      response.writeHead(400).end(String(headers.upgrade))
    })
    const site = await startSite(['--backend', `/api=${backend.origin}`])
    expect(await exchange(site, handshake.replace('keep-alive', 'close'))).toMatch(/^HTTP\/1\.1 400 [\s\S]*websocket/)
    const other = handshake.replace('keep-alive', 'close').replace('Upgrade: websocket', 'Upgrade: h2c')
    expect(await exchange(site, other)).toMatch(/^HTTP\/1\.1 400 [\s\S]*undefined/)
  })

  it.each([
    ['HTTP/1.1, websocket', /\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n/],
    ['TLS/1.0', /^(?![\s\S]*Upgrade:)/],
  ])('may be demanded by 426: %s', async (protocols, fields) => {
    const backend = await startBackend((_request, response) => {
      response.writeHead(426, { Connection: 'Upgrade', Upgrade: protocols }).end()
    })
    const site = await startSite(['--backend', `/api=${backend.origin}`])
    const answer = await exchange(site, 'GET /api/ws HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 426 /)
    expect(answer).toMatch(fields)
  })
})

describe('the connection to a backend', () => {
  it('may use a Unix domain socket', async () => {
    const path = join(temporaryDirectory(), 'app.sock')
    const server = createServer(({ url, headers }, response) => response.end(`${url} ${headers.host}`))
    server.listen(path)
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const site = await startSite(['--backend', `/api=unix:${path},strip`])
    expect(await (await fetch(`${site.origin}/api/x`)).text()).toBe(`/x 127.0.0.1:${site.port}`)
  })

  it('may use TLS, with the certificate checked as by send, and the name of the backend as Host', async () => {
    const directory = temporaryDirectory()
    const authority = makeAuthority(directory)
    const { certificate, key } = makeCertificate(directory, { name: 'backend', authority })
    const server = createHttpsServer(
      { cert: readFileSync(certificate), key: readFileSync(key) },
      (request, response) => {
        response.end(`${request.headers.host} ${request.headers['x-forwarded-host']}`)
      },
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const backend = ['--backend', `/api=https://localhost:${port}`]
    const trusting = await startSite([...backend, '--cacert', authority.certificate])
    expect(await (await fetch(`${trusting.origin}/api`)).text()).toBe(`localhost:${port} 127.0.0.1:${trusting.port}`)
    const blind = await startSite([...backend, '-i'])
    expect((await fetch(`${blind.origin}/api`)).status).toBe(200)
    const strict = await startSite(backend)
    const answer = await fetch(`${strict.origin}/api`)
    expect([answer.status, await answer.text()]).toEqual([
      502,
      '502 Bad Gateway: the certificate of the backend is not trusted\n',
    ])
    const { stderr } = await strict.running.stop()
    expect(stderr.toString()).toMatch(/^httpcli serve: the backend of \/api: .*certificate.*\n$/)
  })

  it('is the same for each of several processes', async () => {
    const backend = await startBackend()
    const { origin } = await startSite(['--backend', `/api=${backend.origin}`, '--workers', '2'])
    const answers = await Promise.all(Array.from({ length: 20 }, async () => (await fetch(`${origin}/api`)).text()))
    expect(new Set(answers)).toEqual(new Set(['from the backend\n']))
  })
})

describe('HTTP/2 clients', () => {
  async function session(words: readonly string[]) {
    const site = await startSite(['-k', keystore, ...words])
    const client = connectHttp2(site.origin, { rejectUnauthorized: false })
    client.on('error', () => undefined)
    onTestFinished(() => client.destroy())
    return client
  }

  async function answerOf(stream: ReturnType<Awaited<ReturnType<typeof session>>['request']>) {
    let head: IncomingHttpHeaders = {}
    let trailers: IncomingHttpHeaders = {}
    const interim: IncomingHttpHeaders[] = []
    stream.on('headers', (fields) => interim.push(fields))
    stream.on('response', (fields) => {
      head = fields
    })
    stream.on('trailers', (fields) => {
      trailers = fields
    })
    let body = ''
    for await (const piece of stream) body += String(piece)
    return { head, body, interim, trailers }
  }

  it('are forwarded as HTTP/1.1, with content, interim responses and trailers', async () => {
    const backend = await startBackend((_request, response, body) => {
      response.writeEarlyHints({ link: '</a.css>' })
      response.writeHead(201, { Trailer: 'x-sum', 'Set-Cookie': ['a=1', 'b=2'], constructor: 'c' })
      response.write(`got ${body}`)
      response.addTrailers({ 'x-sum': '1' })
      response.end()
    })
    const client = await session(['--backend', `/api=${backend.origin}`])
    const stream = client.request({ ':method': 'POST', ':path': '/api/x?y', cookie: ['c=1', 'd=2'] as never })
    stream.write('one ')
    stream.end('two')
    const { head, body, interim, trailers } = await answerOf(stream)
    expect([head[':status'], head['set-cookie'], body]).toEqual([201, ['a=1', 'b=2'], 'got one two'])
    expect(head.constructor).toBe('c')
    expect([interim.map((fields) => fields[':status']), trailers['x-sum']]).toEqual([[103], '1'])
    const [request] = backend.seen
    expect([request!.method, request!.url, fieldOf(request!, 'cookie')]).toEqual(['POST', '/api/x?y', 'c=1; d=2'])
    expect(fieldOf(request!, 'via')).toMatch(/^2\.0 httpcli-/)
    expect(fieldOf(request!, 'x-forwarded-proto')).toBe('https')
  })

  it.each(['GET', 'POST'])(
    'get the end of a response to %s, with its trailers, before the stream ends',
    async (method) => {
      const backend = await startBackend((_request, response) => {
        response.writeHead(200, { Trailer: 'x-sum' })
        response.write('o')
        response.addTrailers({ 'x-sum': '1' })
        response.end('k')
      })
      const client = await session(['--backend', `/api=${backend.origin}`])
      const stream = client.request({ ':method': method, ':path': '/api' }, { endStream: method === 'GET' })
      if (method === 'POST') stream.end('content')
      const { body, trailers } = await answerOf(stream)
      expect([body, trailers['x-sum']]).toEqual(['ok', '1'])
    },
  )

  it('get the end of an early response before the rest of an upload is refused', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(413, { Trailer: 'x-sum' })
      response.write('no')
      response.addTrailers({ 'x-sum': '1' })
      response.end()
    })
    const backend = await startBackend(() => undefined, server)
    const client = await session(['--backend', `/api=${backend.origin}`])
    const stream = client.request({ ':method': 'POST', ':path': '/api' })
    stream.write('begin')
    const { head, body, trailers } = await answerOf(stream)
    expect([head[':status'], body, trailers['x-sum'], stream.rstCode]).toEqual([413, 'no', '1', 0])
  })

  it('get 100 (Continue) when their content is needed, even if the backend does not send it', async () => {
    const client = await session(['--backend', `/api=${(await startOldBackend()).origin}`])
    const stream = client.request({ ':method': 'PUT', ':path': '/api', 'content-length': 4, expect: '100-continue' })
    await once(stream, 'continue')
    stream.end('body')
    expect((await answerOf(stream)).head['x-content']).toBe('body')
  })

  it.each([200, 204])('may send the rest of an upload after an early %i', async (status) => {
    const { origin, uploaded } = await startEarlyBackend(status)
    const client = await session(['--backend', `/api=${origin}`])
    const stream = client.request({ ':method': 'POST', ':path': '/api' })
    stream.on('error', () => undefined)
    stream.write('begin')
    await once(stream.resume(), 'end')
    stream.end(Buffer.alloc(1_000_000))
    expect(await uploaded).toBe(1_000_005)
  })

  it('get only the trailers that may be forwarded, as over HTTP/1.1', async () => {
    const trailers = 'Content-Length: 9\r\nHost: b\r\nSet-Cookie: a=b\r\nX-Sum: 1\r\n'
    const peer = await startPeer((socket) => {
      const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
      socket.once('data', () => socket.end(`${head}2\r\nok\r\n0\r\n${trailers}\r\n`))
    })
    const client = await session(['--backend', `/api=${peer.origin}`])
    const answer = await answerOf(client.request({ ':path': '/api' }))
    expect([answer.body, Object.entries(answer.trailers)]).toEqual(['ok', [['x-sum', '1']]])
  })

  it.each([
    ['204 No Content', ''],
    ['205 Reset Content', 'body'],
  ])('get %s without a length', async (status, content) => {
    const response = `HTTP/1.1 ${status}\r\nHTTP2-Settings: a\r\nContent-Length: 4\r\n\r\n${content}`
    const peer = await startPeer((socket) => socket.once('data', () => socket.end(response)))
    const client = await session(['--backend', `/api=${peer.origin}`])
    const { head, body } = await answerOf(client.request({ ':path': '/api' }))
    expect([`${head[':status']}`, body]).toEqual([status.slice(0, 3), ''])
    expect([head['content-length'], head['http2-settings']]).toEqual([undefined, undefined])
  })

  it('have their trailers forwarded, even if these arrive with the head', async () => {
    let trailer: string | undefined
    const backend = await startBackend(({ trailers }, response) => {
      trailer = String(trailers['x-t'])
      response.end()
    })
    const site = await startSite(['-k', keystore, '--backend', `/api=${backend.origin}`])
    const socket = connectTls({ port: site.port, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
    onTestFinished(() => void socket.destroy())
    const frames = [
      '000000 04 00 00000000',
      // POST /api of the authority "a".
      '00000b 01 04 00000001 8387 04 04 2f617069 01 01 61',
      '000001 00 00 00000001 78',
      // x-t: 1
      '000007 01 05 00000001 00 03 782d74 01 31',
    ]
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    socket.write(Buffer.from(frames.join('').replaceAll(' ', ''), 'hex'))
    await vi.waitUntil(() => trailer !== undefined, { timeout: 30_000 })
    expect(trailer).toBe('1')
  })

  it('get 502 for a status that the platform cannot send', async () => {
    const peer = await startPeer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'))
    })
    const client = await session(['--backend', `/api=${peer.origin}`])
    const { head, body } = await answerOf(client.request({ ':path': '/api' }))
    expect([head[':status'], body]).toEqual([
      502,
      '502 Bad Gateway: the backend did not answer with a valid response\n',
    ])
  })

  it('get responses whose fields are repeated', async () => {
    const backend = await startBackend((_request, response) => {
      response.writeHead(200, [
        'X-Content-Type-Options',
        'nosniff',
        'X-Content-Type-Options',
        'nosniff',
        'Age',
        '1',
        'Age',
        '2',
      ])
      response.end('ok')
    })
    const client = await session(['--backend', `/api=${backend.origin}`])
    const { head, body } = await answerOf(client.request({ ':path': '/api' }))
    expect([head[':status'], head['x-content-type-options'], head.age, body]).toEqual([200, 'nosniff', '1, 2', 'ok'])
  })

  it('get many responses at a time, including HEAD and empty ones', async () => {
    const backend = await startBackend(({ url, method }, response) => {
      response.writeHead(url === '/api/0' ? 204 : 200).end(method === 'HEAD' || url === '/api/0' ? '' : url)
    })
    const client = await session(['--backend', `/api=${backend.origin}`])
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        answerOf(client.request({ ':method': index === 1 ? 'HEAD' : 'GET', ':path': `/api/${index}` })),
      ),
    )
    expect(answers.map(({ body }) => body)).toEqual(
      Array.from({ length: 50 }, (_, index) => (index < 2 ? '' : `/api/${index}`)),
    )
  })

  it('get 502 if the backend is down, with or without content in transit', async () => {
    const client = await session(['--backend', '/api=http://127.0.0.1:1'])
    for (const method of ['GET', 'POST']) {
      const stream = client.request({ ':method': method, ':path': '/api' }, { endStream: method === 'GET' })
      if (method === 'POST') stream.write('half')
      const { head, body } = await answerOf(stream)
      expect([head[':status'], body]).toEqual([502, '502 Bad Gateway: the backend refused the connection\n'])
    }
  })

  it('are reset when the backend breaks off, and end its request when they leave', async () => {
    let onLeft: () => void = () => undefined
    const left = new Promise<void>((settle) => {
      onLeft = settle
    })
    const peer = await startPeer((socket) => {
      socket.once('data', (head: Buffer) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')
        if (head.includes('/api/break')) socket.destroySoon()
        else socket.once('end', onLeft)
      })
    })
    const client = await session(['--backend', `/api=${peer.origin}`])
    await expect(answerOf(client.request({ ':path': '/api/break' }))).rejects.toThrow(/NGHTTP2_INTERNAL_ERROR/)
    const stream = client.request({ ':path': '/api/wait' })
    await once(stream, 'response')
    stream.close(8)
    await left
  })
})

describe('an invalid backend', () => {
  it.each([
    ['/api', 'it has no "="'],
    ['api=http://a', 'expected a prefix that begins with "/", found "api"'],
    ['/api=localhost:3000', 'expected a URL of http, https or unix: after "=", found "localhost:3000"'],
    ['/api=ftp://a', 'expected a URL of http, https or unix: after "=", found "ftp://a"'],
    ['/api=http://a?x', 'its URL has a query or a fragment'],
    ['/api=http://a,fast', 'expected "strip" after the comma, found "fast"'],
    ['/api=unix:', 'expected the path of a socket after "unix:"'],
  ])('%s is a usage error', async (value, fault) => {
    const { code, stderr } = await runCommand(['serve', '.', '--backend', value])
    expect([code, stderr.toString()]).toEqual([
      1,
      `httpcli serve: --backend: invalid backend ${JSON.stringify(value)}: ${fault}. Write it like ` +
        '/api=http://localhost:3000, or /api=http://localhost:3000,strip to forward without /api.\n',
    ])
  })

  it('has a URL with a password, which is not shown, a repeated prefix, or an option without a backend', async () => {
    const outcomes = await Promise.all(
      [
        ['--backend', '/api=http://me:secret@a'],
        ['--backend', '/api=http://a', '--backend', '/%61pi/=http://b'],
        ['--cacert', 'x.pem'],
        ['-i'],
      ].map((words) => runCommand(['serve', '.', ...words])),
    )
    expect(outcomes.map(({ code }) => code)).toEqual([1, 1, 1, 1])
    expect(outcomes.map(({ stderr }) => stderr.toString().split('. ')[0])).toEqual([
      'httpcli serve: --backend: invalid backend: its URL has a user or a password',
      'httpcli serve: --backend: the prefix "/api" has two backends',
      'httpcli serve: --cacert needs a backend',
      'httpcli serve: --ignore-tls-cert needs a backend',
    ])
  })

  it('has an authority file without a certificate: an error at the start', async () => {
    const { code, stderr } = await runCommand(['serve', '.', '--backend', '/api=https://a', '--cacert', 'package.json'])
    expect([code, stderr.toString()]).toEqual([
      4,
      expect.stringMatching(/^httpcli serve: \S+package\.json: it has no certificate in PEM or DER\. .*\n$/),
    ])
  })
})
