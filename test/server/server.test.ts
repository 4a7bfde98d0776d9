import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmdirSync, truncateSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, relative } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type AnsweredRequest, type ServerLimits, serveDirectory } from '../../src/server/index.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { fetchRaw, RawClient, startServer } from './raw-client.ts'

let root: string
let log: AnsweredRequest[]

beforeEach(() => {
  root = temporaryDirectory()
  log = []
  writeFileSync(join(root, 'a.txt'), 'hello')
  closeSync(openSync(join(root, 'big'), 'w'))
  truncateSync(join(root, 'big'), 100_000_000)
})

const serve = (limits: Partial<ServerLimits> = {}) =>
  startServer({ directory: root, limits, onAnswer: (entry) => log.push(entry) })

/** A client with a download that it does not read. */
async function busyClient(port: number): Promise<RawClient> {
  const client = await RawClient.connect(port)
  client.send('GET /big HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(client.socket, 'data')
  client.socket.pause()
  return client
}

describe('serveDirectory', () => {
  it('reports its address', async () => {
    const server = await startServer({ directory: relative(process.cwd(), root) })
    expect(server.directory).toBe(root)
    expect(server.host).toBe('127.0.0.1')
    expect(server.port).toBeGreaterThan(0)
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
  })

  it('puts an IPv6 address in brackets', async () => {
    const server = await startServer({ directory: root, host: '::1' })
    expect(server.url).toBe(`http://[::1]:${server.port}`)
  })

  it.each([
    ['a missing directory', 'none', 'directory', 'does not exist'],
    ['a file', 'a.txt', 'directory', 'is a file'],
    ['a path through a file', 'a.txt/b', 'directory', 'a part of the path is not a directory'],
  ])('rejects %s', async (_, name, code, text) => {
    const path = join(root, name)
    await expect(serveDirectory({ directory: path, port: 0 })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(new RegExp(`${path}.*${text}`)),
    })
  })

  it('rejects a port that is in use', async () => {
    const { port } = await serve()
    await expect(serveDirectory({ directory: root, port })).rejects.toMatchObject({
      code: 'listen',
      message: `port ${port} on 127.0.0.1 is in use`,
      cause: expect.objectContaining({ code: 'EADDRINUSE' }),
    })
  })

  it('rejects an address of another machine', async () => {
    await expect(serveDirectory({ directory: root, port: 0, host: '192.0.2.1' })).rejects.toMatchObject({
      code: 'listen',
      message: 'port 0 on 192.0.2.1 cannot be used: this machine does not have that address',
    })
  })
})

