/** Events as JSON Lines, and the page that documents them. */
import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { HeaderList } from '../../src/message/index.ts'
import { JsonEvents } from '../../src/report/json-event.ts'
import { OctetPieces } from '../../src/report/record/octet-text.ts'
import type { RunEvent } from '../../src/runner/index.ts'
import { assertionError, connectError, exchangeEvents, identity, startMs, statistics, summary } from './events.ts'

const job = { number: 3, path: 'a.http', environment: 'dev', row: { number: 2, of: 9 } }
const request = identity({ number: 5, name: 'N', tags: ['smoke'] })
const base = { time: '2026-11-21T10:33:10.000Z', job: 3, request: 5 }
const identityFields = {
  name: 'N',
  method: 'GET',
  target: '{{host}}/x',
  file: 'a.http',
  line: 3,
  round: 1,
  tags: ['smoke'],
}
const failure = {
  code: 'test-failed',
  message: 'status 500\nnot 200',
  file: 'a.http',
  line: 7,
  column: 3,
  excerpt: '  client.assert(x)\n  ^^^^^^^^^^^^^',
}
const headers = [
  ['Content-Length', '0'],
  ['X-A', 'b'],
]
const remote = { address: '127.0.0.1', port: 80 }
const [sent, response, done] = exchangeEvents(request, 200, 'http://h/x') as [RunEvent, RunEvent, RunEvent]

function events(mask = (text: string): string => text): JsonEvents {
  return new JsonEvents({ now: () => startMs, mask })
}

