import { closeSync, openSync, truncateSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/server/index.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { fetchRaw, RawClient, startServer } from './raw-client.ts'

const small = 'abcdefghijklmnopqrstuvwxyz'
const mebibyte = 1_048_576
const large = Buffer.alloc(3 * mebibyte)
for (let index = 0; index < large.length; index++) large[index] = (index * 2_654_435_761) >>> 24

let root: string
let server: RunningServer

beforeEach(async () => {
  root = temporaryDirectory()
  writeFileSync(join(root, 'small.txt'), small)
  writeFileSync(join(root, 'empty.txt'), '')
  writeFileSync(join(root, 'large.bin'), large)
  for (const name of ['small.txt', 'empty.txt', 'large.bin']) utimesSync(join(root, name), 1_700_000_000, 1_700_000_000)
  server = await startServer({ directory: root, now: () => Date.now() + 60_000 })
})

const get = (target: string, ...fields: string[]) => fetchRaw(server, target, fields)

interface Part {
  readonly range: string | undefined
  readonly type: string | undefined
  readonly content: string
}

/** The parts of a multipart/byteranges, as a reader that knows only RFC 2046 finds them. */
function partsOf(contentType: string, body: Buffer): Part[] {
  const boundary = /^multipart\/byteranges; boundary=(\w+)$/.exec(contentType)?.[1]
  if (boundary === undefined) throw new Error(`no boundary in ${contentType}`)
  const pieces = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`)
  expect(pieces.at(0)).toBe('')
  expect(pieces.at(-1)).toBe('--\r\n')
  return pieces.slice(1, -1).map((piece) => {
    const [head = '', content = ''] = piece.slice(2).split(/\r\n\r\n(.*)/s)
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head.replaceAll('\r', ''))?.[1]
    return { range: field('Content-Range'), type: field('Content-Type'), content }
  })
}

describe('a range', () => {
  it.each([
    ['bytes=0-0', 'a', 'bytes 0-0/26'],
    ['bytes=2-4', 'cde', 'bytes 2-4/26'],
    ['bytes=24-', 'yz', 'bytes 24-25/26'],
    ['bytes=-3', 'xyz', 'bytes 23-25/26'],
    ['bytes=0-', small, 'bytes 0-25/26'],
    ['bytes=20-100', 'uvwxyz', 'bytes 20-25/26'],
  ])('%s of a small file is 206', async (range, content, contentRange) => {
    const { status, fields, body } = await get('/small.txt', `Range: ${range}`)
    expect([status, body.toString(), fields.get('content-range')]).toEqual([206, content, contentRange])
    expect(fields.get('content-length')).toBe(String(content.length))
    expect(fields.get('content-type')).toBe('text/plain; charset=utf-8')
    for (const name of ['etag', 'last-modified', 'date', 'cache-control']) expect(fields.has(name)).toBe(true)
  })

  it.each([
    [0, 99],
    [1_000_000, 2_500_000],
    [3 * mebibyte - 10, 3 * mebibyte - 1],
  ])('%i to %i of a large file is 206', async (first, last) => {
    const { status, fields, body } = await get('/large.bin', `Range: bytes=${first}-${last}`)
    expect([status, fields.get('content-range')]).toEqual([206, `bytes ${first}-${last}/${large.length}`])
    expect(body.equals(large.subarray(first, last + 1))).toBe(true)
  })

  it('is offered with the whole file', async () => {
    const { status, fields } = await get('/small.txt')
    expect([status, fields.get('accept-ranges')]).toEqual([200, 'bytes'])
  })

  it.each(['bytes=26-', 'bytes=-0', 'bytes=100-200,300-'])('%s beyond the end is 416', async (range) => {
    const { status, fields } = await get('/small.txt', `Range: ${range}`)
    expect([status, fields.get('content-range')]).toEqual([416, 'bytes */26'])
  })

  it('of an empty file is 416', async () => {
    const { status, fields } = await get('/empty.txt', 'Range: bytes=0-')
    expect([status, fields.get('content-range')]).toEqual([416, 'bytes */0'])
  })

  it.each(['bytes=9-5', 'bytes=a-b', 'items=0-1', 'bytes=1-2,x'])(
    '%s that is invalid gives the whole file',
    async (range) => {
      const { status, body, fields } = await get('/small.txt', `Range: ${range}`)
      expect([status, body.toString(), fields.has('content-range')]).toEqual([200, small, false])
    },
  )

  it('is ignored for HEAD', async () => {
    const { status, fields } = await fetchRaw(server, '/small.txt', ['Range: bytes=0-1'], 'HEAD')
    expect([status, fields.get('content-length')]).toEqual([200, '26'])
  })

  it.each([
    ['If-None-Match: *', 304],
    ['If-Match: "other"', 412],
  ])('is applied after the precondition %s', async (condition, expected) => {
    expect((await get('/small.txt', 'Range: bytes=0-1', condition)).status).toBe(expected)
  })

  it('keeps the connection for the next request', async () => {
    const client = await RawClient.connect(server.port)
    const request = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a\r\nRange: bytes=1-2\r\n\r\n`
    client.send(request('/small.txt') + request('/large.bin') + request('/small.txt'))
    const bodies = []
    for (let count = 0; count < 3; count++) bodies.push((await client.response()).body.toString('latin1'))
    expect(bodies).toEqual(['bc', large.subarray(1, 3).toString('latin1'), 'bc'])
  })
})

