import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  BytesBody,
  ChunkedBody,
  HttpDecoder,
  type HttpEvent,
  HttpParseError,
  HttpParser,
  HttpRequest,
  HttpResponse,
  type MessageBody,
  type ParserLimits,
  type Preset,
  type Role,
} from '../../src/message/index.ts'
import { expectSame } from '../helpers/same-value.ts'
import { withoutStackTraces } from '../helpers/stack-traces.ts'
import {
  content,
  fields,
  fieldValue,
  knownRequestOctets,
  mutated,
  noise,
  requestOctets,
  responseOctets,
  token,
} from './arbitraries.ts'

withoutStackTraces()

/** PROPERTY_EFFORT=20 looks twenty times as long (with a longer --testTimeout); the default fits into every run. */
const effort = Number(process.env.PROPERTY_EFFORT ?? 1)

const presets: readonly Preset[] = ['lenient', 'strict', 'server']
const roles: readonly Role[] = ['server', 'client']
const combinations = roles.flatMap((role) => presets.map((preset) => [role, preset] as const))

const octetsOf = (text: string): Buffer => Buffer.from(text, 'latin1')
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** The reports of a decoder, in a form to compare: neighbouring data joined, heads spelled out, the error last. */
function report(
  role: Role,
  preset: Preset,
  pieces: readonly Uint8Array[],
  methods: readonly string[] = [],
  limits: Partial<ParserLimits> = {},
): unknown[] {
  const decoder = new HttpDecoder(role, { preset, limits })
  for (const method of methods) decoder.expect(method)
  const reported: unknown[] = []
  let data = ''
  let isUpgraded = false
  const flush = () => {
    if (data !== '') reported.push({ data })
    data = ''
  }
  const add = (event: HttpEvent) => {
    if (event.type === 'data') {
      data += textOf(event.bytes)
    } else if (event.type === 'upgrade') {
      flush()
      reported.push('upgrade')
      data += textOf(event.rest)
      isUpgraded = true
    } else {
      flush()
      reported.push(spelledOut(event))
    }
  }
  try {
    for (const piece of pieces) {
      // After an upgrade the bytes are the caller's: what was pushed comes as `rest`, what follows never gets here.
      if (isUpgraded) data += textOf(piece)
      else for (const event of decoder.push(piece)) add(event)
    }
    for (const event of decoder.end()) add(event)
    flush()
  } catch (error) {
    flush()
    if (!(error instanceof HttpParseError)) throw error
    const { code, offset, line, column, status, message, excerpt } = error
    reported.push({ code, offset, line, column, status, message, excerpt })
  }
  return reported
}

function spelledOut(event: Exclude<HttpEvent, { type: 'data' | 'upgrade' }>): unknown {
  if (event.type === 'end') return { ...event, trailers: [...event.trailers] }
  const { version, headers, framing, keepAlive, repairs } = event.head
  const line =
    event.type === 'request' ? [event.head.method, event.head.target] : [event.head.status, event.head.reason]
  return { type: event.type, line, version, headers: [...headers], framing, keepAlive, repairs: [...repairs] }
}

/** Whole, byte by byte, and in two pieces at every byte. */
function expectSameHoweverCut(
  role: Role,
  preset: Preset,
  octets: string,
  methods: readonly string[],
  limits: Partial<ParserLimits> = {},
): void {
  const bytes = octetsOf(octets)
  const whole = report(role, preset, [bytes], methods, limits)
  const single = Array.from(bytes, (octet) => Uint8Array.of(octet))
  expectSame(report(role, preset, single, methods, limits), whole)
  for (let cut = 0; cut <= bytes.length; cut++) {
    const pieces = [Uint8Array.from(bytes.subarray(0, cut)), Uint8Array.from(bytes.subarray(cut))]
    expectSame(report(role, preset, pieces, methods, limits), whole)
  }
}

const valid = (role: Role) => (role === 'server' ? requestOctets : responseOctets)
/** One byte of content, which no limit of 0 allows, known before the byte itself arrives. */
const chunkPastLimit: Readonly<Record<Role, string>> = {
  server: 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
  client: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
}

