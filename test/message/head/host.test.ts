/** If target and Host name two servers, one of them is written, checked and requested (RFC 9112, 3.2.2). */
import { describe, expect, it } from 'vitest'
import { HttpDecoder, octetsOf, parseRequest } from '../../../src/message/index.ts'
import { collect } from '../octets.ts'

const TEXT = 'GET http://inner.test/s HTTP/1.1\r\nX: y\r\nHost: public.test\r\n\r\n'

describe('a Host that differs from the target', () => {
  it.each(['server', 'strict'] as const)('is replaced by the target under %s', async (preset) => {
    const request = parseRequest(TEXT, { preset })
    expect(request.url?.host).toBe('inner.test')
    expect(request.headers.get('host')).toBe('inner.test')
    expect(await collect(request.encode())).toBe('GET /s HTTP/1.1\r\nX: y\r\nHost: inner.test\r\n\r\n')
    expect(request.eagerly().toString()).toContain('Host: inner.test\r\n')
    expect(request.repairs.map(({ code, line, column }) => [code, line, column])).toEqual([['replaced-host', 3, 7]])
  })

  it('is kept in a text written by hand, where it is intended', async () => {
    const request = parseRequest(TEXT)
    expect(await collect(request.encode())).toContain('Host: public.test\r\n')
    expect(request.repairs).toEqual([])
  })

  it.each(['server', 'strict'] as const)('is replaced for a decoder, too (%s)', (preset) => {
    const [event] = new HttpDecoder('server', { preset }).push(octetsOf(TEXT))
    expect(event?.type === 'request' && event.head.get('host')).toBe('inner.test')
  })

  it.each([
    ['the same host', 'GET http://a.test:80/ HTTP/1.1\r\nHost: a.test:80\r\n\r\n', 'a.test:80', []],
    ['another port', 'GET http://a.test:81/ HTTP/1.1\r\nHost: a.test\r\n\r\n', 'a.test:81', ['replaced-host']],
    ['CONNECT', 'CONNECT a.test:443 HTTP/1.1\r\nHost: b.test\r\n\r\n', 'a.test:443', ['replaced-host']],
    ['HTTP/1.0', 'GET http://a.test/ HTTP/1.0\r\nHost: b.test\r\n\r\n', 'a.test', ['replaced-host']],
    ['HTTP/1.0 without Host', 'GET http://a.test/ HTTP/1.0\r\n\r\n', 'a.test', ['missing-host']],
  ])('%s', (_name, text, host, codes) => {
    const request = parseRequest(text, { preset: 'server' })
    expect(request.headers.all('host')).toEqual([host])
    expect(request.repairs.map(({ code }) => code)).toEqual(codes)
  })

  it('is still an error if it is not a host', () => {
    const text = 'GET http://a.test/ HTTP/1.1\r\nHost: b/c\r\n\r\n'
    expect(() => parseRequest(text, { preset: 'server' })).toThrow(expect.objectContaining({ code: 'HOST' }))
  })
})
