/**
 * Cross-check with the parser of Node.js: what both read, they read alike; where only one of them takes a message,
 * there is a rule for it.
 *
 * Rules: requests under the server preset, responses under the strict one. 20,000 connections in a normal run;
 * CROSS_CHECK_MESSAGES=1000000 looks at more (with a longer --testTimeout).
 */
import { describe, expect, it } from 'vitest'
import { HttpDecoder, type HttpEvent, HttpParseError, type Role } from '../../src/message/index.ts'
import { withoutStackTraces } from '../helpers/stack-traces.ts'
import { octetsOf, textOf } from './decoder-trace.ts'
import { makeConnection } from './message-maker.ts'
import { type Reading, type ReadMessage, readWithNode } from './node-parser.ts'
import { Random } from './random.ts'

withoutStackTraces()

const MESSAGES = Number(process.env.CROSS_CHECK_MESSAGES ?? 8_000)

/** Input that we refuse and llhttp takes, by our code, and the rule. */
const refusedByUs: Readonly<Record<string, string>> = {
  HOST: 'RFC 9112 section 3.2: one Host, and a right one; llhttp leaves it to its user',
  TARGET: 'RFC 9112 section 3.2, RFC 3986: forms of a target, escapes, bytes; llhttp looks at few of them',
  VERSION:
    'RFC 9112 section 2.3: a version is required, and is one of HTTP; llhttp takes HTTP/0.9, RTSP/1.0 and ICE/1.0',
  WHITESPACE: 'RFC 9112 section 3: one SP between the parts of a request line',
  BARE_LF: 'RFC 9112 section 2.2: lines end with CRLF; llhttp takes LF alone before a message and after HTTP/0.9',
  BARE_CR: 'RFC 9112 section 2.2: no CR alone; llhttp skips one before a message',
  START_LINE: 'RFC 9112 section 4: no control character in a reason phrase',
  STATUS: 'RFC 9110 section 15: a status is 100 to 999',
  TRANSFER_ENCODING: 'RFC 9112 section 6.1: none in HTTP/1.0, and a list of codings that ends in one chunked',
  FRAMING_CONFLICT: 'RFC 9112 section 6.3: both framing fields',
  HEADER_VALUE: 'RFC 9110 section 5.5: no control character',
  LIMIT: 'limits of the preset; llhttp does not limit the number of fields',
}

/** Input that llhttp refuses and we take, by its code, and the rule. */
const refusedByNode: Readonly<Record<string, string>> = {
  HPE_INVALID_VERSION: 'RFC 9110 section 2.5: a higher minor version is read as HTTP/1.1; llhttp knows 1.0 and 1.1',
  HPE_INVALID_METHOD: 'RFC 9110 section 9.1: a method is any token; llhttp has a list',
  HPE_INVALID_CHUNK_SIZE: 'RFC 9112 section 7.1.1: blanks around ";" and "=" of an extension',
  HPE_INVALID_CONTENT_LENGTH:
    'RFC 9112 section 6.3: 1xx, 204, 304 and answers to HEAD have no content, even with framing fields',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'the same',
  HPE_INVALID_TRANSFER_ENCODING: 'the same',
  HPE_INVALID_HEADER_TOKEN: 'RFC 9112 section 5.2: a folded line of a response is one SP',
  HPE_INVALID_URL: 'RFC 3986 section 3.1: a scheme may have digits',
  HPE_CLOSED_CONNECTION: 'RFC 9110 section 15.2: an interim response in HTTP/1.0 does not end the connection',
  upgrade: 'RFC 9110 section 7.8: the connection stays HTTP until the server switches; llhttp leaves that to its user',
}

/** The same from our decoder. */
function readWithUs(role: Role, octets: Uint8Array, sent: readonly string[]): Reading {
  const decoder = new HttpDecoder(role, { preset: role === 'server' ? 'server' : 'strict' })
  for (const method of sent) decoder.expect(method)
  const messages: ReadMessage[] = []
  let head: Pick<ReadMessage, 'line' | 'headers' | 'keepAlive'> | undefined
  let body = ''
  let stop: string | undefined
  const add = (event: HttpEvent): void => {
    if (event.type === 'upgrade') stop = 'upgrade'
    else if (event.type === 'data') body += textOf(event.bytes)
    else if (event.type === 'end') {
      if (head !== undefined) messages.push({ ...head, body, trailers: lines(event.trailers) })
      head = undefined
    } else {
      const line: [string, string] =
        event.type === 'request'
          ? [event.head.method, event.head.target]
          : [String(event.head.status), event.head.reason]
      // The Connection field of a response read until the end has no meaning any more: llhttp goes by its fields.
      const keepAlive = role === 'server' && event.head.keepAlive
      head = { line, headers: lines(event.head.headers), keepAlive }
      body = ''
      if (event.type === 'informational') messages.push({ ...head, body, trailers: [] })
    }
  }
  try {
    for (const event of decoder.push(octets)) add(event)
    for (const event of decoder.end()) add(event)
  } catch (error) {
    if (!(error instanceof HttpParseError)) throw error
    return { messages, stop: error.code }
  }
  return { messages, stop }
}

const lines = (fields: Iterable<readonly [string, string]>): string[] =>
  Array.from(fields, ([name, value]) => `${name}: ${value}`)

/** RFC 9112 section 3.2.2: Host follows the host of a target with us; llhttp leaves that to its user. */
function withoutReplacedHost(message: ReadMessage): ReadMessage {
  if (message.line[1]?.includes('://') !== true) return message
  return { ...message, headers: message.headers.filter((field) => !/^host:/i.test(field)) }
}

function isFramedInterim({ line, headers }: ReadMessage): boolean {
  return /^1\d\d$/.test(line[0]) && headers.some((field) => /^(?:content-length|transfer-encoding):/i.test(field))
}

describe('the Node.js parser and httpcli', () => {
  it.each(['server', 'client'] as const)('agree on what both accept, for a %s', { timeout: 120_000 }, (role) => {
    let common = 0
    for (let number = 1; number <= MESSAGES / 2; number++) {
      const random = new Random(number)
      const text = makeConnection(random, role)
      const octets = octetsOf(text)
      const sent = role === 'client' ? random.pick([[], [], ['HEAD'], ['GET', 'HEAD']]) : []
      const ours = readWithUs(role, octets, sent)
      const theirs = readWithNode(role, octets, sent)
      // llhttp sees no content in a CONNECT even with framing fields; we go by its fields.
      if (theirs.messages.some(({ line }) => line[0] === 'CONNECT')) continue
      // RFC 9112 section 6.3: 1xx has no content either; llhttp goes by the fields of some of them.
      if (ours.messages.some(isFramedInterim)) continue
      const count = Math.min(ours.messages.length, theirs.messages.length)
      common += count
      const read = ours.messages.slice(0, count).map(withoutReplacedHost)
      const readByNode = theirs.messages.slice(0, count).map(withoutReplacedHost)
      if (JSON.stringify(read) !== JSON.stringify(readByNode)) {
        expect(read, JSON.stringify(text)).toEqual(readByNode)
      }
      if (ours.messages.length < theirs.messages.length)
        expect(refusedByUs, JSON.stringify(text)).toHaveProperty([`${ours.stop}`])
      if (ours.messages.length > theirs.messages.length)
        expect(refusedByNode, JSON.stringify(text)).toHaveProperty([`${theirs.stop}`])
    }
    expect(common).toBeGreaterThan(MESSAGES / 5)
  })
})
