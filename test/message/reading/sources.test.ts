/** A connection outlives the one message that is read from it: nothing that comes after the message is lost. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { HttpParseError, HttpParser, type HttpRequest, OctetSource, octetsOf } from '../../../src/message/index.ts'
import { toText } from '../octets.ts'

const parser = new HttpParser({ preset: 'server' })
const post = (path: string, content: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${content.length}\r\n\r\n${content}`
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A server's side of a connection, after its client has written these bytes and, with `ends`, has ended. */
async function accepted(octets: string, ends = true): Promise<Socket> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  if (ends) client.end(octetsOf(octets))
  else client.write(octetsOf(octets))
  const [socket] = (await once(server, 'connection')) as [Socket]
  closing.push(() => {
    client.destroy()
    socket.destroy()
    server.close()
  })
  return socket
}

function duplex(octets: string, ends = true): PassThrough {
  const stream = new PassThrough()
  stream.write(octetsOf(octets))
  return ends ? stream.end() : stream
}

async function* piecesOf(octets: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < octets.length; at += size) yield octetsOf(octets.slice(at, at + size))
}

type Source = Socket | OctetSource | PassThrough

const sources: readonly (readonly [string, (octets: string, ends?: boolean) => Source | Promise<Source>])[] = [
  ['a socket', accepted],
  ['a duplex stream', duplex],
  ['a generator', (octets) => new OctetSource(piecesOf(octets, 7))],
  ['one piece', (octets) => new OctetSource([octetsOf(octets)])],
  ['octets', (octets) => new OctetSource(octetsOf(octets))],
  ['a web stream', (octets) => new OctetSource(new Blob([octets]).stream())],
]

describe.each(sources)('%s', (_name, open) => {
  it('returns two messages for two consecutive reads', async () => {
    const source = await open(post('/1', 'one') + post('/2', 'two') + get('/3'))
    const first = await parser.readRequest(source)
    expect(await first.body?.text()).toBe('one')
    const second = await parser.readRequest(source)
    expect([second.target, await second.body?.text()]).toEqual(['/2', 'two'])
    expect((await parser.readRequest(source)).target).toBe('/3')
    await expect(parser.readRequest(source)).rejects.toMatchObject({ code: 'INCOMPLETE' })
  })

  it('skips an unread body', async () => {
    const source = await open(post('/1', 'one') + post('/2', get('/hidden')) + get('/3'))
    const first = await parser.readRequest(source)
    expect((await parser.readRequest(source)).target).toBe('/2')
    expect((await parser.readRequest(source)).target).toBe('/3')
    await expect(first.body?.text()).rejects.toMatchObject({ code: 'body-used' })
  })

  it('continues where requests() stopped', async () => {
    const source = await open(post('/1', get('/hidden')) + get('/2') + get('/3'))
    const targets: string[] = []
    let left: HttpRequest<'stream'> | undefined
    for await (const request of parser.requests(source)) {
      left = request
      targets.push(request.target)
      break
    }
    expect(await left?.body?.text()).toBe(get('/hidden'))
    for await (const request of parser.requests(source)) targets.push(request.target)
    expect(targets).toEqual(['/1', '/2', '/3'])
  })

  it('continues after requests() stopped with an unread body', async () => {
    const source = await open(post('/1', get('/hidden')) + get('/2'))
    const targets: string[] = []
    for (let i = 0; i < 2; i++) {
      for await (const request of parser.requests(source)) {
        targets.push(request.target)
        break
      }
    }
    expect(targets).toEqual(['/1', '/2'])
  })

  it('keeps the bytes after an Upgrade request, and after a 101', async () => {
    const upgrade = 'GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    const requests = await open(`${upgrade}frames`, false)
    expect((await parser.readRequest(requests)).upgrade).toEqual(['websocket'])
    expect(await firstOf(requests, 6)).toBe('frames')
    const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'
    const responses = await open(`${head}frames`, false)
    expect((await new HttpParser().readResponse(responses)).status).toBe(101)
    expect(await firstOf(responses, 6)).toBe('frames')
  })

  it('keeps the bytes after a CONNECT that requests() has returned', async () => {
    const source = await open('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\ntunnelled', false)
    const methods: string[] = []
    for await (const request of parser.requests(source)) methods.push(request.method)
    expect(methods).toEqual(['CONNECT'])
    expect(await firstOf(source, 9)).toBe('tunnelled')
  })

  it('returns nothing after a message that ends the connection or is invalid', async () => {
    const last = await open(`${get('/1').replace('Host', 'Connection: close\r\nHost')}${get('/2')}`)
    expect((await parser.readRequest(last)).target).toBe('/1')
    await expect(parser.readRequest(last)).rejects.toMatchObject({ code: 'INCOMPLETE' })
    const wrong = await open(`GET /a b HTTP/1.1\r\n\r\n${get('/2')}`)
    for (let i = 0; i < 2; i++) await expect(parser.readRequest(wrong)).rejects.toBeInstanceOf(HttpParseError)
  })
})

it('bytes and lists of bytes can be read again from the start', async () => {
  for (const source of [octetsOf(get('/1')), [octetsOf(get('/1'))]]) {
    expect((await parser.readRequest(source)).target).toBe('/1')
    expect((await parser.readRequest(source)).target).toBe('/1')
  }
})

/** The given number of bytes, which may come in pieces. */
async function firstOf(source: AsyncIterable<Uint8Array>, lengthBytes: number): Promise<string> {
  let text = ''
  for await (const octets of source) {
    text += toText(octets)
    if (text.length >= lengthBytes) break
  }
  return text
}
