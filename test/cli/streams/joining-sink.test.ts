import { describe, expect, it } from 'vitest'
import { JoiningSink } from '../../../src/cli/streams/joining-sink.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A sink that keeps the writes and waits in each of them until `accept` is called. */
class SlowSink {
  readonly written: string[] = []
  accept: () => void = () => undefined

  write(data: Uint8Array): Promise<void> {
    this.written.push(Buffer.from(data).toString())
    return new Promise((resolve) => {
      this.accept = resolve
    })
  }
}

function collecting(): { readonly written: string[]; write(data: Uint8Array): Promise<void> } {
  const written: string[] = []
  return { written, write: async (data) => void written.push(Buffer.from(data).toString()) }
}

describe('pieces of a body', () => {
  it('are joined if they arrive in one turn of the event loop', async () => {
    const sink = collecting()
    const joining = new JoiningSink(sink)
    for (const piece of 'abc') await joining.write(bytes(piece))
    expect(sink.written).toEqual([])
    await nextTurn()
    expect(sink.written).toEqual(['abc'])
  })

  it('are written in order, whatever their length', async () => {
    const sink = collecting()
    const joining = new JoiningSink(sink)
    const pieces = ['a', 'b'.repeat(2000), 'c', 'd'.repeat(1023), '', 'e'.repeat(50_000), 'f']
    for (const piece of pieces) await joining.write(bytes(piece))
    await joining.flush()
    expect(sink.written.join('')).toBe(pieces.join(''))
  })

  it('do not accumulate without limit within one turn', async () => {
    const sink = collecting()
    const joining = new JoiningSink(sink)
    for (let i = 0; i < 40_000; i += 1) await joining.write(bytes('x'))
    expect(sink.written.map(({ length }) => length)).toEqual([16_384, 16_384])
  })

  it('wait until the output has accepted the previous ones', async () => {
    const sink = new SlowSink()
    const joining = new JoiningSink(sink)
    await joining.write(bytes('a'))
    await nextTurn()
    let isAccepted = false
    const writing = joining.write(bytes('b')).then(() => {
      isAccepted = true
    })
    await nextTurn()
    expect([sink.written, isAccepted]).toEqual([['a'], false])
    sink.accept()
    await writing
    await nextTurn()
    expect(sink.written).toEqual(['a', 'b'])
  })

  it('are refused after the output has failed', async () => {
    const joining = new JoiningSink({ write: () => Promise.reject(new Error('closed')) })
    await joining.write(bytes('a'))
    await nextTurn()
    await expect(joining.write(bytes('b'))).rejects.toThrow('closed')
    await expect(joining.flush()).rejects.toThrow('closed')
  })
})
