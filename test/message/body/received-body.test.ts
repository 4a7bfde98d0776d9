/**
 * The ways to read a body: what is decoded for its reader, what is not, and up to where.
 *
 * Rules: the library is loaded afresh, because decoders are registered for all messages of a loaded library.
 */
import { inspect } from 'node:util'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { BodyEvent, HttpResponse as HttpResponseType } from '../../../src/message/index.ts'
import { toOctets, toText } from '../octets.ts'

vi.resetModules()
const { HttpDecoder, HttpParser, HttpResponse, octetsOf, parseRequest, parseResponse } = await import(
  '../../../src/message/index.ts'
)
afterAll(() => {
  vi.resetModules()
})

const JSON_TEXT = '{"name":"Zoë"}'
const coded = (coding: string, content: Uint8Array, type = 'application/json'): Uint8Array =>
  Buffer.concat([
    toOctets(
      `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Encoding: ${coding}\r\nContent-Length: ${content.length}\r\n\r\n`,
    ),
    content,
  ])
const gzipped = gzipSync(JSON_TEXT)
const inTransfer = (names: string, content: Uint8Array): Uint8Array =>
  Buffer.concat([
    toOctets(`HTTP/1.1 200 OK\r\nTransfer-Encoding: ${names}\r\n\r\n`),
    ...(names.endsWith('chunked')
      ? [toOctets(`${content.length.toString(16)}\r\n`), content, toOctets('\r\n0\r\n\r\n')]
      : [content]),
  ])

const bodyOf = (octets: Uint8Array) => parseResponse(octets).body!

describe('without platform decoders', () => {
  it('text() and json() decode gzip and deflate; bytes() and stream() do not', async () => {
    for (const [coding, content] of [
      ['gzip', gzipped],
      ['deflate', deflateSync(JSON_TEXT)],
    ] as const) {
      const octets = coded(coding, content)
      expect(await bodyOf(octets).text()).toBe(JSON_TEXT)
      expect(await bodyOf(octets).json()).toEqual({ name: 'Zoë' })
      expect(await (await bodyOf(octets).blob()).text()).toBe(JSON_TEXT)
      expect(new TextDecoder().decode(await bodyOf(octets).arrayBuffer())).toBe(JSON_TEXT)
      expect(toText(await bodyOf(octets).bytes())).toBe(toText(content))
      expect(toText(new Uint8Array(await new Response(bodyOf(octets).stream()).arrayBuffer()))).toBe(toText(content))
      const streamed = await new HttpParser().readResponse([octets])
      expect(await streamed.body?.text()).toBe(JSON_TEXT)
    }
  })

  it.each(['br', 'zstd', 'compress', 'x'])('%s is refused with the list of known codings', async (coding) => {
    const body = bodyOf(coded(coding, brotliCompressSync(JSON_TEXT)))
    await expect(body.text()).rejects.toMatchObject({
      code: 'unknown-content-coding',
      hint: 'Expected one of gzip, deflate',
    })
  })

  it('a copy in memory throws where it would have to wait, and decoded() waits', async () => {
    const { content } = parseResponse(coded('gzip', gzipped)).eagerly()
    expect(() => content?.text()).toThrow(expect.objectContaining({ code: 'content-coding-waits' }))
    expect(() => content?.json()).toThrow(expect.objectContaining({ code: 'content-coding-waits' }))
    expect(toText(content?.bytes as Uint8Array)).toBe(toText(gzipped))
    expect(new TextDecoder().decode(await content?.decoded())).toBe(JSON_TEXT)
  })
})

describe('decoded()', () => {
  const bomb = gzipSync(new Uint8Array(1_000_000))

  it('has an inclusive limit', async () => {
    const body = () => bodyOf(coded('gzip', bomb))
    const sizeOf = async (limitBytes: number): Promise<number> => {
      let sizeBytes = 0
      for await (const piece of body().decoded({ limitBytes })) sizeBytes += piece.length
      return sizeBytes
    }
    expect(await sizeOf(1_000_000)).toBe(1_000_000)
    await expect(sizeOf(999_999)).rejects.toMatchObject({
      code: 'content-coding',
      message: 'the decoded content is above the limit of 999999 bytes',
    })
    const { content } = parseResponse(coded('gzip', bomb)).eagerly()
    await expect(content?.decoded({ limitBytes: 5 })).rejects.toMatchObject({ code: 'content-coding' })
  })

  it('is undefined for content without a coding', async () => {
    const body = parseResponse('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello').body
    const pieces: string[] = []
    for await (const piece of body!.decoded({ limitBytes: 1 })) pieces.push(toText(piece))
    expect(pieces.join('')).toBe('hello')
  })
})

