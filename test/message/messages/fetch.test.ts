/** Conversion to and from the fetch API: explicit, with documented losses. */
import { describe, expect, it } from 'vitest'
import { ChunkedBody, HttpRequest, HttpResponse, parseRequest, parseResponse } from '../../../src/message/index.ts'
import { collect, toOctets, tracked } from '../octets.ts'

/** Only the response of `fetch()` has a URL. */
function received(response: Response): Response {
  return Object.defineProperty(response, 'url', { value: 'http://a/' })
}

describe('HttpRequest.toFetch()', () => {
  it('keeps method, URL, fields and body', async () => {
    const fetched = parseRequest(
      'POST http://one.test:81/p?q\r\nX-B: 1\r\nx-b: 2\r\nContent-Type: text/plain\r\n\r\nhello',
    ).toFetch()
    expect(fetched).toBeInstanceOf(Request)
    expect(fetched.method).toBe('POST')
    expect(fetched.url).toBe('http://one.test:81/p?q')
    expect(fetched.headers.get('x-b')).toBe('1, 2')
    expect(fetched.headers.get('content-type')).toBe('text/plain')
    expect(await fetched.text()).toBe('hello')
  })

  it('builds the URL of an origin-form target from Host', () => {
    expect(parseRequest('GET /p HTTP/1.1\r\nHost: one.test:81\r\n\r\n').toFetch().url).toBe('http://one.test:81/p')
  })

  it('streams a body that is read on demand', async () => {
    const source = tracked(['hel', 'lo'])
    const fetched = parseRequest('PUT http://a/').withBody(new ChunkedBody(source)).toFetch()
    expect(await fetched.text()).toBe('hello')
    expect(source.closed).toBe(true)
  })

  it('drops extensions and trailers of a chunked body', async () => {
    const fetched = parseRequest(
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n',
    ).toFetch()
    expect(await fetched.text()).toBe('hello')
    expect(fetched.headers.has('x')).toBe(false)
  })

  it.each([
    'Connection: TE\nTE: trailers',
    'Keep-Alive: timeout=5',
    'Expect: 100-continue',
    'Connection: Upgrade\nUpgrade: h2c',
  ])('drops %j, which fetch() does not send', (fields) => {
    const fetched = parseRequest(`POST http://a/ HTTP/1.1\n${fields}\nX: y\nContent-Length: 2\n\nhi`).toFetch()
    expect([...fetched.headers.keys()]).toEqual(['content-length', 'host', 'x'])
  })

  it.each([
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'],
    ['TRACE', 'TRACE / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['GET with a body', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx'],
    ['HEAD with a body', 'HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx'],
  ])('is a TypeError for %s', (_what, text) => {
    expect(() => parseRequest(text).toFetch()).toThrow(TypeError)
  })
})

