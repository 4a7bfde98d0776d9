/** Every preset reads the messages that the library writes: its own parser refuses none of them. */
import { describe, expect, it } from 'vitest'
import {
  BytesBody,
  ChunkedBody,
  type ChunkedBodyOptions,
  HeaderList,
  HttpBuildError,
  HttpParseError,
  HttpParser,
  HttpRequest,
  HttpResponse,
  octetsOf,
  parseRequest,
  parseResponse,
} from '../../../src/message/index.ts'
import { collect } from '../octets.ts'

const url = 'http://a.test/'

function caught(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  return undefined
}

describe('a field value', () => {
  it.each(['\x00', '\x01', '\x08', '\n', '\x0b', '\r', '\x1f', '\x7f', 'Ā'])('with %j is refused', (character) => {
    const error = caught(() => HeaderList.of({ X: `a${character}b` }))
    expect(error).toBeInstanceOf(HttpBuildError)
    expect(error).toMatchObject({ code: 'HEADER_VALUE', where: { line: 1, column: 2 } })
  })

  it.each(['\t', ' ', '\x80', '\xff', '"'])('with %j is accepted', (character) => {
    expect(HeaderList.of({ X: `a${character}b` }).get('x')).toBe(`a${character}b`)
  })

  it('with a control character from a server is shown as received and written with a space', async () => {
    const text = 'HTTP/1.1 200 OK\r\nX: a\x01b\x7f\r\nContent-Length: 0\r\n\r\n'
    const response = parseResponse(text)
    expect(response.headers.get('x')).toBe('a\x01b\x7f')
    const written = await collect(response.encode())
    expect(written).toBe('HTTP/1.1 200 OK\r\nX: a b\r\nContent-Length: 0\r\n\r\n')
    expect(parseResponse(written, { preset: 'strict' }).headers.get('x')).toBe('a b')
    expect(response.eagerly().headers.get('x')).toBe('a\x01b\x7f')
  })
})

describe('trailers', () => {
  const put = (options: ChunkedBodyOptions) =>
    new HttpRequest({ method: 'PUT', url, body: new ChunkedBody([octetsOf('x')], undefined, 5, options) })

  it.each([
    'Content-Length',
    'transfer-encoding',
    'Host',
    'Trailer',
    'Connection',
    'Content-Type',
    'Content-Encoding',
    'Authorization',
    'Set-Cookie',
    'Cache-Control',
    'Range',
  ])('cannot have %s', async (name) => {
    for (const trailers of [{ [name]: '1' }, () => ({ [name]: '1' })]) {
      const error = await collect(put({ trailers }).encode()).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(HttpBuildError)
      expect(error).toMatchObject({ code: 'TRAILER', message: expect.stringContaining(name) })
    }
  })

  it('that were received and affect framing are not written again', async () => {
    const text =
      'PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0;e=1\r\nContent-Length: 5\r\nX: y\r\n\r\n'
    const request = parseRequest(text, { preset: 'server' })
    expect(request.eagerly().content?.trailers.names()).toEqual(['Content-Length', 'X'])
    expect(await collect(request.encode())).toMatch(/\r\n0;e=1\r\nX: y\r\n\r\n$/)
  })
})

describe('extensions of the last chunk', () => {
  const text =
    'PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;a=1\r\nx\r\n0;last="a;b";c\r\nX: y\r\n\r\n'

  it('survive in memory, as a stream, in a copy and after another head', async () => {
    const parser = new HttpParser({ preset: 'server' })
    const read = () => parser.readRequest([octetsOf(text)])
    expect(await collect(parser.parseRequest(text).encode())).toBe(text)
    expect(await collect((await read()).encode())).toBe(text)
    expect(await collect((await (await read()).eagerly()).encode())).toBe(text)
    expect(new TextDecoder().decode(parser.parseRequest(text).eagerly().bytes)).toBe(text)
    expect(await collect((await read()).withHeader('X', '1').encodeBody())).toContain('\r\n0;last="a;b";c\r\n')
    expect(parser.parseRequest(text).eagerly().content?.lastChunkExtensions).toBe('last="a;b";c')
  })

  it('survive without data and without trailers', async () => {
    const empty = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0;last\r\n\r\n'
    expect(await collect(parseResponse(empty).encode())).toBe(empty)
    expect(await collect(parseResponse(empty).eagerly().encode())).toBe(empty)
  })
})

