/** The HTTP archive. */
import { describe, expect, it } from 'vitest'
import { harReport } from '../../src/report/har-report.ts'
import type { RunEvent } from '../../src/runner/index.ts'
import { connectError, identity, recordOf, redirectedEvents, requestEvents } from './events.ts'

function read(...given: Parameters<typeof recordOf>) {
  return JSON.parse([...harReport(recordOf(...given))].join('')).log
}

function redirected(bytes: Uint8Array, sizeBytes: number, mediaType: string): readonly RunEvent[] {
  const [started, finished] = requestEvents(identity({ name: 'N' }), 'passed') as [RunEvent, RunEvent]
  const received = { bytes, sizeBytes, mediaType }
  return [started, ...redirectedEvents(identity({ name: 'N' }), { sentBody: 'sent', received }), finished]
}

describe('an HTTP archive', () => {
  const log = read([{ events: redirected(Buffer.from('{"ä": 1}'), 9, 'application/json') }])

  it('has a page for each pass over a file', () => {
    expect(log).toMatchObject({
      version: '1.2',
      creator: { name: 'httpcli', version: '2.0.0' },
      pages: [{ id: 'page_1', title: 'a.http', startedDateTime: '2026-11-21T10:33:10.001Z' }],
    })
  })

  it('has an entry for each exchange', () => {
    expect(log.entries).toHaveLength(2)
    expect(log.entries[0]).toMatchObject({
      pageref: 'page_1',
      request: {
        method: 'POST',
        url: 'http://h/x',
        httpVersion: 'HTTP/1.1',
        cookies: [
          { name: 'theme', value: 'dark' },
          { name: 'sid', value: 'abc' },
        ],
        queryString: [],
        postData: { mimeType: 'text/plain', text: 'sent' },
        headersSize: -1,
        bodySize: 4,
      },
      response: {
        status: 303,
        statusText: 'See Other',
        redirectURL: '/y',
        content: { size: 0, mimeType: 'x-unknown' },
      },
      timings: { blocked: 0, dns: 1.235, connect: 5, ssl: 3, send: 0.5, wait: 3.5, receive: 6 },
      serverIPAddress: '127.0.0.1',
      connection: '80',
    })
    expect(log.entries[1]).toMatchObject({
      request: {
        queryString: [
          { name: 'a', value: 'b c' },
          { name: 'd', value: '' },
        ],
      },
      response: { content: { size: 9, mimeType: 'application/json', text: '{"ä": 1}' } },
      timings: { dns: -1, connect: -1, ssl: -1 },
      time: 10,
      comment: 'N (a.http:3): passed',
    })
    expect(log.entries[1].request).not.toHaveProperty('postData')
  })

  it('has binary bodies in base64, and says what is omitted', () => {
    const [, entry] = read([{ events: redirected(Buffer.from([0xff, 0]), 5000, 'image/png') }]).entries
    expect(entry.response.content).toEqual({
      size: 5000,
      mimeType: 'image/png',
      text: '/wA=',
      encoding: 'base64',
      comment: 'the first 2 of 5000 bytes',
    })
  })

  it('has a request that was not answered, with its reason', () => {
    const [started, sent, ...rest] = requestEvents(identity(), 'error', [{ status: 200 }, { error: connectError }])
    const [error, finished] = rest.slice(-2)
    const { entries } = read([{ events: [started, sent, error, finished] as RunEvent[] }])
    expect(entries).toMatchObject([
      {
        request: { url: 'http://h/x' },
        response: { status: 0, content: { size: 0, mimeType: 'x-unknown' } },
        timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: 0, receive: 0 },
        time: 0,
        _error: 'h port 9: connection refused',
      },
    ])
  })

  it('has the messages of a WebSocket', () => {
    const events = redirected(Buffer.from(''), 0, '')
    const message = (direction: 'sent' | 'received', data: string | Uint8Array): RunEvent => {
      return { type: 'message', request: identity(), direction, data }
    }
    const all = [...events.slice(0, -1), message('sent', 'hi'), message('received', Buffer.from([0xff])), events.at(-1)]
    const [, entry] = read([{ events: all as RunEvent[] }]).entries
    expect(entry._webSocketMessages).toMatchObject([
      { type: 'send', opcode: 1, data: 'hi' },
      { type: 'receive', opcode: 2, data: '/w==' },
    ])
  })

  it.each([0, 3])('is JSON with %d jobs', (count) => {
    expect(read(Array.from({ length: count }, () => ({ events: [] }))).pages).toHaveLength(count)
  })
})
