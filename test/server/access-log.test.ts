import { describe, expect, it } from 'vitest'
import { formatLogLine } from '../../src/server/access-log.ts'

const entry = {
  remoteAddress: '127.0.0.1',
  answeredAt: new Date(Date.UTC(2026, 10, 21, 10, 33, 10, 999)),
  requestLine: 'GET /a.txt HTTP/1.1',
  status: 200,
  bodyBytes: 5,
  durationMs: 1,
}

describe('formatLogLine', () => {
  it('is one line in the documented form', () => {
    expect(formatLogLine(entry, 0)).toBe('127.0.0.1 [21/Nov/2026:10:33:10 +0000] "GET /a.txt HTTP/1.1" 200 5')
  })

  it.each([
    [330, '21/Nov/2026:16:03:10 +0530'],
    [-210, '21/Nov/2026:07:03:10 -0330'],
    [840, '22/Nov/2026:00:33:10 +1400'],
  ])('shows local time %d minutes from UTC', (offsetMinutes, time) => {
    expect(formatLogLine(entry, offsetMinutes)).toContain(`[${time}]`)
  })

  it('shows a dash where no request line came', () => {
    expect(formatLogLine({ ...entry, requestLine: undefined, status: 408 }, 0)).toMatch(/"-" 408 5$/)
  })

  it.each([
    ['a line end', 'GET /\r\n127.0.0.1 [', 'GET /\\x0d\\x0a127.0.0.1 ['],
    ['a terminal escape', 'GET /\x1b[2J', 'GET /\\x1b[2J'],
    ['NUL and DEL', '\x00\x7f', '\\x00\\x7f'],
    ['a C1 control', '\x9b31m', '\\x9b31m'],
    ['octets past ASCII', '/\xc3\xa9', '/\\xc3\\xa9'],
    ['a quotation mark', '/" 200 1', '/\\" 200 1'],
    ['a backslash', '/\\x0a', '/\\\\x0a'],
  ])('escapes %s', (_, requestLine, shown) => {
    expect(formatLogLine({ ...entry, requestLine }, 0)).toContain(`"${shown}"`)
  })
})
