/** Bodies to send: which headers they set and remove, and how their bytes are written. */
import { describe, expect, it } from 'vitest'
import {
  BytesBody,
  ChunkedBody,
  type HeaderList,
  parseRequest,
  parseResponse,
  StringBody,
} from '../../src/message/index.ts'
import { collect, everyKindOfSource, toOctets, tracked } from './octets.ts'

const bare = parseRequest('POST http://a.test/p')
const fieldsOf = (headers: HeaderList): string[] => Array.from(headers, ([name, value]) => `${name}: ${value}`)
const withFields = (...lines: string[]) =>
  parseRequest(['POST /p HTTP/1.1', 'Host: a.test', ...lines, '', ''].join('\r\n'))

describe('StringBody', () => {
  it('has its text in UTF-8, the number of bytes and its content type', () => {
    const body = new StringBody('é€', 'text/plain')
    expect(body.contentLength).toBe(5)
    expect(body.contentType).toBe('text/plain')
    expect(body.bytes).toEqual(toOctets('\xc3\xa9\xe2\x82\xac'))
  })

  it('sets Content-Type and Content-Length in this order', () => {
    expect(fieldsOf(bare.withBody(new StringBody('é', 'text/plain')).headers)).toEqual([
      'Host: a.test',
      'Content-Type: text/plain',
      'Content-Length: 2',
    ])
  })

  it('without a content type keeps the existing one and adds none', () => {
    expect(fieldsOf(bare.withBody(new StringBody('x')).headers)).toEqual(['Host: a.test', 'Content-Length: 1'])
    expect(withFields('Content-Type: a/b').withBody(new StringBody('x')).headers.get('content-type')).toBe('a/b')
    expect(withFields('Content-Type: a/b').withBody(new StringBody('x', 'c/d')).headers.all('content-type')).toEqual([
      'c/d',
    ])
  })

  it('writes its bytes after the head', async () => {
    expect(await collect(bare.withBody(new StringBody('é')).encode())).toBe(
      'POST /p HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\n\xc3\xa9',
    )
  })

  it('may be empty, with a length of 0', async () => {
    expect(await collect(bare.withBody(new StringBody('')).encode())).toBe(
      'POST /p HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0\r\n\r\n',
    )
  })
})

describe('BytesBody', () => {
  const everyOctet = Uint8Array.from({ length: 256 }, (_, index) => index)

  it('has its bytes, their number and its content type', () => {
    const body = new BytesBody(everyOctet, 'application/octet-stream')
    expect(body.contentLength).toBe(256)
    expect(body.contentType).toBe('application/octet-stream')
    expect(body.bytes).toEqual(everyOctet)
  })

  it('is written byte for byte', async () => {
    const wire = await collect(bare.withBody(new BytesBody(everyOctet, 'a/b')).encode())
    expect(wire).toBe(
      `POST /p HTTP/1.1\r\nHost: a.test\r\nContent-Type: a/b\r\nContent-Length: 256\r\n\r\n${String.fromCharCode(...everyOctet)}`,
    )
  })

  it('sends only its own part of a larger buffer', async () => {
    const wire = await collect(bare.withBody(new BytesBody(toOctets('abcdef').subarray(2, 4))).encode())
    expect(wire).toMatch(/Content-Length: 2\r\n\r\ncd$/)
  })
})