const responseMethods = fc.constantFrom<string[]>([], ['HEAD'], ['GET', 'HEAD', 'GET'], ['CONNECT'])

describe.each(combinations)('the decoder of a %s in the preset %s', (role, preset) => {
  it('reports the same however valid messages are split', () => {
    const connection = fc.array(valid(role), { minLength: 1, maxLength: 2 }).map((messages) => messages.join(''))
    return fc.assert(
      fc.property(connection, responseMethods, (octets, methods) => {
        expectSameHoweverCut(role, preset, octets, role === 'client' ? methods : [])
      }),
      { numRuns: 20 * effort },
    )
  })

  it('reports the same, error and position included, however broken messages are split', () => {
    return fc.assert(
      fc.property(fc.oneof(mutated(valid(role)), noise), responseMethods, (octets, methods) => {
        expectSameHoweverCut(role, preset, octets, role === 'client' ? methods : [])
      }),
      { numRuns: 60 * effort },
    )
  })

  it('reports the same, limit and position included, however messages past a limit are split', () => {
    const limit = (max: number) => fc.integer({ min: 0, max })
    const limits = fc.record(
      {
        startLine: limit(60),
        headerSection: limit(150),
        headerCount: limit(6),
        chunkExtensions: limit(10),
        trailerSection: limit(40),
        body: limit(40),
      },
      { requiredKeys: [] },
    )
    return fc.assert(
      fc.property(fc.oneof(valid(role), mutated(valid(role))), limits, (octets, given) => {
        expectSameHoweverCut(role, preset, octets, [], given)
      }),
      { numRuns: 40 * effort, examples: [[chunkPastLimit[role], { body: 0 }]] },
    )
  })

  it('reads valid messages without an error', () => {
    return fc.assert(
      fc.property(valid(role), (octets) => {
        const last = report(role, preset, [octetsOf(octets)]).at(-1)
        expect(last).toMatchObject({ type: 'end' })
      }),
      { numRuns: 200 * effort },
    )
  })

  it('throws only HttpParseError, and the same error again', () => {
    return fc.assert(
      fc.property(fc.oneof(mutated(valid(role)), noise), (octets) => {
        // `tell` lets every other error through.
        const reported = report(role, preset, [octetsOf(octets)])
        expect(report(role, preset, [octetsOf(octets)])).toEqual(reported)
      }),
      { numRuns: 300 * effort },
    )
  })

  it('gives a position inside the input', () => {
    return fc.assert(
      fc.property(fc.oneof(mutated(valid(role)), noise), (octets) => {
        const error = failureOf(() => tellFirst(role, preset, octets))
        if (error === undefined) return
        expect(error.offset).toBeGreaterThanOrEqual(0)
        expect(error.offset).toBeLessThanOrEqual(octets.length)
        expect([error.line >= 1, error.column >= 1]).toEqual([true, true])
        expect(error.excerpt).toMatch(/^[^\n]*\n *\^$/)
        expect(error.excerpt).not.toMatch(/[\0-\x09\x0b-\x1f\x7f]/)
      }),
      { numRuns: 200 * effort },
    )
  })
})

/** Runs a decoder and lets its error through. */
function tellFirst(role: Role, preset: Preset, octets: string): void {
  const decoder = new HttpDecoder(role, { preset })
  for (const _ of decoder.push(octetsOf(octets)));
  for (const _ of decoder.end());
}

/** The HttpParseError of a call; anything else that it throws propagates. */
function failureOf(call: () => unknown): HttpParseError | undefined {
  try {
    call()
  } catch (error) {
    if (error instanceof HttpParseError) return error
    throw error
  }
  return undefined
}

