/**
 * Data from peers other than the server, pasted requests, and the content of reports, as rows of the test of hostile
 * lengths.
 */

import { Duplex } from 'node:stream'
import { repairedText } from '../../src/cli/send/building/pasted-text.ts'
import { parseTemplate } from '../../src/http-file/syntax/template.ts'
import { htmlReport } from '../../src/report/html/html-report.ts'
import { jsonReport } from '../../src/report/json-report.ts'
import { junitReport } from '../../src/report/junit-report.ts'
import { tapReport } from '../../src/report/tap-report.ts'
import { converters } from '../../src/runner/assertions/text-filters.ts'
import { filtered } from '../../src/runner/assertions/value-filters.ts'
import { readAnswer } from '../../src/runner/auth/token-endpoint.ts'
import { protectedKind } from '../../src/runner/files/path-rules.ts'
import { multipartLine } from '../../src/runner/request/multipart-body.ts'
import { readTags } from '../../src/runner/request/request-tags.ts'
import { writtenHost } from '../../src/runner/request/request-templates.ts'
import { Cancellation, Deadline } from '../../src/wire/base/abort.ts'
import { openTunnel } from '../../src/wire/connection/tunnel.ts'
import { Receiver } from '../../src/wire/websocket/frames.ts'
import { SomeError } from '../helpers/some-error.ts'
import { identity, recordOf, requestEvents } from '../report/events.ts'
import { repeated } from './hostile-values.ts'
import type { Row } from './row.ts'

const reports = [htmlReport, jsonReport, junitReport, tapReport]
const filters = ['length', 'count', 'bytes', 'sha256', 'lower', 'upper'] as const

function piecesOf(text: string, pieceBytes: number): readonly Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  return Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  )
}

/** Opens a tunnel through a proxy that answers in pieces of this size. */
async function tunnel(text: string, pieceBytes: number): Promise<void> {
  const socket = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() })
  for (const piece of piecesOf(text, pieceBytes)) socket.push(piece)
  socket.push(null)
  const deadline = new Deadline(0, new Cancellation(undefined), () => new Error('late') as never)
  await openTunnel(socket as never, new URL('http://proxy'), { host: 'a', port: 1 } as never, deadline, {
    report: undefined,
    digest: undefined,
    isLastAttempt: true,
  })
}

async function receiveFrames(text: string, pieceBytes: number): Promise<void> {
  const receiver = new Receiver({ isServer: false, maxPayload: 1 << 24 })
  receiver.on('error', () => undefined)
  for (const piece of piecesOf(text, pieceBytes)) {
    if (receiver.destroyed) return
    receiver.write(piece)
  }
  await new Promise<void>((resolve) => {
    receiver.once('close', resolve).end(resolve)
  })
}

const fragments = [
  repeated('\x01\x01a', '\x00\x01a'),
  repeated('\x01\x01a', '\x00\x00'),
  repeated('', '\x89\x01a'),
  repeated('', '\x81\x01a'),
]

export const exchangeRows: readonly Row[] = [
  { name: 'answers of token endpoints', call: readAnswer, prefixes: ['', 'a=', '{"access_token":"', '{"a":'] },
  {
    name: 'answers of proxies in pieces of one byte',
    call: (text) => tunnel(text, 1),
    prefixes: [],
    also: [
      repeated('HTTP/1.1 200 ', 'a'),
      repeated('HTTP/1.1 200 OK\r\nA: ', 'a'),
      repeated('HTTP/1.1 200 OK\r\n', 'A: b\r\n', '\r\n'),
      repeated('', 'HTTP/1.1 100 Continue\r\n\r\n'),
    ],
    maxLength: 4096,
  },
  {
    name: 'answers of proxies',
    call: (text) => tunnel(text, text.length),
    prefixes: ['HTTP/1.1 407 ', 'HTTP/1.1 200 OK\r\nA: '],
    also: [',\t', ', basi', 'a'].map((unit) => repeated('HTTP/1.1 407 A\r\nProxy-Authenticate: ', unit, '\r\n\r\n')),
    maxLength: 4096,
  },
  {
    name: 'pasted requests',
    call: (text) => void repairedText(Buffer.from(text), { needsNoHost: false }),
    prefixes: ['', 'GET ', 'GET http://', 'GET http://ä', 'GET /a HTTP/2\nHost: ', ':authority\n'],
  },
  {
    name: 'WebSocket frames',
    call: (text) => receiveFrames(text, text.length),
    prefixes: [],
    also: fragments,
    maxLength: 1 << 16,
  },
  {
    name: 'WebSocket frames in pieces of one byte',
    call: (text) => receiveFrames(text, 1),
    prefixes: [],
    also: fragments,
    maxLength: 1 << 13,
  },
  {
    name: 'value filters',
    call: (text) => {
      const context = {
        render: () => 'x',
        octets: undefined,
        lookups: { json: undefined, documents: undefined },
        nowMs: 0,
      }
      for (const type of filters) filtered({ type: 'text', text }, { type }, context)
      return filtered(
        { type: 'text', text },
        { type: 'regex', pattern: parseTemplate('x'), flags: '' } as never,
        context,
      )
    },
    prefixes: [''],
  },
  {
    name: 'names of files for responses',
    call: (text) => protectedKind(text),
    also: [repeated('a', ' ', 'b')],
    maxLength: 1 << 14,
  },
  {
    name: 'reports',
    call: (text) => {
      const error = new SomeError('test-failed', text, { excerpt: text, hint: text })
      const request = identity({ name: text, target: text })
      const events = requestEvents(request, 'failed', [
        { status: 500, url: `http://h/${text}` },
        { test: text, error },
        { log: text },
        { error },
      ])
      const record = recordOf([{ events }])
      return reports.map((report) => [...report(record)].join('').length)
    },
    prefixes: [''],
    maxLength: 1024,
  },
  {
    name: 'base64 of a response',
    call: (text) => converters.base64Decode(text, { octets: undefined, lookups: {} as never, nowMs: 0 }),
    prefixes: ['', 'YQ==', ' '],
  },
  { name: 'hosts of requests that are not sent', call: (text) => writtenHost(text, undefined), prefixes: ['', '{{'] },
  {
    name: 'lines of multipart bodies',
    call: (text) =>
      multipartLine(parseTemplate(`${text}{{a}}`), { resolve: () => ({ text: 'b', isBare: false }) as never }),
    prefixes: ['', ' ', 'Content-Disposition: form-data;', ' ; name="'],
  },
  {
    name: 'time limits with comments',
    call: (value) => readTags({ request: { tags: [{ name: 'timeout', value }] }, error: () => new Error() } as never),
    prefixes: ['', '5 s'],
  },
]
