/** Content codings are decoded on request, and only then. */
import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { HttpParser, parseResponse } from '../../../src/message/index.ts'
import '../../../src/message-node/index.ts'
import { collect, toOctets, toText, tracked } from '../octets.ts'

const TEXT = 'hello hello hello hello '.repeat(50)
const plain = toOctets(TEXT)
const message = (coding: string, body: Uint8Array): Uint8Array =>
  toOctets(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n${toText(body)}`)

function withLastByteChanged(body: Uint8Array): Uint8Array {
  return body.with(-1, body.at(-1)! ^ 1)
}

const CODINGS: readonly (readonly [name: string, coding: string, body: Uint8Array])[] = [
  ['gzip', 'gzip', gzipSync(plain)],
  ['gzip in capitals', 'GZip', gzipSync(plain)],
  ['x-gzip', 'x-gzip', gzipSync(plain)],
  ['deflate with the zlib wrapper', 'deflate', deflateSync(plain)],
  ['deflate without it', 'deflate', deflateRawSync(plain)],
  ['br', 'br', brotliCompressSync(plain)],
  ['identity', 'identity', plain],
  ['gzip, then br', 'gzip, br', brotliCompressSync(gzipSync(plain))],
  ['br, then gzip, then deflate', 'br, gzip,deflate', deflateSync(gzipSync(brotliCompressSync(plain)))],
]

describe('decoded()', () => {
  it.each(CODINGS)('decodes %s in memory', async (_name, coding, body) => {
    const response = parseResponse(message(coding, body))
    expect(await collect(response.body!.decoded())).toBe(TEXT)
    expect(toText(await parseResponse(message(coding, body)).eagerly().content!.decoded())).toBe(TEXT)
  })

  it.each(CODINGS)('decodes %s on a stream of single bytes', async (_name, coding, body) => {
    const octets = Array.from(message(coding, body), (octet) => Uint8Array.of(octet))
    const response = await new HttpParser().readResponse(tracked(octets))
    expect(await collect(response.body!.decoded())).toBe(TEXT)
  })

  it('decodes codings in several lines', async () => {
    const body = brotliCompressSync(gzipSync(plain))
    const octets = toOctets(
      `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Encoding: br\r\nContent-Length: ${body.length}\r\n\r\n${toText(body)}`,
    )
    expect(await collect(parseResponse(octets).body!.decoded())).toBe(TEXT)
  })

  it('decodes a chunked body', async () => {
    const body = toText(gzipSync(plain))
    const framed = `5\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`
    const octets = toOctets(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n${framed}`)
    expect(await collect(parseResponse(octets).body!.decoded())).toBe(TEXT)
  })

  it('reads several gzip members in sequence', async () => {
    const body = toOctets(toText(gzipSync(toOctets('one '))) + toText(gzipSync(toOctets('two'))))
    expect(await collect(parseResponse(message('gzip', body)).body!.decoded())).toBe('one two')
  })

  it('returns the body unchanged without Content-Encoding', async () => {
    const response = parseResponse('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')
    expect(await collect(response.body!.decoded())).toBe('hello')
  })

  it('does not change the bytes elsewhere', async () => {
    const body = gzipSync(plain)
    const content = parseResponse(message('gzip', body)).eagerly().content!
    expect(toText(content.wire)).toBe(toText(body))
    expect(await collect(parseResponse(message('gzip', body)).body!.encoded())).toBe(toText(body))
    expect(await collect(parseResponse(message('gzip', body)).encode())).toBe(toText(message('gzip', body)))
  })

  it.each(['gzip', 'deflate', 'br', 'gzip, br'])('decodes an empty body in %s to nothing', async (coding) => {
    expect(await collect(parseResponse(message(coding, new Uint8Array())).body!.decoded())).toBe('')
  })

  it.each([
    ['gzip', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['br', brotliCompressSync(plain)],
  ])('fails for a body in %s that is truncated', async (coding, body) => {
    for (const kept of [1, body.length >> 1, body.length - 1]) {
      const cut = parseResponse(message(coding, body.subarray(0, kept)))
      await expect(collect(cut.body!.decoded()), `${kept} bytes`).rejects.toThrow()
    }
  })

  it.each(['gzip', 'deflate', 'br'])('fails for a body that is not %s', async (coding) => {
    const octets = message(coding, toOctets('\xff\xfe this is not compressed at all'))
    await expect(collect(parseResponse(octets).body!.decoded())).rejects.toThrow()
  })

  it('fails for a gzip whose checksum is wrong', async () => {
    const body = Uint8Array.from(gzipSync(plain))
    body[body.length - 6]! ^= 1
    await expect(collect(parseResponse(message('gzip', body)).body!.decoded())).rejects.toThrow()
  })

  it.each([
    ['a wrong checksum of gzip', 'gzip', withLastByteChanged(gzipSync(plain))],
    ['a wrong checksum of zlib', 'deflate', withLastByteChanged(deflateSync(plain))],
    ['bytes after gzip', 'gzip', Buffer.concat([gzipSync(plain), plain])],
    ['bytes after zlib', 'deflate', Buffer.concat([deflateSync(plain), plain])],
    ['bytes after raw deflate', 'deflate', Buffer.concat([deflateRawSync(plain), plain])],
    ['bytes after br', 'br', Buffer.concat([brotliCompressSync(plain), plain])],
    ['bytes after gzip in br', 'gzip, br', brotliCompressSync(Buffer.concat([gzipSync(plain), plain]))],
  ])('decodes what precedes %s', async (_, coding, body) => {
    const decoded: Uint8Array[] = []
    const decode = async (): Promise<void> => {
      for await (const piece of parseResponse(message(coding, body)).body!.decoded()) decoded.push(piece)
    }
    await expect(decode()).rejects.toMatchObject({ code: 'content-coding' })
    expect(Buffer.concat(decoded).toString('latin1')).toBe(TEXT)
    expect(() => parseResponse(message(coding, body)).eagerly().content!.text()).toThrow(/damaged/)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ])('decodes all of a long body in %s with a wrong checksum', async (coding, encode) => {
    const long = randomBytes(300_000)
    const octets = message(coding, withLastByteChanged(encode(long)))
    const decoded: Uint8Array[] = []
    const decode = async (): Promise<void> => {
      for await (const piece of parseResponse(octets).body!.decoded()) decoded.push(piece)
    }
    await expect(decode()).rejects.toMatchObject({ code: 'content-coding' })
    expect(Buffer.concat(decoded).equals(long)).toBe(true)
  })

  it('accepts zeros that pad gzip', async () => {
    const body = Buffer.concat([gzipSync(plain), new Uint8Array(20)])
    expect(await collect(parseResponse(message('gzip', body)).body!.decoded())).toBe(TEXT)
  })

  it('fails for an unknown coding, and names it', async () => {
    const octets = message('gzip, rot13', plain)
    const decode = async (): Promise<string> => collect(parseResponse(octets).body!.decoded())
    await expect(decode()).rejects.toThrow(/rot13/)
  })

  it('does not inflate more than its reader consumes', async () => {
    const bomb = gzipSync(new Uint8Array(64 * 1024 * 1024))
    let largest = 0
    let taken = 0
    for await (const piece of parseResponse(message('gzip', bomb)).body!.decoded()) {
      largest = Math.max(largest, piece.length)
      taken += piece.length
      if (taken > 1024 * 1024) break
    }
    expect(taken).toBeGreaterThan(1024 * 1024)
    expect(largest).toBeLessThanOrEqual(1024 * 1024)
  })

  it('refuses more codings than any sender uses', async () => {
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${Array(6).fill('gzip').join(', ')}\r\nContent-Length: 1\r\n\r\nx`
    const { content } = parseResponse(head).eagerly()
    await expect(content?.decoded()).rejects.toMatchObject({ code: 'content-coding' })
  })
})
