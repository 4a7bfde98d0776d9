/** Responses whose framing depends on the request that they answer: HEAD, CONNECT, and clients of HTTP/1.0. */
import { describe, expect, it } from 'vitest'
import { ChunkedBody, HttpResponse, octetsOf, parseRequest, parseResponse } from '../../../src/message/index.ts'
import { collect } from '../octets.ts'

const stream = (): ChunkedBody => new ChunkedBody([octetsOf('hel'), octetsOf('lo')])

describe('a response to CONNECT', () => {
  const request = parseRequest('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n')

  it('has neither content nor framing fields if it opens the tunnel', async () => {
    const response = new HttpResponse({ status: 200, request })
    expect(await collect(response.encode())).toBe('HTTP/1.1 200 OK\r\n\r\n')
    expect(await collect(response.withHeader('Via', 'x').encode())).toBe('HTTP/1.1 200 OK\r\nVia: x\r\n\r\n')
    expect(() => new HttpResponse({ status: 200, request, body: 'x' })).toThrow(/has no body/)
    expect(() => new HttpResponse({ status: 200, request, headers: { 'Content-Length': '0' } })).toThrow(
      expect.objectContaining({ code: 'framing' }),
    )
  })

  it('has content if it does not', () => {
    expect(new HttpResponse({ status: 407, request, body: 'x' }).headers.get('content-length')).toBe('1')
  })

  it('that was received gets no length when a field is set', async () => {
    const response = parseResponse('HTTP/1.1 200 OK\r\n\r\n', { method: 'CONNECT' }).withHeader('X', 'y')
    expect(await collect(response.encode())).toBe('HTTP/1.1 200 OK\r\nX: y\r\n\r\n')
  })
})

describe('a response to HEAD', () => {
  const request = { method: 'HEAD' }

  it.each<[string, ConstructorParameters<typeof HttpResponse>[0], string]>([
    ['nothing', { status: 200 }, ''],
    ['a body', { status: 200, body: 'hello' }, 'Content-Length: 5\r\n'],
    ['a stream', { status: 200, body: stream() }, 'Transfer-Encoding: chunked\r\n'],
    ['a length', { status: 200, headers: { 'Content-Length': '7' } }, 'Content-Length: 7\r\n'],
  ])('is only a head: %s', async (_name, init, fields) => {
    const response = new HttpResponse({ ...init, request })
    expect(response.body).toBeUndefined()
    expect(await collect(response.encode())).toBe(`HTTP/1.1 200 OK\r\n${fields}\r\n`)
    expect(await collect(response.withHeader('X', 'y').encode())).toBe(`HTTP/1.1 200 OK\r\n${fields}X: y\r\n\r\n`)
  })
})

describe('a stream for an HTTP/1.0 client', () => {
  it.each<[string, ConstructorParameters<typeof HttpResponse>[0], string]>([
    ['in its own version', { status: 200, version: 'HTTP/1.0' }, 'HTTP/1.0'],
    ['in the version of the server', { status: 200, request: { method: 'GET', version: 'HTTP/1.0' } }, 'HTTP/1.1'],
  ])('ends with the connection: %s', async (_name, init, version) => {
    const response = new HttpResponse({ ...init, headers: { Connection: 'keep-alive' }, body: stream() })
    expect(response.keepAlive).toBe(false)
    expect(response.body?.framing).toEqual({ type: 'close' })
    const written = await collect(response.encode())
    expect(written).toBe(`${version} 200 OK\r\nConnection: close\r\n\r\nhello`)
    expect(parseResponse(written).eagerly().content?.text()).toBe('hello')
  })

  it('is closed with withBody(), too', async () => {
    const response = new HttpResponse({ status: 200, version: 'HTTP/1.0' }).withBody(stream())
    expect(await collect(response.encode())).toBe('HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nhello')
  })
})

describe('types', () => {
  it('eagerly() of a message with a body in memory is synchronous', () => {
    const bytes: Uint8Array = new HttpResponse({ status: 200, body: 'x' }).eagerly().bytes
    const none: Uint8Array = new HttpResponse({ status: 204 }).eagerly().bytes
    expect([bytes.length > 0, none.length > 0]).toEqual([true, true])
  })
})
