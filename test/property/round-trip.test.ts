/**
 * Round trips: a message that is built, written and read again is the same message; for any source of its body, and
 * whether it is read at once or off a source that gives a few bytes at a time.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  BytesBody,
  ChunkedBody,
  concatBytes,
  HttpParser,
  HttpRequest,
  HttpResponse,
  type MessageBodyInit,
  type Preset,
  StringBody,
} from '../../src/message/index.ts'
import { FileBody } from '../../src/message-node/index.ts'
import { octetsOf, textOf } from './decoder-trace.ts'
import { Pool, Random } from './random.ts'

const MESSAGES = 250 * Number(process.env.PROPERTY_EFFORT ?? 1)

const directory = mkdtempSync(join(tmpdir(), 'httpcli-round-trip-'))
const file = join(directory, 'body.bin')
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const tokens = new Pool("!#$%&'*+-.^_`|~09azAZ")
const values = new Pool('abc XYZ\t"\\,;=:()[]{}@/?<>~\x80\xa0\xe4\xff')
const octets = new Pool('\0\x01\n\r abc0123456789{}"\x7f\x80\xff')
const extensions = ['', 'a', 'a=b', 'a="b;c"', 'a;b=c', 'a="\\""']

interface Built {
  readonly body: MessageBodyInit | null
  /** The expected result. */
  readonly content: string
  readonly trailers: readonly (readonly [string, string])[]
  readonly extensions: readonly string[]
}

const plain = (body: MessageBodyInit | null, content: string): Built => ({
  body,
  content,
  trailers: [],
  extensions: [],
})

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += size) yield octetsOf(text.slice(at, at + size))
}

const bodies: readonly ((random: Random, text: string) => Built)[] = [
  () => plain(null, ''),
  (_random, text) => plain(octetsOf(text), text),
  (_random, text) => plain(new BytesBody(octetsOf(text), 'application/octet-stream'), text),
  () => plain('G\u00fcnther \u{1F600}', textOf(new TextEncoder().encode('G\u00fcnther \u{1F600}'))),
  () => plain(new StringBody('a\r\n\r\nb', 'text/plain'), 'a\r\n\r\nb'),
  (random, text) => plain({ contentLength: text.length, open: () => inPieces(text, random.between(1, 9)) }, text),
  (_random, text) => {
    writeFileSync(file, octetsOf(text))
    return plain(new FileBody(file, 'image/png'), text)
  },
  (random, text) =>
    plain(new ChunkedBody(inPieces(text, random.between(1, 9)), undefined, random.between(1, 20)), text),
  (random, text) => {
    const size = random.between(1, 20)
    const used = Array.from({ length: Math.ceil(text.length / size) }, () => random.pick(extensions))
    const trailers = fields(random)
    const body = new ChunkedBody(octetsOf(text), 'text/plain', size, {
      trailers,
      extensions: (index) => used[index] ?? '',
    })
    return { body, content: text, trailers, extensions: used }
  },
]

function fields(random: Random): (readonly [string, string])[] {
  return Array.from({ length: random.below(4) }, () => [
    `X-${random.text(tokens, random.between(1, 9))}`,
    random.text(values, random.below(20)).replace(/^[ \t]+|[ \t]+$/g, ''),
  ])
}

/** All that a message says, for comparison. */
function saying(message: HttpRequest<'memory'> | HttpResponse<'memory'>): unknown {
  const { content } = message.eagerly()
  const line = message instanceof HttpRequest ? [message.method, message.url?.href] : [message.status, message.reason]
  return {
    line,
    version: message.version,
    headers: [...message.headers],
    content: content === undefined ? '' : textOf(content.bytes),
    trailers: [...(content?.trailers ?? [])],
    extensions: content?.chunks.map((chunk) => chunk.extensions) ?? [],
  }
}

async function collected(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of source) pieces.push(piece.slice())
  return concatBytes(pieces)
}

const paths = ['/', '/a/b?c=d', '/%20?', '/a;b,c?d=/?', "/!$&'()*+,;=:@"]

function buildRequest(random: Random, { body }: Built): HttpRequest {
  const url = `http://example.com${random.pick(['', ':8080'])}${random.pick(paths)}`
  const method = random.pick(['GET', 'POST', random.text(tokens, random.between(1, 9))])
  return new HttpRequest({ method, url, headers: fields(random), body })
}

function buildResponse(random: Random, { body }: Built): HttpResponse {
  const reason = random.text(values, random.below(12))
  return new HttpResponse({ status: random.pick([200, 201, 404, 599, 999]), reason, headers: fields(random), body })
}

describe.each(['lenient', 'strict', 'server'] as const)('in the preset %s', (preset: Preset) => {
  const parser = new HttpParser({ preset })
  it.each([
    ['request', buildRequest],
    ['response', buildResponse],
  ] as const)('a %s is read as it was built', { timeout: 60_000 }, async (kind, build) => {
    for (let number = 0; number < MESSAGES; number++) {
      const random = new Random(number)
      const text = random.text(octets, random.below(60))
      const built = (bodies[number % bodies.length] as (typeof bodies)[number])(random, text)
      const message = build(random, built)
      const { version, headers } = message
      const line =
        message instanceof HttpRequest ? [message.method, message.url?.href] : [message.status, message.reason]
      const { content, trailers, extensions: chunkExtensions } = built
      const read = (bytes: Uint8Array): HttpRequest<'memory'> | HttpResponse<'memory'> =>
        kind === 'request' ? parser.parseRequest(bytes) : parser.parseResponse(bytes)
      const bytes = await collected(message.encode())
      const whole = read(bytes)
      expect(whole.repairs).toEqual([])
      const answer = saying(whole)
      expect(answer).toMatchObject({ line, version, headers: [...headers], content, trailers })
      if (chunkExtensions.length > 0) expect(answer).toMatchObject({ extensions: chunkExtensions })
      expect(textOf(whole.eagerly().bytes)).toBe(textOf(bytes))
      const source = inPieces(textOf(bytes), random.between(1, 30))
      const streamed = kind === 'request' ? await parser.readRequest(source) : await parser.readResponse(source)
      expect(textOf((await streamed.eagerly()).bytes)).toBe(textOf(bytes))
    }
  })
})
