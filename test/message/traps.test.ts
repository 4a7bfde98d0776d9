/**
 * Traps of the language that parsers in JavaScript fall into, each with the message that shows it.
 *
 * Rules: one test for one trap; the name says what the language does.
 */
import { describe, expect, it } from 'vitest'
import { HeaderList, HttpParser, parseRequest, parseResponse } from '../../src/message/index.ts'
import { toOctets, toText } from './octets.ts'

const get = (...fields: string[]): Uint8Array => toOctets(['GET / HTTP/1.1', 'Host: a', ...fields, '', ''].join('\r\n'))
const lengthOf = (value: string) => () =>
  parseRequest(toOctets(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${value}\r\n\r\nhello`))

describe('JavaScript', () => {
  it.each(['\xa0', '\x85', '\xef\xbb\xbf', '\xe2\x80\x83', '\xe3\x80\x80'])(
    'trims more white space than SP and HTAB: %j stays in a value',
    (octets) => {
      expect(parseRequest(get(`X: ${octets}y${octets}`)).headers.get('x')).toBe(`${octets}y${octets}`)
      expect(parseRequest(get(`X: ${octets}`)).headers.get('x')).toBe(octets)
      expect(parseRequest(get(`Connection: ${octets}close`)).keepAlive).toBe(true)
    },
  )

  it.each(['\v', '\f'])('trims %j too, which no value may hold', (octet) => {
    expect(() => parseRequest(get(`X: y${octet}`))).toThrow(expect.objectContaining({ code: 'HEADER_VALUE' }))
    expect(() => parseRequest(get(`Content-Length: 0${octet}`))).toThrow()
  })

  it.each(['', '0x5', '5e0', '1e3', '5z', '+5', '-0', '5.0', '0b1', '0o7', '5_0', 'Infinity', '٥'])(
    'reads %j as a number, but a length is digits',
    (value) => {
      expect(
        lengthOf(Array.from(new TextEncoder().encode(value), (octet) => String.fromCharCode(octet)).join('')),
      ).toThrow(expect.objectContaining({ code: 'CONTENT_LENGTH' }))
    },
  )

  it('has no integers past 2^53, and 32-bit shifts', () => {
    const chunk = (size: string) => () =>
      parseRequest(
        toOctets(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\nhello\r\n0\r\n\r\n`),
      )
    for (const size of ['100000005', '10000000000000005', '20000000000005', '8000000000000005'])
      expect(chunk(size)).toThrow()
    for (const length of ['4294967301', '9007199254740997', '18446744073709551621']) expect(lengthOf(length)).toThrow()
    expect(chunk('5')).not.toThrow()
    expect(lengthOf('5')).not.toThrow()
  })

  it('folds more than letters with c | 32', () => {
    for (const size of ['A@', '@', '[', 'G', '\x10', '\x15']) {
      expect(() =>
        parseRequest(
          toOctets(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\nx\r\n0\r\n\r\n`),
        ),
      ).toThrow(expect.objectContaining({ code: 'CHUNK_SIZE' }))
    }
    // CR | 32 is "-": the name Content<CR>Length is not Content-Length.
    expect(() => parseRequest(get('Content\rLength: 5'))).toThrow()
    expect(parseRequest(get('X^: 1')).headers.has('x~')).toBe(false)
    // 0x0E | 32 is ".", 0x11 | 32 is "1".
    expect(() => parseRequest(toOctets('GET / HTTP/\x11.\x11\r\nHost: a\r\n\r\n'))).toThrow()
  })

  it.each(['clown', 'c', 'closed', 'cl', 'keep-alivf', 'ccccc'])(
    'compares by the first letter: Connection: %s',
    (token) => {
      expect(parseRequest(get(`Connection: ${token}`)).keepAlive).toBe(true)
      expect(parseRequest(toOctets(`GET / HTTP/1.0\r\nConnection: ${token}\r\n\r\n`)).keepAlive).toBe(false)
    },
  )

  it.each([
    'Content-Lengtj',
    'Content-Lengt',
    'Content-Lengthh',
    'Xontent-Length',
    'Content_Length',
    'Transfer-Encodinf',
  ])('compares by length and ends: %s frames nothing', (name) => {
    const request = new HttpParser({ preset: 'strict' }).parseRequest(get(`${name}: 5`))
    expect(request.body).toBeUndefined()
  })

  it('lowercases U+212A to k and treats U+017F as an s', () => {
    expect(() =>
      parseRequest('GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chun\u212Aed\r\n\r\n0\r\n\r\n'),
    ).toThrow()
    expect(() => parseRequest('GET / HTTP/1.1\r\nHo\u017Ft: a\r\n\r\n')).toThrow()
    expect(parseRequest('GET / HTTP/1.0\r\nConnection: \u212Aeep-alive\r\n\r\n').keepAlive).toBe(false)
    expect(HeaderList.of({ Keep: 'x' }).has('\u212Aeep')).toBe(false)
  })

  it('truncates a character to a byte: U+010D is not a CR, U+010A not an LF, U+013A not a colon', () => {
    const request = parseRequest('GET / HTTP/1.1\r\nHost: a\r\nX: y\u010D\u010AZ\u013A z\r\n\r\n')
    expect(request.headers.names()).toEqual(['Host', 'X'])
    expect(request.headers.get('x')).toBe('y\xc4\x8d\xc4\x8aZ\xc4\xba z')
  })

  it.each(['__proto__', 'constructor', 'toString'])('has %s in every object', (name) => {
    const { headers } = parseRequest(get(`${name}: x`))
    expect(headers.get(name)).toBe('x')
    expect(headers.names()).toEqual(['Host', name])
    expect(parseRequest(get()).headers.get(name)).toBeUndefined()
    expect(parseRequest(get()).headers.has(name)).toBe(false)
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  it('decodes latin1 as windows-1252: bytes 0x80 to 0x9F stay unchanged', () => {
    const octets = Array.from({ length: 128 }, (_, index) => String.fromCharCode(0x80 + index)).join('')
    expect(parseRequest(get(`X: ${octets}`)).headers.get('x')).toBe(octets)
    expect(parseResponse(toOctets(`HTTP/1.1 200 ${octets}\r\nContent-Length: 0\r\n\r\n`)).reason).toBe(octets)
    const long = octets.repeat(40)
    expect(parseRequest(get(`X: ${long}`)).headers.get('x')).toBe(long)
  })

  it('keeps a whole slab alive through a view: eagerly() copies', () => {
    const slab = new Uint8Array(65536)
    const message = toOctets('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello')
    slab.set(message, 100)
    const eager = parseRequest(slab.subarray(100, 100 + message.length)).eagerly()
    slab.fill(0)
    expect(eager.bytes.buffer.byteLength).toBeLessThan(slab.length)
    expect(toText(eager.bytes)).toBe(toText(message))
    expect(eager.content?.text()).toBe('hello')
  })

  it('allows lone surrogates in a string: they become the bytes of U+FFFD', () => {
    expect(parseRequest('GET / HTTP/1.1\r\nHost: a\r\nX: \ud800\r\n\r\n').headers.get('x')).toBe('\xef\xbf\xbd')
  })
})