describe('transfer codings before chunked', () => {
  it.each(['gzip, chunked', 'x-gzip,chunked', 'gzip'])('%s is decoded however the body is read', async (names) => {
    const octets = inTransfer(names, gzipped)
    expect(await bodyOf(octets).text()).toBe(JSON_TEXT)
    expect(new TextDecoder().decode(await bodyOf(octets).bytes())).toBe(JSON_TEXT)
    expect(await new Response(bodyOf(octets).stream()).text()).toBe(JSON_TEXT)
    expect(await parseResponse(octets).toFetch().text()).toBe(JSON_TEXT)
    const pieces: Uint8Array[] = []
    for await (const piece of (await new HttpParser().readResponse([octets])).body!) pieces.push(piece)
    expect(Buffer.concat(pieces).toString()).toBe(JSON_TEXT)
  })

  it('are written again as received', () => {
    const octets = inTransfer('gzip, chunked', gzipped)
    expect(toText(parseResponse(octets).eagerly().bytes)).toBe(toText(octets))
  })

  it('that are unknown are an error', async () => {
    const body = bodyOf(inTransfer('foo, chunked', gzipped))
    await expect(body.bytes()).rejects.toMatchObject({ code: 'unknown-content-coding' })
    expect(() => parseResponse(inTransfer('foo, chunked', gzipped)).eagerly().content?.bytes).toThrow(/"foo"/)
  })

  it('of a request cannot be decoded by this server', () => {
    const text = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'
    expect(() => parseRequest(text, { preset: 'server' })).toThrow(
      expect.objectContaining({ code: 'TRANSFER_ENCODING', status: 501 }),
    )
  })
})

describe('a fetch Response', () => {
  it('has decoded content, and matching fields', async () => {
    const response = parseResponse(coded('gzip', gzipped)).toFetch()
    expect(response.headers.get('content-encoding')).toBe(null)
    expect(response.headers.get('content-length')).toBe(null)
    const [one, other] = [response.clone(), response]
    expect(await one.json()).toEqual({ name: 'Zoë' })
    expect((await HttpResponse.fromFetch(other).eagerly()).content?.text()).toBe(JSON_TEXT)
  })

  it('has the content as received if its coding is unknown', async () => {
    const response = parseResponse(coded('x', octetsOf('hello'))).toFetch()
    expect([response.headers.get('content-encoding'), await response.text()]).toEqual(['x', 'hello'])
  })
})

describe('a stream that is cancelled', () => {
  /** A response with one piece of content; the connection stays open and silent until it is released. */
  const opened = (coding: string) => {
    const [event] = new HttpDecoder('client').push(octetsOf(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`))
    const bytes = coding === 'gzip' ? gzipSync('hello', { finishFlush: constants.Z_SYNC_FLUSH }) : octetsOf('hello')
    const pieces: BodyEvent[] = [{ type: 'data', bytes }]
    let release = (): void => undefined
    const released = new Promise<IteratorResult<BodyEvent>>((resolve) => {
      release = () => resolve({ done: true, value: undefined })
    })
    const events = {
      next: async (): Promise<IteratorResult<BodyEvent>> => {
        const value = pieces.shift()
        return value === undefined ? released : { done: false, value }
      },
      return: async (): Promise<IteratorResult<BodyEvent>> => {
        release()
        return released
      },
    }
    const { head } = event as Extract<typeof event, { type: 'response' }>
    return { response: HttpResponse.fromEvents(head, { [Symbol.asyncIterator]: () => events }), released }
  }

  it.each(['identity', 'gzip'])('releases its connection, even if nothing was read (%s)', async (coding) => {
    for (const readCount of [0, 1]) {
      for (const toStream of [
        (response: HttpResponseType) => response.body?.stream(),
        (response: HttpResponseType) => response.toFetch().body,
      ]) {
        const { response, released } = opened(coding)
        const reader = (toStream(response) as ReadableStream<Uint8Array>).getReader()
        for (let i = 0; i < readCount; i++) await reader.read()
        await reader.cancel()
        await released
      }
    }
  })

  it.each(['identity', 'gzip'])('does not end another one of the same content (%s)', async (coding) => {
    const response = parseResponse(coded(coding, coding === 'gzip' ? gzipped : octetsOf(JSON_TEXT)))
    for (const toStream of [() => response.body?.stream(), () => response.toFetch().body]) {
      const [one, other] = [toStream() as ReadableStream<Uint8Array>, toStream()]
      await one.cancel()
      expect((await new Response(other).arrayBuffer()).byteLength).toBeGreaterThan(0)
    }
  })

  it('cancels the stream that it is made from', async () => {
    for (const readCount of [0, 1]) {
      const cancel = vi.fn()
      const source = new ReadableStream({ start: (controller) => controller.enqueue(octetsOf('hello')), cancel })
      const reader = HttpResponse.fromFetch(new Response(source)).toFetch().body?.getReader()
      for (let i = 0; i < readCount; i++) await reader?.read()
      await reader?.cancel()
      expect(cancel).toHaveBeenCalledOnce()
    }
  })
})

describe('formData()', () => {
  it('reads both kinds of forms', async () => {
    const url = parseRequest('POST / HTTP/1.1\r\nHost: a\r\n\r\n').withBody(new URLSearchParams({ a: 'b c' }))
    expect((await url.body!.formData()).get('a')).toBe('b c')
  })

  it('refuses anything but a form', async () => {
    const body = bodyOf(coded('gzip', gzipped))
    await expect(body.formData()).rejects.toMatchObject({ code: 'invalid-form' })
  })

  it.each([
    ['text/plain', 'the body is not a form: its Content-Type is "text/plain"'],
    [
      'Multipart/Form-Data; Boundary=b',
      'the body is a malformed form: its Content-Type is "Multipart/Form-Data; Boundary=b"',
    ],
  ])('names the mistake in a form of the type %s', async (type, message) => {
    const body = bodyOf(toOctets(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n\r\n--b\r\nno field\r\n--b--\r\n`))
    await expect(body.formData()).rejects.toMatchObject({ code: 'invalid-form', message })
  })
})

