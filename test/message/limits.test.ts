/** Limits: what is exactly as large as allowed is taken, one more is not, and nothing is gathered past it. */
import { describe, expect, it } from 'vitest'
import {
  HttpDecoder,
  HttpParseError,
  HttpParser,
  type ParserLimits,
  type ParserOptionsInit,
} from '../../src/message/index.ts'
import { toOctets, toText } from './octets.ts'

const chunked = (body: string): string => `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}`

interface LimitCase {
  readonly limit: keyof ParserLimits
  readonly value: number
  /** A message that has `size` of what is limited. */
  readonly make: (size: number) => string
  readonly status: number
}

const CASES: readonly LimitCase[] = [
  {
    limit: 'startLine',
    value: 40,
    make: (size) => `GET /${'a'.repeat(size - 14)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    status: 414,
  },
  {
    limit: 'headerSection',
    value: 60,
    make: (size) => `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(size - 14)}\r\n\r\n`,
    status: 431,
  },
  {
    limit: 'headerCount',
    value: 5,
    make: (size) => `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(size - 1)}\r\n`,
    status: 431,
  },
  {
    limit: 'trailerSection',
    value: 40,
    make: (size) => chunked(`0\r\nX: ${'y'.repeat(size - 5)}\r\n\r\n`),
    status: 431,
  },
  {
    limit: 'body',
    value: 10,
    make: (size) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`,
    status: 413,
  },
  {
    limit: 'body',
    value: 10,
    make: (size) => chunked(`6\r\nabcdef\r\n${(size - 6).toString(16)}\r\n${'x'.repeat(size - 6)}\r\n0\r\n\r\n`),
    status: 413,
  },
]

function outcome(run: () => unknown): string {
  try {
    run()
    return 'accepted'
  } catch (error) {
    if (error instanceof HttpParseError) return `${error.code} ${error.status}`
    throw error
  }
}

const drain = (decoder: HttpDecoder, text: string): void => {
  for (const _event of decoder.push(toOctets(text)));
}

describe.each(CASES)('the limit $limit of $value', ({ limit, value, make, status }) => {
  const options: ParserOptionsInit = { limits: { [limit]: value } }
  it('accepts exactly that size', () => {
    for (const preset of ['lenient', 'strict', 'server'] as const) {
      expect(outcome(() => new HttpParser({ ...options, preset }).parseRequest(make(value)))).toBe('accepted')
      expect(outcome(() => drain(new HttpDecoder('server', { ...options, preset }), make(value)))).toBe('accepted')
    }
  })
  it(`refuses one more with ${status}`, () => {
    for (const preset of ['lenient', 'strict', 'server'] as const) {
      expect(outcome(() => new HttpParser({ ...options, preset }).parseRequest(make(value + 1)))).toBe(
        `LIMIT ${status}`,
      )
      const decoder = new HttpDecoder('server', { ...options, preset })
      expect(outcome(() => drain(decoder, make(value + 1)))).toBe(`LIMIT ${status}`)
      const octetwise = new HttpDecoder('server', { ...options, preset })
      expect(
        outcome(() => {
          for (const octet of make(value + 1)) drain(octetwise, octet)
        }),
      ).toBe(`LIMIT ${status}`)
    }
  })
})

describe('the limit chunkExtensions', () => {
  const message = (sizes: readonly number[]): string =>
    chunked(`${sizes.map((size) => `1;${'a'.repeat(size - 1)}\r\nx\r\n`).join('')}0\r\n\r\n`)
  const run = (sizes: readonly number[]): string =>
    outcome(() => new HttpParser({ limits: { chunkExtensions: 20 } }).parseRequest(message(sizes)))

  it('counts all extensions of a message together', () => {
    expect(run([20])).toBe('accepted')
    expect(run([5, 5, 5, 5])).toBe('accepted')
    expect(run([21])).toMatch(/^LIMIT 4\d\d$/)
    expect(run([5, 5, 5, 6])).toMatch(/^LIMIT 4\d\d$/)
  })

  it('restarts with the next message', () => {
    const decoder = new HttpDecoder('server', { limits: { chunkExtensions: 20 } })
    expect(outcome(() => drain(decoder, message([20]).repeat(3)))).toBe('accepted')
  })
})