describe('framing fields', () => {
  it.each([
    { 'Transfer-Encoding': ',chunked' },
    { 'Transfer-Encoding': 'chunked,' },
    { 'Transfer-Encoding': 'chunked;q=1' },
    { 'Transfer-Encoding': 'chunked, chunked' },
    { 'Transfer-Encoding': ['chunked', 'chunked'] },
    { 'Content-Length': '1,' },
    { 'Content-Length': '+1' },
    { 'Content-Length': '1, 1' },
    { 'Content-Length': ['1', '1'] },
    { 'Content-Length': '1', 'Transfer-Encoding': 'chunked' },
  ])('that the parser refuses cannot be set: %j', (headers) => {
    const request = parseRequest('PUT / HTTP/1.1\r\nHost: a\r\n\r\n').withBody('x')
    const response = new HttpResponse({ status: 200, body: 'x' })
    const set = (list: HeaderList): HeaderList => list.without('content-length', 'transfer-encoding').merge(headers)
    for (const action of [
      () => request.withHeaders(set),
      () => response.withHeaders(set),
      () => new HttpResponse({ status: 200, headers }),
      () => new HttpResponse({ status: 304, headers }),
    ]) {
      expect(caught(action)).toBeInstanceOf(HttpBuildError)
    }
  })

  it.each([
    { status: 204, headers: { 'Content-Length': '0' } },
    { status: 204, headers: { 'Transfer-Encoding': 'chunked' } },
    { status: 101, headers: { 'Content-Length': '5' } },
  ])('cannot stand in a response that has no content: %j (RFC 9110 section 8.6, RFC 9112 section 6.1)', (init) => {
    expect(caught(() => new HttpResponse(init))).toMatchObject({ code: 'framing' })
  })

  it('are removed with the content if the status allows none', () => {
    const response = new HttpResponse({ status: 200 })
    expect(response.withStatus(204).headers.has('content-length')).toBe(false)
    expect(response.withStatus(204).withStatus(200).headers.get('content-length')).toBe('0')
    expect(response.withStatus(304).headers.has('content-length')).toBe(false)
    expect(response.withStatus(304).withStatus(200).headers.get('content-length')).toBe('0')
  })

  it.each([
    'HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n',
    'HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n',
    'HTTP/1.1 204 No Content\r\nContent-Length: abc\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nContent-Length: 4\r\n\r\n',
  ])('of a response without content do not announce any under another status: %j', async (received) => {
    const wire = await collect(parseResponse(received).withStatus(200).encode())
    expect(wire).toBe('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  })

  it('of an answer to HEAD stay under another status', () => {
    const answer = parseResponse('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', { method: 'HEAD' })
    expect(answer.withStatus(404).headers.get('content-length')).toBe('5')
    expect(answer.withStatus(304).headers.get('content-length')).toBe('5')
  })

  it('with the codings of content that ends with its connection stay when other fields change', async () => {
    const received = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nencoded'
    const response = parseResponse(received, { preset: 'strict' })
    const wire = await collect(response.withHeader('Via', '1.1 proxy').encode())
    expect(wire).toBe('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nVia: 1.1 proxy\r\n\r\nencoded')
    const isRefused = { code: 'framing' }
    expect(caught(() => response.withHeader('Transfer-Encoding', 'deflate'))).toMatchObject(isRefused)
    expect(caught(() => response.withHeader('Content-Length', '7'))).toMatchObject(isRefused)
    expect(caught(() => response.withBody('x').withHeader('Transfer-Encoding', 'gzip'))).toMatchObject(isRefused)
  })
})

describe('a target', () => {
  it('of OPTIONS alone is refused for another method', () => {
    const options = parseRequest('OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(caught(() => options.withRequestLine({ method: 'PUT' }))).toMatchObject({ code: 'TARGET' })
    expect(options.withRequestLine({ version: 'HTTP/1.0' }).target).toBe('*')
    expect(options.withRequestLine({ method: 'GET', url: '/' }).target).toBe('/')
  })
})

describe('a body that does not match its declared length', () => {
  const body = new BytesBody(octetsOf('x'))
  const response = new HttpResponse({ status: 200 })
  it.each<[string, () => unknown]>([
    ['method', () => new HttpRequest({ method: 'A B', url })],
    ['target', () => new HttpRequest({ method: 'GET', url: 'http://a/b c' })],
    ['user in the URL', () => new HttpRequest({ method: 'GET', url: 'http://me@a/' })],
    ['version', () => new HttpRequest({ method: 'GET', url, version: 'HTTP/2' as never })],
    ['no host', () => new HttpRequest({ method: 'GET', url: '/' })],
    ['host', () => new HttpRequest({ method: 'GET', url, headers: { Host: 'a/b' } })],
    ['field name', () => response.withHeader('a b', '1')],
    ['field value', () => response.withHeader('a', '\n')],
    ['status', () => response.withStatus(1000)],
    ['reason', () => response.withStatus(200, '\n')],
    ['content of 204', () => new HttpResponse({ status: 204, body })],
    ['length', () => new HttpResponse({ status: 200, body }).withHeader('Content-Length', '5')],
  ])('is another class of error, without a response status: %s', (_name, action) => {
    const error = caught(action)
    expect(error).toBeInstanceOf(HttpBuildError)
    expect(error).not.toBeInstanceOf(HttpParseError)
    expect(error).not.toHaveProperty('status')
  })

  it('is refused, whether shorter or longer', async () => {
    for (const contentLength of [0, 2]) {
      const lying = { contentLength, open: () => body.open() }
      const written = collect(new HttpRequest({ method: 'PUT', url, body: lying }).encode())
      await expect(written).rejects.toBeInstanceOf(HttpBuildError)
    }
  })
})