describe('withBody()', () => {
  it('removes a stale Transfer-Encoding and replaces Content-Length in place', () => {
    const chunked = parseRequest(
      'POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    )
    const replaced = chunked.withBody(new StringBody('hello'))
    expect(replaced.headers.has('transfer-encoding')).toBe(false)
    expect(replaced.headers.get('content-length')).toBe('5')
    const counted = parseRequest('POST /p HTTP/1.1\r\ncontent-length: 1\r\nHost: a\r\n\r\nx')
    expect(
      counted
        .withBody('hello')
        .headers.names()
        .map((name) => name.toLowerCase()),
    ).toEqual(['content-length', 'host'])
    expect(counted.withBody('hello').headers.get('content-length')).toBe('5')
  })

  it.each([
    ['a string', 'é', '\xc3\xa9'],
    ['bytes', toOctets('\xff'), '\xff'],
  ])('takes %s', async (_kind, body, octets) => {
    const wire = await collect(bare.withBody(body).encode())
    expect(wire).toBe(`POST /p HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${octets.length}\r\n\r\n${octets}`)
  })

  it('takes null for no body', async () => {
    const request = parseRequest('POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX: y\r\n\r\nhello').withBody(null)
    expect(request.body).toBeUndefined()
    expect(request.headers.has('transfer-encoding')).toBe(false)
    expect(await collect(request.encode())).toMatch(
      /^POST \/p HTTP\/1\.1\r\nHost: a\r\n(Content-Length: 0\r\n)?X: y\r\n\r\n$/,
    )
  })

  it('works for a response', async () => {
    const response = parseResponse('HTTP/1.1 200 OK\r\n\r\n').withBody(new StringBody('hi', 'text/plain'))
    expect(await collect(response.encode())).toBe(
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi',
    )
  })

  it('returns a message whose body can be read again', async () => {
    const request = bare.withBody(new StringBody('{"a":1}'))
    expect(await request.body?.json()).toEqual({ a: 1 })
    expect(request.eagerly().content?.text()).toBe('{"a":1}')
  })
})

describe('ChunkedBody', () => {
  const head = 'POST /p HTTP/1.1\r\nHost: a.test\r\n'
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`

  it('sets Transfer-Encoding, and Content-Type if it has one, and removes Content-Length', () => {
    const request = withFields('Content-Length: 0').withBody(new ChunkedBody(toOctets('x'), 'a/b'))
    expect(request.headers.get('transfer-encoding')).toBe('chunked')
    expect(request.headers.get('content-type')).toBe('a/b')
    expect(request.headers.has('content-length')).toBe(false)
    expect(bare.withBody(new ChunkedBody(toOctets('x'))).headers.has('content-type')).toBe(false)
  })

  it.each([
    [4, ['abc', 'def', 'ghij'], '4\r\nabcd\r\n4\r\nefgh\r\n2\r\nij\r\n0\r\n\r\n'],
    [5, ['abcde', 'fghij'], '5\r\nabcde\r\n5\r\nfghij\r\n0\r\n\r\n'],
    [1, ['abc'], '1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n'],
    [16, ['', 'abc', '', 'defghijklmnopqrs'], '10\r\nabcdefghijklmnop\r\n3\r\nqrs\r\n0\r\n\r\n'],
    [3, [], '0\r\n\r\n'],
    [3, ['', ''], '0\r\n\r\n'],
  ])('writes chunks of %i bytes from the pieces %j', async (size, pieces, expected) => {
    const body = new ChunkedBody(tracked(pieces), undefined, size)
    expect(body.chunkSize).toBe(size)
    expect(await collect(bare.withBody(body).encode())).toBe(chunked + expected)
  })

  it.each(everyKindOfSource('hello world'))('reads %s', async (_kind, source) => {
    const wire = await collect(bare.withBody(new ChunkedBody(source(), undefined, 8)).encode())
    expect(wire).toBe(`${chunked}8\r\nhello wo\r\n3\r\nrld\r\n0\r\n\r\n`)
  })

  it('writes sizes in hexadecimal', async () => {
    const wire = await collect(bare.withBody(new ChunkedBody(new Uint8Array(0xabc), undefined, 0xabc)).encode())
    expect(wire.slice(chunked.length)).toMatch(/^abc\r\n\0+\r\n0\r\n\r\n$/i)
  })

  it('reads its source only when the body is read, and no more than needed', async () => {
    const source = tracked(Array.from({ length: 100 }, () => 'abcd'))
    const request = bare.withBody(new ChunkedBody(source, 'text/plain', 4))
    const octets = request.encode()[Symbol.asyncIterator]()
    expect(source.pulls).toBe(0)
    let wire = ''
    while (!wire.includes('abcd')) {
      const next = await octets.next(undefined)
      wire += await collect([next.value as Uint8Array])
    }
    expect(source.pulls).toBeLessThan(5)
    await octets.return?.(undefined)
    expect(source.closed).toBe(true)
  })

  it('passes on errors of its source', async () => {
    const source = tracked(['abc', new Error('disk gone')])
    await expect(collect(bare.withBody(new ChunkedBody(source, undefined, 2)).encode())).rejects.toThrow('disk gone')
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses a chunk size of %d', (size) => {
    expect(() => new ChunkedBody(toOctets('x'), undefined, size)).toThrow()
  })

  it('writes each piece of its source once it is there, without a chunk size', async () => {
    const source = tracked(['abc', '', 'd'.repeat(5000), 'e'])
    const body = new ChunkedBody(source)
    expect(body.chunkSize).toBe(4096)
    const octets = bare.withBody(body).encodeBody()
    let first = ''
    while (!first.endsWith('abc')) first += await collect([(await octets.next()).value as Uint8Array])
    expect([first, source.pulls]).toEqual(['3\r\nabc', 1])
    expect(await collect(octets)).toBe(
      `\r\n1000\r\n${'d'.repeat(4096)}\r\n388\r\n${'d'.repeat(904)}\r\n1\r\ne\r\n0\r\n\r\n`,
    )
  })

  it('read eagerly gives an equivalent message in memory', async () => {
    const eager = await bare.withBody(new ChunkedBody(tracked(['hel', 'lo']), 'text/plain', 3)).eagerly()
    expect(eager.content?.text()).toBe('hello')
    expect(await collect([eager.bytes])).toMatch(/\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n$/)
  })
})

describe('a received chunked body', () => {
  const text =
    'POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5;a="b;c"\r\nhello\r\n6\r\n world\r\n0\r\nX: y\r\nZ: 1\r\n\r\n'
  const body = () => parseRequest(text).body!

  it('is read without its framing', async () => {
    expect(await body().text()).toBe('hello world')
    expect(await body().bytes()).toEqual(toOctets('hello world'))
    expect(await collect(body())).toBe('hello world')
    expect(await collect(body().stream())).toBe('hello world')
    expect(body().framing).toEqual({ type: 'chunked' })
  })

  it('shows its chunks with their extensions', async () => {
    const seen: string[] = []
    for await (const { data, extensions } of body().chunks()) {
      if (data.length > 0) seen.push(`${await collect([data])}|${extensions.replace(/^;/, '')}`)
    }
    expect(seen).toEqual(['hello|a="b;c"', ' world|'])
    const eager = parseRequest(text).eagerly().content!
    expect(eager.chunks.filter(({ data }) => data.length > 0)).toHaveLength(2)
  })

  it('separates its trailers from the headers', async () => {
    const request = parseRequest(text)
    expect(fieldsOf(await request.body!.trailers)).toEqual(['X: y', 'Z: 1'])
    expect(fieldsOf(request.eagerly().content!.trailers)).toEqual(['X: y', 'Z: 1'])
    expect(request.headers.has('x')).toBe(false)
    expect(request.eagerly().headers.has('z')).toBe(false)
  })

  it('is written again with its extensions and trailers', async () => {
    expect(await collect(parseRequest(text).encode())).toBe(text)
    expect(await collect([parseRequest(text).eagerly().bytes])).toBe(text)
  })

  it.each([';', ';=b', ';a;;b', ';a=', ';a="b', ';a=b c', ';a('])(
    'is never written with the malformed extension %s',
    async (extension) => {
      const head = 'POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
      let wire: string
      try {
        wire = await collect(parseRequest(`${head}5${extension}\r\nhello\r\n0\r\n\r\n`).encode())
      } catch (error) {
        expect(error).toMatchObject({ code: 'CHUNK_EXTENSION' })
        return
      }
      expect(parseRequest(wire, { preset: 'strict' }).eagerly().content?.text()).toBe('hello')
    },
  )

  it('has the bytes as received', async () => {
    const framed = text.slice(text.indexOf('\r\n\r\n') + 4)
    expect(await collect([parseRequest(text).eagerly().content!.wire])).toBe(framed)
    expect(await collect(body().encoded())).toBe(framed)
  })
})

describe('a received body', () => {
  it.each([
    ['utf-8', '\xc3\xa9', 'é'],
    ['iso-8859-1', '\xe9', 'é'],
    ['utf-16le', '\xac\x20', '€'],
  ])('is text in %s', async (charset, octets, expected) => {
    const message = toOctets(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${octets.length}\r\n\r\n${octets}`)
    expect(await parseRequest(message).body?.text(charset)).toBe(expected)
    expect(parseRequest(message).eagerly().content?.text(charset)).toBe(expected)
  })

  it.each([
    ['multipart/related; type="text/xml; charset=utf-8"', '\xc3\xa9'],
    ['text/xml; action="a;charset=utf-16le"; charset=windows-1252', '\xe9'],
    ['text/plain; a="\\";charset=utf-16le"; charset=windows-1252', '\xe9'],
    ['text/plain;charset="windows-1252', '\xe9'],
    ['text/plain; Charset = "w\\indows-1252"; a', '\xe9'],
    ['text/plain; a; ";charset=windows-1252; charset=utf-8', '\xe9'],
    ['text/plain; charset=; charset=windows-1252', '\xe9'],
  ])('has the charset of %s', async (type, octets) => {
    const message = toOctets(
      `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${octets.length}\r\n\r\n${octets}`,
    )
    expect(await parseResponse(message).body?.text()).toBe('é')
  })

  it('is JSON, or fails if it is not', async () => {
    const of = (json: string) =>
      parseRequest(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${json.length}\r\n\r\n${json}`)
    expect(await of('{"a":[1]}').body?.json()).toEqual({ a: [1] })
    expect(of('{"a":[1]}').eagerly().content?.json()).toEqual({ a: [1] })
    await expect(of('{').body?.json()).rejects.toThrow()
    expect(() => of('{').eagerly().content?.json()).toThrow()
  })

  it('is undefined without framing', () => {
    expect(parseRequest('GET / HTTP/1.1\r\nHost: a\r\n\r\n').body).toBeUndefined()
    expect(parseRequest('GET / HTTP/1.1\r\nHost: a\r\n\r\n').eagerly().content).toBeUndefined()
  })
})