describe('limits', () => {
  it.each([
    ['a start line', 'GET /', 'a', 414],
    ['a method', '', 'A', 414],
    ['a run of empty lines', '', '\r\n', 414],
    ['a field line', 'GET / HTTP/1.1\r\nX: ', 'y', 431],
    ['a field name', 'GET / HTTP/1.1\r\n', 'X', 431],
    ['a chunk size', chunked(''), '0', undefined],
    ['a chunk extension', chunked('5;'), 'a', undefined],
    ['a trailer', chunked('0\r\nX: '), 'y', 431],
  ])('end %s that never ends', (_what, start, more, status) => {
    const decoder = new HttpDecoder('server')
    const endless = (): void => {
      drain(decoder, start)
      for (let pushed = 0; pushed < 1 << 20; pushed += 1024) drain(decoder, more.repeat(1024))
    }
    expect(endless).toThrow(HttpParseError)
    const again = new HttpDecoder('server')
    const expected = status === undefined ? /^(LIMIT|CHUNK_SIZE) 4\d\d$/ : new RegExp(`^LIMIT ${status}$`)
    expect(outcome(() => drain(again, start + more.repeat(1 << 17)))).toMatch(expected)
  })

  it('of a body refuse a declared length before the body arrives', () => {
    const decoder = new HttpDecoder('server', { limits: { body: 10 } })
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n'
    expect(outcome(() => drain(decoder, head))).toBe('LIMIT 413')
  })

  it('apply to each message of a connection, not to all together', () => {
    const decoder = new HttpDecoder('server', { limits: { body: 5, headerCount: 2, headerSection: 40, startLine: 20 } })
    const message = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello'
    expect(outcome(() => drain(decoder, message.repeat(20)))).toBe('accepted')
  })

  it('of the server preset are as documented', () => {
    const fields = (count: number): string => `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(count - 1)}\r\n`
    expect(outcome(() => drain(new HttpDecoder('server'), fields(100)))).toBe('accepted')
    expect(outcome(() => drain(new HttpDecoder('server'), fields(101)))).toBe('LIMIT 431')
    expect(outcome(() => new HttpParser().parseRequest(fields(200)))).toBe('accepted')
    expect(outcome(() => new HttpParser().parseRequest(fields(201)))).toBe('LIMIT 431')
  })

  it('of a body apply to a typed body without a length', () => {
    const text = 'POST / HTTP/1.1\r\nHost: a\r\n\r\nhello'
    expect(outcome(() => new HttpParser({ limits: { body: 5 } }).parseRequest(text))).toBe('accepted')
    expect(outcome(() => new HttpParser({ limits: { body: 4 } }).parseRequest(text))).toBe('LIMIT 413')
  })

  it('of a body until the end of the connection are reached at the same byte however it is split', () => {
    const run = (pieces: readonly string[]): string[] => {
      const decoder = new HttpDecoder('client', { limits: { body: 3 } })
      decoder.expect('GET')
      const seen = ['']
      try {
        for (const piece of pieces) {
          for (const event of decoder.push(toOctets(piece))) if (event.type === 'data') seen[0] += toText(event.bytes)
        }
      } catch (error) {
        const { code, offset } = error as HttpParseError
        seen.push(`${code} ${offset}`)
      }
      return seen
    }
    const text = 'HTTP/1.1 200 OK\r\n\r\nhello'
    expect(run([text])[1]).toMatch(/^LIMIT /)
    for (let at = 1; at < text.length; at += 1) {
      expect(run([text.slice(0, at), text.slice(at)]), `cut at ${at}`).toEqual(run([text]))
    }
    expect(run(Array.from(text))).toEqual(run([text]))
  })

  it('apply to responses', () => {
    const parser = new HttpParser({ limits: { body: 4, headerCount: 1 } })
    expect(outcome(() => parser.parseResponse('HTTP/1.1 200 OK\r\n\r\nhello'))).toMatch(/^LIMIT /)
    expect(outcome(() => parser.parseResponse('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'))).toMatch(/^LIMIT /)
    expect(outcome(() => parser.parseResponse('HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n\r\n'))).toMatch(/^LIMIT /)
    expect(outcome(() => parser.parseResponse('HTTP/1.1 200 OK\r\n\r\nhell'))).toBe('accepted')
  })
})
