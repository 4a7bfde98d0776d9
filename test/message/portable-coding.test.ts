/**
 * Content codings of the portable part alone, as a browser or a worker has it: nothing of Node.js is registered.
 *
 * Rules: the library is loaded afresh here, because decoders are registered for all messages of a loaded library.
 */
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { collect, toOctets, toText, tracked } from './octets.ts'

let library: typeof import('../../src/message/index.ts')
beforeAll(async () => {
  vi.resetModules()
  library = await import('../../src/message/index.ts')
})
afterAll(() => {
  vi.resetModules()
})

const TEXT = 'hello hello hello '.repeat(100)
const plain = toOctets(TEXT)
const head = (coding: string, length: number): string =>
  `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${length}\r\n\r\n`
const decoded = async (coding: string, body: Uint8Array): Promise<string> =>
  collect(library.parseResponse(toOctets(head(coding, body.length) + toText(body))).body!.decoded())

describe('decoded() without Node.js', () => {
  it.each([
    ['gzip', 'gzip', gzipSync(plain)],
    ['deflate with the zlib wrapper', 'deflate', deflateSync(plain)],
    ['deflate without it', 'deflate', deflateRawSync(plain)],
    ['deflate, then gzip', 'deflate, gzip', gzipSync(deflateSync(plain))],
  ])('decodes %s', async (_name, coding, body) => {
    expect(await decoded(coding, body)).toBe(TEXT)
  })

  it('supports only the codings of the platform, and names them', () => {
    expect(library.canDecode('gzip')).toBe(true)
    expect(library.canDecode('rot13')).toBe(false)
    expect(library.canDecode('__proto__')).toBe(false)
  })

  it('fails for content that is truncated or damaged', async () => {
    const body = gzipSync(plain)
    await expect(decoded('gzip', body.subarray(0, -1))).rejects.toMatchObject({ code: 'content-coding' })
    await expect(decoded('gzip', plain)).rejects.toMatchObject({ code: 'content-coding' })
    await expect(decoded('rot13', plain)).rejects.toMatchObject({ code: 'unknown-content-coding' })
  })

  it.each([
    ['gzip', gzipSync(plain)],
    ['deflate, gzip', gzipSync(deflateSync(plain))],
  ])(
    'passes on errors of the source, under %s',
    async (coding, body) => {
      const source = tracked([head(coding, 1000), body.subarray(0, 20), new Error('cable cut')])
      const response = await new library.HttpParser().readResponse(source)
      await expect(collect(response.body!.decoded())).rejects.toThrow('cable cut')
    },
    2000,
  )

  it('releases the source when its reader stops', async () => {
    const body = gzipSync(new Uint8Array(1 << 20))
    const source = tracked([head('gzip', body.length), body.subarray(0, 500), body.subarray(500)])
    const response = await new library.HttpParser().readResponse(source)
    for await (const _bytes of response.body!.decoded()) break
    await vi.waitFor(() => expect(source.closed).toBe(true))
  })
})