describe('time limits', () => {
  it('answer an unfinished head with 408', async () => {
    const client = await RawClient.connect((await serve({ headerTimeoutMs: 50 })).port)
    client.send('GET /a.txt HTTP/1.1\r\nHost: a\r\nX: ')
    const { status, fields } = await client.response()
    expect([status, fields.get('connection')]).toEqual([408, 'close'])
    expect(await client.rest()).toBe('')
    expect(log[0]?.requestLine).toBe('GET /a.txt HTTP/1.1')
  })

  it('count a head from its first byte, not from its last', async () => {
    const client = await RawClient.connect((await serve({ headerTimeoutMs: 100 })).port)
    client.send('GET /a.txt HTTP/1.1\r\n')
    const trickle = setInterval(() => client.send('X: y\r\n'), 20)
    onTestFinished(() => clearInterval(trickle))
    expect((await client.response()).status).toBe(408)
  })

  it('answer a missing body with 408', async () => {
    const client = await RawClient.connect((await serve({ bodyTimeoutMs: 50 })).port)
    client.send('POST /a.txt HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc')
    expect((await client.response()).status).toBe(408)
  })

  it('close an idle connection silently, before and after a request', async () => {
    const server = await serve({ idleTimeoutMs: 50 })
    const silent = await RawClient.connect(server.port)
    expect(await silent.rest()).toBe('')
    const client = await RawClient.connect(server.port)
    client.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
    expect((await client.response()).status).toBe(200)
    expect(await client.rest()).toBe('')
    expect(log).toHaveLength(1)
  })

  it('destroy a closing connection whose client does not close', async () => {
    const client = await RawClient.connect((await serve({ lingerTimeoutMs: 50 })).port)
    client.send('GET /a.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect((await client.response()).status).toBe(200)
    await client.rest()
    // The close of a half-closed connection shows in the next write only.
    const writing = setInterval(() => client.send('still here'), 20)
    onTestFinished(() => clearInterval(writing))
    await new Promise((resolve) => client.socket.once('close', resolve))
  })
})

describe('the connection limit', () => {
  it('closes the longest-idle connection for a new one', async () => {
    // A clock that never shows the same time twice, since these connections may all begin within one millisecond.
    let nowMs = Date.now()
    const now = () => (nowMs += 1)
    const server = await startServer({ directory: root, limits: { connections: 2 }, now })
    const first = await RawClient.connect(server.port)
    const second = await RawClient.connect(server.port)
    first.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
    expect((await first.response()).status).toBe(200)
    const third = await RawClient.connect(server.port)
    third.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
    expect((await third.response()).status).toBe(200)
    expect(await second.rest()).toBe('')
    first.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
    expect((await first.response()).status).toBe(200)
  })

  it('responds with 503 if all are busy, and serves again when one ends', async () => {
    const server = await serve({ connections: 2 })
    const busy = await busyClient(server.port)
    await busyClient(server.port)
    const refused = await RawClient.connect(server.port)
    refused.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
    const { status, fields } = await refused.response()
    expect([status, fields.get('retry-after'), fields.get('connection')]).toEqual([503, '1', 'close'])
    refused.socket.end()
    await refused.rest()
    busy.socket.destroy()
    await once(busy.socket, 'close')
    while ((await fetchRaw(server, '/a.txt')).status !== 200) await new Promise((resolve) => setImmediate(resolve))
  })

  it('continues to serve among a thousand idle connections', async () => {
    const server = await serve()
    const clients = await Promise.all(Array.from({ length: 1_000 }, () => RawClient.connect(server.port)))
    expect((await fetchRaw(server, '/a.txt')).status).toBe(200)
    for (const client of clients) client.socket.destroy()
  })
})

describe('close', () => {
  it('ends idle connections at once and accepts no more', async () => {
    const server = await serve()
    const idle = await RawClient.connect(server.port)
    idle.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
    await idle.response()
    await server.close()
    expect(await idle.rest()).toBe('')
    const refused = connect(server.port, '127.0.0.1')
    const [error] = await once(refused, 'error')
    expect(error).toMatchObject({ code: 'ECONNREFUSED' })
  })

  it.each([
    ['nothing yet', ''],
    ['part of a head', 'GET /a.txt HTTP/1.1\r\nHost:'],
    ['a response and part of the next head', 'GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\nGET /'],
  ])('does not wait for a client that has sent %s', async (_, octets) => {
    const server = await serve({ closeGraceMs: 600_000, lingerTimeoutMs: 50 })
    const client = await RawClient.connect(server.port)
    client.send(octets)
    // Answered after the server has read from the first client.
    await fetchRaw(server, '/a.txt')
    await server.close()
    expect(new Set(log.map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('lets a running response finish', async () => {
    const server = await serve({ closeGraceMs: 60_000 })
    const client = await busyClient(server.port)
    const closed = server.close()
    client.socket.resume()
    expect((await client.response()).body.length).toBe(100_000_000)
    // Its client would have kept the connection; the server ends it after the response.
    expect(await client.rest()).toBe('')
    client.socket.end()
    await closed
  })

  it('aborts and logs a response that does not finish in time', async () => {
    const server = await serve({ closeGraceMs: 50 })
    const client = await busyClient(server.port)
    await server.close()
    expect(log.map(({ status, bodyBytes }) => [status, bodyBytes < 100_000_000])).toEqual([[200, true]])
    client.socket.resume()
    await expect(client.response()).rejects.toThrow('the connection ended')
  })

  it('may be called twice', async () => {
    const server = await serve()
    await Promise.all([server.close(), server.close()])
  })
})

describe('a local failure', () => {
  it('is reported and answered by 500, and the next request is served', async () => {
    const errors: unknown[] = []
    let isBroken = true
    const broken = new Error('disk')
    const server = await startServer({
      directory: root,
      onError: (error) => errors.push(error),
      // The table represents anything that fails inside the look-up.
      mediaTypes: {
        get: (extension: string) => {
          if (isBroken && extension === 'txt') throw broken
          return undefined
        },
      } as ReadonlyMap<string, string>,
    })
    expect((await fetchRaw(server, '/a.txt')).status).toBe(500)
    expect(errors).toEqual([broken])
    isBroken = false
    expect((await fetchRaw(server, '/a.txt')).status).toBe(200)
  })

  it('is 404 for a deleted directory', async () => {
    const directory = join(root, 'gone')
    mkdirSync(directory)
    const server = await startServer({ directory })
    rmdirSync(directory)
    expect((await fetchRaw(server, '/a.txt')).status).toBe(404)
    expect((await fetchRaw(server, '/')).status).toBe(404)
  })
})
