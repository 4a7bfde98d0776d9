import { describe, expect, it } from 'vitest'
import { type AnsweredRequest, createLogFormatter } from '../../src/server/access-log.ts'

const entry: AnsweredRequest = {
  remoteAddress: '127.0.0.1',
  answeredMs: Date.UTC(2026, 10, 21, 10, 33, 10, 999),
  requestLine: 'GET /a.txt HTTP/1.1',
  status: 200,
  bodyBytes: 5,
  durationMs: 1,
}

const text = (shown: AnsweredRequest, offsetMinutes = 0) =>
  createLogFormatter('text', () => offsetMinutes).format(shown)
const json = (shown: AnsweredRequest) => createLogFormatter('json').format(shown)

const unsafe = [
  ['a line end', 'GET /\r\n127.0.0.1 [', 'GET /\\x0d\\x0a127.0.0.1 ['],
  ['a terminal escape', 'GET /\x1b[2J', 'GET /\\x1b[2J'],
  ['NUL and DEL', '\x00\x7f', '\\x00\\x7f'],
  ['a C1 control', '\x9b31m', '\\x9b31m'],
  ['bytes past ASCII', '/\xc3\xa9', '/\\xc3\\xa9'],
  ['a quotation mark', '/" 200 1', '/\\" 200 1'],
  ['a backslash', '/\\x0a', '/\\\\x0a'],
] as const

describe('the text log', () => {
  it('is one line in the documented format', () => {
    expect(text(entry)).toBe('127.0.0.1 [21/Nov/2026:10:33:10 +0000] "GET /a.txt HTTP/1.1" 200 5')
  })

  it.each([
    [330, '21/Nov/2026:16:03:10 +0530'],
    [-210, '21/Nov/2026:07:03:10 -0330'],
    [840, '22/Nov/2026:00:33:10 +1400'],
  ])('shows local time %d minutes from UTC', (offsetMinutes, time) => {
    expect(text(entry, offsetMinutes)).toContain(`[${time}]`)
  })

  it('updates the time each second, and across a change to summer time', () => {
    const formatter = createLogFormatter('text', (epochMs) => (epochMs < entry.answeredMs + 1000 ? 60 : 120))
    const times = [0, 0, 1, 1001, -1000].map((later) => {
      const line = formatter.format({ ...entry, answeredMs: entry.answeredMs + later })
      return /\d\d:\d\d:\d\d \S+(?=\])/.exec(line)?.[0]
    })
    expect(times).toEqual(['11:33:10 +0100', '11:33:10 +0100', '11:33:11 +0100', '12:33:12 +0200', '11:33:09 +0100'])
  })

  it('shows every difference from the previous line', () => {
    const formatter = createLogFormatter('text', () => 0)
    const others: readonly Partial<AnsweredRequest>[] = [
      {},
      { status: 304 },
      { bodyBytes: 6 },
      { requestLine: 'GET /b.txt HTTP/1.1' },
      { requestLine: undefined },
      { remoteAddress: '::1' },
      { answeredMs: entry.answeredMs + 1 },
      { backend: { name: '/api', failure: undefined } },
      {},
    ]
    for (const other of others) {
      const shown = { ...entry, ...other }
      expect(formatter.format(shown)).toBe(text(shown))
      expect(formatter.format(shown)).toBe(text(shown))
    }
  })

  it('shows a dash if no request line arrived', () => {
    expect(text({ ...entry, requestLine: undefined, status: 408 })).toMatch(/"-" 408 5$/)
  })

  it.each(unsafe)('escapes %s', (_, requestLine, shown) => {
    expect(text({ ...entry, requestLine })).toContain(`"${shown}"`)
  })
})

describe('the JSON log', () => {
  it('is one object on one line', () => {
    expect(json(entry)).toBe(
      '{"time":"2026-11-21T10:33:10.999Z","remoteAddress":"127.0.0.1","requestLine":"GET /a.txt HTTP/1.1",' +
        '"method":"GET","target":"/a.txt","version":"HTTP/1.1","status":200,"bodyBytes":5,"durationMs":1}',
    )
  })

  it.each([
    ['no request line', undefined, null],
    ['a line that has not three parts', 'GET /', 'GET /'],
    ['a line that has four', 'GET /a b HTTP/1.1', 'GET /a b HTTP/1.1'],
  ])('has null for the parts of %s', (_, requestLine, shown) => {
    const logged: unknown = JSON.parse(json({ ...entry, requestLine }))
    expect(logged).toMatchObject({ requestLine: shown, method: null, target: null, version: null })
  })

  it.each(unsafe)('returns %s, and writes it in printable ASCII', (_, requestLine) => {
    const line = json({ ...entry, requestLine })
    expect(line).toMatch(/^[ -~]+$/)
    expect(JSON.parse(line)).toMatchObject({ requestLine })
  })
})

describe('a long request line', () => {
  const readable = `GET /${'x'.repeat(16_000)} HTTP/1.1`
  const unreadable = '\0'.repeat(16_000)

  it('is complete if it could be parsed', () => {
    expect(text({ ...entry, requestLine: readable })).toContain(`"${readable}"`)
    expect(JSON.parse(json({ ...entry, requestLine: readable }))).toMatchObject({ requestLine: readable })
  })

  it('is truncated if it has invalid bytes, so that escapes do not inflate it', () => {
    expect(text({ ...entry, requestLine: unreadable })).toContain(`"${'\\x00'.repeat(1_000)}..."`)
    expect(JSON.parse(json({ ...entry, requestLine: unreadable }))).toMatchObject({
      requestLine: `${'\0'.repeat(1_000)}...`,
    })
  })
})
