/** Written messages: a body always has the framing that its headers say, or the message is not written at all. */
import { describe, expect, it } from 'vitest'
import { ChunkedBody, type HttpRequest, HttpResponse, parseRequest, parseResponse } from '../../../src/message/index.ts'
import { collect, toOctets } from '../octets.ts'

const counted = parseRequest('POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello')
const chunked = parseRequest('POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n')

const CHANGES: readonly (readonly [what: string, change: () => HttpRequest])[] = [
  ['Transfer-Encoding beside a length', () => counted.withHeader('Transfer-Encoding', 'chunked')],
  ['another length', () => counted.withHeader('Content-Length', '3')],
  ['a length that is not a number', () => counted.withHeader('Content-Length', 'x')],
  ['two lengths', () => counted.withHeader('Content-Length', '5, 5')],
  ['no length', () => counted.withoutHeaders('Content-Length')],
  ['other headers', () => counted.withHeaders({ X: 'y' })],
  ['no coding', () => chunked.withoutHeaders('Transfer-Encoding')],
  ['another coding', () => chunked.withHeader('Transfer-Encoding', 'gzip')],
  ['chunked twice', () => chunked.withHeader('Transfer-Encoding', 'chunked, chunked')],
  ['a length beside the coding', () => chunked.withHeader('Content-Length', '5')],
  ['HTTP/1.0 with a length', () => counted.withRequestLine({ version: 'HTTP/1.0' })],
  ['HTTP/1.0 with the coding', () => chunked.withRequestLine({ version: 'HTTP/1.0' })],
  [
    'HTTP/1.0 with a chunked body',
    () => counted.withRequestLine({ version: 'HTTP/1.0' }).withBody(new ChunkedBody(toOctets('hello'))),
  ],
  [
    'a second Host',
    () =>
      counted.withHeaders([
        ['Host', 'a'],
        ['Host', 'b'],
      ]),
  ],
  ['no Host', () => counted.withoutHeaders('Host')],
]

describe('a request changed to have', () => {
  it.each(CHANGES)('%s is refused, or written so that every reader sees the same body', async (_what, change) => {
    let wire: string
    try {
      wire = await collect(change().encode())
    } catch (error) {
      expect(error).toMatchObject({ code: expect.any(String), message: expect.stringMatching(/./) })
      return
    }
    const read = parseRequest(toOctets(wire), { preset: 'strict' })
    expect(read.eagerly().content?.text()).toBe('hello')
    expect(await collect(read.encode())).toBe(wire)
  })
})

describe('a response', () => {
  it.each([101, 204, 304])('with status %i is written without a body and its length', async (status) => {
    const wire = await collect(new HttpResponse({ status }).encode())
    expect(wire).not.toMatch(/content-length|transfer-encoding/i)
    expect(wire).toMatch(/\r\n\r\n$/)
    expect(() => new HttpResponse({ status, body: 'x' })).toThrow()
  })

  it('does not lose a body silently: a status without content is refused', () => {
    expect(() => parseResponse('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx').withStatus(204)).toThrow()
  })

  it('without a body has a length of 0, if it could have one', async () => {
    expect(await collect(new HttpResponse({ status: 200 }).encode())).toMatch(/\r\nContent-Length: 0\r\n/)
  })

  it('to HEAD keeps the length of the omitted body', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'
    const response = parseResponse(head, { method: 'HEAD' })
    expect(response.body).toBeUndefined()
    expect(await collect(response.encode())).toBe(head)
  })

  it('framed by the end of the connection does not keep it alive', async () => {
    const response = parseResponse('HTTP/1.1 200 OK\r\n\r\nhello')
    expect(response.keepAlive).toBe(false)
    expect(await collect(response.encode())).toBe('HTTP/1.1 200 OK\r\n\r\nhello')
    expect(response.withBody('x').headers.get('content-length')).toBe('1')
    expect(response.withBody('x').keepAlive).toBe(true)
  })
})

describe('an error of a transfer coding', () => {
  it.each([
    ['chunked, gzip', 'chunked is not the last transfer coding'],
    ['chunked, chunked', 'chunked is applied twice'],
    ['gzip,, chunked', 'an empty element in Transfer-Encoding, expected chunked'],
    ['a b', '"a b" in Transfer-Encoding, expected chunked'],
  ])('says what is wrong with "%s"', (coding, message) => {
    const text = `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`
    expect(() => parseRequest(text)).toThrow(expect.objectContaining({ code: 'TRANSFER_ENCODING', message }))
  })
})
