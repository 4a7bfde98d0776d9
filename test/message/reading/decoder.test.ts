/** HttpDecoder: bytes in, events out, without I/O; the events are the same however the bytes are cut. */
import { describe, expect, it } from 'vitest'
import { HttpDecoder, type HttpEvent } from '../../../src/message/index.ts'
import { toOctets, toText } from '../octets.ts'

const GET = 'GET /a HTTP/1.1\r\nHost: h\r\n\r\n'
const POST = 'POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello'
const CHUNKED =
  'PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n1\r\n!\r\n0;z\r\nX: y\r\n\r\n'

const show = (event: HttpEvent): string => {
  switch (event.type) {
    case 'request':
      return `${event.head.method} ${event.head.target} ${event.head.framing?.type ?? 'none'}`
    case 'informational':
    case 'response':
      return `${event.type} ${event.head.status} ${event.head.framing?.type ?? 'none'}`
    case 'data':
      return `data ${toText(event.bytes)}`
    case 'end':
      return `end ${event.lastChunkExtensions ? `;${event.lastChunkExtensions} ` : ''}${Array.from(event.trailers, ([name, value]) => `${name}: ${value}`).join(', ')}`.trimEnd()
    case 'upgrade':
      return `upgrade ${toText(event.rest)}`.trimEnd()
  }
}

/** Pushes the pieces and shows the events, neighbouring data as one. */
function events(decoder: HttpDecoder, pieces: Iterable<string>, end = true): string[] {
  const shown: string[] = []
  const take = (source: Iterable<HttpEvent>): void => {
    for (const event of source) {
      const last = shown.at(-1)
      if (event.type === 'data' && event.chunk !== undefined) {
        shown.push(`chunk ${event.chunk.sizeBytes} ${event.chunk.extensions}`.trimEnd())
      }
      if (event.type === 'data' && event.chunk === undefined && last?.startsWith('data '))
        shown[shown.length - 1] = last + toText(event.bytes)
      else shown.push(show(event))
    }
  }
  for (const piece of pieces) take(decoder.push(toOctets(piece)))
  if (end) take(decoder.end())
  return shown
}

describe('HttpDecoder for a server', () => {
  it.each([
    ['a request without a body', GET, ['GET /a none', 'end']],
    ['a request with a length', POST, ['POST /b length', 'data hello', 'end']],
    ['a chunked request', CHUNKED, ['PUT /c chunked', 'chunk 5 a=b', 'data hello', 'chunk 1', 'data !', 'end ;z X: y']],
    [
      'pipelined requests',
      POST + GET + CHUNKED + GET,
      [
        'POST /b length',
        'data hello',
        'end',
        'GET /a none',
        'end',
        'PUT /c chunked',
        'chunk 5 a=b',
        'data hello',
        'chunk 1',
        'data !',
        'end ;z X: y',
        'GET /a none',
        'end',
      ],
    ],
    [
      'an empty body',
      POST.replace('5\r\n\r\nhello', '0\r\n\r\n') + GET,
      ['POST /b length', 'end', 'GET /a none', 'end'],
    ],
  ])('reports what is in %s, whole and split at every byte', (_what, text, expected) => {
    expect(events(new HttpDecoder('server'), [text])).toEqual(expected)
    expect(events(new HttpDecoder('server'), Array.from(text))).toEqual(expected)
    for (let at = 1; at < text.length; at += 1) {
      expect(events(new HttpDecoder('server'), [text.slice(0, at), text.slice(at)]), `cut at ${at}`).toEqual(expected)
    }
  })

  it('starts from the server preset', () => {
    expect(events(new HttpDecoder('server'), [`\r\n${GET}`])).toEqual(['GET /a none', 'end'])
    for (const text of ['GET /a\r\n', 'GET /a HTTP/1.1\n', 'GET  /a HTTP/1.1\r\n', 'GET http://h/ HTTP/1.1\r\n\r\n']) {
      expect(() => events(new HttpDecoder('server'), [text], false), text).toThrow()
    }
  })

  it('reports the head as soon as it is complete, and data as it arrives', () => {
    const decoder = new HttpDecoder('server')
    const head = POST.slice(0, -5)
    expect(events(decoder, [head.slice(0, -1)], false)).toEqual([])
    expect(events(decoder, [head.slice(-1)], false)).toEqual(['POST /b length'])
    expect(events(decoder, ['he'], false)).toEqual(['data he'])
    expect(events(decoder, ['llo'], false)).toEqual(['data llo', 'end'])
  })

  it('may end between messages, but not inside one', () => {
    expect(events(new HttpDecoder('server'), [])).toEqual([])
    expect(events(new HttpDecoder('server'), [GET])).toEqual(['GET /a none', 'end'])
    for (let at = 1; at < CHUNKED.length; at += 1) {
      const decoder = new HttpDecoder('server')
      expect(() => events(decoder, [CHUNKED.slice(0, at)]), `cut at ${at}`).toThrow(
        expect.objectContaining({ code: 'INCOMPLETE' }),
      )
    }
  })

  it('yields nothing more after an error, and never resumes', () => {
    const decoder = new HttpDecoder('server')
    expect(() => events(decoder, ['GET / HTTP/1.1\r\nBroken\r\n\r\n'], false)).toThrow()
    expect(() => events(decoder, [GET], false)).toThrow()
  })

  it('yields the valid requests before an error in the same bytes', () => {
    const seen: string[] = []
    expect(() => {
      for (const event of new HttpDecoder('server').push(toOctets(`${GET}${POST}BAD\r\n\r\n`))) seen.push(show(event))
    }).toThrow(expect.objectContaining({ name: 'HttpParseError' }))
    expect(seen).toEqual(['GET /a none', 'end', 'POST /b length', 'data hello', 'end'])
  })

  it('gives header fields by lower-case name', () => {
    const [event] = new HttpDecoder('server').push(
      toOctets(
        'GET / HTTP/1.1\r\nHost: h\r\nAccept: a\r\nACCEPT: b\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n',
      ),
    )
    if (event?.type !== 'request') throw new Error('no request')
    expect(event.head.get('accept')).toBe('a, b')
    expect(event.head.get('x')).toBeUndefined()
    expect(event.head.headers.names()).toEqual(['Host', 'Accept', 'ACCEPT', 'Expect', 'Connection'])
    expect(event.head).toMatchObject({ expectContinue: true, keepAlive: false, version: 'HTTP/1.1' })
  })

  it('yields the events through next(), too, with the same iterator for each push', () => {
    const decoder = new HttpDecoder('server')
    const first = decoder.push(toOctets(GET.slice(0, 9)))
    expect(decoder.next()).toBeUndefined()
    expect(decoder.push(toOctets(GET.slice(9)))).toBe(first)
    expect(decoder.next()?.type).toBe('request')
    expect(first.next()).toMatchObject({ done: false, value: { type: 'end' } })
    expect(decoder.next()).toBeUndefined()
    expect(first.next().done).toBe(true)
  })
})

