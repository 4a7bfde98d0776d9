/** Messages that are wrong on purpose: each is wrong for our parser, and right without the violation. */
import { describe, expect, it } from 'vitest'
import { brokenMessage, HttpcliError, HttpDecoder, HttpParseError, violationNames } from '../../../src/message/index.ts'

const rightMessages: readonly (readonly [role: 'server' | 'client', text: string])[] = [
  ['server', 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello'],
  ['server', 'POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'],
  ['client', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'],
  ['client', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'],
]

/** The result of the strict parser for a connection that ends with the message: `right`, or the code. */
function verdict(role: 'server' | 'client', octets: Uint8Array): string {
  const decoder = new HttpDecoder(role, { preset: 'strict' })
  try {
    for (const _ of decoder.push(octets));
    for (const _ of decoder.end());
  } catch (error) {
    if (error instanceof HttpParseError) return error.code
    throw error
  }
  return 'right'
}

/** RFC 9112 section 6.3: a response with such a coding ends with the connection. */
const rightForResponses: readonly string[] = ['unknown-coding']

describe('a violation', () => {
  it.each(violationNames)('%s breaks a valid message', (name) => {
    let count = 0
    for (const [role, text] of rightMessages) {
      const message = Buffer.from(text, 'latin1')
      expect(verdict(role, message)).toBe('right')
      let broken: Uint8Array
      try {
        broken = brokenMessage(name, message)
      } catch (error) {
        expect((error as HttpcliError).code).toBe('invalid-violation')
        continue
      }
      if (role === 'client' && rightForResponses.includes(name)) continue
      count++
      expect(verdict(role, broken), `${name} in ${text}`).not.toBe('right')
    }
    expect(count).toBeGreaterThan(0)
  })

  it.each([
    ['two-host', rightMessages[0]![1], '"two-host" is not the name of a violation'],
    ['toString', rightMessages[0]![1], '"toString" is not the name of a violation'],
    ['two-hosts', 'GET / HTTP/1.1\r\n', 'no end of its header section'],
    ['two-hosts', rightMessages[2]![1], 'cannot be broken by this message'],
  ])('%s of %j is refused', (name, text, message) => {
    const action = (): unknown => brokenMessage(name as never, Buffer.from(text))
    expect(action).toThrow(HttpcliError)
    expect(action).toThrow(message)
  })
})
