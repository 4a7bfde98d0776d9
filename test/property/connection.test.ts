/**
 * Others read what a connection writes: any sequence of events that it takes is read back as the same messages by
 * our decoder, cut anywhere, and by the parser inside Node.js.
 */
import { describe, expect, it } from 'vitest'
import {
  concatBytes,
  HttpConnection,
  HttpDecoder,
  LocalProtocolError,
  type OutgoingEvent,
  type Role,
} from '../../src/message/index.ts'
import { octetsOf, textOf } from './decoder-trace.ts'
import { readWithNode } from './node-parser.ts'
import { Pool, Random } from './random.ts'

const CONNECTIONS = 100 * Number(process.env.PROPERTY_EFFORT ?? 1)

const octets = new Pool('\0\x01\n\r abc0123456789{}"\x7f\x80\xff')
const values = new Pool('abc XYZ\t"\\;=:()[]{}@/?<>~\x80\xa0\xe4\xff')
const extensions = ['', '', 'a', 'a=b', 'a="b;c"']

/** A message as its reader should see it. */
interface Written {
  readonly line: readonly string[]
  readonly fields: readonly string[]
  content: string
  trailers: readonly string[]
}

interface Conversation {
  readonly methods: readonly string[]
  readonly requests: readonly Written[]
  readonly responses: readonly Written[]
  readonly sent: Uint8Array
  readonly answered: Uint8Array
}

/** Tries events at random, wrong ones among them, until one side has sent its whole message. */
function sendContent(random: Random, connection: HttpConnection, written: Written): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let tries = 0; ; tries++) {
    const event = tries > 40 ? finishing(connection, octets.text) : someContent(random, connection)
    try {
      const piece = connection.send(event)
      if (piece.length > 0) pieces.push(piece)
    } catch (error) {
      expect(error).toBeInstanceOf(LocalProtocolError)
      continue
    }
    if (event.type === 'data') written.content += textOf(event.bytes)
    if (event.type !== 'end') continue
    written.trailers = Object.entries(event.trailers ?? {}).map(([name, value]) => `${name}: ${value}`)
    return pieces
  }
}

function someContent(random: Random, connection: HttpConnection): OutgoingEvent {
  if (random.once(6)) return { type: 'end', ...(random.once(2) ? { trailers: { 'X-End': 'yes' } } : {}) }
  const length = random.between(0, Math.min(12, random.once(3) ? 12 : (connection.leftBytes ?? 12)))
  const bytes = octetsOf(random.text(octets, length))
  if (random.once(2)) return { type: 'data', bytes }
  const sizeBytes = length + (random.once(3) ? random.between(1, 5) : 0)
  return { type: 'data', bytes, chunk: { sizeBytes, extensions: random.pick(extensions) } }
}

/** The events that end a message: bytes that are missing, one by one, or the end. */
function finishing(connection: HttpConnection, filler: string): OutgoingEvent {
  if (connection.sendable.includes('end')) return { type: 'end' }
  return { type: 'data', bytes: octetsOf(filler.slice(0, 1)) }
}

function framingFields(random: Random): Record<string, string> {
  const kind = random.below(3)
  if (kind === 0) return {}
  return kind === 1 ? { 'Content-Length': String(random.between(0, 20)) } : { 'Transfer-Encoding': 'chunked' }
}

function someFields(random: Random): Record<string, string> {
  const value = random.text(values, random.between(0, 20)).trim()
  return random.once(2) ? { 'X-A': value.replace(/^[\t ]+|[\t ]+$/g, '') } : {}
}

/** Both ends know the same states, and whether they may begin again. */
function expectAgreement(client: HttpConnection, server: HttpConnection): void {
  expect([client.ownState, client.peerState]).toEqual([server.peerState, server.ownState])
  expect(client.isReusable).toBe(server.isReusable)
}

function linesOf(connection: Uint8Array): readonly string[] {
  const [head = ''] = textOf(connection).split('\r\n\r\n')
  return head.split('\r\n').slice(1)
}

