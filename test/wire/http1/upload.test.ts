/** How a request is written: when the source is asked, and what is read before. */
import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import type { ExchangeSocket } from '../../../src/wire/base/exchange-socket.ts'
import { Stopwatch, systemClock } from '../../../src/wire/base/timing.ts'
import { Upload } from '../../../src/wire/http1/upload.ts'

/** Takes everything at once; large pieces want a `drain`, as the platform's sockets do. */
function takingSocket(onWrite: () => void): ExchangeSocket {
  const socket = new EventEmitter()
  const write = (bytes: Uint8Array): boolean => {
    onWrite()
    const isSmall = bytes.length < 16_384
    if (!isSmall) process.nextTick(() => socket.emit('drain'))
    return isSmall
  }
  return Object.assign(socket, { destroyed: false, writable: true, writableLength: 0, write }) as never
}

it('reads between two pieces of a body: a write after a reset would lose the response', async () => {
  let polls = 0
  let pollsAtPiece = 0
  const waited: number[] = []
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (const length of [100, 6, 4_096, 2, 6, 65_536, 65_536]) {
      pollsAtPiece = polls
      // The first one may still belong to the turn of the event loop that is under way.
      setImmediate(() =>
        setImmediate(() => {
          polls += 1
        }),
      )
      yield new Uint8Array(length)
    }
  }
  const socket = takingSocket(() => waited.push(polls - pollsAtPiece))
  const options = { place: 'peer', idleMs: 0, shouldWaitForContinue: false, onRequestBytes: undefined }
  const upload = new Upload(socket, pieces(), new Stopwatch(systemClock), options)
  await upload.finished
  // The head, a chunk with its framing, and the beginnings of the next chunks.
  expect(waited.map((pollsWaited) => pollsWaited > 0)).toEqual([false, false, false, true, false, false, true])
})

it('passes a chunk to the system at once with its framing: a reset may arrive between two writes', async () => {
  const passed: string[] = []
  let held: string | undefined
  const socket = Object.assign(new EventEmitter(), {
    ...{ destroyed: false, writable: true, writableLength: 0 },
    cork: () => {
      held = ''
    },
    uncork: () => {
      passed.push(held ?? '')
      held = undefined
    },
    write: (bytes: Uint8Array): boolean => {
      if (held === undefined) passed.push(String(bytes))
      else held += String(bytes)
      return true
    },
  })
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (const text of ['head', '3\r\n', 'abc', '\r\n', '0\r\n\r\n']) yield Buffer.from(text)
  }
  const options = { place: 'peer', idleMs: 0, shouldWaitForContinue: false, onRequestBytes: undefined }
  await new Upload(socket as never, pieces(), new Stopwatch(systemClock), options).finished
  await expect.poll(() => passed).toEqual(['head', '3\r\nabc\r\n0\r\n\r\n'])
})

it('has not ended while its last piece waits for the system', async () => {
  const socket = new EventEmitter()
  const accept: (() => void)[] = []
  const write = (_bytes: Uint8Array, done?: () => void): boolean => {
    if (done !== undefined) accept.push(done)
    return true
  }
  const waiting = Object.assign(socket, { destroyed: false, writable: true, writableLength: 5, write })
  const pieces = [Buffer.from('head'), Buffer.from('first'), Buffer.from('last')]
  const options = { place: 'peer', idleMs: 0, shouldWaitForContinue: false, onRequestBytes: undefined }
  const upload = new Upload(waiting as never, pieces, new Stopwatch(systemClock), options)
  await expect.poll(() => accept.length).toBe(2)
  upload.continue()
  accept[0]?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect(upload.isFinished).toBe(false)
  accept[1]?.()
  await upload.finished
  expect(upload.isFinished).toBe(true)
})
