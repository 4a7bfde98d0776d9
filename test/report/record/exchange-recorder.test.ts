/** The parts of exchanges that reports keep: heads, bodies up to a limit, and nothing secret where a body is cut. */

import { describe, expect, it } from 'vitest'
import { HeaderList } from '../../../src/message/index.ts'
import type { ExchangeRecord } from '../../../src/report/record/exchange-record.ts'
import { ExchangeRecorder } from '../../../src/report/record/exchange-recorder.ts'
import type { RunEvent } from '../../../src/runner/index.ts'
import { SecretMask } from '../../../src/secrets/index.ts'
import { SomeError } from '../../helpers/some-error.ts'
import { exchangeEvents, identity, listStore, readRecordOf, redirectedEvents, requestEvents } from '../events.ts'

const request = identity()

interface Options {
  readonly secrets?: readonly string[]
  readonly limitBytes?: number
}

function recorded(
  events: readonly RunEvent[],
  { secrets = [], limitBytes = 1024 }: Options = {},
): readonly ExchangeRecord[] {
  const mask = new SecretMask()
  for (const secret of secrets) mask.add(secret)
  const text = (given: string): string => mask.mask(given)
  const recorder = new ExchangeRecorder({
    now: () => 1000,
    text,
    mask: text,
    maskBytes: (bytes, isWhole) => {
      const stream = mask.openStream()
      return isWhole ? stream.end(bytes) : stream.write(bytes)
    },
    maxBodyBytes: limitBytes,
  })
  for (const event of events) recorder.add(event)
  return recorder.exchanges(limitBytes)
}

/** Events of a response with this body. */
function answered(
  bytes: Uint8Array,
  mediaType: string,
  sizeBytes: number | undefined = bytes.length,
): readonly RunEvent[] {
  return redirectedEvents(request, { sentBody: 'sent', received: { bytes, sizeBytes, mediaType } })
}

function responseBody(...given: Parameters<typeof recorded>) {
  return recorded(...given).at(-1)?.response?.body
}

function sentBody(headers: HeaderList, ...pieces: readonly string[]) {
  return recorded([
    { type: 'request-sent', request, sent: { method: 'POST', url: 'http://h/', headers, cause: undefined } },
    ...pieces.map((piece): RunEvent => ({ type: 'request-octets', request, bytes: Buffer.from(piece) })),
  ])[0]?.body
}

describe('an exchange', () => {
  it('is recorded for each hop, with heads, cookies, trace, address and timing', () => {
    const [first, second] = recorded(answered(Buffer.from('{}'), 'application/json'), {
      secrets: ['theme=dark', 'abc'],
    })
    expect(first).toMatchObject({
      method: 'POST',
      url: 'http://h/x',
      cookies: [
        { name: 'theme', value: '***' },
        { name: 'sid', value: '***' },
      ],
      body: { mediaType: 'text/plain', sizeBytes: 4, text: 'sent', isTruncated: false },
      trace: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) },
      remote: { address: '127.0.0.1', port: 80 },
      response: {
        status: 303,
        cookies: [
          {
            name: 'sid',
            value: '***',
            path: '/',
            domain: 'h',
            expires: '2026-11-21T10:33:10.000Z',
            httpOnly: true,
            secure: false,
          },
        ],
      },
      bytesSent: 56,
      bytesReceived: 1234,
    })
    // Queue, DNS, connect and TLS come before the first byte of the request.
    expect(first?.startedAt).toBe(993)
    expect(second).toMatchObject({ cause: 'redirect', url: 'http://h/y?a=b%20c&d', response: { status: 200 } })
    expect(JSON.stringify([first, second])).not.toMatch(/dark|abc/)
  })

  it('that could not be sent has no response', () => {
    const sent = { method: 'GET', url: 'http://h/', headers: HeaderList.EMPTY, cause: undefined }
    expect(recorded([{ type: 'request-unsent', request, sent }])).toEqual([
      { isUnsent: true, startedAt: 1000, method: 'GET', url: 'http://h/', headers: [], cookies: [] },
    ])
  })

  it('of an attempt that is retried is not kept', () => {
    const retried: RunEvent = { type: 'request-retried', request, attempt: 1, of: 2, reason: 'r' }
    const urls = recorded([
      ...exchangeEvents(request, 503, 'http://h/1'),
      retried,
      ...exchangeEvents(request, 200, 'http://h/2'),
    ])
    expect(urls.map(({ url }) => url)).toEqual(['http://h/2'])
  })
})

