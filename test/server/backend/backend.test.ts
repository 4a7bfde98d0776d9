import { describe, expect, it } from 'vitest'
import {
  type BodyEvent,
  HeaderList,
  type HttpcliErrorCode,
  HttpDecoder,
  HttpParseError,
  type HttpRequest,
  type RequestHead,
} from '../../../src/message/index.ts'
import { BackendFailure } from '../../../src/server/backend/backend-failure.ts'
import { asksForWebSocket, backendRequest } from '../../../src/server/backend/backend-request.ts'
import { BackendRoutes } from '../../../src/server/backend/backend-routes.ts'
import { parseBackends } from '../../../src/server/backend/backend-setting.ts'
import { forwardedHead } from '../../../src/server/backend/response-head.ts'
import { splitTarget } from '../../../src/server/semantics/url-path.ts'
import { SomeError } from '../../helpers/some-error.ts'

function route(target: string, ...texts: string[]) {
  const parts = splitTarget(target)
  if (typeof parts === 'string') throw new Error(parts)
  return new BackendRoutes(parseBackends(texts, '/srv')).routeFor(parts)
}

function headOf(text: string): RequestHead {
  const decoder = new HttpDecoder('server')
  decoder.push(Buffer.from(`${text.replaceAll('\n', '\r\n')}\r\n\r\n`, 'latin1'))
  const event = decoder.next()
  if (event?.type !== 'request') throw new Error('no head')
  return event.head
}

const settings = { viaName: 'here', isAuthorizationConsumed: false }

function sent(
  text: string,
  backend = '/=http://b:1',
  content?: AsyncIterable<BodyEvent>,
  gateway = settings,
): HttpRequest {
  const head = headOf(text)
  const request = { head, content, version: '1.1', isSecure: false, remoteAddress: '::ffff:127.0.0.1' }
  return backendRequest(request, route(head.target, backend)!, gateway)
}

async function* noContent(): AsyncGenerator<BodyEvent> {
  yield { type: 'end', trailers: HeaderList.EMPTY }
}

describe('a --backend value', () => {
  it.each([
    ['/api=http://localhost:3000', { prefix: '/api', name: 'http://localhost:3000', isStripped: false, basePath: '' }],
    ['/=HTTPS://A.example/', { prefix: '/', name: 'https://a.example', origin: 'https://a.example', basePath: '' }],
    [
      '/a%20b/c/=http://[::1]:80/v1/,strip',
      { prefix: '/a%20b/c', origin: 'http://[::1]', basePath: '/v1', isStripped: true },
    ],
    ['/x=unix:/run/a.sock', { name: 'unix:/run/a.sock', unixSocket: '/run/a.sock', origin: 'http://localhost' }],
    ['/x=unix:a=b.sock,strip', { unixSocket: '/srv/a=b.sock', isStripped: true }],
    ['/x=unix:///run/a.sock', { unixSocket: '/run/a.sock' }],
  ])('%s is read', (text, wanted) => {
    expect(parseBackends([text], '/srv')[0]).toMatchObject(wanted)
  })

  it.each([
    ...[
      '',
      '/api',
      '=',
      '/a=',
      'a=http://b',
      '/a b=http://b',
      '/a=http://',
      '/a=http://b c',
      '/a=//b',
      '/a=http:\\\\b',
    ],
    ...['/..=http://b', '/a=http://b,', '/a=http://b,strip,strip', '/a=http://b#x', '/a=http://u@b', '/a=unix:'],
  ])('%j is invalid', (text) => {
    expect(() => parseBackends([text], '/srv')).toThrow(expect.objectContaining({ code: 'backend' }))
  })
})

describe('a route', () => {
  it.each([
    ['/api/x?y', '/api/x?y'],
    ['/%61pi/x', '/%61pi/x'],
    ['http://other/api//x/../y/', '/api/y/'],
    ['/api/{a}|b?c=^', '/api/%7Ba%7D%7Cb?c=%5E'],
    ['/api/a%2Fb', '/api/a%2Fb'],
    ['/api?a=5%&b=%2F%', '/api?a=5%25&b=%2F%25'],
  ])('of %s requests %s', (target, wanted) => {
    expect(route(target, '/api=http://b')).toMatchObject({ target: wanted, isAmbiguous: false })
  })

  it.each(['/apix', '/', '/api/../x', '/api%2Fx', '/API'])('is not one for %s', (target) => {
    expect(route(target, '/api=http://b')).toBeUndefined()
  })

  it.each([
    ...[
      '..%2fx',
      '..%2Fx',
      'a%2f..%2fb',
      '%2e%2e%2fx',
      '..%5cx',
      '..;x/y',
      '.;/x',
      '%2e.;',
      'a%2f..',
      '..%2f%ff',
      '.%5c',
    ],
  ])('is ambiguous for %s', (segment) => {
    expect(route(`/api/${segment}`, '/api=http://b')).toMatchObject({ isAmbiguous: true })
  })

  it('is not ambiguous for names with dots', () => {
    for (const name of ['...', 'a..b', '..a', 'a..', '..%61', '.well-known', 'a;..b']) {
      expect(route(`/api/${name}`, '/api=http://b'), name).toMatchObject({ isAmbiguous: false })
    }
  })
})

