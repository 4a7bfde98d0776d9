/** Heads and messages as JSON and `console.log` show them. */
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  HeaderList,
  HttpDecoder,
  HttpRequest,
  HttpResponse,
  parseRequest,
  parseResponse,
} from '../../../src/message/index.ts'
import { toOctets } from '../octets.ts'

const POST = 'POST /p HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 5\r\n\r\nhello'
const FOLDED = 'HTTP/1.1 404 Not Here\r\nX-A: 1\r\n 2\r\nContent-Length: 0\r\n\r\n'

const post = {
  method: 'POST',
  target: '/p',
  version: 'HTTP/1.1',
  headers: [
    ['Host', 'h'],
    ['X-A', '1'],
    ['x-a', '2'],
    ['Content-Length', '5'],
  ],
  framing: { type: 'length', length: 5 },
}
const notHere = {
  status: 404,
  reason: 'Not Here',
  version: 'HTTP/1.1',
  headers: [
    ['X-A', '1 2'],
    ['Content-Length', '0'],
  ],
  framing: { type: 'length', length: 0 },
}

function headOf(role: 'server' | 'client', text: string): unknown {
  const event = new HttpDecoder(role).push(toOctets(text)).next().value
  return 'head' in event ? event.head : undefined
}

describe('JSON', () => {
  it.each<[string, unknown, unknown]>([
    ['a request that was parsed', parseRequest(POST), post],
    ['a request in separate memory', parseRequest(POST).eagerly(), post],
    ['a request head', headOf('server', POST), post],
    ['a response that was repaired', parseResponse(FOLDED), notHere],
    ['a response head', headOf('client', FOLDED), notHere],
    [
      'a request without a body',
      new HttpRequest({ method: 'GET', url: 'http://h/?q' }),
      { method: 'GET', target: 'http://h/?q', version: 'HTTP/1.1', headers: [['Host', 'h']], framing: null },
    ],
    [
      'a response with a changed status',
      new HttpResponse({ status: 200, body: new Uint8Array(2) }).withStatus(201),
      {
        status: 201,
        reason: 'Created',
        version: 'HTTP/1.1',
        headers: [['Content-Length', '2']],
        framing: { type: 'length', length: 2 },
      },
    ],
  ])('of %s has start line, headers and framing', (_, message, expected) => {
    expect(JSON.parse(JSON.stringify(message))).toEqual(expected)
  })
})

describe('console.log', () => {
  it.each<[string, unknown, string, object?]>([
    ['a request', parseRequest(POST), 'HttpRequest', { body: 'hello' }],
    ['a request head', headOf('server', POST), 'RequestHead'],
    ['a response', parseResponse(FOLDED), 'HttpResponse', { body: '' }],
    ['a response head', headOf('client', FOLDED), 'ResponseHead'],
  ])('of %s shows its class, its parts and its body', (_, message, name, more) => {
    const parts = { ...JSON.parse(JSON.stringify(message)), ...more }
    expect(inspect(message)).toBe(`${name} ${inspect(parts)}`)
  })

  it('of a header list shows its pairs', () => {
    expect(inspect(HeaderList.of({ A: ['1', '2'] }))).toBe("HeaderList [ [ 'A', '1' ], [ 'A', '2' ] ]")
  })

  it('of an object that holds a request respects the depth option', () => {
    expect(inspect({ a: { request: parseRequest(POST) } }, { depth: 1 })).toContain('HttpRequest')
  })
})