describe('HttpRequest.fromFetch()', () => {
  it('accepts fields named like members of Object.prototype', () => {
    const headers = new Headers([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
    const request = HttpRequest.fromFetch(new Request('http://a/', { headers }))
    expect([request.headers.get('__proto__'), request.headers.get('constructor')]).toEqual(['a', 'b'])
  })

  it('sets Host from the URL', async () => {
    const request = HttpRequest.fromFetch(new Request('http://one.test:81/p?q', { headers: { X: 'y' } }))
    expect(request).toMatchObject({ method: 'GET', version: 'HTTP/1.1' })
    expect(request.headers.get('host')).toBe('one.test:81')
    expect(await collect(request.encode())).toBe('GET /p?q HTTP/1.1\r\nHost: one.test:81\r\nx: y\r\n\r\n')
  })

  it('percent-encodes what fetch sends although RFC 3986 forbids it', () => {
    const request = HttpRequest.fromFetch(new Request('http://a/[b]%?c={d|e}&f=%zz%20#g'))
    expect(request.target).toBe('http://a/%5Bb%5D%25?c=%7Bd%7Ce%7D&f=%25zz%20')
  })

  it('writes a body of unknown length in chunks', async () => {
    const request = HttpRequest.fromFetch(new Request('http://a/', { method: 'POST', body: 'hello' }))
    expect(request.headers.get('transfer-encoding')).toBe('chunked')
    expect(request.headers.has('content-length')).toBe(false)
    const eager = await request.eagerly()
    expect(eager.content?.text()).toBe('hello')
    expect(await collect([eager.bytes])).toMatch(/\r\n\r\n5\r\nhello\r\n0\r\n\r\n$/)
  })

  it('keeps a known Content-Length', async () => {
    const request = HttpRequest.fromFetch(
      new Request('http://a/', { method: 'POST', body: 'hello', headers: { 'Content-Length': '5' } }),
    )
    expect(request.headers.get('content-length')).toBe('5')
    expect(request.headers.has('transfer-encoding')).toBe(false)
    expect(await collect(request.encode())).toMatch(/\r\n\r\nhello$/)
  })

  it.each(['', '-1', '0x5', '5e0', '5, 5'])('writes a body in chunks if its Content-Length is %j', async (length) => {
    const request = HttpRequest.fromFetch(
      new Request('http://a/', { method: 'POST', body: 'hello', headers: { 'Content-Length': length } }),
    )
    expect((await request.eagerly()).content?.text()).toBe('hello')
    expect(request.headers.get('transfer-encoding')).toBe('chunked')
  })

  it('returns a streamed message', async () => {
    const eager = HttpRequest.fromFetch(new Request('http://a/', { method: 'POST', body: 'hello' })).eagerly()
    expect(eager).toBeInstanceOf(Promise)
    expect((await eager).method).toBe('POST')
  })

  it('comes back from toFetch() with what fetch keeps', async () => {
    const request = parseRequest('PUT http://one.test/p\r\nX: y\r\n\r\nhello')
    const back = await HttpRequest.fromFetch(request.toFetch()).eagerly()
    expect([back.method, back.url?.href, back.headers.get('x'), back.content?.text()]).toEqual([
      'PUT',
      'http://one.test/p',
      'y',
      'hello',
    ])
  })
})

describe('HttpResponse.toFetch()', () => {
  it('keeps status, reason, fields and body', async () => {
    const fetched = parseResponse(
      'HTTP/1.1 404 Nope\r\nX: y\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 5\r\n\r\nhello',
    ).toFetch()
    expect(fetched).toBeInstanceOf(Response)
    expect([fetched.status, fetched.statusText, fetched.headers.get('x')]).toEqual([404, 'Nope', 'y'])
    expect(fetched.headers.getSetCookie()).toEqual(['a', 'b'])
    expect(await fetched.text()).toBe('hello')
  })

  it.each([204, 205, 304])('has no body for %i', async (status) => {
    const fetched = parseResponse(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`).toFetch()
    expect(fetched.status).toBe(status)
    expect(await fetched.text()).toBe('')
  })

  it.each([100, 101, 103])('is a TypeError for %i', (status) => {
    expect(() => parseResponse(`HTTP/1.1 ${status} X\r\n\r\n`).toFetch()).toThrow(TypeError)
  })
})

describe('HttpResponse.fromFetch()', () => {
  it('keeps status, reason, fields and body', async () => {
    const response = HttpResponse.fromFetch(
      new Response('hello', { status: 404, statusText: 'Nope', headers: { X: 'y' } }),
    )
    expect(response).toMatchObject({ status: 404, reason: 'Nope', version: 'HTTP/1.1' })
    const eager = await response.eagerly()
    expect(eager.content?.text()).toBe('hello')
    expect(eager.headers.get('x')).toBe('y')
  })

  it.each([204, 304])('has neither body nor framing for %i', async (status) => {
    const response = HttpResponse.fromFetch(new Response(null, { status }))
    expect(response.headers.has('transfer-encoding')).toBe(false)
    expect(await collect(response.encode())).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^\\r]*\\r\\n\\r\\n$`))
  })

  it.each([200, 206, 304, 404])('keeps the Content-Length of an answer to HEAD with %i', async (status) => {
    const headers = { 'Content-Length': '5', 'Content-Encoding': 'gzip' }
    const response = HttpResponse.fromFetch(received(new Response(null, { status, headers })))
    expect(await collect(response.encode())).toMatch(/\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\n$/)
  })

  it.each([
    [204, '5'],
    [404, '5, 5'],
    [404, 'x'],
  ])('drops a Content-Length that cannot be sent: status %i, %j', (status, length) => {
    const response = HttpResponse.fromFetch(new Response(null, { status, headers: { 'Content-Length': length } }))
    expect(response.headers.get('content-length')).toBe(status === 204 ? undefined : '0')
  })

  it('drops the fields about the connection that it was received on', () => {
    const headers = { Connection: 'keep-alive, X', 'Keep-Alive': 'timeout=5', Upgrade: 'h2', X: 'y' }
    const created = new Response('hello', { headers })
    expect(HttpResponse.fromFetch(created).headers.get('connection')).toBe('keep-alive, X')
    expect(HttpResponse.fromFetch(received(created)).headers.names()).toEqual(['content-type', 'Transfer-Encoding'])
  })

  it('refuses a body that has been read, or that another reader has', async () => {
    const used = new Response('hello')
    await used.text()
    const locked = new Response('hello')
    locked.body?.getReader()
    for (const response of [used, locked]) {
      expect(() => HttpResponse.fromFetch(response)).toThrow(expect.objectContaining({ code: 'body-used' }))
    }
  })

  it('writes each piece once it is there', async () => {
    const pieces = new TransformStream<Uint8Array, Uint8Array>()
    const writer = pieces.writable.getWriter()
    const octets = HttpResponse.fromFetch(new Response(pieces.readable)).encodeBody()
    const first = octets.next()
    await writer.write(toOctets('data: 1\n\n'))
    expect(await collect([(await first).value as Uint8Array])).toBe('9\r\n')
    await octets.return(undefined)
  })

  it('comes back from toFetch() with what fetch keeps', async () => {
    const response = parseResponse('HTTP/1.1 201 Made\r\nX: y\r\nContent-Length: 2\r\n\r\nhi')
    const back = await HttpResponse.fromFetch(response.toFetch()).eagerly()
    expect([back.status, back.reason, back.headers.get('x'), back.content?.text()]).toEqual([201, 'Made', 'y', 'hi'])
  })
})

describe('a response without a phrase', () => {
  it('has the registered one: fetch gives none for responses over HTTP/2', () => {
    expect(HttpResponse.fromFetch(new Response(null, { status: 404 })).reason).toBe('Not Found')
  })
})
