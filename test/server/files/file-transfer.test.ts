import {
  appendFileSync,
  closeSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { BufferPool } from '../../../src/server/files/buffer-pool.ts'
import { transferParts } from '../../../src/server/files/file-transfer.ts'
import { openServedFile, ServedFile } from '../../../src/server/files/served-file.ts'
import type { AnsweredRequest, RunningServer, ServerLimits } from '../../../src/server/index.ts'
import { OpenFiles } from '../../../src/server/limits/open-files.ts'
import { FileBody } from '../../../src/server/semantics/answer-body.ts'
import { defaultVisibility } from '../../../src/server/semantics/url-path.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { fetchRaw, RawClient, startServer } from '../raw-client.ts'

const mebibyte = 1_048_576
const request = 'GET /big HTTP/1.1\r\nHost: a\r\n\r\n'

let root: string
let file: string
let log: AnsweredRequest[]
let tellAnswer: () => void

beforeEach(() => {
  root = temporaryDirectory()
  file = join(root, 'big')
  log = []
  tellAnswer = () => undefined
})

const serve = (limits: Partial<ServerLimits> = {}): Promise<RunningServer> =>
  startServer({
    directory: root,
    limits,
    onAnswer: (entry) => {
      log.push(entry)
      tellAnswer()
    },
  })

/** Settles when the given number of requests have been answered or cut. */
async function answered(count: number): Promise<void> {
  while (log.length < count) {
    await new Promise<void>((resolve) => {
      tellAnswer = resolve
    })
  }
}

/** Descriptors of this process that are open on files below the served directory. */
function openFiles(): number {
  const paths = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`)
    } catch {
      return ''
    }
  })
  return paths.filter((path) => path.startsWith(root)).length
}

/** A file of zeros that takes no space. */
function makeSparse(sizeBytes: number): void {
  closeSync(openSync(file, 'w'))
  truncateSync(file, sizeBytes)
}

/** Bytes of a file that only grows, from this place on: each depends on its place. */
function growingContent(start: number, length: number): Buffer {
  const content = Buffer.alloc(length)
  for (let index = 0; index < length; index++) content[index] = ((start + index) * 2_654_435_761) >>> 24
  return content
}

/** A client that asks for the big file and stops reading at its first bytes. */
async function stuckClient(server: RunningServer): Promise<RawClient> {
  const client = await RawClient.connect(server.port)
  client.send(request)
  await new Promise<void>((resolve) => client.socket.once('data', () => resolve()))
  client.socket.pause()
  return client
}

describe('a large file', () => {
  it.each([65_536, 65_537, mebibyte, 2 * mebibyte + 1, 5 * mebibyte])('of %i bytes arrives complete', async (size) => {
    const content = Buffer.alloc(size)
    for (let index = 0; index < size; index++) content[index] = (index * 2_654_435_761) >>> 24
    writeFileSync(file, content)
    const { body } = await fetchRaw(await serve(), '/big')
    expect(body.equals(content)).toBe(true)
    expect(log.map(({ bodyBytes }) => bodyBytes)).toEqual([size])
    expect(openFiles()).toBe(0)
  })

  it('lets other requests be answered while a fast client reads it', async () => {
    makeSparse(1_000 * mebibyte)
    const server = await serve()
    const client = await RawClient.connect(server.port)
    client.socket.on('data', () => undefined)
    client.send(request)
    for (let count = 0; count < 5; count++) expect((await fetchRaw(server, '/none')).status).toBe(404)
    expect(log.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    client.socket.destroy()
    await answered(6)
  })

  it('keeps the connection for the next request', async () => {
    makeSparse(3 * mebibyte)
    const client = await RawClient.connect((await serve()).port)
    client.send(request.repeat(2))
    expect((await client.response()).body.length).toBe(3 * mebibyte)
    expect((await client.response()).body.length).toBe(3 * mebibyte)
  })

  it('waits for a client that does not read, and ends when it leaves', async () => {
    makeSparse(2_000 * mebibyte)
    const server = await serve()
    const before = process.memoryUsage()
    const clients = await Promise.all(Array.from({ length: 8 }, () => stuckClient(server)))
    expect((await fetchRaw(server, '/none')).status).toBe(404)
    const after = process.memoryUsage()
    // A buffer each, and what the platform holds for client and server.
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(16 * mebibyte)
    for (const client of clients) client.socket.destroy()
    await answered(9)
    expect(openFiles()).toBe(0)
    const cut = log.filter(({ requestLine }) => requestLine?.includes('/big'))
    expect(cut.every(({ status, bodyBytes }) => status === 200 && bodyBytes < 100 * mebibyte)).toBe(true)
  })

  it('is aborted, not short, when it shrinks during the transfer', async () => {
    makeSparse(200 * mebibyte)
    const server = await serve()
    const client = await stuckClient(server)
    truncateSync(file, mebibyte)
    client.socket.resume()
    await expect(client.response()).rejects.toThrow('the connection ended')
    expect(openFiles()).toBe(0)
  })

  it('is aborted, not mixed, when it is rewritten in place during the transfer', async () => {
    makeSparse(50 * mebibyte)
    const server = await serve()
    const client = await stuckClient(server)
    const descriptor = openSync(file, 'r+')
    writeSync(descriptor, 'x', 49 * mebibyte)
    closeSync(descriptor)
    client.socket.resume()
    await expect(client.response()).rejects.toThrow('the connection ended')
  })

  it('is aborted, not mixed, when a write that set its times before the transfer goes on during it', async () => {
    writeFileSync(file, Buffer.alloc(mebibyte))
    const opened = openServedFile({ root, visibility: defaultVisibility }, ['big'], Date.now() + 1000)
    if (!(opened instanceof ServedFile)) throw new Error('not a file')
    Object.assign(opened, { change: () => 'none' })
    const resources = { buffers: new BufferPool(mebibyte), openFiles: new OpenFiles(1) }
    const sink = { flush: async () => writeFileSync(file, Buffer.alloc(mebibyte, 'b')) }
    const body = new FileBody(opened, [{ start: 0, end: mebibyte }])
    const sent = transferParts(body, sink, resources, () => undefined)
    await expect(sent).rejects.toMatchObject({ code: 'file-changed' })
    opened.close()
  })

  it('has the announced length when it grows during the transfer', async () => {
    writeFileSync(file, growingContent(0, 20 * mebibyte))
    const server = await serve()
    const client = await stuckClient(server)
    appendFileSync(file, growingContent(20 * mebibyte, mebibyte))
    client.socket.resume()
    const { body } = await client.response()
    expect(body.equals(growingContent(0, 20 * mebibyte))).toBe(true)
    expect(openFiles()).toBe(0)
  })

  it('arrives complete each time while a writer keeps appending', async () => {
    writeFileSync(file, growingContent(0, 2 * mebibyte))
    const server = await serve()
    let isRunning = true
    let written = 2 * mebibyte
    const appending = (async () => {
      while (isRunning) {
        appendFileSync(file, growingContent(written, 61))
        written += 61
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    for (let count = 0; count < 6; count++) {
      const range = count % 3 === 2 ? ['Range: bytes=100000-'] : []
      const { status, fields, body } = await fetchRaw(server, '/big', range)
      expect(status).toBe(range.length === 0 ? 200 : 206)
      expect(body.length).toBe(Number(fields.get('content-length')))
      expect(body.equals(growingContent(range.length === 0 ? 0 : 100_000, body.length))).toBe(true)
    }
    isRunning = false
    await appending
    expect(openFiles()).toBe(0)
  })

  it('is aborted, not mixed, when it has grown and the part sent has changed', async () => {
    makeSparse(20 * mebibyte)
    const server = await serve()
    const client = await stuckClient(server)
    writeFileSync(file, growingContent(0, 21 * mebibyte))
    client.socket.resume()
    await expect(client.response()).rejects.toThrow('the connection ended')
    expect(openFiles()).toBe(0)
  })

  it('is aborted, not mixed, when it is rewritten longer again and again', async () => {
    const size = 3 * mebibyte
    writeFileSync(file, 'a'.repeat(size))
    const server = await serve()
    let isRunning = true
    const rewriting = (async () => {
      for (let round = 1; isRunning; round++) {
        const descriptor = openSync(file, 'r+')
        const piece = Buffer.alloc(262_144, round % 2 === 0 ? 'a' : 'b')
        for (let position = 0; position < size + round * 1_000; position += piece.length) {
          writeSync(descriptor, piece, 0, piece.length, position)
          await new Promise((resolve) => setImmediate(resolve))
        }
        closeSync(descriptor)
      }
    })()
    for (let count = 0; count < 20; count++) {
      const body = await fetchRaw(server, '/big').then(
        (response) => response.body,
        () => undefined,
      )
      if (body !== undefined) expect(new Set(body.subarray(0, size)).size).toBe(1)
    }
    isRunning = false
    await rewriting
    expect(openFiles()).toBe(0)
  })

  it('arrives complete when it is deleted during the transfer', async () => {
    makeSparse(20 * mebibyte)
    const server = await serve()
    const client = await stuckClient(server)
    rmSync(file)
    client.socket.resume()
    expect((await client.response()).body.length).toBe(20 * mebibyte)
    expect((await fetchRaw(server, '/big')).status).toBe(404)
  })

  it('never arrives complete with mixed content while it is continually rewritten', async () => {
    const size = 3 * mebibyte
    writeFileSync(file, 'a'.repeat(size))
    const server = await serve()
    let isRunning = true
    const descriptor = openSync(file, 'r+')
    const rewriting = (async () => {
      for (let round = 0; isRunning; round++) {
        const piece = Buffer.alloc(65_536, round % 2 === 0 ? 'b' : 'a')
        for (let position = 0; position < size; position += piece.length) {
          writeSync(descriptor, piece, 0, piece.length, position)
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
    })()
    for (let count = 0; count < 20; count++) {
      const body = await fetchRaw(server, '/big').then(
        (response) => response.body,
        () => undefined,
      )
      if (body !== undefined) expect(new Set(body).size).toBe(1)
    }
    isRunning = false
    await rewriting
    closeSync(descriptor)
    expect(openFiles()).toBe(0)
  })
})

describe('descriptors', () => {
  it('are closed after 304, 412, HEAD and aborted downloads', async () => {
    makeSparse(50 * mebibyte)
    const server = await serve()
    for (let count = 0; count < 20; count++) {
      expect((await fetchRaw(server, '/big', ['If-None-Match: *'])).status).toBe(304)
      expect((await fetchRaw(server, '/big', ['If-Match: "x"'])).status).toBe(412)
      expect((await fetchRaw(server, '/big', [], 'HEAD')).status).toBe(200)
      const client = await stuckClient(server)
      client.socket.destroy()
    }
    await answered(80)
    expect(openFiles()).toBe(0)
  })

  it('are closed when the client resets the connection', async () => {
    makeSparse(50 * mebibyte)
    const server = await serve()
    const client = await stuckClient(server)
    client.socket.resetAndDestroy()
    await answered(1)
    expect(openFiles()).toBe(0)
  })

  it('are closed when the client reads nothing for too long', async () => {
    makeSparse(50 * mebibyte)
    const server = await serve({ writeTimeoutMs: 50 })
    const client = await stuckClient(server)
    await answered(1)
    expect(openFiles()).toBe(0)
    client.socket.resume()
    await expect(client.response()).rejects.toThrow('the connection ended')
  })
})
