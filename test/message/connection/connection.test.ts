/** Both ends of a connection, message by message: framing, states, reuse, and what is refused. */
import { describe, expect, it } from 'vitest'
import { HttpConnection, HttpParseError, LocalProtocolError } from '../../../src/message/index.ts'
import { ConnectionPair, chunked, close, data, end, read, request, response, text } from './connection-pair.ts'

function thrownBy(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** The code of what is refused as the fault of this program. */
function localCode(action: () => unknown): string {
  const error = thrownBy(action)
  expect(error).toBeInstanceOf(LocalProtocolError)
  return (error as LocalProtocolError).code
}

/** The code of what is reported as the fault of the peer. */
function peerCode(action: () => unknown): string {
  const error = thrownBy(action)
  expect(error).toBeInstanceOf(HttpParseError)
  return (error as HttpParseError).code
}

/** A server that has read these bytes. */
function serverAfter(octets: string): HttpConnection {
  const server = new HttpConnection('server')
  read(server, octets)
  return server
}

describe('an exchange', () => {
  it('passes through its states at both ends, framed by length', () => {
    expect(thrownBy(() => new HttpConnection('CLIENT' as never))).toMatchObject({ code: 'invalid-option' })
    const pair = new ConnectionPair()
    pair.expectStates('idle', 'idle')
    const head = request('POST', '/', { Host: 'example.com', 'Content-Length': '10' })
    expect(pair.send('client', head).octets).toBe('POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 10\r\n\r\n')
    pair.expectStates('content', 'responding')
    expect(pair.client.peerVersion).toBeUndefined()
    expect(pair.server.peerVersion).toBe('HTTP/1.1')

    const interim = pair.send('server', { type: 'informational', head: { status: 100, reason: '' } })
    expect(interim.octets).toBe('HTTP/1.1 100 \r\n\r\n')
    expect(pair.send('server', response(200, { 'Content-Length': '11' })).octets).toBe(
      'HTTP/1.1 200 \r\nContent-Length: 11\r\n\r\n',
    )
    pair.expectStates('content', 'content')
    expect(pair.client.peerVersion).toBe('HTTP/1.1')

    expect(pair.send('client', data('12345'))).toEqual({ octets: '12345', read: [['data', '12345']] })
    expect(pair.client.leftBytes).toBe(5)
    // The last byte completes the message for its reader; its writer says so nevertheless.
    expect(pair.send('client', data('67890')).read).toEqual([['data', '67890'], ['end']])
    expect(pair.send('client', end)).toEqual({ octets: '', read: [] })
    pair.expectStates('done', 'content')

    pair.send('server', data('1234567890'))
    expect(pair.send('server', data('1')).read).toEqual([['data', '1'], ['end']])
    pair.send('server', end)
    pair.expectStates('done', 'done')
  })

  it('is framed in chunks, with extensions and trailers', () => {
    const pair = new ConnectionPair()
    pair.send('client', request('POST', '/', { Host: 'example.com', ...chunked }))
    expect(pair.send('client', data('1234567890')).octets).toBe('a\r\n1234567890\r\n')
    expect(pair.send('client', data('abcde')).octets).toBe('5\r\nabcde\r\n')
    // Empty data would be the last chunk.
    expect(pair.send('client', data(''))).toEqual({ octets: '', read: [] })
    const bytes = Buffer.from('xy')
    expect(pair.send('client', { type: 'data', bytes, chunk: { sizeBytes: 3, extensions: 'a=b' } }).octets).toBe(
      '3;a=b\r\nxy',
    )
    expect(pair.client.sendable).toEqual(['data'])
    expect(pair.send('client', data('z')).octets).toBe('z\r\n')
    const last = pair.send('client', { type: 'end', trailers: { hello: 'there' }, lastChunkExtensions: 'x' })
    expect(last).toEqual({ octets: '0;x\r\nhello: there\r\n\r\n', read: [['end', [['hello', 'there']]]] })
    pair.send('server', response(200, chunked), data('54321'), data('12345'), end)
    pair.expectStates('done', 'done')
  })

  it('is followed by another one', () => {
    const pair = new ConnectionPair()
    for (const [method, status] of [
      ['GET', 200],
      ['DELETE', 404],
      ['HEAD', 200],
    ] as const) {
      pair.send('client', request(method, '/'), end)
      expect(pair.client.isReusable).toBe(false)
      pair.send('server', response(status), end)
      pair.expectStates('done', 'done')
      for (const connection of [pair.client, pair.server]) {
        expect(connection.isReusable).toBe(true)
        connection.startNextCycle()
      }
      pair.expectStates('idle', 'idle')
    }
  })

  it('lists at each point what may be sent', () => {
    const pair = new ConnectionPair()
    expect([pair.client.sendable, pair.server.sendable]).toEqual([
      ['request', 'close'],
      ['response', 'close'],
    ])
    pair.send('client', request('POST', '/', { Host: 'a', 'Content-Length': '2' }))
    expect([pair.client.sendable, pair.server.sendable]).toEqual([['data'], ['informational', 'response']])
    pair.send('client', data('ab'))
    expect(pair.client.sendable).toEqual(['end'])
    pair.send('client', end)
    expect(pair.client.sendable).toEqual(['close'])
    pair.send('server', response(200))
    expect(pair.server.sendable).toEqual(['data', 'end'])
    pair.server.fail()
    expect(pair.server.sendable).toEqual([])
  })

  it('waits for 100 (Continue) until a response or the content arrives', () => {
    const setUp = (): ConnectionPair => {
      const pair = new ConnectionPair()
      pair.send('client', request('PUT', '/', { Host: 'a', 'Content-Length': '5', Expect: '100-continue' }))
      expect([pair.client.isWaitingForContinue, pair.server.isWaitingForContinue]).toEqual([true, true])
      return pair
    }
    const expectNoWait = (pair: ConnectionPair): void =>
      expect([pair.client.isWaitingForContinue, pair.server.isWaitingForContinue]).toEqual([false, false])
    const continued = setUp()
    // Early hints do not answer the expectation.
    continued.send('server', { type: 'informational', head: { status: 103, headers: { Link: '</a>' } } })
    expect(continued.client.isWaitingForContinue).toBe(true)
    continued.send('server', { type: 'informational', head: { status: 100 } })
    expectNoWait(continued)
    const refused = setUp()
    refused.send('server', response(417))
    expectNoWait(refused)
    const impatient = setUp()
    impatient.send('client', data('12345'))
    expectNoWait(impatient)
  })
})

describe('HTTP/1.0', () => {
  it('of a server ends the connection', () => {
    const client = new HttpConnection('client')
    client.send(request('GET', '/'))
    client.send(end)
    expect(client.ownState).toBe('done')
    expect(read(client, 'HTTP/1.0 200 OK\r\n\r\n')).toEqual([['response', 200, []]])
    expect(client.ownState).toBe('must-close')
    expect(read(client, '12345')).toEqual([['data', '12345']])
    expect(read(client, '67890')).toEqual([['data', '67890']])
    expect(read(client, '')).toEqual([['end'], ['close']])
    expect(client.peerState).toBe('closed')
  })

  it('of a client is answered without chunks, and then closed', () => {
    const server = serverAfter('GET / HTTP/1.0\r\n\r\n')
    expect(server.peerState).toBe('must-close')
    expect(text(server.send(response(200)))).toBe('HTTP/1.1 200 \r\nConnection: close\r\n\r\n')
    expect(text(server.send(data('12345')))).toBe('12345')
    expect(text(server.send({ type: 'end', trailers: { Digest: 'x' } }))).toBe('')
    expect(server.ownState).toBe('must-close')
    const posted = new HttpConnection('server')
    expect(read(posted, 'POST / HTTP/1.0\r\nContent-Length: 10\r\n\r\n1').at(-1)).toEqual(['data', '1'])
    expect(read(posted, '234567890')).toEqual([['data', '234567890'], ['end']])
    expect(posted.peerState).toBe('must-close')
    expect(read(posted, '')).toEqual([['close']])
  })

  it('stays open if both sides agree and the length is known', () => {
    const server = serverAfter('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
    expect(text(server.send(response(200, { 'Content-Length': '2' })))).toBe(
      'HTTP/1.1 200 \r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n',
    )
    server.send(data('ok'))
    server.send(end)
    expect(server.isReusable).toBe(true)
    const unknown = serverAfter('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
    expect(text(unknown.send(response(200, { Connection: 'keep-alive' })))).toContain('Connection: close\r\n')
    expect(unknown.isReusable).toBe(false)
  })

  it('of a client gets no 1xx', () => {
    const server = serverAfter('POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n')
    expect(server.isWaitingForContinue).toBe(false)
    expect(localCode(() => server.send({ type: 'informational', head: { status: 100 } }))).toBe('invalid-head')
  })
})

describe('the framing of a response', () => {
  it.each([
    ['GET', '1.1', {}, 'Transfer-Encoding: chunked\r\n'],
    ['HEAD', '1.1', {}, 'Transfer-Encoding: chunked\r\n'],
    ['GET', '1.1', chunked, 'Transfer-Encoding: chunked\r\n'],
    ['GET', '1.0', {}, 'Connection: close\r\n'],
    ['HEAD', '1.0', {}, 'Connection: close\r\n'],
    ['GET', '1.0', chunked, 'Connection: close\r\n'],
    ['HEAD', '1.1', { 'Content-Length': '9' }, 'Content-Length: 9\r\n'],
  ] as const)('to %s of HTTP/%s with %j is %s', (method, version, headers, written) => {
    const server = serverAfter(`${method} / HTTP/${version}\r\nHost: a\r\n\r\n`)
    expect(text(server.send(response(200, headers)))).toBe(`HTTP/1.1 200 \r\n${written}\r\n`)
  })

  it.each([
    [204, { 'Content-Length': '5' }],
    [204, chunked],
    [304, {}],
  ] as const)('is undefined for %i with %j', (status, headers) => {
    const pair = new ConnectionPair()
    pair.send('client', request('GET', '/'), end)
    expect(pair.send('server', response(status, headers)).octets).toBe(`HTTP/1.1 ${status} \r\n\r\n`)
    expect(localCode(() => pair.server.send(data('x')))).toBe('content-mismatch')
    pair.send('server', end)
    expect(pair.client.isReusable).toBe(true)
  })

  it.each([
    [{ 'Content-Length': '5', ...chunked }],
    [{ 'Content-Length': '5x' }],
    [{ 'Content-Length': '5, 5' }],
    [{ 'Transfer-Encoding': 'gzip' }],
    [{ 'Transfer-Encoding': 'chunked, gzip' }],
    [{ A: 'b\u0001' }],
    [{ A: 'b\r\nC: d' }],
    [{ 'A b': 'c' }],
  ])('is refused with %j, and another response can be sent', (headers) => {
    const server = serverAfter('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(localCode(() => server.send(response(200, headers as never)))).toBe('invalid-head')
    expect(text(server.send(response(500, { 'Content-Length': '0' })))).toContain('500')
  })

  it('has Connection: close if the client or the program asks for it', () => {
    const pair = new ConnectionPair()
    pair.send('client', request('GET', '/', { Host: 'a', Connection: 'close' }), end)
    expect([pair.client.ownState, pair.server.peerState]).toEqual(['must-close', 'must-close'])
    const sent = pair.send('server', response(204, { Connection: 'keep-alive, X-Hop' }), end)
    expect(sent.octets).toBe('HTTP/1.1 204 \r\nConnection: X-Hop, close\r\n\r\n')
    pair.expectStates('must-close', 'must-close')
    const other = new ConnectionPair()
    other.send('client', request('GET', '/'), end)
    other.send('server', response(204, { Connection: 'close' }), end)
    other.expectStates('must-close', 'must-close')
  })
})

describe('the head of a request', () => {
  it.each([
    ['http://b/x?y', { Host: 'evil' }, 'GET /x?y HTTP/1.1\r\nHost: b\r\n\r\n'],
    ['http://b:1', {}, 'GET / HTTP/1.1\r\nHost: b:1\r\n\r\n'],
    ['/x', { Host: 'a' }, 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n'],
  ] as const)('with the target %s and %j names the requested host', (target, headers, written) => {
    expect(text(new HttpConnection('client').send(request('GET', target, headers)))).toBe(written)
  })

  it('to a proxy has the full URL', () => {
    const send = (target: string): string =>
      text(new HttpConnection('client', { isToProxy: true }).send(request('GET', target, { Host: 'b' }))).split(
        '\r',
      )[0]!
    expect(send('http://b/x')).toBe('GET http://b/x HTTP/1.1')
    expect(send('/x')).toBe('GET http://b/x HTTP/1.1')
  })

  it.each([
    ['G T', '/', { Host: 'a' }],
    ['GET', '/ x', { Host: 'a' }],
    ['GET', '/#x', { Host: 'a' }],
    ['GET', 'x', { Host: 'a' }],
    ['GET', '*', { Host: 'a' }],
    ['CONNECT', '/', { Host: 'a' }],
    ['GET', 'http://me:pw@a/', {}],
    ['GET', '/', {}],
    ['GET', '/', { Host: 'a b' }],
    ['POST', '/', { Host: 'a', 'Content-Length': '1', ...chunked }],
    ['POST', '/', { Host: 'a', 'Transfer-Encoding': 'gzip' }],
    ['POST', '/', { Host: 'a', 'Content-Length': '-1' }],
  ])('%s %s with %j is refused, and another one can be sent', (method, target, headers) => {
    const client = new HttpConnection('client')
    expect(localCode(() => client.send(request(method, target, headers as never)))).toBe('invalid-head')
    expect(text(client.send(request('GET', '/')))).toContain('GET')
  })
})

describe('content', () => {
  it('of another length than declared is refused and not written', () => {
    const client = new HttpConnection('client')
    client.send(request('POST', '/', { Host: 'a', 'Content-Length': '5' }))
    client.send(data('123'))
    expect(localCode(() => client.send(data('456')))).toBe('content-mismatch')
    expect(localCode(() => client.send(end))).toBe('content-mismatch')
    expect(text(client.send(data('45')))).toBe('45')
    client.send(end)
    expect(client.ownState).toBe('done')
  })

  it('of a request without framing fields is refused', () => {
    const client = new HttpConnection('client')
    client.send(request('POST', '/'))
    expect(localCode(() => client.send(data('1')))).toBe('content-mismatch')
    expect(localCode(() => client.send({ type: 'end', trailers: { A: 'b' } }))).toBe('invalid-trailer')
    client.send(end)
  })

  it('must match the declared chunk sizes', () => {
    const client = new HttpConnection('client')
    client.send(request('POST', '/', { Host: 'a', ...chunked }))
    const begin = { type: 'data', bytes: Buffer.from('ab'), chunk: { sizeBytes: 4, extensions: '' } } as const
    client.send(begin)
    expect(localCode(() => client.send(begin))).toBe('content-mismatch')
    expect(localCode(() => client.send(data('cde')))).toBe('content-mismatch')
    expect(localCode(() => client.send(end))).toBe('content-mismatch')
    expect(text(client.send(data('cd')))).toBe('cd\r\n')
    expect(text(client.send(end))).toBe('0\r\n\r\n')
  })

  it.each(['Content-Length', 'transfer-encoding', 'HOST', 'Trailer', 'Set-Cookie'])('has no trailer %s', (name) => {
    const client = new HttpConnection('client')
    client.send(request('POST', '/', { Host: 'a', ...chunked }))
    expect(localCode(() => client.send({ type: 'end', trailers: { [name]: '1' } }))).toBe('invalid-trailer')
    expect(localCode(() => client.send({ type: 'end', trailers: { 'a b': '1' } }))).toBe('invalid-trailer')
    expect(text(client.send(end))).toBe('0\r\n\r\n')
  })
})

describe('an event out of turn', () => {
  it('is refused without any effect', () => {
    const pair = new ConnectionPair()
    for (const event of [data('x'), end, response(200), { type: 'informational', head: { status: 100 } } as const]) {
      expect(localCode(() => pair.client.send(event))).toBe('out-of-turn')
    }
    for (const event of [
      data('x'),
      end,
      request('GET', '/'),
      { type: 'informational', head: { status: 100 } } as const,
    ]) {
      expect(localCode(() => pair.server.send(event))).toBe('out-of-turn')
    }
    pair.expectStates('idle', 'idle')
    pair.send('client', request('GET', '/'))
    expect(localCode(() => pair.client.send(request('GET', '/')))).toBe('out-of-turn')
    pair.send('client', end)
    expect(localCode(() => pair.client.startNextCycle())).toBe('out-of-turn')
    pair.send('server', response(200))
    expect(localCode(() => pair.server.send(response(200)))).toBe('out-of-turn')
    expect(localCode(() => pair.server.send({ type: 'informational', head: { status: 103 } }))).toBe('out-of-turn')
    pair.send('server', end)
    pair.expectStates('done', 'done')
  })

  it.each([100, 101, 99, 1000, 200.5])('is an informational or final status %s of the wrong kind', (status) => {
    const server = serverAfter('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(localCode(() => server.send(response(status)))).toBe('invalid-head')
    const type = status === 100 ? 200 : status
    expect(localCode(() => server.send({ type: 'informational', head: { status: type } }))).toBe('invalid-head')
  })
})

const pipelined =
  'GET /1 HTTP/1.1\r\nHost: a.com\r\nContent-Length: 5\r\n\r\n12345' +
  'GET /2 HTTP/1.1\r\nHost: a.com\r\nContent-Length: 5\r\n\r\n67890'

describe('pipelining', () => {
  it('leaves the following bytes unread until the next cycle', () => {
    const server = new HttpConnection('server')
    expect(server.next()).toBeUndefined()
    const first = read(server, `${pipelined}GET /3 HTTP/1.1\r\nHost: a.com\r\n\r\n`)
    expect(first.map(([type]) => type)).toEqual(['request', 'data', 'end'])
    expect([server.peerState, server.ownState, server.isPaused]).toEqual(['done', 'responding', true])
    for (const target of ['/2', '/3']) {
      server.send(response(200))
      server.send(end)
      server.startNextCycle()
      expect(read(server)[0]!.slice(0, 3)).toEqual(['request', 'GET', target])
    }
    expect(server.leftover.length).toBe(0)
    server.receive(Buffer.from('SADF'))
    expect(server.next()).toBeUndefined()
    server.receiveEnd()
    expect(server.next()).toBeUndefined()
    expect(text(server.leftover)).toBe('SADF')
    expect(localCode(() => server.receive(Buffer.from('more')))).toBe('out-of-turn')
  })

  it('answers every request before it ends a connection that the client has closed', () => {
    const server = new HttpConnection('server')
    server.receive(Buffer.from(pipelined))
    server.receiveEnd()
    expect(read(server).map(([type]) => type)).toEqual(['request', 'data', 'end'])
    server.send(response(200))
    server.send(end)
    expect(server.ownState).toBe('done')
    server.startNextCycle()
    expect(read(server).map(([type]) => type)).toEqual(['request', 'data', 'end', 'close'])
    expect([server.peerState, server.ownState]).toEqual(['closed', 'responding'])
    server.send(response(200))
    server.send(end)
    expect(server.ownState).toBe('must-close')
    server.send(close)
    expect(server.ownState).toBe('closed')
  })

  it('drops bytes after a message that ends the connection', () => {
    const server = serverAfter('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /2 HTTP/1.1\r\n')
    expect(read(server, 'more of it')).toEqual([])
    expect(read(server, '')).toEqual([['close']])
  })
})

describe('bytes that answer no request', () => {
  it('are the fault of the server before a request, and are not taken for its response', () => {
    const client = new HttpConnection('client')
    client.receive(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
    expect(localCode(() => client.send(request('GET', '/')))).toBe('out-of-turn')
    expect(peerCode(() => client.next())).toBe('UNEXPECTED')
    expect(client.peerState).toBe('failed')
    expect(client.ownState).toBe('must-close')
  })

  it('are the fault of the server after a response, too', () => {
    const pair = new ConnectionPair()
    pair.send('client', request('GET', '/'), end)
    pair.client.receive(Buffer.from('HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'))
    expect(read(pair.client).map(([type]) => type)).toEqual(['response', 'end'])
    pair.client.startNextCycle()
    expect(localCode(() => pair.client.send(request('GET', '/2')))).toBe('out-of-turn')
    expect(peerCode(() => pair.client.next())).toBe('UNEXPECTED')
  })

  it('are a switch of protocols that was not requested', () => {
    const client = new HttpConnection('client')
    client.send(request('GET', '/'))
    client.send(end)
    expect(peerCode(() => read(client, 'HTTP/1.1 101 \r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'))).toBe(
      'UNEXPECTED',
    )
  })
})

const upgrade = { Upgrade: 'a, b', Connection: 'upgrade' } as const
const switches = [
  ['CONNECT', request('CONNECT', 'b:443', { Host: 'b:443', 'Content-Length': '1' }), response(200, chunked)],
  [
    'Upgrade',
    request('GET', '/', { Host: 'b', 'Content-Length': '1', ...upgrade }),
    response(101, { ...upgrade, Upgrade: 'A' }),
  ],
  ['CONNECT of both', request('CONNECT', 'b:443', { Host: 'b:443', 'Content-Length': '1', ...upgrade }), response(200)],
  [
    'Upgrade of both',
    request('CONNECT', 'b:443', { Host: 'b:443', 'Content-Length': '1', ...upgrade }),
    response(101, { ...upgrade, Upgrade: 'b' }),
  ],
] as const

describe.each(switches)('another protocol by %s', (_name, proposal, accept) => {
  const setUp = (): ConnectionPair => {
    const pair = new ConnectionPair()
    pair.send('client', proposal)
    pair.expectStates('content', 'responding')
    pair.send('client', data('1'), end)
    pair.expectStates('switch-proposed', 'responding')
    expect(pair.server.isPaused).toBe(true)
    return pair
  }

  it('may be refused, after which the connection continues', () => {
    const pair = setUp()
    pair.send('server', response(404, chunked))
    pair.expectStates('done', 'content')
    pair.send('server', end)
    pair.client.startNextCycle()
    pair.server.startNextCycle()
    pair.send('client', request('GET', '/again'), end)
    pair.expectStates('done', 'responding')
  })

  it('begins with the byte after the answer', () => {
    const pair = setUp()
    // The client was in a hurry.
    pair.server.receive(Buffer.from('0'))
    expect(pair.server.next()).toBeUndefined()
    expect(pair.send('server', accept).octets).not.toMatch(/Transfer-Encoding|Content-Length/)
    expect(pair.send('server', end).read).toEqual([])
    pair.expectStates('switched', 'switched')
    pair.server.receive(Buffer.from('12'))
    expect(read(pair.server)).toEqual([['upgrade', '012']])
    expect(read(pair.server)).toEqual([])
    expect(localCode(() => pair.server.receive(Buffer.from('3')))).toBe('out-of-turn')
    for (const connection of [pair.client, pair.server]) {
      expect(connection.sendable).toEqual([])
      expect(localCode(() => connection.send(close))).toBe('out-of-turn')
    }
  })

  it('may arrive in the same bytes as the response', () => {
    const pair = setUp()
    const answer = text(pair.server.send(accept)) + text(pair.server.send(end))
    expect(read(pair.client, `${answer}123`).map(([type]) => type)).toEqual(['response', 'end', 'upgrade'])
    expect(pair.client.leftover.length).toBe(0)
  })

  it('is refused, and the bytes received meanwhile are read as HTTP', () => {
    const pair = setUp()
    expect(read(pair.server, 'GET /next HTTP/1.0\r\n\r\n')).toEqual([])
    expect(text(pair.server.leftover)).toBe('GET /next HTTP/1.0\r\n\r\n')
    pair.server.send(response(404, chunked))
    expect(read(pair.server)).toEqual([])
    pair.server.send(end)
    pair.server.startNextCycle()
    expect(read(pair.server)).toEqual([['request', 'GET', '/next', []], ['end']])
  })

  it('may still be accepted or refused when the client closes', () => {
    const waiting = setUp()
    expect(read(waiting.server, '')).toEqual([])
    waiting.server.send(accept)
    waiting.server.send(end)
    expect(read(waiting.server)).toEqual([['upgrade', '']])
    const refused = setUp()
    expect(read(refused.server, '')).toEqual([])
    refused.server.send(response(404, chunked))
    expect(read(refused.server)).toEqual([['close']])
  })

  it('allows no other request meanwhile', () => {
    expect(localCode(() => setUp().client.send(request('GET', '/')))).toBe('out-of-turn')
  })
})

describe('a protocol switch', () => {
  it.each([
    [{ Host: 'a' }, upgrade],
    [{ Host: 'a', ...upgrade }, { Connection: 'upgrade' }],
    [
      { Host: 'a', ...upgrade },
      { Connection: 'upgrade', Upgrade: 'c' },
    ],
  ])('requested by %j is not answered by 101 with %j', (asked, answered) => {
    const pair = new ConnectionPair()
    pair.send('client', request('GET', '/', asked as never), end)
    expect(localCode(() => pair.server.send(response(101, answered as never)))).toBe('invalid-head')
  })
})

describe('the end of a connection', () => {
  it.each(['client', 'server'] as const)('before anything has happened, by the %s', (first) => {
    const pair = new ConnectionPair()
    expect(pair.send(first, close).read).toEqual([['close']])
    const other = first === 'client' ? 'server' : 'client'
    expect([pair[first].ownState, pair[other].ownState]).toEqual(['closed', 'must-close'])
    expect(read(pair[other], '')).toEqual([])
    expect(localCode(() => pair[other].receive(Buffer.from('123')))).toBe('out-of-turn')
    pair.send(other, close)
    pair.send(other, close)
    pair.expectStates('closed', 'closed')
  })

  it('after a request still lets the server respond', () => {
    const pair = new ConnectionPair()
    pair.send('client', request('GET', '/'), end, close)
    pair.expectStates('closed', 'responding')
    pair.send('server', response(200), data('x'), end)
    pair.expectStates('closed', 'must-close')
  })

  it('is not a response', () => {
    const pair = new ConnectionPair()
    pair.send('client', request('GET', '/'), end)
    expect(localCode(() => pair.server.send(close))).toBe('out-of-turn')
    expect(peerCode(() => read(pair.client, ''))).toBe('INCOMPLETE')
    expect(pair.client.ownState).toBe('must-close')
  })

  it('after a response', () => {
    const pair = new ConnectionPair()
    pair.send('client', request('GET', '/'), end)
    pair.send('server', response(200), end, close)
    pair.expectStates('must-close', 'closed')
  })

  it.each([
    ['Content-Length: 10', '12345', 'the content ends after 5 of 10 bytes'],
    ['Transfer-Encoding: chunked', '8\r\n012345', 'the content ends 2 bytes before the end of a chunk'],
  ])('inside content of %s is an error', (field, content, message) => {
    const server = serverAfter(`POST / HTTP/1.1\r\nHost: a\r\n${field}\r\n\r\n${content}`)
    server.receiveEnd()
    expect(() => server.next()).toThrow(message)
    expect(server.peerState).toBe('failed')
  })

  it('inside a head or a message being sent is an error', () => {
    const server = serverAfter('GET /')
    expect(peerCode(() => read(server, ''))).toBe('INCOMPLETE')
    const client = new HttpConnection('client')
    client.send(request('POST', '/', { Host: 'a', 'Content-Length': '10' }))
    expect(localCode(() => client.send(close))).toBe('out-of-turn')
  })
})

describe('an error', () => {
  it.each(['client', 'server'] as const)('of the peer of a %s is reported at each call', (side) => {
    const connection = new HttpConnection(side)
    if (side === 'client') connection.send(request('GET', '/'))
    connection.receive(Buffer.from('gibberish\r\n\r\n'))
    for (let i = 0; i < 2; i++) expect(thrownBy(() => connection.next())).toBeInstanceOf(HttpParseError)
    expect([connection.peerState, connection.ownState]).toEqual(['failed', side === 'client' ? 'content' : 'idle'])
    if (side === 'server') {
      expect(text(connection.send(response(400)))).toBe('HTTP/1.1 400 \r\nConnection: close\r\n\r\n')
    }
  })

  it.each(['\u0000', ' x', '\u0016\u0003\u0001'])('of a client is detected at the first byte of %j', (octets) => {
    expect(thrownBy(() => read(new HttpConnection('server'), `${octets}\r\n`))).toBeInstanceOf(HttpParseError)
  })

  it.each(['client', 'server'] as const)('of the local transport stops a %s from sending', (side) => {
    const connection =
      side === 'client' ? new HttpConnection('client') : serverAfter('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    connection.fail()
    connection.fail()
    expect(connection.ownState).toBe('failed')
    expect(connection.peerState).not.toBe('failed')
    expect(localCode(() => connection.send(side === 'client' ? request('GET', '/') : response(200)))).toBe(
      'out-of-turn',
    )
  })

  it('is thrown for an endless head, under the configured limits', () => {
    const parser = { preset: 'server', limits: { headerSection: 4000 } } as const
    const server = new HttpConnection('server', { parser })
    server.receive(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\nEndless: '))
    expect(server.next()).toBeUndefined()
    expect(
      peerCode(() => {
        for (;;) {
          server.receive(Buffer.alloc(1024, 'a'))
          server.next()
        }
      }),
    ).toBe('LIMIT')
    const other = new HttpConnection('server', { parser })
    // Much at once is not a fault where it is complete messages.
    expect(read(other, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n${'a'.repeat(20_000)}`).length).toBe(
      3,
    )
    expect(other.leftover.length).toBe(10_000)
  })
})

describe('a server that waits for a request', () => {
  it('may send 408 unasked, and then closes', () => {
    const server = new HttpConnection('server')
    expect(text(server.send(response(408, { 'Content-Length': '0' })))).toContain('Connection: close')
    server.send(end)
    expect(server.ownState).toBe('must-close')
    server.send(close)
  })

  it('does not respond to silence', () => {
    expect(new HttpConnection('server').next()).toBeUndefined()
    expect(new HttpConnection('client').next()).toBeUndefined()
  })

  it('accepts only empty lines before a request', () => {
    expect(read(new HttpConnection('server'), '\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n').length).toBe(2)
  })
})
