/** Input other than HTTP is reported at its first octet: the other side waits, and so would we. */
import { describe, expect, it } from 'vitest'
import { HttpDecoder, type HttpParseError, HttpParser } from '../../../src/message/index.ts'
import { toOctets } from '../octets.ts'

function failure(role: 'server' | 'client', octets: string, preset: 'lenient' | 'strict' | 'server'): HttpParseError {
  try {
    new HttpDecoder(role, { preset }).push(toOctets(octets)).next()
  } catch (error) {
    return error as HttpParseError
  }
  throw new Error(`${JSON.stringify(octets)} was taken`)
}

describe.each(['lenient', 'strict'] as const)('a %s client', (preset) => {
  it.each([
    ['a TLS alert', '\x15', 'an answer in TLS, expected plain HTTP'],
    ['a TLS handshake', '\x16', 'an answer in TLS, expected plain HTTP'],
    ['SSH', 'S', 'the answer is not HTTP/1.1: it does not begin with "HTTP/"'],
    ['HTTP/2 frames', '\x00', 'the answer is not HTTP/1.1: it does not begin with "HTTP/"'],
    ['lower case', 'h', 'the answer is not HTTP/1.1: it does not begin with "HTTP/"'],
    ['binary', '\xff', 'the answer is not HTTP/1.1: it does not begin with "HTTP/"'],
  ])('reports %s at its first byte', (_name, octet, message) => {
    expect(failure('client', octet, preset)).toMatchObject({ code: 'VERSION', message, line: 1, column: 1 })
    expect(failure('client', `${octet}more\r\n\r\n`, preset)).toMatchObject({ code: 'VERSION', message })
  })

  it.each(['H', 'HTTP/', '\r', '\r\n', '\r\nH'])('waits for more after %j', (octets) => {
    if (preset === 'strict' && octets.startsWith('\r\n')) return
    const decoder = new HttpDecoder('client', { preset })
    expect([...decoder.push(toOctets(octets))]).toEqual([])
  })

  it('reports it after a response, too', () => {
    const decoder = new HttpDecoder('client', { preset })
    const events = decoder.push(toOctets('HTTP/1.1 204 No Content\r\n\r\n\x15'))
    expect([events.next().value.type, events.next().value.type]).toEqual(['response', 'end'])
    expect(() => events.next()).toThrow(/TLS/)
  })
})

it('a client that adds the version accepts a bare status and a byte order mark', () => {
  expect([...new HttpDecoder('client').push(toOctets('2'))]).toEqual([])
  expect([...new HttpDecoder('client').push(toOctets('\xef\xbb\xbfHTTP/1.1 204 \r\n\r\n'))]).toHaveLength(2)
  expect(failure('client', '2', 'strict')).toMatchObject({ code: 'VERSION' })
})

it.each(['lenient', 'strict', 'server'] as const)('a server reports TLS (%s)', (preset) => {
  expect(failure('server', '\x16', preset)).toMatchObject({
    code: 'METHOD',
    message: 'a TLS handshake, expected plain HTTP',
    status: 400,
  })
})

describe('a lone LF within chunks', () => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

  it.each([
    ['after a size', '5\nhello\r\n0\r\n\r\n', 'BARE_LF'],
    ['after data', '5\r\nhello\n0\r\n\r\n', 'CHUNK_DATA'],
    ['after the last size', '0\n\r\n', 'BARE_LF'],
    ['after an extension', '0;a\n\r\n', 'BARE_LF'],
    ['after a trailer', '0\r\nX: y\n\r\n', 'BARE_LF'],
    ['at the end', '0\r\n\n', 'BARE_LF'],
  ])('%s is refused on a connection and repaired in a text', async (_name, body, code) => {
    const parser = new HttpParser({ preset: 'lenient' })
    expect(parser.parseResponse(head + body).repairs.map((repair) => repair.code)).toEqual(['bare-lf'])
    const response = await parser.readResponse([toOctets(head + body)])
    await expect(response.body?.bytes()).rejects.toMatchObject({ code })
  })

  it('is accepted in the next head', async () => {
    const targets: string[] = []
    const text = `POST /1 HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n0\r\n\r\nGET /2 HTTP/1.1\nHost: a\n\n`
    for await (const request of new HttpParser().requests([toOctets(text)])) targets.push(request.target)
    expect(targets).toEqual(['/1', '/2'])
  })
})