const table: readonly (readonly [RunEvent, Record<string, unknown>])[] = [
  [
    { type: 'run-started', path: 'a.http', environment: 'dev', requests: 7 },
    {
      type: 'job-started',
      file: 'a.http',
      environment: 'dev',
      row: { number: 2, of: 9 },
      requests: 7,
      request: undefined,
    },
  ],
  [
    { type: 'note', text: 'n' },
    { type: 'note', text: 'n', request: undefined },
  ],
  [
    { type: 'warning', error: assertionError },
    { type: 'warning', error: failure, request: undefined },
  ],
  [
    { type: 'request-started', request },
    { type: 'request-started', ...identityFields },
  ],
  [sent, { type: 'request-sent', method: 'GET', url: 'http://h/x', headers }],
  [
    {
      type: 'request-unsent',
      request,
      sent: {
        method: 'GET',
        url: 'http://h/x',
        headers: HeaderList.of([['traceparent', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`]]),
        cause: undefined,
      },
    },
    {
      type: 'request-unsent',
      method: 'GET',
      url: 'http://h/x',
      headers: [['traceparent', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`]],
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
    },
  ],
  [
    { type: 'redirected', request, status: 302, url: 'http://h/y' },
    { type: 'redirected', status: 302, url: 'http://h/y' },
  ],
  [response, { type: 'response', version: 'HTTP/1.1', status: 200, reason: 'Some Reason', headers, remote }],
  [
    {
      type: 'hop-finished',
      request,
      response: { version: 'HTTP/1.1', status: 302, reason: 'Found', headers: HeaderList.EMPTY },
      remote: { ...remote, family: 4 },
      statistics,
    },
    {
      type: 'hop-finished',
      version: 'HTTP/1.1',
      status: 302,
      reason: 'Found',
      headers: [],
      remote,
      statistics: { ...statistics, dnsMs: 1.235 },
    },
  ],
  [
    { type: 'message', request, direction: 'received', data: 'hi' },
    { type: 'message', direction: 'received', text: 'hi' },
  ],
  [
    { type: 'message', request, direction: 'sent', data: new Uint8Array([255]) },
    { type: 'message', direction: 'sent', base64: '/w==' },
  ],
  [done, { type: 'response-done', statistics: { ...statistics, dnsMs: 1.235 } }],
  [
    {
      ...(done as Extract<RunEvent, { type: 'response-done' }>),
      repairs: [{ code: 'bare-lf', line: 2, message: 'LF' } as never],
      trailers: HeaderList.of([['X-Sum', '7']]),
      excessBytes: 5,
    },
    {
      type: 'response-done',
      statistics: { ...statistics, dnsMs: 1.235 },
      repairs: [
        {
          code: 'bare-lf',
          line: 2,
          message: 'the line ends with LF, expected CRLF',
          rule: 'RFC 9112 section 2.2',
        },
      ],
      trailers: [['X-Sum', '7']],
      excessBytes: 5,
    },
  ],
  [
    { type: 'response-saved', request, path: '/x' },
    { type: 'response-saved', path: '/x' },
  ],
  [
    { type: 'script-log', request, text: 'l' },
    { type: 'script-log', text: 'l' },
  ],
  [
    { type: 'test-passed', request, kind: 'test', name: 't' },
    { type: 'test-passed', kind: 'test', name: 't' },
  ],
  [
    { type: 'test-failed', request, kind: 'assertion', name: 't', error: assertionError, expected: '1', actual: '2' },
    { type: 'test-failed', kind: 'assertion', name: 't', error: failure, expected: '1', actual: '2' },
  ],
  [
    { type: 'captured', request, name: 'token' },
    { type: 'captured', name: 'token' },
  ],
  [
    { type: 'script-failed', request, error: assertionError },
    { type: 'script-failed', error: failure },
  ],
  [
    { type: 'error', request, error: connectError },
    {
      type: 'error',
      error: {
        code: 'connect-refused',
        message: 'h port 9: connection refused',
        hint: 'check that the server is running.',
      },
    },
  ],
  [
    { type: 'error', request: undefined, error: new Error('x') },
    { type: 'error', error: { code: 'internal', message: 'x' }, request: undefined },
  ],
  [
    { type: 'request-retried', request, attempt: 1, of: 3, reason: 'status 503', error: assertionError },
    { type: 'request-retried', attempt: 1, of: 3, reason: 'status 503', error: failure },
  ],
  [
    { type: 'request-finished', request, durationMs: 1.23456, outcome: 'passed' },
    { type: 'request-finished', durationMs: 1.235, outcome: 'passed' },
  ],
  [
    { type: 'request-skipped', request, reason: 'bail' },
    { type: 'request-skipped', ...identityFields, reason: 'bail' },
  ],
  [
    { type: 'run-finished', summary },
    { type: 'job-finished', summary: { ...summary, durationMs: 12.346 }, request: undefined },
  ],
]

describe('an event line', () => {
  it.each(table.map(([event, fields]) => [String(fields.type), event, fields] as const))('%s', (_, event, fields) => {
    const line = events().line(job, event)
    expect(line.indexOf('\n')).toBe(line.length - 1)
    expect(JSON.parse(line)).toEqual({ ...base, ...fields })
  })

  it('is empty for bytes, which are reported in pieces', () => {
    expect(events().line(job, { type: 'request-octets', request, bytes: new Uint8Array(1) })).toBe('')
  })

  it('reports the start and the end of the run', () => {
    expect(JSON.parse(events().runStarted('httpcli 2.0.0', 4))).toEqual({
      type: 'run-started',
      time: base.time,
      generator: 'httpcli 2.0.0',
      jobs: 4,
    })
    expect(JSON.parse(events().runFinished(summary, new Error('x')))).toMatchObject({
      type: 'run-finished',
      summary: { requests: 1 },
      error: { message: 'x' },
    })
  })

  it('is masked before it is escaped, except for its own keywords', () => {
    const masking = events((text) => text.replaceAll('say "x"', '***').replaceAll('test', '***'))
    const line = masking.line(job, { type: 'test-passed', request, kind: 'test', name: 'they say "x"' })
    expect(JSON.parse(line)).toMatchObject({ type: 'test-passed', kind: 'test', name: 'they ***' })
  })
})

describe('docs/reports.md', () => {
  const page = readFileSync(new URL('../../docs/reports.md', import.meta.url), 'utf8')
  const rows = new Map(
    [...page.slice(page.indexOf('## `--json`')).matchAll(/^\| `([a-z-]+)` \| ((?!Fields).*) \|$/gm)].map(
      ([, type = '', fields = '']) => [type, fields],
    ),
  )

  it('lists exactly the existing event types', () => {
    const reported = table.map(([, { type }]) => type)
    const own = ['run-started', 'run-finished', 'response-body', 'request-octets']
    expect([...rows.keys()].toSorted()).toEqual([...new Set([...reported, ...own])].toSorted() as string[])
  })

  it.each(table.map(([event, fields]) => [String(fields.type), event] as const))(
    'names each field of %s',
    (type, event) => {
      const { type: _, time: _time, job: _job, request: _request, ...fields } = JSON.parse(events().line(job, event))
      const documented =
        rows.get(type)?.includes('as `request-started`') === true ? ` ${rows.get('request-started')}` : ''
      for (const name of Object.keys(fields)) expect(rows.get(type) + documented).toContain(`\`${name}\``)
    },
  )

  it('names each field of a summary and of statistics', () => {
    for (const name of [...Object.keys(summary), ...Object.keys(statistics)]) expect(page).toContain(`\`${name}\``)
  })
})

describe('bytes in pieces', () => {
  const mebibyte = 1024 * 1024

  function piecesOf(...parts: Uint8Array[]): readonly (readonly ['text' | 'base64', number])[] {
    const pieces = new OctetPieces()
    const all = [...parts.flatMap((part) => pieces.add(part)), ...pieces.end()]
    expect(Buffer.concat(all.map(octets)).equals(Buffer.concat(parts))).toBe(true)
    return all.map((piece) => ['text' in piece ? 'text' : 'base64', octets(piece).length])
  }

  const octets = (piece: { text: string } | { base64: string }): Buffer =>
    'text' in piece ? Buffer.from(piece.text) : Buffer.from(piece.base64, 'base64')

  it.each<[string, Uint8Array[], (readonly ['text' | 'base64', number])[]]>([
    ['nothing', [], []],
    ['a short text in one piece, however it came', [Buffer.from('a'), Buffer.from('b')], [['text', 2]]],
    ['a character that came in two parts', [Buffer.from([0xc3]), Buffer.from([0xa4])], [['text', 2]]],
    ['what is not a string', [Buffer.from([0xc3, 0x28])], [['base64', 2]]],
    [
      'a long text, cut before the character that would be cut',
      [Buffer.from(`${'x'.repeat(mebibyte - 1)}äy`)],
      [
        ['text', mebibyte - 1],
        ['text', 3],
      ],
    ],
    [
      'long bytes that are not text',
      [Buffer.alloc(mebibyte + 5, 0x80)],
      [
        ['base64', mebibyte],
        ['base64', 5],
      ],
    ],
  ])('are %s', (_, parts, expected) => {
    expect(piecesOf(...parts)).toEqual(expected)
  })

  it('are cut from a body that comes as a whole without copying the rest for each', () => {
    const joined = vi.spyOn(Buffer, 'concat')
    const pieces = new OctetPieces().add(Buffer.alloc(8 * mebibyte, 'x'))
    expect(joined).toHaveBeenCalledTimes(1)
    joined.mockRestore()
    expect(pieces).toHaveLength(8)
  })
})