describe.each(presets)('the parser in the preset %s', (preset) => {
  const parser = new HttpParser({ preset })

  it.each(roles)('throws only HttpParseError for a %s, from bytes and from text', (role) => {
    return fc.assert(
      fc.property(fc.oneof(mutated(valid(role)), noise, fc.string({ unit: 'binary' })), (text) => {
        const parse = (message: string | Uint8Array) =>
          role === 'server' ? parser.parseRequest(message) : parser.parseResponse(message)
        failureOf(() => parse(octetsOf(text)).eagerly().toString())
        failureOf(() => parse(text).eagerly().toString())
      }),
      { numRuns: 200 * effort },
    )
  })

  it('rereads what it read and wrote, with nothing left to repair', () => {
    return fc.assert(
      fc.property(fc.oneof(requestOctets, mutated(requestOctets), noise), (octets) => {
        let first: HttpRequest<'memory'> | undefined
        failureOf(() => {
          first = parser.parseRequest(octetsOf(octets))
        })
        if (first === undefined) return
        const written = first.eagerly().bytes
        const second = parser.parseRequest(written)
        expect(textOf(second.eagerly().bytes)).toBe(textOf(written))
        expect(second.repairs).toEqual([])
        expect(second.method).toBe(first.method)
        expect([...second.headers]).toEqual([...first.headers])
        expect(textOf(second.eagerly().content?.wire ?? octetsOf(''))).toBe(
          textOf(first.eagerly().content?.wire ?? octetsOf('')),
        )
      }),
      { numRuns: 300 * effort },
    )
  })

  it('rereads what it read and wrote of responses', () => {
    return fc.assert(
      fc.property(fc.oneof(responseOctets, mutated(responseOctets), noise), (octets) => {
        let first: HttpResponse<'memory'> | undefined
        failureOf(() => {
          first = parser.parseResponse(octetsOf(octets))
        })
        if (first === undefined) return
        const bytes = first.eagerly().bytes
        const second = parser.parseResponse(bytes)
        expect(textOf(second.eagerly().bytes)).toBe(textOf(bytes))
        expect([second.status, second.reason]).toEqual([first.status, first.reason])
        // A lenient reader keeps control characters of a value; they are written as spaces (RFC 9110 section 5.5).
        const written = [...first.headers].map(([name, value]) => {
          const spaced = value.replace(/[^\t -~\x80-\xff]/g, ' ')
          return [name, spaced.replace(/^[ \t]+|[ \t]+$/g, '')]
        })
        expect([...second.headers]).toEqual(written)
      }),
      { numRuns: 300 * effort },
    )
  })
})

describe.each(presets)('a connection that the parser reads in the preset %s', (preset) => {
  const octets = fc
    .array(fc.oneof({ weight: 3, arbitrary: requestOctets }, mutated(requestOctets)), { minLength: 1, maxLength: 3 })
    .map((messages) => messages.join(''))

  it('gives the same messages and the same error as the decoder, however it is split', async () => {
    await fc.assert(
      fc.asyncProperty(octets, fc.integer({ min: 1, max: 40 }), async (text, pieceLength) => {
        const bytes = octetsOf(text)
        const pieces: Uint8Array[] = []
        for (let at = 0; at < bytes.length; at += pieceLength) pieces.push(bytes.subarray(at, at + pieceLength))
        const read: unknown[] = []
        try {
          for await (const request of new HttpParser({ preset }).requests(pieces)) {
            read.push([request.method, request.target, [...request.headers]])
            let body = ''
            for await (const { data } of request.body?.chunks() ?? []) body += textOf(data)
            const trailers = (await request.body?.trailers) ?? []
            read.push([body, [...trailers]])
          }
        } catch (error) {
          if (!(error instanceof HttpParseError)) throw error
          read.push([error.code, error.offset, error.line, error.column])
        }
        expect(read).toEqual(decoded(preset, bytes))
      }),
      { numRuns: 150 * effort },
    )
  })
})

