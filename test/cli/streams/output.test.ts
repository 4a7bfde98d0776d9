/** Writing to stdout and stderr: back-pressure, readers that go away, disks that are full. */
import { Writable } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { createOutput, type Descriptor, OutputClosedError, type OutputStream } from '../../../src/cli/streams/output.ts'

const settings = { name: 'standard output', environment: {}, colorChoice: () => undefined }

/** A stream whose writes end when the test says so. */
function heldStream(): { stream: Writable; held: ((error?: Error) => void)[]; chunks: string[] } {
  const held: ((error?: Error) => void)[] = []
  const chunks: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk))
      held.push(done)
    },
  })
  return { stream, held, chunks }
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: write`), { code, syscall: 'write' })
}

it('opens the stream once, at the first write', async () => {
  const chunks: string[] = []
  const open = vi.fn(
    () =>
      new Writable({
        write(chunk, _encoding, done) {
          chunks.push(String(chunk))
          done()
        },
      }),
  )
  const output = createOutput(open, settings)
  expect(open).not.toHaveBeenCalled()
  await output.write('a')
  await output.write(Buffer.from('b'))
  expect(open).toHaveBeenCalledTimes(1)
  expect(chunks).toEqual(['a', 'b'])
})

it('completes a write only when the stream has accepted it', async () => {
  const { stream, held } = heldStream()
  const output = createOutput(() => stream, settings)
  let ended = false
  const write = output.write('a').then(() => {
    ended = true
  })
  await new Promise(setImmediate)
  expect(ended).toBe(false)
  held.shift()?.()
  await write
  expect(ended).toBe(true)
})

it.each(['EPIPE', 'ECONNRESET'])(
  'reports that the reader has gone after %s, at that write and at every later one',
  async (code) => {
    const { stream, held, chunks } = heldStream()
    const output = createOutput(() => stream, settings)
    const write = output.write('a')
    await new Promise(setImmediate)
    held.shift()?.(systemError(code))
    await expect(write).rejects.toBeInstanceOf(OutputClosedError)
    await expect(output.write('b')).rejects.toBeInstanceOf(OutputClosedError)
    expect(chunks).toEqual(['a'])
  },
)

it('names the stream when the disk is full', async () => {
  const { stream, held } = heldStream()
  const output = createOutput(() => stream, settings)
  const write = output.write('a')
  await new Promise(setImmediate)
  held.shift()?.(systemError('ENOSPC'))
  await expect(write).rejects.toMatchObject({
    code: 'output-failed',
    message: 'cannot write to standard output: no space left on the device',
  })
})

it('reports whether it is a terminal, its width and its colours', () => {
  const terminal = Object.assign(new Writable(), { isTTY: true, columns: 132 }) as OutputStream
  expect(createOutput(() => terminal, settings)).toMatchObject({ isTerminal: true, columns: 132, colors: true })
  expect(createOutput(() => new Writable(), settings)).toMatchObject({ isTerminal: false, columns: 80, colors: false })
  expect(createOutput(() => terminal, { ...settings, colorChoice: () => 'never' }).colors).toBe(false)
})

it('asks once whether it is a terminal', () => {
  const isTerminal = vi.fn(() => true)
  const descriptor = { ...fakeDescriptor([], 1), isTerminal }
  const output = createOutput(() => new Writable(), { ...settings, descriptor })
  expect([output.isTerminal, output.colors, output.isTerminal]).toEqual([true, true, true])
  expect(isTerminal).toHaveBeenCalledTimes(1)
})

/** Takes at most `room` bytes at a time, and notes them; without room it throws as the system does. */
function fakeDescriptor(order: string[], room: number, code = 'EAGAIN'): Descriptor {
  let left = room
  return {
    isTerminal: () => false,
    write: (bytes) => {
      if (left === 0) throw systemError(code)
      const count = Math.min(left, bytes.length, 3)
      left -= count
      order.push(`descriptor ${Buffer.from(bytes.subarray(0, count)).toString()}`)
      return count
    },
  }
}

function notingStream(order: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      order.push(`stream ${String(chunk)}`)
      done()
    },
  })
}

it('writes the first bytes straight to the descriptor and never opens the stream for them', async () => {
  const order: string[] = []
  const open = vi.fn(() => notingStream(order))
  const output = createOutput(open, { ...settings, descriptor: fakeDescriptor(order, 100) })
  await output.write('abcd')
  await output.write(Buffer.from('ef'))
  expect(output.isTerminal).toBe(false)
  expect(order).toEqual(['descriptor abc', 'descriptor d', 'descriptor ef'])
  expect(open).not.toHaveBeenCalled()
})

it('passes what a full descriptor does not accept to the stream, and everything after it', async () => {
  const order: string[] = []
  const output = createOutput(() => notingStream(order), { ...settings, descriptor: fakeDescriptor(order, 4) })
  await output.write('abcdef')
  await output.write('gh')
  expect(order).toEqual(['descriptor abc', 'descriptor d', 'stream ef', 'stream gh'])
})

it('passes what exceeds an empty pipe to the stream, and everything after it', async () => {
  const order: string[] = []
  const output = createOutput(() => notingStream(order), { ...settings, descriptor: fakeDescriptor(order, 1e9) })
  await output.write('a')
  await output.write('b'.repeat(65_536))
  await output.write('c')
  expect(order.map((entry) => entry.slice(0, 12))).toEqual(['descriptor a', 'stream bbbbb', 'stream c'])
})

it('reports that the reader of the descriptor has gone', async () => {
  const output = createOutput(() => notingStream([]), { ...settings, descriptor: fakeDescriptor([], 0, 'EPIPE') })
  await expect(output.write('a')).rejects.toBeInstanceOf(OutputClosedError)
  await expect(output.write('b')).rejects.toBeInstanceOf(OutputClosedError)
})

it('keeps the order of background writes of the descriptor', async () => {
  const order: string[] = []
  const written: (() => void)[] = []
  const descriptor: Descriptor = {
    isTerminal: () => false,
    write: async (bytes) => {
      const text = Buffer.from(bytes).toString()
      // The first one takes long.
      if (text === 'one') await new Promise<void>((resolve) => written.push(resolve))
      order.push(text)
      return bytes.length
    },
  }
  const { stream, held, chunks } = heldStream()
  const output = createOutput(() => stream, { ...settings, descriptor })
  const long = 'x'.repeat(70_000)
  const writes = ['one', 'two', long].map((text) => output.write(text))
  await new Promise(setImmediate)
  expect([order, chunks]).toEqual([[], []])
  written.shift()?.()
  await Promise.all(writes.slice(0, 2))
  expect(order).toEqual(['one', 'two'])
  await vi.waitUntil(() => held.length > 0)
  held.shift()?.()
  await writes[2]
  expect(chunks).toEqual([long])
})

it('reports that the reader has gone when a background write fails', async () => {
  const descriptor: Descriptor = { isTerminal: () => false, write: () => Promise.reject(systemError('EPIPE')) }
  const output = createOutput(() => new Writable(), { ...settings, descriptor })
  await expect(output.write('a')).rejects.toBeInstanceOf(OutputClosedError)
  await expect(output.write('b')).rejects.toBeInstanceOf(OutputClosedError)
})
