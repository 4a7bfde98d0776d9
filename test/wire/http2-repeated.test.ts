/** Requests that a server certainly did not process, or that may be sent twice, go out again once over HTTP/2. */
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ChunkedBody, HttpRequest } from '../../src/message/index.ts'
import { ConnectionPool, exchange, type WireOptions } from '../../src/wire/index.ts'
import { endHeaders, endStream, frame, frameTypes, goaway, preface, reset, settings } from '../helpers/http2-frames.ts'
import { type Peer, startPeer } from './peer.ts'

const known: WireOptions = { http2: 'prior-knowledge' }
const REFUSED_STREAM = 7

const answer = (stream: number): Buffer => frame(frameTypes.headers, endHeaders | endStream, stream, Buffer.of(0x88))
const refusal = (stream: number): Buffer => reset(stream, REFUSED_STREAM)

/** Calls `serve` with the number of each stream whose head arrives. */
function eachRequest(serve: (stream: number, socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    let bytes = Buffer.alloc(0)
    let skipped = preface.length
    socket.write(settings())
    socket.on('data', (more: Buffer) => {
      bytes = Buffer.concat([bytes, more])
      for (;;) {
        const rest = bytes.subarray(skipped)
        const size = rest.length < 9 ? Number.POSITIVE_INFINITY : 9 + rest.readUIntBE(0, 3)
        if (size > rest.length) return
        skipped += size
        if (rest[3] === frameTypes.headers) serve(rest.readUInt32BE(5), socket)
      }
    })
  }
}

/** @param first the bytes for the first request; all others are answered */
function startAfter(first: (stream: number) => Buffer): Promise<Peer> {
  let count = 0
  return startPeer(eachRequest((stream, socket) => socket.write(++count === 1 ? first(stream) : answer(stream))))
}

const post = (peer: Peer, body: string | ChunkedBody): HttpRequest =>
  new HttpRequest({ method: 'POST', url: `${peer.origin}/`, body })

describe('a request that was refused', () => {
  it.each<[title: string, first: (stream: number) => Buffer, connections: number]>([
    ['with REFUSED_STREAM', refusal, 2],
    ['by GOAWAY', () => goaway(0), 2],
  ])('%s is sent again, whatever its method, and reported once', async (_title, first, connections) => {
    const peer = await startAfter(first)
    const reported: Uint8Array[] = []
    const onRequestBytes = (bytes: Uint8Array): void => void reported.push(bytes)
    const { response } = await exchange(post(peer, 'all of it'), { ...known, onRequestBytes })
    expect([response.status, peer.received.length]).toEqual([200, connections])
    expect(Buffer.concat(reported).toString().split('all of it')).toHaveLength(2)
  })

  it('is sent again over the connection that others share', async () => {
    const peer = await startAfter(refusal)
    const pool = new ConnectionPool()
    onTestFinished(() => pool.close())
    const { response } = await exchange(post(peer, 'x'), { ...known, pool })
    expect([response.status, peer.received.length]).toEqual([200, 1])
  })

  it.each<[title: string, body: () => string | ChunkedBody, connections: number]>([
    ['is refused again', () => 'x', 2],
    ['has a body that can be read only once', () => new ChunkedBody(onlyOnce()), 1],
  ])('fails with the refusal if it %s', async (_title, body, connections) => {
    const peer = await startPeer(eachRequest((stream, socket) => socket.write(refusal(stream))))
    await expect(exchange(post(peer, body()), known)).rejects.toMatchObject({
      code: 'connection-reset',
      message: expect.stringContaining('REFUSED_STREAM'),
    })
    expect(peer.received.length).toBeGreaterThanOrEqual(connections)
  })
})

async function* onlyOnce(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('x')
}

describe('a request over a shared connection that ends without an answer', () => {
  async function secondOf(method: string): Promise<{ readonly status: Promise<number>; readonly peer: Peer }> {
    let count = 0
    const peer = await startPeer(
      eachRequest((stream, socket) => {
        if (++count === 2) socket.destroy()
        else socket.write(answer(stream))
      }),
    )
    const pool = new ConnectionPool()
    onTestFinished(() => pool.close())
    const request = new HttpRequest({ method, url: `${peer.origin}/` })
    const send = async (): Promise<number> => (await exchange(request, { ...known, pool })).response.status
    await send()
    return { status: send(), peer }
  }

  it('is sent again over a new one if its method allows that', async () => {
    const { status, peer } = await secondOf('GET')
    expect([await status, peer.received.length]).toEqual([200, 2])
  })

  it('fails if its method does not allow that', async () => {
    const { status } = await secondOf('POST')
    await expect(status).rejects.toMatchObject({ code: 'connection-reset' })
  })
})

it('a request over a new connection that ends without an answer is not sent again', async () => {
  const peer = await startPeer(eachRequest((_stream, socket) => socket.destroy()))
  const request = new HttpRequest({ method: 'GET', url: `${peer.origin}/` })
  await expect(exchange(request, known)).rejects.toMatchObject({ code: 'connection-reset' })
  expect(peer.received).toHaveLength(1)
})
