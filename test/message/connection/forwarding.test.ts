/** A proxy forwards the whole message, without fields about one connection. */
import { describe, expect, it } from 'vitest'
import {
  forwardedRequest,
  forwardedResponse,
  forwardedTrailers,
  HeaderList,
  HttpConnection,
  withoutHopByHop,
} from '../../../src/message/index.ts'
import { end, request, text } from './connection-pair.ts'

function forwardedTo(target: HttpConnection, octets: string): string {
  const from = new HttpConnection('server')
  from.receive(Buffer.from(octets, 'latin1'))
  let written = ''
  for (const event of from.events()) {
    if (event.type === 'request') written += text(target.send({ type: 'request', head: forwardedRequest(event.head) }))
    else if (event.type === 'data' || event.type === 'end') written += text(target.send(event))
  }
  return written
}

describe('hop-by-hop fields', () => {
  it('are removed, with those that Connection names', () => {
    const headers = HeaderList.of({
      Host: 'a',
      connection: ['close, X-Hop', 'x-other'],
      'X-HOP': ['1', '2'],
      'X-Other': '3',
      'Keep-Alive': 'timeout=5',
      TE: 'trailers',
      Upgrade: 'h2c',
      'Proxy-Connection': 'close',
      'Transfer-Encoding': 'chunked',
      Trailer: 'Digest',
      Accept: '*/*',
    })
    expect(withoutHopByHop(headers).names()).toEqual(['Host', 'Trailer', 'Accept'])
  })

  it('never include the fields that define the message', () => {
    const headers = HeaderList.of({ Host: 'a', 'Content-Length': '5', Connection: 'content-length, host, ,' })
    expect([...withoutHopByHop(headers)]).toEqual([
      ['Host', 'a'],
      ['Content-Length', '5'],
    ])
  })
})

it('trailers are forwarded unless they have a meaning only before the content', () => {
  const trailers = HeaderList.of({ Authorization: 'a', 'Content-Length': '5', Digest: 'b', 'Set-Cookie': 'c', TE: 'd' })
  expect([...forwardedTrailers(trailers)]).toEqual([['Digest', 'b']])
})

describe('a forwarded request', () => {
  it.each([
    [
      'GET http://inner.test/s?a HTTP/1.1\r\nHost: inner.test\r\nConnection: X\r\nX: 1\r\n\r\n',
      'GET /s?a HTTP/1.1\r\nHost: inner.test\r\n\r\n',
    ],
    [
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTE: trailers\r\n\r\n2;x=y\r\nhi\r\n0;z\r\nA: b\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nhi\r\n0;z\r\nA: b\r\n\r\n',
    ],
    [
      'POST http://b/ HTTP/1.0\r\nContent-Length: 2\r\nConnection: keep-alive, content-length\r\n\r\nhi',
      'POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 2\r\n\r\nhi',
    ],
  ])('%j is %j', (received, sent) => {
    expect(forwardedTo(new HttpConnection('client'), received)).toBe(sent)
  })

  it('loses forbidden trailer fields', () => {
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    const received = `${head}0\r\nSet-Cookie: a\r\nDigest: b\r\nContent-Length: 5\r\n\r\n`
    expect(forwardedTo(new HttpConnection('client'), received)).toBe(`${head}0\r\nDigest: b\r\n\r\n`)
    expect(forwardedTo(new HttpConnection('client'), `${head}0\r\nSet-Cookie: a\r\n\r\n`)).toBe(`${head}0\r\n\r\n`)
  })

  it('cannot make its Host differ from its target', () => {
    const received = 'GET http://inner.test/s HTTP/1.1\r\nHost: public.test\r\n\r\n'
    expect(forwardedTo(new HttpConnection('client'), received)).toBe('GET /s HTTP/1.1\r\nHost: inner.test\r\n\r\n')
    expect(forwardedTo(new HttpConnection('client', { isToProxy: true }), received)).toBe(
      'GET http://inner.test/s HTTP/1.1\r\nHost: inner.test\r\n\r\n',
    )
  })
})

describe('a forwarded response', () => {
  it.each([
    [
      '1.1',
      'HTTP/1.0 200 Fine\r\nConnection: A\r\nA: b\r\n\r\nhi',
      'HTTP/1.1 200 Fine\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
    ],
    [
      '1.0',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nA: b\r\n\r\n',
      'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhi',
    ],
    [
      '1.1',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi',
    ],
  ])('to a client of HTTP/%s: %j is %j', (version, received, sent) => {
    const origin = new HttpConnection('client')
    origin.send(request('GET', '/'))
    origin.send(end)
    origin.receive(Buffer.from(received))
    origin.receiveEnd()
    const client = new HttpConnection('server')
    client.receive(Buffer.from(`GET / HTTP/${version}\r\nHost: a\r\n\r\n`))
    for (const _ of client.events());
    let written = ''
    for (const event of origin.events()) {
      if (event.type === 'response') {
        written += text(client.send({ type: 'response', head: forwardedResponse(event.head) }))
      } else if (event.type === 'data' || event.type === 'end') {
        written += text(client.send(event))
      }
    }
    expect(written).toBe(sent)
  })
})
