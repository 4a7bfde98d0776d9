/** The JSON report. */
import { describe, expect, it } from 'vitest'
import { jsonReport } from '../../src/report/json-report.ts'
import type { RunRecord } from '../../src/report/record/run-record.ts'
import { assertionError, identity, recordOf, requestEvents } from './events.ts'

function read(record: RunRecord): { readonly jobs: readonly Record<string, unknown>[] } & Record<string, unknown> {
  return JSON.parse([...jsonReport(record)].join('')) as ReturnType<typeof read>
}

const timing = { queueMs: 0, dnsMs: 1.235, connectMs: 2, tlsMs: 3, sendMs: 0.5, firstByteMs: 4, totalMs: 10 }
const headers = [
  ['Content-Length', '0'],
  ['X-A', 'b'],
]

describe('a JSON report', () => {
  it('is one document with numbers as numbers and times as ISO 8601', () => {
    const events = requestEvents(identity({ name: 'N', tags: ['smoke'] }), 'failed', [
      { status: 500 },
      { test: 'a', error: assertionError },
    ])
    const job = { environment: 'dev', row: { number: 1, of: 2 } }
    expect(read(recordOf([{ job, events }]))).toEqual({
      version: 1,
      generator: 'httpcli 2.0.0',
      hostname: 'box',
      startedAt: '2026-11-21T10:33:10.000Z',
      durationMs: expect.any(Number),
      isInterrupted: false,
      counts: { requests: 1, passed: 0, failed: 1, errors: 0, skipped: 0, tests: 1, testsFailed: 1, retries: 0 },
      jobs: [
        {
          number: 1,
          file: 'a.http',
          environment: 'dev',
          row: { number: 1, of: 2 },
          startedAt: '2026-11-21T10:33:10.001Z',
          durationMs: 3,
          isInterrupted: false,
          requests: [
            {
              number: 1,
              name: 'N',
              method: 'GET',
              target: '{{host}}/x',
              file: 'a.http',
              line: 3,
              round: 1,
              startedAt: '2026-11-21T10:33:10.002Z',
              tags: ['smoke'],
              outcome: 'failed',
              durationMs: 20.5,
              url: 'http://h/x',
              status: 500,
              reason: 'Some Reason',
              timing,
              bytesReceived: 1234,
              retries: [],
              tests: [
                {
                  name: 'a',
                  kind: 'test',
                  failure: {
                    code: 'test-failed',
                    message: 'status 500\nnot 200',
                    file: 'a.http',
                    line: 7,
                    column: 3,
                    excerpt: '  client.assert(x)\n  ^^^^^^^^^^^^^',
                    expected: '200',
                    actual: '500',
                  },
                },
              ],
              failures: [],
              errors: [],
              captured: [],
              logs: [],
              exchanges: [
                {
                  // The request goes out 6.2 ms after it began to wait for its connection.
                  startedAt: '2026-11-21T10:33:09.996Z',
                  method: 'GET',
                  url: 'http://h/x',
                  headers,
                  cookies: [],
                  remote: { address: '127.0.0.1', port: 80 },
                  response: { version: 'HTTP/1.1', status: 500, reason: 'Some Reason', headers, cookies: [] },
                  timing,
                  bytesSent: 56,
                  bytesReceived: 1234,
                },
              ],
            },
          ],
          errors: [],
          warnings: [],
        },
      ],
    })
  })

  it.each([0, 1, 3])('is JSON with %d jobs', (count) => {
    const jobs = Array.from({ length: count }, () => ({ events: requestEvents(identity(), 'passed') }))
    expect(read(recordOf(jobs)).jobs).toHaveLength(count)
  })

  it('records an interruption and a crash', () => {
    expect(read(recordOf([], { failure: new Error('broken') }))).toMatchObject({
      isInterrupted: true,
      crash: { code: 'internal', message: 'broken' },
    })
  })
})
