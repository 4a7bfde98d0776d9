/** Messages are values: every change is a new message, and the one that was stays. */
import { describe, expect, it } from 'vitest'
import {
  HttpRequest,
  type HttpRequestInit,
  HttpResponse,
  type HttpVersion,
  parseRequest,
  parseResponse,
  type RequestLineChange,
  StringBody,
} from '../../src/message/index.ts'
import { collect } from './octets.ts'

const TEXT = 'POST /p HTTP/1.1\r\nHost: one.test\r\nX: y\r\nContent-Length: 5\r\n\r\nhello'
const request = parseRequest(TEXT)
const RESPONSE = 'HTTP/1.1 200 Fine\r\nX: y\r\nContent-Length: 5\r\n\r\nhello'
const response = parseResponse(RESPONSE)

describe('HttpRequest', () => {
  it.each([
    ['withBody', () => request.withBody('x')],
    ['withBody(null)', () => request.withBody(null)],
    ['withHeaders', () => request.withHeaders({ X: 'z' })],
    ['withHeader', () => request.withHeader('X', 'z')],
    ['withoutHeaders', () => request.withoutHeaders('X')],
    ['withRequestLine', () => request.withRequestLine({ method: 'PUT', url: 'http://two.test/q' })],
  ])('%s() creates a new request and leaves the old one unchanged', async (_name, change) => {
    const changed = change()
    expect(changed).toBeInstanceOf(HttpRequest)
    expect(changed).not.toBe(request)
    expect(await collect(changed.encode())).not.toBe(TEXT)
    expect(await collect(request.encode())).toBe(TEXT)
    expect(request.eagerly().toString()).toBe(TEXT)
  })

  it('withHeader() replaces a field in place or adds it', () => {
    expect(request.withHeader('x', 'z').headers.all('X')).toEqual(['z'])
    expect(request.withHeader('x', 'z').headers.names()[1]?.toLowerCase()).toBe('x')
    expect(request.withHeader('New', 'z').headers.get('new')).toBe('z')
  })

  it('withHeaders() has the given fields', () => {
    const changed = request.withHeaders([
      ['Host', 'one.test'],
      ['A', '1'],
      ['A', '2'],
      ['Content-Length', '5'],
    ])
    expect(changed.headers.all('a')).toEqual(['1', '2'])
    expect(changed.headers.get('host')).toBe('one.test')
  })

  it('withoutHeaders() drops fields in any case', () => {
    expect(request.withoutHeaders('x').headers.names()).toEqual(['Host', 'Content-Length'])
  })

  it('keeps its body when something else changes', async () => {
    for (const changed of [request.withHeader('A', 'b'), request.withRequestLine({ method: 'PUT' })]) {
      expect(await changed.body?.text()).toBe('hello')
      expect(changed.eagerly().content?.text()).toBe('hello')
    }
  })

  it.each<[RequestLineChange, string, string]>([
    [{ method: 'PUT' }, 'PUT /p HTTP/1.1', 'one.test'],
    [{ url: 'http://two.test:81/q?r' }, 'POST /q?r HTTP/1.1', 'two.test:81'],
    [{ url: new URL('https://two.test/') }, 'POST / HTTP/1.1', 'two.test'],
    [{ url: new URL('http://two.test/a^b?c=[d]|%#{') }, 'POST /a%5Eb?c=[d]%7C%25 HTTP/1.1', 'two.test'],
    [{ version: 'HTTP/1.0' }, 'POST /p HTTP/1.0', 'one.test'],
  ])('withRequestLine(%j) starts with %s and Host is %s, in its place', (change, startLine, host) => {
    const changed = request.withRequestLine(change)
    expect(changed.eagerly().toString().split('\r\n')[0]).toBe(startLine)
    expect(changed.headers.all('host')).toEqual([host])
    expect(changed.headers.names()).toEqual(['Host', 'X', 'Content-Length'])
  })

  it('is made from its parts', async () => {
    const made = new HttpRequest({ method: 'PUT', url: 'http://one.test:81/p?q', headers: { X: 'y' }, body: 'é' })
    expect(made).toMatchObject({ method: 'PUT', version: 'HTTP/1.1', keepAlive: true })
    expect(made.url?.href).toBe('http://one.test:81/p?q')
    expect(made.headers.names()[0]).toBe('Host')
    expect(await collect(made.encode())).toBe(
      'PUT /p?q HTTP/1.1\r\nHost: one.test:81\r\nX: y\r\nContent-Length: 2\r\n\r\n\xc3\xa9',
    )
  })

  it('is created from its parts without a body', async () => {
    expect(await collect(new HttpRequest({ method: 'GET', url: new URL('http://one.test') }).encode())).toBe(
      'GET / HTTP/1.1\r\nHost: one.test\r\n\r\n',
    )
  })

  it('keeps a given Host', () => {
    const made = new HttpRequest({ method: 'GET', url: 'http://one.test/', headers: { A: 'b', Host: 'two.test' } })
    expect(made.headers.all('host')).toEqual(['two.test'])
  })

  it.each<[string, HttpRequestInit]>([
    ['a method with a space', { method: 'G T', url: 'http://a/' }],
    ['a method with a line end', { method: 'GET / HTTP/1.1\r\nX: y\r\n\r\nGET', url: 'http://a/' }],
    ['an empty method', { method: '', url: 'http://a/' }],
    ['no host', { method: 'GET', url: 'http:///' }],
    ['a header that ends its line', { method: 'GET', url: 'http://a/', headers: { X: 'y\r\nZ: z' } }],
    ['an invalid version', { method: 'GET', url: 'http://a/', version: 'HTTP/1.1\r\nX: y' as HttpVersion }],
  ])('is not made with %s', (_what, init) => {
    expect(() => new HttpRequest(init)).toThrow()
  })

  it.each<[RequestLineChange]>([
    [{ method: 'G T' }],
    [{ method: '' }],
    [{ url: 'http://a b/' }],
    [{ version: 'X\r\n' as HttpVersion }],
  ])('refuses the request line %j', (line) => {
    expect(() => request.withRequestLine(line)).toThrow()
  })

  it('shows head and body as text', () => {
    expect(String(request)).toBe(TEXT)
    expect(String(request.withBody(new StringBody('é', 'text/plain')))).toMatch(
      /\r\nContent-Length: 2\r\n.*\r\n\r\né$|é$/s,
    )
  })
})