describe('the request to a backend', () => {
  it('keeps a length, a chunked body, and fields that Connection must not remove', () => {
    const length = sent(
      'POST / HTTP/1.1\nHost: a\nContent-Length: 5\nConnection: Content-Length',
      undefined,
      noContent(),
    )
    expect([...length.headers].slice(0, 2)).toEqual([
      ['Host', 'a'],
      ['Content-Length', '5'],
    ])
    const chunked = sent('POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked', undefined, noContent())
    expect(chunked.headers.all('transfer-encoding')).toEqual(['chunked'])
    expect(chunked.headers.has('content-length')).toBe(false)
  })

  it('has the host of the backend for https and for an HTTP/1.0 client without Host', () => {
    expect(sent('GET / HTTP/1.1\nHost: a', '/=https://b:8').headers.first('host')).toBe('b:8')
    const old = sent('GET / HTTP/1.0')
    expect([old.headers.first('host'), old.version, old.headers.has('x-forwarded-host')]).toEqual([
      'b:1',
      'HTTP/1.1',
      false,
    ])
  })

  it('keeps Authorization unless it is for this server', () => {
    const text = 'GET / HTTP/1.1\nHost: a\nAuthorization: Basic eDp5'
    expect(sent(text).headers.first('authorization')).toBe('Basic eDp5')
    const guarded = { viaName: 'here', isAuthorizationConsumed: true }
    expect(sent(text, undefined, undefined, guarded).headers.has('authorization')).toBe(false)
  })

  it('requests WebSocket if the client requested only that', () => {
    const asked = (fields: string, content?: AsyncIterable<BodyEvent>) =>
      asksForWebSocket({
        head: headOf(`GET / HTTP/1.1\nHost: a\n${fields}`),
        content,
        version: '1.1',
        isSecure: false,
        remoteAddress: undefined,
      })
    expect(asked('Connection: upgrade\nUpgrade: WebSocket')).toBe(true)
    expect(asked('Upgrade: websocket')).toBe(false)
    expect(asked('Connection: upgrade\nUpgrade: websocket, h2c')).toBe(false)
    expect(asked('Connection: upgrade\nUpgrade: h2c')).toBe(false)
    expect(asked('Connection: upgrade\nUpgrade: websocket\nContent-Length: 0', noContent())).toBe(false)
  })
})

describe('the head for the client', () => {
  const length = ['Content-Length', '5'] as const
  const date = ['Date', 'now'] as const

  it.each<[string, number, [string, string][], (readonly [string, string])[]]>([
    ['keeps the length of a response to HEAD, and gets a date', 200, [['Content-Length', '5']], [length, date]],
    [
      'has a repeated length once',
      304,
      [
        ['Content-Length', '5'],
        ['content-length', '5, 5'],
      ],
      [length, date],
    ],
    [
      'has no length that chunks override, nor the chunks of the other connection',
      200,
      [
        ['Content-Length', '5'],
        ['Transfer-Encoding', 'chunked'],
      ],
      [date],
    ],
    [
      'has no length in a 204',
      204,
      [
        ['Content-Length', '5'],
        ['Date', 'then'],
      ],
      [['Date', 'then']],
    ],
  ])('%s', (_name, status, fields, expected) => {
    const { headers } = forwardedHead({ status, reason: '', headers: HeaderList.of(fields) }, 'now')
    expect([...headers]).toEqual(expected)
  })

  it.each(['x', '5, 6', '1'.repeat(30), '', '5,', ',5'])('cannot have the length %j', (text) => {
    const head = { status: 304, reason: '', headers: HeaderList.of({ 'Content-Length': text }) }
    expect(() => forwardedHead(head, 'now')).toThrow('an invalid Content-Length')
  })
})

describe('a failure', () => {
  it.each<[HttpcliErrorCode, number]>([
    ['connect-refused', 502],
    ['name-not-found', 502],
    ['certificate-expired', 502],
    ['invalid-response', 502],
    ['connection-cut-short', 502],
    ['tls-not-spoken', 502],
    ['connect-timeout', 504],
    ['first-byte-timeout', 504],
    ['idle-timeout', 504],
    ['too-many-open-files', 503],
    ['request-timeout', 408],
    ['request-unforwardable', 400],
    ['loop', 508],
  ])('%s is answered by %s, without an address', (code, status) => {
    const { answer, isOfClient } = new BackendFailure(new SomeError(code, 'the server at 10.0.0.1'))
    expect(answer.status).toBe(status)
    if (!isOfClient) expect(Buffer.from(answer.body as Uint8Array).toString()).not.toContain('10.0.0.1')
  })

  it('of the client is answered by the status of its error', () => {
    const fault = new HttpParseError('LIMIT', 'too much', { offset: 0, line: 1, column: 1 }, '', 413)
    expect(new BackendFailure(fault)).toMatchObject({ isOfClient: true, answer: { status: 413 } })
  })
})
