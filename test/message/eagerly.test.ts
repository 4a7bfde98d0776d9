/** eagerly(): at once where every byte is in memory, a promise where it is not, and a copy in both. */
import { describe, expect, it } from 'vitest'
import { ChunkedBody, HttpParser, parseRequest, parseResponse } from '../../src/message/index.ts'
import { usedBytes } from '../helpers/used-memory.ts'
import { collect, toOctets, toText, tracked } from './octets.ts'

const TEXT = 'POST /p HTTP/1.1\r\nHost: one.test\r\nContent-Length: 5\r\n\r\nhello'
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a\r\nhe\r\n3\r\nllo\r\n0\r\nX: y\r\n\r\n'

describe('eagerly()', () => {
  it('is synchronous for a message in memory', () => {
    const eager = parseRequest(TEXT).eagerly()
    expect(eager).not.toBeInstanceOf(Promise)
    expect(eager.content?.text()).toBe('hello')
    expect(eager.method).toBe('POST')
    expect(toText(eager.bytes)).toBe(TEXT)
    expect(eager.toString()).toBe(TEXT)
  })

  it('is a promise for a message on a stream', async () => {
    const request = await new HttpParser().readRequest(tracked([TEXT.slice(0, 70), TEXT.slice(70)]))
    const promise = request.eagerly()
    expect(promise).toBeInstanceOf(Promise)
    const eager = await promise
    expect(eager.content?.text()).toBe('hello')
    expect(toText(eager.bytes)).toBe(TEXT)
  })

  it('is a promise for a body that has to be read first', async () => {
    const eager = parseRequest(TEXT)
      .withBody(new ChunkedBody(tracked(['a'])))
      .eagerly()
    expect(eager).toBeInstanceOf(Promise)
    expect((await eager).content?.text()).toBe('a')
  })

  it('can be awaited in both cases', async () => {
    const fromStream = await new HttpParser().readRequest(tracked([TEXT]))
    for (const request of [parseRequest(TEXT), fromStream]) {
      expect((await request.eagerly()).toString()).toBe(TEXT)
    }
  })

  it('reads chunks, extensions and trailers', async () => {
    const response = await new HttpParser().readResponse(tracked(Array.from(CHUNKED)))
    const { content, bytes } = await response.eagerly()
    expect(content?.text()).toBe('hello')
    expect(content?.trailers.get('x')).toBe('y')
    expect(content?.framing).toEqual({ type: 'chunked' })
    expect(content?.chunks.map(({ data }) => toText(data)).join('|')).toMatch(/^he\|llo\|?$/)
    expect(toText(bytes)).toBe(CHUNKED)
  })

  it('of an eager message returns the same message', () => {
    const eager = parseRequest(TEXT).eagerly()
    expect(eager.eagerly().toString()).toBe(TEXT)
  })

  it('copies: the caller can reuse its buffer', () => {
    const buffer = toOctets(`${TEXT}`)
    const eager = parseRequest(buffer).eagerly()
    buffer.fill(0x21)
    expect(toText(eager.bytes)).toBe(TEXT)
    expect(eager.content?.text()).toBe('hello')
    expect(toText(eager.content!.bytes)).toBe('hello')
    expect(toText(eager.content!.wire)).toBe('hello')
    expect(eager.headers.get('host')).toBe('one.test')
    expect(eager.target).toBe('/p')
  })

  it('copies chunks too', () => {
    const buffer = toOctets(CHUNKED)
    const { content } = parseResponse(buffer).eagerly()
    buffer.fill(0x21)
    expect(content?.chunks.map(({ data }) => toText(data)).join('')).toBe('hello')
    expect(content?.text()).toBe('hello')
    expect(content?.trailers.get('x')).toBe('y')
  })

  it.each([
    ['a length', TEXT],
    ['chunks', CHUNKED.replace('HTTP/1.1 200 OK', 'POST / HTTP/1.1\r\nHost: a')],
  ])('copies from a stream, too: its pieces can be reused, with %s', async (_framing, text) => {
    const pieces = text.match(/.{1,7}/gs)!.map(toOctets)
    const eager = await (await new HttpParser().readRequest(pieces)).eagerly()
    for (const piece of pieces) piece.fill(0x21)
    expect(toText(eager.bytes)).toBe(text)
    expect(toText(eager.content!.wire)).toBe(text.slice(text.indexOf('\r\n\r\n') + 4))
    expect(eager.content?.text()).toBe('hello')
    expect(eager.headers.get('host')).toMatch(/^(one\.test|a)$/)
  })

  it('keeps little memory for a chunk, of which a client may send one for each byte', async () => {
    const count = 200_000
    async function* octets(): AsyncGenerator<Uint8Array> {
      yield toOctets('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
      for (let i = 0; i < count; i += 1000) yield toOctets('1\r\nx\r\n'.repeat(1000))
      yield toOctets('0\r\n\r\n')
    }
    const before = usedBytes()
    const eager = await (await new HttpParser().readRequest(octets())).eagerly()
    expect((usedBytes() - before) / count).toBeLessThan(80)
    expect(eager.content?.bytes).toHaveLength(count)
    expect(eager.content?.chunks).toHaveLength(count)
  })

  it('keeps no more memory than the message: its bytes are no view of a larger buffer', () => {
    const slab = new Uint8Array(1 << 20)
    const octets = toOctets(TEXT)
    slab.set(octets, 1000)
    const eager = parseRequest(slab.subarray(1000, 1000 + octets.length)).eagerly()
    expect(eager.bytes.buffer).not.toBe(slab.buffer)
    expect(eager.content!.bytes.buffer).not.toBe(slab.buffer)
    expect(eager.content!.bytes.buffer.byteLength).toBeLessThan(4096)
  })

  it('fails if the stream ends too early', async () => {
    const request = await new HttpParser().readRequest(tracked([TEXT.slice(0, -1)]))
    await expect(request.eagerly()).rejects.toMatchObject({ code: 'INCOMPLETE' })
  })

  it('encodes to the bytes that it has', async () => {
    for (const eager of [parseRequest(TEXT).eagerly(), parseResponse(CHUNKED).eagerly()]) {
      expect(await collect(eager.encode())).toBe(toText(eager.bytes))
    }
  })
})
