/**
 * The socket of the stand-alone executable over a stand-in for its runtime. The end-to-end tests exercise it with the
 * runtime itself; here is what a real connection shows only by chance.
 */
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ExchangeSocket } from '../../../src/wire/base/exchange-socket.ts'
import { openSocket } from '../../../src/wire/connection/runtime-socket.ts'

type Handlers = Readonly<Record<string, (handle: unknown, argument?: unknown) => void>>

/** One end of a connection as the runtime gives it; accepts `roomBytes`, then nothing until there is room again. */
class Handle {
  readonly localAddress = '127.0.0.1'
  readonly localPort = 50_000
  readonly calls: string[] = []
  readonly accepted: number[] = []
  roomBytes = Number.POSITIVE_INFINITY
  wasReset = false

  write(bytes: Uint8Array): number {
    if (this.wasReset) return -1
    const taken = bytes.subarray(0, this.roomBytes)
    this.roomBytes -= taken.length
    this.accepted.push(...taken)
    return taken.length
  }

  pause(): void {
    this.calls.push('pause')
  }

  resume(): void {
    this.calls.push('resume')
  }

  close(): void {
    this.calls.push('close')
  }
}

const runtime = globalThis as { Bun?: unknown }
const original = runtime.Bun
let handlers: Handlers
let refuse: (error: Error) => void
let handle: Handle
let socket: ExchangeSocket
let seen: string[]

beforeEach(() => {
  handle = new Handle()
  seen = []
  runtime.Bun = {
    connect: (options: { readonly socket: Handlers }) => {
      handlers = options.socket
      return new Promise((_resolve, reject) => {
        refuse = reject
      })
    },
  }
  socket = openSocket({ host: '127.0.0.1', port: 80, noDelay: true }, false)
  socket.once('connect', () => seen.push('connect'))
  socket.once('drain', () => seen.push('drain'))
  socket.on('error', (error) => seen.push(`error ${error.message}`))
  socket.on('close', () => seen.push('close'))
})

afterEach(() => {
  runtime.Bun = original
})

const emit = (event: string, argument?: unknown): void => handlers[event]?.(handle, argument)

it('leaves received data in the system until there is a listener, and while paused', () => {
  emit('open')
  expect(handle.calls).toEqual(['pause'])
  socket.on('data', (bytes) => seen.push(`data ${bytes.length}`))
  emit('data', new Uint8Array(3))
  socket.pause()
  socket.pause()
  socket.resume()
  expect(handle.calls).toEqual(['pause', 'resume', 'pause', 'resume'])
  expect(seen).toEqual(['connect', 'data 3'])
})

it('keeps what the system does not accept, in order, and emits drain when all has been written', async () => {
  emit('open')
  handle.roomBytes = 3
  const done: (Error | null | undefined)[] = []
  expect(socket.write(Uint8Array.of(1, 2), () => done.push(undefined))).toBe(true)
  expect(socket.write(Uint8Array.of(3, 4, 5), () => done.push(undefined))).toBe(false)
  expect(socket.write(Uint8Array.of(6))).toBe(false)
  expect(socket.writableLength).toBe(3)
  handle.roomBytes = 1
  emit('drain')
  expect([handle.accepted, seen]).toEqual([[1, 2, 3, 4], ['connect']])
  handle.roomBytes = 10
  emit('drain')
  await Promise.resolve()
  expect([handle.accepted, seen, done.length]).toEqual([[1, 2, 3, 4, 5, 6], ['connect', 'drain'], 2])
})

it('emits no drain if nothing is pending', () => {
  emit('open')
  emit('drain')
  expect(seen).toEqual(['connect'])
})

it('emits the error of a reset once, then close', async () => {
  emit('open')
  emit('close', new Error('reset'))
  emit('error', new Error('second'))
  socket.destroy()
  expect([socket.destroyed, socket.writable]).toEqual([true, false])
  await Promise.resolve()
  expect(seen).toEqual(['connect', 'error reset', 'close'])
})

it.each(['end', 'close'])(
  'emits the error of a reset during a write, although the runtime reports only %s',
  async (event) => {
    emit('open')
    socket.on('data', (bytes) => seen.push(`data ${bytes.length}`))
    socket.on('end', () => seen.push('end'))
    handle.wasReset = true
    expect(socket.write(Uint8Array.of(1))).toBe(false)
    emit('data', new Uint8Array(3))
    emit(event)
    emit('close')
    await Promise.resolve()
    expect(seen).toEqual(['connect', 'data 3', 'error write ECONNRESET', 'close'])
  },
)

it('names the address of a refusal, which the runtime reports twice', async () => {
  const refused = Object.assign(new Error('Failed to connect'), { code: 'ECONNREFUSED' })
  emit('connectError', refused)
  refuse(refused)
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen).toEqual(['error connect ECONNREFUSED 127.0.0.1:80', 'close'])
})

it('closes a connection that opens after it was abandoned', async () => {
  socket.destroy()
  emit('open')
  await Promise.resolve()
  expect([handle.calls, seen]).toEqual([['close'], ['close']])
})

it('removes a listener, even one of `once`', () => {
  const listener = (): void => void seen.push('wrong')
  socket.once('close', listener)
  socket.off('close', listener)
  emit('open')
  emit('close')
  return Promise.resolve().then(() => expect(seen).toEqual(['connect', 'close']))
})