/** Heads, bodies with trailers, and the error at last, as the decoder reports them. */
function decoded(preset: Preset, bytes: Uint8Array): unknown[] {
  const decoder = new HttpDecoder('server', { preset })
  const reported: unknown[] = []
  let body = ''
  const add = (event: HttpEvent) => {
    if (event.type === 'request') reported.push([event.head.method, event.head.target, [...event.head.headers]])
    if (event.type === 'data') body += textOf(event.bytes)
    if (event.type === 'end') {
      reported.push([body, [...event.trailers]])
      body = ''
    }
  }
  const error = failureOf(() => {
    for (const event of decoder.push(bytes)) add(event)
    for (const event of decoder.end()) add(event)
  })
  if (error !== undefined) reported.push([error.code, error.offset, error.line, error.column])
  return reported
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(Uint8Array.from(piece))
  return Buffer.concat(all)
}

interface BodyCase {
  readonly body: MessageBody | null
  readonly octets: string
  readonly trailers: readonly (readonly [string, string])[]
}

/** Without those that are allowed only in a header section. */
const trailerFields = fields.map((list) => list.filter(([name]) => !/^(?:content-type|cookie|set-cookie)$/i.test(name)))

const bodyCase: fc.Arbitrary<BodyCase> = fc.oneof(
  fc.constant({ body: null, octets: '', trailers: [] }),
  content.map((octets) => ({ body: new BytesBody(octetsOf(octets), 'text/plain'), octets, trailers: [] })),
  fc.record({ octets: content, chunkSize: fc.integer({ min: 1, max: 50 }), trailers: trailerFields }).map((parts) => ({
    body: new ChunkedBody(octetsOf(parts.octets), 'text/plain', parts.chunkSize, { trailers: parts.trailers }),
    octets: parts.octets,
    trailers: parts.trailers,
  })),
)

describe.each(presets)('a message that was built, read in the preset %s', (preset) => {
  const parser = new HttpParser({ preset })

  it('is the same request', async () => {
    await fc.assert(
      fc.asyncProperty(
        token.filter((method) => method !== 'CONNECT'),
        fc.webUrl({ validSchemes: ['http'], withQueryParameters: true }),
        fields,
        bodyCase,
        async (method, url, headers, { body, octets, trailers }) => {
          const built = new HttpRequest({ method, url, headers }).withBody(body as MessageBody)
          const read = parser.parseRequest(await collect(built.encode()))
          expect(read.method).toBe(method)
          expect(read.url?.href).toBe(built.url?.href)
          expect([...read.headers]).toEqual([...built.headers])
          const eager = read.eagerly().content
          expect(textOf(eager?.bytes ?? octetsOf(''))).toBe(octets)
          expect([...(eager?.trailers ?? [])]).toEqual(trailers)
        },
      ),
      { numRuns: 200 * effort },
    )
  })

  it('is the same response', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 200, max: 999 }).filter((status) => status !== 204 && status !== 304),
        fieldValue,
        fields,
        bodyCase,
        async (status, reason, headers, { body, octets, trailers }) => {
          const built = new HttpResponse({ status, reason, headers }).withBody(body as MessageBody)
          const read = parser.parseResponse(await collect(built.encode()))
          expect([read.status, read.reason]).toEqual([status, reason])
          expect([...read.headers]).toEqual([...built.headers])
          const eager = read.eagerly().content
          expect(textOf(eager?.bytes ?? octetsOf(''))).toBe(octets)
          expect([...(eager?.trailers ?? [])]).toEqual(trailers)
        },
      ),
      { numRuns: 200 * effort },
    )
  })
})

describe('chunked', () => {
  it('returns the input, for every chunk size and every split of the source', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 400 }),
        async (pieces, chunkSize) => {
          const request = new HttpRequest({
            method: 'POST',
            url: 'http://a/',
            body: new ChunkedBody(pieces, undefined, chunkSize),
          })
          const encoded = await collect(request.encode())
          const read = new HttpParser({ preset: 'server' }).parseRequest(encoded).eagerly().content
          expect(textOf(read?.bytes ?? octetsOf(''))).toBe(textOf(Buffer.concat(pieces)))
          const sizes = read?.chunks.map(({ data }) => data.length) ?? []
          expect(sizes.every((size) => size > 0 && size <= chunkSize)).toBe(true)
          expect(sizes.slice(0, -1).every((size) => size === chunkSize)).toBe(true)
        },
      ),
      { numRuns: 100 * effort },
    )
  })
})

