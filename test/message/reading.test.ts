/** Reading from streams: the head is awaited, the body waits for its reader, and messages follow each other. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { HttpParser, type HttpRequest, HttpResponse, type ReceivedBody } from '../../src/message/index.ts'
import { collect, everyKindOfSource, toOctets, tracked } from './octets.ts'

const parser = new HttpParser({ preset: 'strict' })
const HEAD = 'POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n'
const GET = 'GET /get HTTP/1.1\r\nHost: a\r\n\r\n'
const CHUNKED = 'POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n'
const all = async <T>(source: AsyncIterable<T>, take: (item: T) => Promise<string>): Promise<string[]> => {
  const seen: string[] = []
  for await (const item of source) seen.push(await take(item))
  return seen
}
const firstOf = async <T>(source: AsyncIterable<T>): Promise<T | undefined> => {
  for await (const item of source) return item
  return undefined
}
const whole = async (request: HttpRequest<'stream'>): Promise<string> =>
  `${request.method} ${request.target} ${(await request.body?.text()) ?? '-'}`
const answer = async (response: HttpResponse<'stream'>): Promise<string> =>
  `${response.status} ${(await response.body?.text()) ?? '-'}`

describe('readRequest()', () => {
  it.each(everyKindOfSource(`${HEAD}helloworld`))('reads from %s', async (_kind, source) => {
    const request = await parser.readRequest(source())
    expect(await whole(request)).toBe('POST /p helloworld')
  })

  it('returns at the end of the head, and reads no more of the body than requested', async () => {
    const source = tracked([HEAD, 'hello', 'world', 'never'])
    const request = await parser.readRequest(source)
    expect(request.method).toBe('POST')
    expect(source.pulls).toBe(1)
    const body = request.body![Symbol.asyncIterator]()
    expect(await collect([(await body.next()).value as Uint8Array])).toBe('hello')
    expect(source.pulls).toBe(2)
    expect(await collect([(await body.next()).value as Uint8Array])).toBe('world')
    expect((await body.next()).done).toBe(true)
    expect(source.pulls).toBe(3)
  })

  it('accepts a head that arrives byte by byte and a body in the same piece', async () => {
    expect(await whole(await parser.readRequest(tracked(Array.from(`${HEAD}helloworld`))))).toBe('POST /p helloworld')
    expect(await whole(await parser.readRequest(tracked([`${HEAD}hello`, 'world'])))).toBe('POST /p helloworld')
  })

  it('reads a large body piece by piece', async () => {
    const pieces = 256
    const piece = new Uint8Array(64 * 1024).fill(0x61)
    const head = `POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: ${pieces * piece.length}\r\n\r\n`
    const source = tracked([head, ...Array.from({ length: pieces }, () => piece)])
    const request = await parser.readRequest(source)
    let received = 0
    let ahead = 0
    for await (const bytes of request.body!) {
      received += bytes.length
      ahead = Math.max(ahead, (source.pulls - 1) * piece.length - received)
    }
    expect(received).toBe(pieces * piece.length)
    expect(ahead).toBeLessThanOrEqual(2 * piece.length)
  })

  it('has trailers once the body has been read', async () => {
    const request = await parser.readRequest(tracked(Array.from(CHUNKED)))
    expect(await request.body!.text()).toBe('hello')
    expect((await request.body!.trailers).get('x')).toBe('y')
    expect(request.headers.has('x')).toBe(false)
  })

  it.each<[string, (request: HttpRequest<'stream'>) => Promise<unknown>]>([
    ['written to another peer', (request) => collect(request.encode())],
    ['read by eagerly()', (request) => request.eagerly()],
    ['read from a changed copy', (request) => request.withHeader('Y', 'z').body!.text()],
    [
      'read to its end, although a second reader was refused',
      async ({ body }) => {
        const pieces = body![Symbol.asyncIterator]()
        await pieces.next()
        await expect(body!.text()).rejects.toMatchObject({ code: 'body-used' })
        await expect(firstOf(body!)).rejects.toMatchObject({ code: 'body-used' })
        while (!(await pieces.next()).done);
      },
    ],
  ])('has trailers once the body has been %s', async (_how, read) => {
    const request = await parser.readRequest(tracked(Array.from(CHUNKED)))
    await read(request)
    expect((await request.body!.trailers).get('x')).toBe('y')
  })

  it.each<[string, (body: ReceivedBody) => Promise<unknown>]>([
    ['a loop is left', (body) => firstOf(body)],
    ['a loop over its chunks is left', (body) => firstOf(body.chunks())],
    ['a loop over its bytes as sent is left', (body) => firstOf(body.encoded())],
    ['a loop over its decoded bytes is left', (body) => firstOf(body.decoded())],
    ['its stream is cancelled', (body) => body.stream().cancel()],
  ])('has no trailers after %s before the end', async (_how, read) => {
    const { body } = await parser.readRequest(tracked(Array.from(CHUNKED)))
    await read(body!)
    await expect(body!.trailers).rejects.toMatchObject({ code: 'body-used' })
  })

  it.each([
    ['no byte', ''],
    ['half a head', HEAD.slice(0, 20)],
    ['a head without its empty line', HEAD.slice(0, -2)],
  ])('fails if the source ends after %s', async (_what, text) => {
    await expect(parser.readRequest(tracked([text]))).rejects.toMatchObject({ code: 'INCOMPLETE' })
  })

  it('returns the head, and fails in the body, if the source ends in the body', async () => {
    for (const text of [`${HEAD}hello`, CHUNKED.slice(0, -2), CHUNKED.slice(0, CHUNKED.indexOf('hello') + 2)]) {
      const request = await parser.readRequest(tracked([text]))
      expect(request.method).toBe('POST')
      await expect(request.body?.bytes()).rejects.toMatchObject({ code: 'INCOMPLETE' })
    }
  })

  it('fails for a bad head, and releases the source', async () => {
    const source = tracked(['GET / HTTP/1.1\r\nBroken\r\n', '\r\n', 'more'])
    await expect(parser.readRequest(source)).rejects.toMatchObject({ code: 'HEADER_COLON', line: 2 })
    expect(source.closed).toBe(true)
  })

  it('passes on what goes wrong in the source', async () => {
    await expect(parser.readRequest(tracked(['GET', new Error('cable cut')]))).rejects.toThrow('cable cut')
    const request = await parser.readRequest(tracked([HEAD, 'hello', new Error('cable cut')]))
    await expect(request.body?.bytes()).rejects.toThrow('cable cut')
  })

  it('allows only one reader of its body', async () => {
    const request = await parser.readRequest(tracked([`${HEAD}helloworld`]))
    expect(await request.body?.text()).toBe('helloworld')
    await expect(request.body?.text()).rejects.toThrow()
  })

  it('releases the source when its reader stops', async () => {
    const source = tracked([HEAD, 'hello', 'world'])
    const request = await parser.readRequest(source)
    for await (const _bytes of request.body!) break
    expect(source.closed).toBe(true)
  })

  it('is written back as it was read', async () => {
    const request = await parser.readRequest(tracked(Array.from(CHUNKED)))
    const octets = await collect(request.encode())
    expect(octets.startsWith(CHUNKED.slice(0, CHUNKED.indexOf('\r\n\r\n')))).toBe(true)
    expect(await whole(await parser.readRequest(toOctets(octets)))).toBe('POST /c hello')
  })

  it('repairs a start line in a stream, too, when lenient', async () => {
    const request = await new HttpParser().readRequest(tracked(['GET http://one', '.test/p\n', '\n']))
    expect(request.headers.get('host')).toBe('one.test')
    expect(request.repairs.map(({ code }) => code)).toContain('missing-host')
  })
})

describe('requests()', () => {
  const stream = `${HEAD}helloworld${GET}${CHUNKED}${GET}`

  it.each([
    ['in one piece', [stream]],
    ['byte by byte', Array.from(stream)],
    ['in pieces of 7', stream.match(/.{1,7}/gs)!],
  ])('reads the messages of a connection %s', async (_how, pieces) => {
    expect(await all(parser.requests(tracked(pieces)), whole)).toEqual([
      'POST /p helloworld',
      'GET /get -',
      'POST /c hello',
      'GET /get -',
    ])
  })

  it('drains a body that was not read to its end', async () => {
    const targets: string[] = []
    for await (const request of parser.requests(tracked(Array.from(stream)))) {
      targets.push(request.target)
      if (request.body) for await (const _bytes of request.body) break
    }
    expect(targets).toEqual(['/p', '/get', '/c', '/get'])
    expect(await all(parser.requests(tracked([stream])), async ({ target }) => target)).toEqual(targets)
  })

  it('does not read the next message before it is requested', async () => {
    const source = tracked([GET, GET, GET])
    const requests = parser.requests(source)[Symbol.asyncIterator]()
    await requests.next()
    expect(source.pulls).toBe(1)
    await requests.next()
    expect(source.pulls).toBe(2)
    await requests.return?.(undefined)
    expect(source.closed).toBe(true)
  })

  it('never reads the next message as part of the previous body', async () => {
    const requests = parser.requests(tracked([HEAD, 'hello', `world${HEAD}HELLO`, 'WORLD']))[Symbol.asyncIterator]()
    const first = (await requests.next()).value as HttpRequest<'stream'>
    const second = (await requests.next()).value as HttpRequest<'stream'>
    const late = await first.body!.text().catch(() => 'refused')
    expect(late).not.toMatch(/HELLO|WORLD/)
    expect(await second.body?.text()).toBe('HELLOWORLD')
  })

  it('yields no message for an empty source', async () => {
    expect(await all(parser.requests(tracked([])), whole)).toEqual([])
  })

  it('yields the valid messages before it fails for an invalid one', async () => {
    const seen: string[] = []
    const read = async (): Promise<void> => {
      for await (const request of parser.requests(tracked([GET, 'GET /\r\n\r\n']))) seen.push(request.target)
    }
    await expect(read()).rejects.toMatchObject({ name: 'HttpParseError' })
    expect(seen).toEqual(['/get'])
  })

  it('fails if the connection ends inside a message', async () => {
    await expect(all(parser.requests(tracked([GET, GET.slice(0, -3)])), whole)).rejects.toMatchObject({
      code: 'INCOMPLETE',
    })
  })
})

describe('responses()', () => {
  const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'

  it('knows which responses have no body', async () => {
    const stream = [
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n',
      OK,
      'HTTP/1.1 204 No Content\r\n\r\n',
      'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
      'HTTP/1.1 404 Not Found\r\n\r\nuntil close',
    ].join('')
    const methods = ['HEAD', 'GET', 'DELETE', 'GET', 'POST', 'GET']
    for (const pieces of [[stream], Array.from(stream)]) {
      expect(await all(parser.responses(tracked(pieces), methods), answer)).toEqual([
        '200 -',
        '200 hi',
        '204 -',
        '304 -',
        '200 hi',
        '404 until close',
      ])
    }
  })

  it('does not take an interim response for the final one', async () => {
    const stream = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n${OK}`
    const answers = await all(parser.responses(tracked([stream]), ['HEAD', 'GET']), answer)
    expect(answers.filter((line) => !line.startsWith('1'))).toEqual(['200 -', '200 hi'])
  })
})

describe('readResponse()', () => {
  it('skips interim responses', async () => {
    const text = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'
    expect(await answer(await parser.readResponse(tracked(Array.from(text))))).toBe('200 hi')
    expect(parser.parseResponse(text).eagerly().content?.text()).toBe('hi')
  })

  it('reads until the connection ends', async () => {
    const response = await parser.readResponse(tracked(['HTTP/1.1 200 OK\r\n', '\r\n', 'hel', 'lo']))
    expect(response.body?.framing).toEqual({ type: 'close' })
    expect(response.keepAlive).toBe(false)
    expect(await response.body?.text()).toBe('hello')
  })

  it('respects the method of its request', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'
    expect((await parser.readResponse(tracked([head]), { method: 'HEAD' })).body).toBeUndefined()
    await expect((await parser.readResponse(tracked([head]))).body?.bytes()).rejects.toMatchObject({
      code: 'INCOMPLETE',
    })
  })
})

describe('a socket as the source', () => {
  it('stays open for the response after its request, even if the other side has closed', async () => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      void (async () => {
        const request = await new HttpParser().readRequest(socket)
        const body = await request.body?.text()
        socket.end(new HttpResponse({ status: 200 }).withBody(`got ${body}`).eagerly().bytes)
      })()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.end('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi')
    const response = await new HttpParser().readResponse(client)
    expect(await response.body?.text()).toBe('got hi')
    expect(client.destroyed).toBe(false)
    client.destroy()
    server.close()
  })

  it('that is only readable is released', async () => {
    const source = Readable.from([toOctets('GET / HTTP/1.1\r\nHost: a\r\n\r\nrest')])
    await new HttpParser({ preset: 'strict' }).readRequest(source)
    expect(source.destroyed).toBe(true)
  })
})