describe('HttpDecoder for a client', () => {
  const client = (...methods: string[]): HttpDecoder => {
    const decoder = new HttpDecoder('client')
    for (const method of methods) decoder.expect(method)
    return decoder
  }
  const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'

  it.each([
    ['GET', `${OK}hello`, ['response 200 length', 'data hello', 'end']],
    ['HEAD', OK, ['response 200 none', 'end']],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', ['response 304 none', 'end']],
    ['DELETE', 'HTTP/1.1 204 No Content\r\n\r\n', ['response 204 none', 'end']],
    ['GET', 'HTTP/1.1 200 OK\r\n\r\nhello', ['response 200 close', 'data hello', 'end']],
    ['GET', 'HTTP/1.1 200 OK\r\n\r\n', ['response 200 close', 'end']],
    [
      'POST',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${OK}hello`,
      ['informational 100 none', 'informational 103 none', 'response 200 length', 'data hello', 'end'],
    ],
  ])('reads the response to %s, whole and split at every byte', (method, text, expected) => {
    expect(events(client(method), [text])).toEqual(expected)
    for (let at = 1; at < text.length; at += 1) {
      expect(events(client(method), [text.slice(0, at), text.slice(at)]), `cut at ${at}`).toEqual(expected)
    }
  })

  it('matches responses to requests in order, and interim ones to none', () => {
    const text = `HTTP/1.1 102 Processing\r\n\r\n${OK}${OK}hello${OK}`
    expect(events(client('HEAD', 'GET', 'HEAD'), [text])).toEqual([
      'informational 102 none',
      'response 200 none',
      'end',
      'response 200 length',
      'data hello',
      'end',
      'response 200 none',
      'end',
    ])
  })

  it('hands over what follows an accepted CONNECT or a protocol switch', () => {
    const connected = events(client('CONNECT'), ['HTTP/1.1 200 OK\r\n\r\n\x16\x03tls'], false)
    expect(connected[0]).toBe('response 200 none')
    expect(connected.at(-1)).toBe('upgrade \x16\x03tls')
    const switched = events(
      client('GET'),
      ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nrest'],
      false,
    )
    expect(switched[0]).toMatch(/ 101 none$/)
    expect(switched.at(-1)).toBe('upgrade rest')
  })

  it('ignores the length of an accepted CONNECT, not of a refused one', () => {
    const accepted = events(client('CONNECT'), [`${OK}hello`], false)
    expect(accepted.filter((line) => line.startsWith('data'))).toEqual([])
    const refused = events(client('CONNECT'), [`${OK.replace('200 OK', '407 No')}hello`], false)
    expect(refused).toEqual(['response 407 length', 'data hello', 'end'])
  })

  it('fails if the connection ends too early', () => {
    for (const text of ['HTTP/1.1 200', OK, `${OK}hell`, 'HTTP/1.1 100 Continue\r\n\r\nHTTP']) {
      expect(() => events(client('GET'), [text]), text).toThrow(expect.objectContaining({ code: 'INCOMPLETE' }))
    }
  })
})

describe('HttpDecoder for a server that receives another protocol', () => {
  it.each([
    ['TLS', Uint8Array.of(0x16)],
    ['NUL', Uint8Array.of(0)],
    ['a byte above 0x7F', Uint8Array.of(0xff)],
  ])('reports it at the first byte: %s', (_name, octet) => {
    const decoder = new HttpDecoder('server')
    expect(() => [...decoder.push(octet)]).toThrow(expect.objectContaining({ code: 'METHOD', status: 400, offset: 0 }))
  })
})