function converse(random: Random): Conversation {
  const client = new HttpConnection('client')
  const server = new HttpConnection('server')
  const methods: string[] = []
  const requests: Written[] = []
  const responses: Written[] = []
  const sent: Uint8Array[] = []
  const answered: Uint8Array[] = []
  for (let cycle = random.between(1, 4); cycle > 0; cycle--) {
    const method = random.pick(['GET', 'HEAD', 'POST', 'PUT'])
    const closes = random.once(8) ? { Connection: 'close' } : {}
    const headers = { Host: 'a', ...someFields(random), ...framingFields(random), ...closes }
    const head = client.send({ type: 'request', head: { method, target: `/${cycle}`, headers } })
    const request: Written = { line: [method, `/${cycle}`], fields: linesOf(head), content: '', trailers: [] }
    const own = concatBytes([head, ...sendContent(random, client, request)])
    methods.push(method)
    requests.push(request)
    sent.push(own)
    server.receive(own)
    for (const _ of server.events());
    expectAgreement(client, server)

    const interims: Uint8Array[] = []
    for (let left = random.below(3); left > 0; left--) {
      const interim = server.send({ type: 'informational', head: { status: 103, headers: someFields(random) } })
      responses.push({ line: ['103', 'Early Hints'], fields: linesOf(interim), content: '', trailers: [] })
      interims.push(interim)
    }
    const status = random.pick([200, 204, 304, 404])
    const answer = { status, reason: 'As it is', headers: { ...someFields(random), ...framingFields(random) } }
    const answerHead = server.send({ type: 'response', head: answer })
    const response: Written = {
      line: [String(status), 'As it is'],
      fields: linesOf(answerHead),
      content: '',
      trailers: [],
    }
    const whole = concatBytes([answerHead, ...sendContent(random, server, response)])
    responses.push(response)
    answered.push(...interims, whole)
    client.receive(concatBytes([...interims, whole]))
    for (const _ of client.events());
    expectAgreement(client, server)
    if (!client.isReusable) break
    client.startNextCycle()
    server.startNextCycle()
  }
  return { methods, requests, responses, sent: concatBytes(sent), answered: concatBytes(answered) }
}

/** The events of our decoder for the pieces. */
function readByUs(role: Role, methods: readonly string[], pieces: readonly Uint8Array[]): readonly Written[] {
  const decoder = new HttpDecoder(role, { preset: 'strict' })
  for (const method of methods) decoder.expect(method)
  const messages: Written[] = []
  const take = (events: ReturnType<HttpDecoder['end']>): void => {
    for (const event of events) {
      if (event.type === 'upgrade') throw new Error('no other protocol was requested')
      const last = messages.at(-1)
      if (event.type === 'data') last!.content += textOf(event.bytes)
      else if (event.type === 'end') last!.trailers = [...event.trailers].map(([name, value]) => `${name}: ${value}`)
      else {
        const { head } = event
        const line = 'method' in head ? [head.method, head.target] : [String(head.status), head.reason]
        const fields = [...head.headers].map(([name, value]) => `${name}: ${value}`)
        messages.push({ line, fields, content: '', trailers: [] })
      }
    }
  }
  for (const piece of pieces) take(decoder.push(piece))
  take(decoder.end())
  return messages
}

function readByNode(role: Role, methods: readonly string[], written: Uint8Array): readonly Written[] {
  const { messages, stop } = readWithNode(role, written, methods)
  expect(stop).toBeUndefined()
  return messages.map(({ line, headers, body, trailers }) => ({ line, fields: headers, content: body, trailers }))
}

describe('what a connection writes', () => {
  it('is read back as the same messages, in one piece, by httpcli and by Node.js', () => {
    let withContent = 0
    for (let seed = 1; seed <= CONNECTIONS; seed++) {
      const { methods, requests, responses, sent, answered } = converse(new Random(seed))
      for (const [role, written, octets] of [
        ['server', requests, sent],
        ['client', responses, answered],
      ] as const) {
        expect(readByUs(role, methods, [octets]), `seed ${seed}: ${textOf(octets)}`).toEqual(written)
        expect(readByNode(role, methods, octets), `seed ${seed}: ${textOf(octets)}`).toEqual(written)
        withContent += written.filter(({ content }) => content !== '').length
      }
    }
    expect(withContent).toBeGreaterThan(CONNECTIONS)
  })

  it('is read back as the same messages, split at every byte', () => {
    for (let seed = 1; seed <= CONNECTIONS / 10; seed++) {
      const { methods, requests, responses, sent, answered } = converse(new Random(seed))
      for (const [role, written, octets] of [
        ['server', requests, sent],
        ['client', responses, answered],
      ] as const) {
        for (let cut = 1; cut < octets.length; cut++) {
          const pieces = [octets.slice(0, cut), octets.slice(cut)]
          expect(readByUs(role, methods, pieces), `seed ${seed}, cut at ${cut}`).toEqual(written)
        }
        const single = Array.from(octets, (octet) => Uint8Array.of(octet))
        expect(readByUs(role, methods, single), `seed ${seed}, byte by byte`).toEqual(written)
      }
    }
  })
})
