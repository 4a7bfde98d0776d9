/** Start lines: the form in which a request leaves the library. */
import { describe, expect, it } from 'vitest'
import { HttpParseError, HttpParser, parseRequest, StringBody } from '../../../src/message/index.ts'
import { collect } from '../octets.ts'

const normalised = (text: string): string => parseRequest(text).eagerly().toString()

describe('a request made from a start line', () => {
  it('and a string body has Host, Content-Type, Content-Length, an empty line and the body', () => {
    const request = parseRequest('POST http://example.test/form').withBody(new StringBody('hello', 'text/plain'))
    expect(request.eagerly().toString()).toBe(
      'POST /form HTTP/1.1\r\nHost: example.test\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello',
    )
  })

  it.each([
    ['http://one.test', '/', 'one.test'],
    ['http://one.test/', '/', 'one.test'],
    ['http://one.test/p', '/p', 'one.test'],
    ['http://one.test:8080/p', '/p', 'one.test:8080'],
    ['http://one.test:443/p', '/p', 'one.test:443'],
    ['https://one.test/p', '/p', 'one.test'],
    ['https://one.test:80/p', '/p', 'one.test:80'],
    ['http://127.0.0.1:1/p', '/p', '127.0.0.1:1'],
    ['http://[::1]/p', '/p', '[::1]'],
    ['http://[::1]:8080/p', '/p', '[::1]:8080'],
    ['http://one.test?q=1', '/?q=1', 'one.test'],
    ['http://one.test/p?q=1&r=/?:@', '/p?q=1&r=/?:@', 'one.test'],
    ['http://one.test/p?', '/p?', 'one.test'],
    ['http://one.test/p#f', '/p', 'one.test'],
    ['http://one.test#f', '/', 'one.test'],
    ['http://one.test/a%20b?c=%2F%20', '/a%20b?c=%2F%20', 'one.test'],
    ['http://one.test/%7Ea%2e%2E/', '/%7Ea%2e%2E/', 'one.test'],
    ['http://one.test/a/../b/./c//d', '/a/../b/./c//d', 'one.test'],
    ["http://one.test/a'b(c)!$*;=,~", "/a'b(c)!$*;=,~", 'one.test'],
    ['one.test/p', '/p', 'one.test'],
    ['one.test', '/', 'one.test'],
    ['localhost:8080/p?q', '/p?q', 'localhost:8080'],
    ['127.0.0.1:8080', '/', '127.0.0.1:8080'],
  ])('GET %s requests %s from %s', (url, target, host) => {
    expect(normalised(`GET ${url}`)).toBe(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  })

  it.each(['http://one.test:80/p', 'https://one.test:443/p'])('%s may name its default port', (url) => {
    expect(parseRequest(`GET ${url}`).headers.get('host')).toMatch(/^one\.test(:80|:443)?$/)
    expect(parseRequest(`GET ${url}`).url?.port).toBe('')
  })

  it('has an inserted Host first, before the other fields in order', () => {
    expect(normalised('GET http://one.test/p HTTP/1.1\nB: 2\na: 1\n\n')).toBe(
      'GET /p HTTP/1.1\r\nHost: one.test\r\nB: 2\r\na: 1\r\n\r\n',
    )
  })

  it('keeps an existing Host, with its place and spelling', () => {
    expect(normalised('GET http://one.test/p HTTP/1.1\r\nA: 1\r\nhOST: two.test\r\n\r\n')).toBe(
      'GET /p HTTP/1.1\r\nA: 1\r\nhOST: two.test\r\n\r\n',
    )
  })

  it.each([
    ['GET / HTTP/1.0\r\n\r\n', 'GET / HTTP/1.0\r\n\r\n'],
    ['OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'],
    ['get / HTTP/1.1\r\nHost: a\r\n\r\n', 'get / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['GET /a%20b HTTP/1.1\r\nHost: a\r\n\r\n', 'GET /a%20b HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['GET  /p\tHTTP/1.1\nHost: a\n\n', 'GET /p HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['\uFEFFGET /p HTTP/1.1\nHost:a', 'GET /p HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('%j is written as %j', (text, expected) => {
    expect(normalised(text)).toBe(expected)
  })

  it('reports every repair with its place', () => {
    const request = parseRequest('\nGET  one.test/p\nX: a\n b\n\n')
    const places = request.repairs.map(({ code, line, column, offset }) => `${code} ${line}:${column} ${offset}`)
    expect(places).toContain('leading-empty-line 1:1 0')
    expect(new Set(request.repairs.map(({ code }) => code))).toEqual(
      new Set([
        'bare-lf',
        'leading-empty-line',
        'request-line-whitespace',
        'missing-scheme',
        'missing-version',
        'missing-host',
        'obs-fold',
      ]),
    )
    expect(request.repairs.find(({ code }) => code === 'missing-scheme')).toMatchObject({
      line: 2,
      column: 6,
      offset: 6,
    })
    expect(request.repairs.find(({ code }) => code === 'obs-fold')).toMatchObject({ line: 4 })
    for (const { message } of request.repairs) expect(message).not.toBe('')
  })

  it('reports no repair if none was needed', () => {
    expect(parseRequest('GET / HTTP/1.1\r\nHost: a\r\n\r\n').repairs).toEqual([])
  })

  it('shows the target as received, its form and the effective URL', () => {
    const of = (text: string) => {
      const { target, form, url } = parseRequest(`${text} HTTP/1.1\r\nHost: one.test:81\r\n\r\n`)
      return [target, form, url?.href]
    }
    expect(of('GET /p?q')).toEqual(['/p?q', 'origin', 'http://one.test:81/p?q'])
    expect(of('GET https://two.test/p')).toEqual(['https://two.test/p', 'absolute', 'https://two.test/p'])
    expect(of('OPTIONS *').slice(0, 2)).toEqual(['*', 'asterisk'])
    expect(of('CONNECT a.test:443').slice(0, 2)).toEqual(['a.test:443', 'authority'])
  })

  it('is written with the whole URL for a proxy', async () => {
    const request = parseRequest('GET http://one.test:8080/p?q#f')
    expect(await collect(request.encode({ absoluteForm: true }))).toBe(
      'GET http://one.test:8080/p?q HTTP/1.1\r\nHost: one.test:8080\r\n\r\n',
    )
    expect(await collect(request.encode())).toBe('GET /p?q HTTP/1.1\r\nHost: one.test:8080\r\n\r\n')
  })

  it('counts the bytes of a typed body, not its characters', () => {
    expect(normalised('POST http://a/\n\nä€😀')).toBe('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nä€😀')
  })
})

describe('allowIllegalStartLineCharacters()', () => {
  const lenient = new HttpParser({ allowIllegalTarget: true })
  it.each([
    ['GET /a b HTTP/1.1', '/a%20b'],
    ['GET /a b', '/a%20b'],
    ['GET /a  b c HTTP/1.1', '/a%20%20b%20c'],
    ['GET /a|b"c<d>e\\f^g`h{i}j HTTP/1.1', '/a%7Cb%22c%3Cd%3Ee%5Cf%5Eg%60h%7Bi%7Dj'],
    ['GET /é HTTP/1.1', '/%C3%A9'],
    ['GET /😀?q=ü HTTP/1.1', '/%F0%9F%98%80?q=%C3%BC'],
    ['GET /a%20b c HTTP/1.1', '/a%20b%20c'],
    ['GET /a?b=c d HTTP/1.1', '/a?b=c%20d'],
    ['GET http://one.test/a b HTTP/1.1', '/a%20b'],
  ])('%s requests %s', (startLine, target) => {
    const request = lenient.parseRequest(`${startLine}\r\nHost: one.test\r\n\r\n`)
    expect(request.eagerly().toString()).toBe(`GET ${target} HTTP/1.1\r\nHost: one.test\r\n\r\n`)
    expect(request.repairs.map(({ code }) => code)).toContain('illegal-target-character')
  })

  it.each(['\r', '\0', '\x01', '\x7f'])('still accepts no control character', (octet) => {
    expect(() => lenient.parseRequest(`GET /a${octet}b HTTP/1.1\r\nHost: a\r\n\r\n`)).toThrow(HttpParseError)
  })

  it('reports nothing if the target is well formed', () => {
    expect(lenient.parseRequest('GET /a%20b HTTP/1.1\r\nHost: a\r\n\r\n').repairs).toEqual([])
  })
})