describe('a message as text', () => {
  it.each([
    'PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4;e=1\r\nZo\xc3\xab\r\n1\r\n!\r\n0;last\r\nX: y\r\n\r\n',
    'PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n\xef\xbb\xbfhi',
    'PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ])('is the message, chunks and trailers included: %j', (wire) => {
    const message = parseRequest(toOctets(wire))
    for (const text of [message.toString(), message.eagerly().toString()]) {
      const again = parseRequest(text, { preset: 'strict' }).eagerly()
      expect(toText(again.bytes)).toBe(wire)
    }
  })

  it('moves a character that spans two chunks into one of them', () => {
    const head = 'PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    const message = parseRequest(toOctets(`${head}3\r\nZo\xc3\r\n1\r\n\xab\r\n2\r\n\xe2\x82\r\n1\r\n\xac\r\n0\r\n\r\n`))
    expect(message.toString()).toBe(`${head}2\r\nZo\r\n2\r\në\r\n3\r\n€\r\n0\r\n\r\n`)
    expect(parseRequest(message.toString()).eagerly().content?.text()).toBe('Zoë€')
  })

  it('decodes chunks by their charset', () => {
    const wire = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain;charset=iso-8859-1\r\nTransfer-Encoding: chunked\r\n\r\n'
    const text = parseResponse(toOctets(`${wire}1\r\n\xeb\r\n0\r\n\r\n`)).toString()
    expect(text).toBe(`${wire}1\r\në\r\n0\r\n\r\n`)
  })

  it('is shown with its body by console.log', async () => {
    const shown = (message: unknown): string => inspect(message, { breakLength: Number.POSITIVE_INFINITY })
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'
    expect(shown(parseResponse(`${head}hi`))).toContain("body: 'hi'")
    expect(shown(parseResponse(`${head}hi`).eagerly())).toContain("body: 'hi'")
    expect(shown(parseResponse(toOctets(`${head}\xff\xfe`)))).toContain('255, 254')
    expect(shown(parseResponse('HTTP/1.1 204 \r\n\r\n'))).toContain('body: null')
    expect(shown(await new HttpParser().readResponse([toOctets(`${head}hi`)]))).toContain("body: '(not read yet)'")
  })
})

describe('with the decoders of Node.js', () => {
  beforeAll(async () => {
    await import('../../../src/message-node/index.ts')
  })

  it.each([
    ['gzip', gzipped],
    ['deflate', deflateSync(JSON_TEXT)],
    ['br', brotliCompressSync(JSON_TEXT)],
    ['gzip, br', brotliCompressSync(gzipped)],
    ['identity', Buffer.from(JSON_TEXT)],
  ])('%s is decoded, in memory synchronously', async (coding, content) => {
    const octets = coded(coding, content)
    expect(await bodyOf(octets).text()).toBe(JSON_TEXT)
    const eager = parseResponse(octets).eagerly()
    expect(eager.content?.text()).toBe(JSON_TEXT)
    expect(eager.content?.json()).toEqual({ name: 'Zoë' })
    expect(toText(eager.content?.bytes as Uint8Array)).toBe(toText(content))
  })

  it('damaged content and unknown codings are errors in memory, too', () => {
    const of = (octets: Uint8Array) => () => parseResponse(octets).eagerly().content?.text()
    expect(of(coded('gzip', gzipped.subarray(0, 20)))).toThrow(expect.objectContaining({ code: 'content-coding' }))
    expect(of(coded('x', gzipped))).toThrow(expect.objectContaining({ code: 'unknown-content-coding' }))
    expect(of(coded('gzip', new Uint8Array(0)))()).toBe('')
  })

  it('a transfer coding is decoded in memory, too', () => {
    const { content } = parseResponse(inTransfer('gzip, chunked', gzipped)).eagerly()
    expect(content?.text()).toBe(JSON_TEXT)
    expect(Buffer.from(content?.bytes as Uint8Array).toString()).toBe(JSON_TEXT)
  })
})