describe('a body', () => {
  it.each([
    ['UTF-8', Buffer.from('ä'), 'text/plain', 'ä'],
    ['another charset', Buffer.from([0xe4]), 'text/plain; charset=ISO-8859-1', 'ä'],
    ['an unknown charset that is UTF-8', Buffer.from('ä'), 'text/plain; charset=none', 'ä'],
    ['no media type', Buffer.from('a\tb\r\n'), '', 'a\tb\r\n'],
  ])('is text: %s', (_name, bytes, mediaType, text) => {
    expect(responseBody(answered(bytes, mediaType))).toEqual({
      mediaType,
      sizeBytes: bytes.length,
      text,
      isTruncated: false,
    })
  })

  it.each([
    ['not UTF-8', Buffer.from([0xff, 0x41])],
    ['with control characters', Buffer.from('PK\x03\x04')],
  ])('is base64 if it is binary: %s', (_name, bytes) => {
    expect(responseBody(answered(bytes, 'application/x'))).toEqual({
      mediaType: 'application/x',
      sizeBytes: bytes.length,
      base64: bytes.toString('base64'),
      isTruncated: false,
    })
  })

  it('is truncated at the limit, but not within a character', () => {
    expect(responseBody(answered(Buffer.from('xää'), 'text/plain'), { limitBytes: 4 })).toMatchObject({
      text: 'xä',
      sizeBytes: 5,
      isTruncated: true,
    })
  })

  it('whose end was not read is truncated', () => {
    expect(
      recorded(
        redirectedEvents(request, {
          sentBody: '',
          received: { bytes: Buffer.from('x'), sizeBytes: undefined, mediaType: '' },
        }),
      ).at(-1)?.response?.body,
    ).toEqual({ mediaType: '', text: 'x', isTruncated: true })
  })

  it.each([
    ['text', 'text/plain', 'text'],
    ['binary', 'application/x', 'base64'],
  ] as const)('shows no part of a secret that the limit truncates: %s', (name, mediaType, field) => {
    const secret = 'a-long-secret'
    const bytes = Buffer.concat([Buffer.from(name === 'text' ? 'x' : [0xff]), Buffer.from(secret)])
    for (let limitBytes = 2; limitBytes <= bytes.length; limitBytes++) {
      const body = responseBody(answered(bytes, mediaType), { secrets: [secret], limitBytes })
      const shown = Buffer.from(body?.[field] ?? '', field === 'text' ? 'utf8' : 'base64').toString('latin1')
      expect(shown.slice(1), String(limitBytes)).toMatch(/^(?:\*\*\*)?$/)
    }
  })

  it('is not kept with a limit of 0', () => {
    const exchanges = recorded(answered(Buffer.from('x'), ''), { limitBytes: 0 })
    expect(exchanges.map(({ body, response }) => [body, response?.body])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
  })

  it('of a request that is not logged is not kept', () => {
    const events = answered(Buffer.from('x'), '').filter(({ type }) => type !== 'request-octets')
    expect(responseBody(events)).toBeUndefined()
  })

  it.each([
    [['head', '5\r\nhello\r\n', '1;x=y\r\n!\r\n', '0\r\n\r\n'], 'hello!', 6],
    [['head', '5\r\nhel'], 'hel', undefined],
    [['head', '0\r\n\r\n'], '', 0],
  ])('of a request has no chunk framing: %j', (pieces, text, sizeBytes) => {
    const body = sentBody(HeaderList.of([['Transfer-Encoding', 'chunked']]), ...pieces)
    expect(body).toMatchObject({ text, ...(sizeBytes === undefined ? {} : { sizeBytes }) })
  })
})

describe('a record of a run', () => {
  const received = { bytes: Buffer.from('x'.repeat(10_000)), sizeBytes: 10_000, mediaType: 'text/plain' }
  const events = (outcome: 'passed' | 'failed') => {
    const [started, finished] = requestEvents(identity(), outcome) as [RunEvent, RunEvent]
    return [started, ...redirectedEvents(identity(), { sentBody: '', received }), finished]
  }

  it.each([
    ['passed', 1024],
    ['failed', 8192],
  ] as const)('keeps more of the bodies of a request that failed: %s', (outcome, keptBytes) => {
    const [exchange] = readRecordOf([{ events: events(outcome) }]).jobs[0]?.requests[0]?.exchanges.slice(-1) ?? []
    expect(exchange?.response?.body?.text?.length).toBe(keptBytes)
  })

  it('masks secrets in bodies that become known later', () => {
    const mask = new SecretMask()
    const text = (given: string): string => mask.mask(given)
    const secretBody = {
      bytes: Buffer.from(`\xff${'later-secret'}`, 'latin1'),
      sizeBytes: 13,
      mediaType: 'application/x',
    }
    const textBody = { bytes: Buffer.from('a later-secret'), sizeBytes: 99, mediaType: 'text/plain' }
    const store = listStore()
    const later: RunEvent = { type: 'warning', error: new SomeError('unverified', 'w') }
    const job = [secretBody, textBody].flatMap((each, index) => {
      const [started, finished] = requestEvents(identity({ number: index + 1 }), 'passed') as [RunEvent, RunEvent]
      return [started, ...redirectedEvents(identity({ number: index + 1 }), { sentBody: '', received: each }), finished]
    })
    const record = recordWith(job, later, text, mask, store)
    expect(record).not.toContain('later-sec')
    expect(record).not.toContain(Buffer.from('later-secret').toString('base64').slice(4, -4))
  })
})

/** The record as JSON, where the secret is learned after everything was recorded. */
function recordWith(
  events: readonly RunEvent[],
  last: RunEvent,
  text: (given: string) => string,
  mask: SecretMask,
  store: ReturnType<typeof listStore>,
): string {
  const get = (place: number): string => {
    mask.add('later-secret')
    return store.get(place)
  }
  const learning = { ...store, get }
  return JSON.stringify(readRecordOf([{ events: [...events, last] }], { mask: text, store: learning }))
}