describe('HttpResponse', () => {
  it.each([
    ['withBody', () => response.withBody('x')],
    ['withHeaders', () => response.withHeaders({ X: 'z' })],
    ['withStatus', () => response.withStatus(404)],
  ])('%s() creates a new response and leaves the old one unchanged', async (_name, change) => {
    const changed = change()
    expect(changed).toBeInstanceOf(HttpResponse)
    expect(await collect(changed.encode())).not.toBe(RESPONSE)
    expect(await collect(response.encode())).toBe(RESPONSE)
    expect(response.eagerly().toString()).toBe(RESPONSE)
  })

  it.each([
    [404, 'Gone fishing', 'HTTP/1.1 404 Gone fishing'],
    [404, '', 'HTTP/1.1 404 '],
    [799, '', 'HTTP/1.1 799 '],
  ])('withStatus(%i, %j) starts with "%s"', (status, reason, expected) => {
    const changed = response.withStatus(status, reason)
    expect(changed.eagerly().toString().split('\r\n')[0]).toBe(expected)
    expect(changed.status).toBe(status)
    expect(changed.headers.get('x')).toBe('y')
  })

  it('withStatus() does not keep the reason of another status', () => {
    expect(response.withStatus(404).eagerly().toString()).toMatch(/^HTTP\/1\.1 404 (Not Found)?\r\n/)
  })

  it('is made from its parts', async () => {
    const made = new HttpResponse({
      status: 201,
      reason: 'Created',
      headers: { X: 'y' },
      body: new StringBody('hi', 'text/plain'),
    })
    expect(await collect(made.encode())).toBe(
      'HTTP/1.1 201 Created\r\nX: y\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi',
    )
    expect(made).toMatchObject({ status: 201, reason: 'Created', version: 'HTTP/1.1' })
  })

  it.each([
    ['a status of two digits', { status: 99 }],
    ['a status of four digits', { status: 1000 }],
    ['a status that is not an integer', { status: 200.5 }],
    ['a reason that ends its line', { status: 200, reason: 'OK\r\nX: y' }],
    ['a header that ends its line', { status: 200, headers: { X: 'y\n' } }],
  ])('is not made with %s', (_what, init) => {
    expect(() => new HttpResponse(init)).toThrow()
  })

  it('writes the space after the status even without a reason', () => {
    expect(String(parseResponse('HTTP/1.1 204\r\n\r\n'))).toBe('HTTP/1.1 204 \r\n\r\n')
  })
})

describe('withHeaders() with a function', () => {
  it('replaces the whole list by the result of the function', () => {
    const request = parseRequest('GET / HTTP/1.1\r\nHost: a\r\nCookie: x\r\nVia: 1.0 b\r\n\r\n')
    const changed = request.withHeaders((headers) => headers.without('cookie').append('Via', '1.1 c'))
    expect([...changed.headers]).toEqual([
      ['Host', 'a'],
      ['Via', '1.0 b'],
      ['Via', '1.1 c'],
    ])
    const response = parseResponse('HTTP/1.1 204 No Content\r\nX: y\r\n\r\n')
    expect([...response.withHeaders(() => ({ Z: '1' })).headers]).toEqual([['Z', '1']])
  })

  it('still checks the fields against the body', () => {
    const request = parseRequest('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi')
    expect(() => request.withHeaders((headers) => headers.with('Content-Length', '3'))).toThrow(
      expect.objectContaining({ code: 'framing' }),
    )
    expect(() => request.withHeaders(() => [])).toThrow(expect.objectContaining({ code: 'HOST' }))
  })
})

describe('toString()', () => {
  it.each(['utf%8', 'no-such-charset', ''])('shows a body even if its charset is "%s"', (charset) => {
    const type = `Content-Type: text/plain; charset=${charset}`
    const request = parseRequest(`POST / HTTP/1.1\r\nHost: a\r\n${type}\r\nContent-Length: 2\r\n\r\nhi`)
    expect(`${request}`).toMatch(/\r\n\r\nhi$/)
    const response = parseResponse(`HTTP/1.1 200 OK\r\n${type}\r\nContent-Length: 2\r\n\r\nhi`)
    expect(`${response}`).toMatch(/\r\n\r\nhi$/)
  })
})
