import { describe, expect, it } from 'vitest'
import { checkFieldValue, parseExtraField } from '../../../src/server/features/extra-fields.ts'

describe('a header added to responses', () => {
  it.each([
    ['X-A: b', 'X-A', 'b'],
    ['X-A:b', 'X-A', 'b'],
    ['X-A: \t b c \t', 'X-A', 'b c'],
    ['x-empty:', 'x-empty', ''],
    ['Content-Security-Policy: default-src https:', 'Content-Security-Policy', 'default-src https:'],
    ['Cross-Origin-Opener-Policy: same-origin', 'Cross-Origin-Opener-Policy', 'same-origin'],
    ["!#$%&'*+-.^_`|~9: v", "!#$%&'*+-.^_`|~9", 'v'],
    ['X-Latin: caf\xe9', 'X-Latin', 'caf\xe9'],
  ])('%j is accepted', (text, name, value) => {
    expect(parseExtraField(text)).toEqual([name, value])
  })

  it.each([
    ['no colon', 'X-A b', /has no colon/],
    ['no name', ': b', /an invalid name, ""/],
    ['a blank in the name', 'X A: b', /an invalid name, "X A"/],
    ['a blank after the name', 'X-A : b', /an invalid name/],
    ['a line end in the name', 'X\r\n-A: b', /an invalid name/],
    ['a line end', 'X-A: b\r\nSet-Cookie: x', /not allowed in a header, U\+000D/],
    ['a lone line feed', 'X-A: b\nc', /U\+000A/],
    ['NUL', 'X-A: \0', /U\+0000/],
    ['DEL', 'X-A: \x7f', /U\+007F/],
    ['a character past latin1', 'X-A: \u20ac', /U\+20AC/],
    ['a character past the first plane', 'X-A: 😀', /U\+1F600/],
    ['Content-Length', 'content-length: 5', /says where a response ends/],
    ['Transfer-Encoding', 'Transfer-Encoding: chunked', /says where a response ends/],
    ['Trailer', 'Trailer: x', /says where a response ends/],
    ['Connection', 'CONNECTION: close', /belongs to the connection/],
    ['Upgrade', 'Upgrade: h2c', /belongs to the connection/],
    ['Content-Encoding', 'Content-Encoding: gzip', /computes it/],
    ['Content-Type', 'Content-Type: text/plain', /computes it/],
    ['ETag', 'ETag: "a"', /computes it/],
    ['Location', 'Location: /', /only in some responses/],
  ])('with %s is refused with a one-line error', (_, text, message) => {
    const refusal = (() => {
      try {
        return parseExtraField(text)
      } catch (error) {
        return error
      }
    })()
    expect(refusal).toMatchObject({ code: 'field', message: expect.stringMatching(message), hint: expect.any(String) })
    expect(String(refusal)).not.toMatch(/[\r\n]/)
  })

  it('has a value that is checked in the same way on its own', () => {
    expect(checkFieldValue(' max-age=60 ')).toBe('max-age=60')
    expect(() => checkFieldValue('a\r\nb')).toThrow(expect.objectContaining({ code: 'field' }))
  })
})
