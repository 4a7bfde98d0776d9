/** HttpParseError: which rule, where, and a line with a caret that points to it. */
import { describe, expect, it } from 'vitest'
import { HttpParseError, HttpParser, type ParserOptionsInit } from '../../../src/message/index.ts'
import { toOctets } from '../octets.ts'

function errorOf(text: string, options: ParserOptionsInit = {}): HttpParseError {
  try {
    new HttpParser(options).parseRequest(toOctets(text))
  } catch (error) {
    if (error instanceof HttpParseError) return error
    throw error
  }
  throw new Error(`accepted: ${JSON.stringify(text)}`)
}

/** The text of the excerpt from the place above the caret on. */
function pointedAt({ excerpt }: HttpParseError): string {
  const [shown = '', caret = '', ...more] = excerpt.split('\n')
  expect(more.join('')).toBe('')
  expect(caret.trim()).toMatch(/^\^/)
  return shown.slice(caret.indexOf('^'))
}

const H = 'GET / HTTP/1.1\r\nHost: a\r\n'

describe('HttpParseError', () => {
  it.each([
    ['a field line without colon', `${H}Broken\r\n\r\n`, 'HEADER_COLON', 3, [1, 7]],
    ['a mark in a method', 'G(T / HTTP/1.1\r\n\r\n', 'METHOD', 1, [2]],
    ['a byte in a target', 'GET /a|b HTTP/1.1\r\nHost: a\r\n\r\n', 'TARGET', 1, [7]],
    ['a byte of UTF-8 in a target', 'GET /a\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n', 'TARGET', 1, [7]],
    ['a bad escape in a target', 'GET /a%zz HTTP/1.1\r\nHost: a\r\n\r\n', 'TARGET', 1, [7]],
    ['a version', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n', 'VERSION', 1, [7]],
    ['a mark in a field name', `${H}X(Y: z\r\n\r\n`, 'HEADER_NAME', 3, [2]],
    ['NUL in a value', `${H}X: y\0z\r\n\r\n`, 'HEADER_VALUE', 3, [5]],
    ['a control in a value', `${H}Tab:\ta\x1bz\r\n\r\n`, 'HEADER_VALUE', 3, [7]],
    ['a control after UTF-8', `${H}X: \xc3\xa9\x01\r\n\r\n`, 'HEADER_VALUE', 3, [6]],
    ['a bare CR', `${H}X: y\rz\r\n\r\n`, 'BARE_CR', 3, [5]],
    ['a length', `${H}Content-Length: 5z\r\n\r\n`, 'CONTENT_LENGTH', 3, [17, 18]],
    ['a coding', `${H}Transfer-Encoding: gzip\r\n\r\n`, 'TRANSFER_ENCODING', 3, [20, 1]],
    ['a chunk size', `${H}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxyz\r\n`, 'CHUNK_SIZE', 7, [1]],
    ['an empty Host', 'GET / HTTP/1.1\r\nX: y\r\nHost: \r\n\r\n', 'HOST', 3, [1, 5, 6, 7]],
    ['a bad Host', 'GET / HTTP/1.1\r\nX: y\r\nHost: a/b\r\n\r\n', 'HOST', 3, [7, 8]],
    ['a second Host', `${H}X: y\r\nHost: b\r\n\r\n`, 'HOST', 4, [1, 7]],
  ])('gives the position of %s', (_what, text, code, line, columns) => {
    const error = errorOf(text)
    expect(error.code).toBe(code)
    expect(error.line).toBe(line)
    expect(columns).toContain(error.column)
    const lineStart =
      text
        .split('\r\n')
        .slice(0, line - 1)
        .join('\r\n').length + (line > 1 ? 2 : 0)
    expect(error.offset).toBe(lineStart + error.column - 1)
    expect(error.status).toBe(code === 'VERSION' ? 505 : 400)
    expect(error.where).toEqual({ line, column: error.column })
    expect(error.message).not.toBe('')
    expect(error.message).not.toMatch(/[\0-\x08\x0a-\x1f]/)
  })

  it.each([
    ['a printable byte as it is', 'GET /a|b HTTP/1.1\r\n\r\n', '|b HTTP/1.1'],
    ['after an indented line', `${H}X(Y: z\r\n\r\n`, '(Y: z'],
  ])('points to %s', (_what, text, shown) => {
    expect(pointedAt(errorOf(text))).toBe(shown)
  })

  it.each([
    ['NUL', `${H}X: y\0z\r\n\r\n`],
    ['a bare CR', `${H}X: y\rz\r\n\r\n`],
    ['ESC after tabs', `${H}X:\t\t\ta\x1bz\r\n\r\n`],
    ['DEL after other escapes', 'GET /a\x7f HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a byte above 0x7F', 'GET /a\xff HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('shows %s as an escape, with the caret below it', (_what, text) => {
    const error = errorOf(text)
    expect(error.excerpt).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f]/)
    expect(pointedAt(error)).toMatch(/^\\/)
  })

  it('points to the right column after escapes', () => {
    expect(pointedAt(errorOf('GET /%zz|\r\nHost: a\r\n\r\n'))).toMatch(/^%zz/)
    expect(pointedAt(errorOf(`${H}X\t\t(: y\r\n\r\n`))).toMatch(/^\\t|^\(/)
    expect(pointedAt(errorOf(`${H}X: \t\xe9\x85\t\0\r\n\r\n`))).toMatch(/^\\(0|x00|u0000)/)
  })

  it('shows part of a very long line, with the caret in it', () => {
    const error = errorOf(`${H}X: ${'a'.repeat(5000)}\0${'b'.repeat(5000)}\r\n\r\n`)
    expect(error.column).toBe(5004)
    expect(pointedAt(error)).toMatch(/^\\.*b/)
    expect(error.excerpt.length).toBeLessThan(1000)
  })

  it('counts lines that end with a bare LF', () => {
    expect(errorOf('\n\nGET / HTTP/1.1\nHost: a\nBroken\n\n')).toMatchObject({ line: 5, code: 'HEADER_COLON' })
  })

  it('gives the place where a text ends too early', () => {
    const text = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhello'
    expect(errorOf(text)).toMatchObject({ code: 'INCOMPLETE', offset: text.length, line: 5, column: 6 })
  })

  it('explains what was found and what was expected', () => {
    expect(errorOf(`${H}Content-Length: five\r\n\r\n`).message).toMatch(/five/)
    expect(errorOf('GET / HTTP/3.0\r\nHost: a\r\n\r\n').message).toMatch(/HTTP\/3\.0/)
    expect(errorOf(`${H}Transfer-Encoding: gzip\r\n\r\n`).message).toMatch(/gzip|chunked/)
  })

  it('counts the lines of content before it', () => {
    const chunk = `${H}Transfer-Encoding: chunked\r\n\r\n6\r\na\nb\nc\n\r\nzz\r\n`
    expect(errorOf(chunk)).toMatchObject({ code: 'CHUNK_SIZE', line: 10, column: 1, offset: chunk.indexOf('zz') })
    expect(pointedAt(errorOf(chunk))).toMatch(/^zz/)
  })

  it('points into the final response after interim ones', () => {
    const text = 'HTTP/1.1 100 Continue\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\nBroken\r\n\r\n'
    let error: unknown
    try {
      new HttpParser().parseResponse(text)
    } catch (caught) {
      error = caught
    }
    expect(error).toMatchObject({ code: 'HEADER_COLON', line: 5, column: 7, offset: text.indexOf('Broken') + 6 })
    expect((error as HttpParseError).excerpt.split('\n')[0]).toContain('Broken')
  })

  it('is an Error with a name, a hint if there is a remedy, and no invented cause', () => {
    const error = errorOf('GET /a b HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe('HttpParseError')
    expect(error.cause).toBeUndefined()
    expect(error.hint).toMatch(/%20/)
  })
})