describe('several ranges', () => {
  it.each([
    ['/small.txt', Buffer.from(small), 'text/plain; charset=utf-8'],
    ['/large.bin', large, 'application/octet-stream'],
  ])('of %s are parts of one body', async (target, content, type) => {
    const { status, fields, body } = await get(target, 'Range: bytes=0-1,10-19,-2')
    const size = content.length
    expect([status, fields.has('content-range')]).toEqual([206, false])
    expect(partsOf(fields.get('content-type') ?? '', body)).toEqual([
      { range: `bytes 0-1/${size}`, type, content: content.toString('latin1', 0, 2) },
      { range: `bytes 10-19/${size}`, type, content: content.toString('latin1', 10, 20) },
      { range: `bytes ${size - 2}-${size - 1}/${size}`, type, content: content.toString('latin1', size - 2) },
    ])
  })

  it('keep the order of the request', async () => {
    const { fields, body } = await get('/small.txt', 'Range: bytes=20-21,0-1')
    expect(partsOf(fields.get('content-type') ?? '', body).map(({ content }) => content)).toEqual(['uv', 'ab'])
  })

  it('that overlap are sent once', async () => {
    const { fields, body } = await get('/small.txt', 'Range: bytes=0-9,5-14')
    expect([fields.get('content-range'), body.toString()]).toEqual(['bytes 0-14/26', 'abcdefghijklmno'])
  })

  it('of which one is within the file give that one', async () => {
    const { status, body } = await get('/small.txt', 'Range: bytes=100-,0-1')
    expect([status, body.toString()]).toEqual([206, 'ab'])
  })

  it('that are too many give the whole file', async () => {
    const many = Array.from({ length: 500 }, (_, index) => `${2 * index}-${2 * index}`).join(',')
    expect((await get('/large.bin', `Range: bytes=${many}`)).status).toBe(200)
  })
})

describe('If-Range', () => {
  const modified = 'Tue, 14 Nov 2023 22:13:20 GMT'

  it('with the tag lets the range count', async () => {
    const etag = (await get('/small.txt')).fields.get('etag') ?? ''
    expect((await get('/small.txt', 'Range: bytes=0-1', `If-Range: ${etag}`)).status).toBe(206)
    expect((await get('/small.txt', 'Range: bytes=0-1', `If-Range: W/${etag}`)).status).toBe(200)
  })

  it.each([
    [modified, 206],
    ['Tue, 14 Nov 2023 22:13:19 GMT', 200],
    ['Tue, 14 Nov 2023 22:13:21 GMT', 200],
    ['"other"', 200],
    ['*', 200],
    ['junk', 200],
  ])('%s gives %i', async (value, expected) => {
    expect((await get('/small.txt', 'Range: bytes=0-1', `If-Range: ${value}`)).status).toBe(expected)
  })

  it('with a date is ignored for a file modified within the current second', async () => {
    const nowMs = 1_700_000_000_500
    const other = await startServer({ directory: root, now: () => nowMs })
    const fields = ['Range: bytes=0-1', `If-Range: ${modified}`]
    expect((await fetchRaw(other, '/small.txt', fields)).status).toBe(200)
  })

  it('without a range is ignored', async () => {
    expect((await get('/small.txt', 'If-Range: "other"')).status).toBe(200)
  })
})

describe('a range of a large file that changes midway', () => {
  it('is aborted', async () => {
    const path = join(root, 'huge.bin')
    closeSync(openSync(path, 'w'))
    truncateSync(path, 300 * mebibyte)
    const client = await RawClient.connect(server.port)
    client.send(`GET /huge.bin HTTP/1.1\r\nHost: a\r\nRange: bytes=10-${299 * mebibyte}\r\n\r\n`)
    await new Promise<void>((resolve) => client.socket.once('data', () => resolve()))
    client.socket.pause()
    const descriptor = openSync(path, 'r+')
    writeSync(descriptor, 'x', 0)
    closeSync(descriptor)
    client.socket.resume()
    await expect(client.response()).rejects.toThrow('the connection ended')
  })
})