/** RFC 9112 section 3.2.2: Host follows the host of a target with us; llhttp leaves that to its user. */
function withoutReplacedHost(judged: Judged): Judged {
  if (!judged.target.includes('://')) return judged
  return { ...judged, headers: judged.headers.filter(([name]) => name.toLowerCase() !== 'host') }
}

/** The first request of a connection, as Node's own parser reads it. */
interface Judged {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  readonly trailers: readonly (readonly [string, string])[]
}

describe('a request that Node.js accepts too', () => {
  let judge: (octets: string) => Promise<Judged | undefined>
  let close: () => void

  beforeAll(async () => {
    let tellJudged: (judged: Judged | undefined) => void = () => undefined
    const pairs = (raw: readonly string[]) =>
      Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index]!, raw[2 * index + 1]!] as const)
    const read = (message: IncomingMessage) => {
      const chunks: Buffer[] = []
      const report = tellJudged
      message.on('data', (bytes: Buffer) => chunks.push(bytes))
      message.on('error', () => report(undefined))
      message.on('end', () => {
        if (!message.complete) return report(undefined)
        const body = Buffer.concat(chunks).toString('latin1')
        const { method = '', url: target = '' } = message
        const [headers, trailers] = [pairs(message.rawHeaders), pairs(message.rawTrailers)]
        report({ method, target, headers, body, trailers })
      })
    }
    const server = createServer((message, response) => {
      read(message)
      response.on('error', () => undefined)
    })
    // The client ends its side after its request: missing bytes stay missing, and nothing waits for them.
    Object.assign(server, { httpAllowHalfOpen: true })
    server.on('checkContinue', (message: IncomingMessage) => read(message))
    server.on('checkExpectation', (message: IncomingMessage) => read(message))
    server.on('upgrade', () => tellJudged(undefined))
    server.on('connect', () => tellJudged(undefined))
    server.on('clientError', () => tellJudged(undefined))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    judge = async (octets) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      const judged = new Promise<Judged | undefined>((resolve) => {
        tellJudged = resolve
        // Neither a request nor an error: it waited for more, and the connection ended.
        socket.on('close', () => resolve(undefined))
      })
      socket.end(octetsOf(octets))
      const result = await judged
      socket.destroy()
      return result
    }
    close = () => {
      server.closeAllConnections()
      server.close()
    }
  })

  afterAll(() => close())

  /** Our reading of the first request; undefined if it is refused or not complete. */
  function ours(octets: string): Judged | undefined {
    const decoder = new HttpDecoder('server')
    let judged: Omit<Judged, 'body' | 'trailers'> | undefined
    let body = ''
    try {
      for (const event of decoder.push(octetsOf(octets))) {
        if (event.type === 'request') {
          judged = { method: event.head.method, target: event.head.target, headers: [...event.head.headers] }
        }
        if (event.type === 'data') body += textOf(event.bytes)
        if (event.type === 'end') return { ...judged!, body, trailers: [...event.trailers] }
      }
    } catch (error) {
      if (!(error instanceof HttpParseError)) throw error
    }
    return undefined
  }

  it.each([
    ['valid', knownRequestOctets, 200],
    ['broken', mutated(knownRequestOctets), 1_000],
  ] as const)('gives the same result: %s messages', async (_, arbitrary, numRuns) => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(arbitrary, async (octets) => {
        const own = ours(octets)
        if (own === undefined) return
        const theirs = await judge(octets)
        if (theirs === undefined) return
        compared += 1
        expect(withoutReplacedHost(own)).toEqual(withoutReplacedHost(theirs))
      }),
      { numRuns: numRuns * effort },
    )
    expect(compared).toBeGreaterThan(numRuns / 50)
  })
})
